"""Checkpoints of Hugging Face: which architecture their config.json means, and the shapes of their tensors.

Shapes are those of the GGUF tensors that they become, undone by the converter's transform: one table of formulas serves
both formats.
"""

from __future__ import annotations

from functools import cache

from weightmap.naming.formula import Formula, formula
from weightmap.naming.names import Name, names
from weightmap.naming.rules import TensorRule
from weightmap.naming.shapes import shapes

MODEL_TYPES = {
    "bert": "bert",
    "roberta": "bert",
    "xlm-roberta": "bert",
    "camembert": "bert",
    "distilbert": "bert",
    "nomic_bert": "nomic-bert",
    "bloom": "bloom",
    "deepseek_v2": "deepseek2",
    "deepseek_v3": "deepseek2",
    "falcon": "falcon",
    "gemma": "gemma",
    "gemma2": "gemma2",
    "gemma3": "gemma3",
    "gemma3_text": "gemma3",
    "gpt2": "gpt2",
    "gpt_neox": "gptneox",
    "gpt_oss": "gpt-oss",
    "granite": "llama",
    "llama": "llama",
    "mistral": "llama",
    "mixtral": "llama",
    "smollm3": "llama",
    "mamba": "mamba",
    "phi": "phi2",
    "phi3": "phi3",
    "qwen2": "qwen2",
    "qwen2_moe": "qwen2moe",
    "qwen3": "qwen3",
    "qwen3_moe": "qwen3moe",
    "t5": "t5",
}
"""`model_type` of a config.json to the architecture of GGUF whose tables its tensors follow."""

TOGETHER = ("ffn_gate_exps", "ffn_gate_up_exps")
"""The tensor that one which holds gates and ups takes the place of."""


@cache
def source_shapes(architecture: str) -> tuple[tuple[TensorRule, str], ...]:
    """The tensors of a checkpoint and the GGUF tensor that each becomes; those whose shape cannot be told are left out."""
    targets = {rule.name: rule for rule in shapes(architecture) or ()}
    rules: dict[str, tuple[TensorRule, str]] = {}
    for name in names(architecture):
        if name.target in targets and name.source not in rules:
            rule = _source(name, targets[name.target])
            if rule is not None:
                rules[name.source] = rule, name.target.replace(*TOGETHER) if "half" in name.transform else name.target
    return tuple(rules.values())


def _source(name: Name, target: TensorRule) -> TensorRule | None:
    dims = target.dims
    match name.transform:
        case "=" | "P(q)" | "P(k)" | "+1" | "F" | "B" | "-exp":
            pass
        case "T":
            dims = dims[::-1]
        case "T2":
            dims = (dims[1], dims[0], *dims[2:])
        case "S":
            dims = dims[:-1]
        case "sq":
            dims = (dims[0], formula("1"), dims[1])
        case "rows[:half]" | "rows[half:]":  # one of two forms that a checkpoint may have
            return TensorRule(name.source, (dims[0], _twice(dims[1]), *dims[2:]), False)
        case "T2,rows[0::2]" | "T2,rows[1::2]":
            dims = (_twice(dims[1]), dims[0], *dims[2:])
        case "cols[0::2]" | "cols[1::2]":
            dims = (_twice(dims[0]), *dims[1:])
        case _:
            return None
    return TensorRule(name.source, dims, target.required)


def _twice(dim: Formula) -> Formula:
    return formula(f"2*({dim.text})")
