"""The table of shapes: complete in itself, and with gguf's own list of tensors as the judge of names."""

import gguf
import pytest

from weightmap.naming.rules import parse_rules
from weightmap.naming.shapes import TABLES, shapes
from weightmap.naming.symbols import OVERRIDES, SYMBOLS, symbols

ALSO_LOADED = (
    "attn_qkv", "attn_q", "attn_k", "attn_v", "ffn_gate_up_exps", "exp_probs_b", "ffn_gate.{x}", "ffn_up.{x}", "ffn_down.{x}",
    "ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp", "nextn.", "rope_factors_", "rope_freqs", "cls.output", "dense_",
    "ffn_gate_inp", "ffn_gate_exps", "ffn_up_exps", "ffn_down_exps", "ffn_up", "ffn_down", "ffn_gate",
)  # fmt: skip
"""What llama.cpp's loader takes where gguf's list for the architecture lacks it: fused, split and old forms."""


@pytest.mark.parametrize("architecture", TABLES)
def test_every_letter_is_explained(architecture: str) -> None:
    rules = shapes(architecture)
    assert rules
    assert {symbol for rule in rules for symbol in rule.symbols} <= set(symbols(architecture))


@pytest.mark.parametrize("architecture", sorted(set(TABLES) & set(gguf.MODEL_ARCH_NAMES.values())))
def test_names_are_those_of_gguf(architecture: str) -> None:
    enum = {name: key for key, name in gguf.MODEL_ARCH_NAMES.items()}[architecture]
    known = {gguf.TENSOR_NAMES[key].replace("{bid}", "{i}") for key in gguf.MODEL_TENSORS[enum]}
    for rule in shapes(architecture) or ():
        base = rule.name.removesuffix(".weight").removesuffix(".bias")
        assert base in known or base.removeprefix("blk.{i}.").startswith(ALSO_LOADED), rule.name


def test_unknown_architecture_has_no_table() -> None:
    assert shapes("no such") is None


def test_a_later_line_replaces_an_earlier_one() -> None:
    (rule,) = parse_rules("output.weight? D NV\noutput.weight D D\n")
    assert rule.required
    assert [dim.text for dim in rule.dims] == ["D", "D"]


def test_blocks_counted_along() -> None:
    rules = parse_rules(".ffn_up.weight D F\ndec.blk.{i}.attn_q.weight D D\noutput.weight? D NV")
    assert [rule.blocks for rule in rules] == ["B", "BD", ""]


def test_defaults_lead_nowhere_in_a_circle() -> None:
    def follow(table: dict, symbol: str, seen: tuple[str, ...] = ()) -> None:
        assert symbol not in seen
        for default in (table[symbol].default, table[symbol].config_default):
            for other in table:
                if default and other in default.replace("/", "*").replace("+", "*").split("*"):
                    follow(table, other, (*seen, symbol))

    for table in (SYMBOLS, *(SYMBOLS | override for override in OVERRIDES.values())):
        for symbol in table:
            follow(table, symbol)
