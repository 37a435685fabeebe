"""Groups of tensors that many architectures share, as lines for `weightmap.naming.rules.parse_rules`."""

from __future__ import annotations

EMBEDDING = """
token_embd.weight D NV
output_norm.weight D
output.weight? D NV
"""
TIED = """
token_embd.weight D NV
output_norm.weight D
"""
NEXT_TOKENS = """
.nextn.eh_proj.weight? 2*D D
.nextn.enorm.weight? D
.nextn.hnorm.weight? D
.nextn.embed_tokens.weight? D NV
.nextn.shared_head_head.weight? D NV
.nextn.shared_head_norm.weight? D
"""
ROPE_FACTORS = """
rope_factors_long.weight? R/2
rope_factors_short.weight? R/2
"""
ROPE = "\nrope_freqs.weight? R/2\n" + ROPE_FACTORS
LABELS = """
cls.weight? D D
cls.bias? D
cls.output.weight? D NC
cls.output.bias? NC
"""


def attention(q: str, k: str, v: str) -> str:
    """Query, key and value of these widths, apart or in one tensor, and the way back from the queries' width."""
    together = f"{q}+{k}+{v}"
    return f"""
.attn_q.weight D {q}
.attn_k.weight D {k}
.attn_v.weight D {v}
.attn_q.bias? {q}
.attn_k.bias? {k}
.attn_v.bias? {v}
.attn_qkv.weight? D {together}
.attn_qkv.bias? {together}
.attn_output.weight {q} D
.attn_output.bias? D
"""


# heads whose width is a key of its own, and heads that share out the embedding
HEADS = attention("K*H", "K*HK", "V*HK")
SHARED_HEADS = attention("D", "V*HK", "V*HK")
FUSED_HEADS = """
.attn_qkv.weight D D+2*V*HK
.attn_qkv.bias? D+2*V*HK
.attn_output.weight D D
.attn_output.bias? D
"""
HEAD_NORMS = """
.attn_q_norm.weight K
.attn_k_norm.weight K
"""


def norms(*names: str, bias: str | None = None) -> str:
    """Norms as wide as the embedding in each block; bias "" where each has a bias, "?" where it may have one."""
    lines = [f".{name}.weight D" for name in names]
    if bias is not None:
        lines += [f".{name}.bias{bias} D" for name in names]
    return "\n" + "\n".join(lines) + "\n"


PLAIN = """
.ffn_up.weight D F
.ffn_down.weight F D
.ffn_up.bias? F
.ffn_down.bias? D
"""
GATED = (
    PLAIN
    + """
.ffn_gate.weight D F
.ffn_gate.bias? F
"""
)
BIASES = """
.attn_output.bias D
.ffn_up.bias F
.ffn_down.bias D
"""
FUSED_BIASES = BIASES + "\n.attn_qkv.bias D+2*V*HK\n"
TWO_IN_ONE = """
.ffn_up.weight D 2*F
.ffn_down.weight F D
"""


def experts(width: str) -> str:
    """A router and experts of this width, gate and up apart or in one tensor, or one tensor an expert in old files."""
    return f"""
.ffn_gate_inp.weight D E
.ffn_gate_exps.weight D {width} E
.ffn_up_exps.weight D {width} E
.ffn_down_exps.weight {width} D E
.ffn_gate_up_exps.weight? D 2*{width} E
.exp_probs_b.bias? E
.ffn_gate.{{x}}.weight? D {width}
.ffn_up.{{x}}.weight? D {width}
.ffn_down.{{x}}.weight? {width} D
"""


def shared_expert(width: str) -> str:
    """The expert that every token passes; dense blocks have none."""
    return f"""
.ffn_gate_shexp.weight? D {width}
.ffn_up_shexp.weight? D {width}
.ffn_down_shexp.weight? {width} D
"""


MAMBA = """
.ssm_in.weight D 2*DI
.ssm_conv1d.weight DC DI
.ssm_conv1d.bias DI
.ssm_x.weight DI DT+2*DS
.ssm_dt.weight DT DI
.ssm_dt.bias DI
.ssm_a DS DI
.ssm_d DI
.ssm_out.weight DI D
"""
MAMBA2 = """
.ssm_in.weight D 2*DI+2*DG*DS+DT
.ssm_conv1d.weight DC DI+2*DG*DS
.ssm_conv1d.bias? DI+2*DG*DS
.ssm_dt.bias DT
.ssm_a 1 DT
.ssm_d 1 DT
.ssm_norm.weight DI/DG DG
.ssm_out.weight DI D
"""
