"""The table of names: gguf's own map and what true conversions showed are the judges."""

import json

import gguf
import pytest
from support.shared import SHARED, needs_shared

from weightmap.naming.name_tables import TABLES
from weightmap.naming.names import PREFIXES, TRANSFORMS, bare, names
from weightmap.naming.shapes import shapes

MAPPED = sorted(set(TABLES) & set(gguf.MODEL_ARCH_NAMES.values()) - {"clip"})
BY_CODE = ("gate_up_proj", "gate_up_proj_bias", "down_proj_bias", ".gamma", ".beta", "correction_bias")
"""Endings of names that the converter handles by code instead of its map."""


@pytest.mark.parametrize("architecture", MAPPED)
def test_names_are_those_of_the_converters_map(architecture: str) -> None:
    enum = {name: key for key, name in gguf.MODEL_ARCH_NAMES.items()}[architecture]
    mapping = gguf.get_tensor_name_map(enum, 4)
    checked = 0
    for name in names(architecture):
        if name.source.endswith(BY_CODE) or "{x}" in name.source or name.transform in ("KB", "VB"):
            continue
        found = mapping.get_name(name.source.format(i=1), try_suffixes=(".weight", ".bias"))
        assert found is not None, name
        assert name.target.format(i=1) in (found, f"{found}.weight"), name
        checked += 1
    assert checked >= 9


@pytest.mark.parametrize("architecture", TABLES)
def test_lines_are_sound(architecture: str) -> None:
    rows = names(architecture)
    assert len(set(rows)) == len(rows)
    known = {rule.name for rule in shapes(architecture) or ()}
    for row in rows:
        assert row.transform in TRANSFORMS
        assert not known or row.target in known, row


@needs_shared
def test_true_conversions_agree() -> None:
    verified = json.loads((SHARED / "formats" / "naming_verified.json").read_text("utf-8"))
    agreed = 0
    for title, rows in verified.items():
        architecture = title.split(" -> ")[1]
        table = {(bare(name.source), name.target): name.transform for name in names(architecture)}
        for row in rows:
            transform = row["transform"]
            if architecture in ("t5", "clip") or transform.startswith(("QKV", "cut")) or "Falcon" in title:
                continue  # numbers of T5's layers are generalized there; the others depend on the single model
            for source in row["hf"] if table else ():
                assert table[bare(source), row["gguf"]] == transform, (title, source)
                agreed += 1
    assert agreed > 300


@pytest.mark.parametrize(
    "name",
    [
        "layers.0.mlp.up_proj.weight",
        "model.layers.0.mlp.up_proj.weight",
        "model.language_model.layers.0.mlp.up_proj.weight",
    ],
)
def test_prefixes_make_no_difference(name: str) -> None:
    assert bare(name) == "layers.0.mlp.up_proj.weight"


def test_other_towers_keep_their_prefix() -> None:
    assert bare("model.vision_tower.layers.0.mlp.up_proj.weight") == "vision_tower.layers.0.mlp.up_proj.weight"
    assert all(prefix.endswith(".") for prefix in PREFIXES)


def test_architecture_without_names() -> None:
    assert names("no such") == ()
