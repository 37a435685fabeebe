"""Real files: good ones give no warning, and one changed number or shape in a true conversion is found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.shared import SHARED, needs_shared

from weightmap.checks import architecture, file_type
from weightmap.findings import Finding
from weightmap.formats.layout import Layout
from weightmap.formats.sets import open_layout

pytestmark = needs_shared

MODELS = SHARED / "models"
GOOD = sorted(
    str(path.relative_to(MODELS))
    for folder in ("converted", "may-be-committed", "composed")
    for pattern in ("*.gguf", "*.safetensors", "*.index.json")
    for path in (MODELS / folder).rglob(pattern)
)
CONVERTED = sorted(str(path.relative_to(MODELS)) for path in (MODELS / "converted").rglob("*.gguf"))
CHECKPOINTS = ["bert", "gemma2", "gpt2", "llama", "llama-k256", "qwen2", "llama-sharded"]


@contextmanager
def opened(path: Path | str) -> Iterator[Layout]:
    layout, sources = open_layout(str(path))
    yield layout
    for source in sources:
        if source is not None:
            source.close()


def judged(layout: Layout) -> list[Finding]:
    return architecture.check(layout) + file_type.check(layout)


def warnings(found: list[Finding]) -> list[Finding]:
    return [one for one in found if one.severity != "info"]


@pytest.mark.parametrize("path", GOOD)
def test_good_files_have_no_warning(path: str) -> None:
    with opened(MODELS / path) as layout:
        assert warnings(judged(layout)) == []


@pytest.mark.parametrize("path", CONVERTED)
def test_true_conversions_are_silent(path: str) -> None:
    with opened(MODELS / path) as layout:
        found = judged(layout)
    assert [one.code for one in found] == (["fallback_type"] if "k256" in path else [])


@pytest.mark.parametrize("path", CONVERTED)
def test_one_changed_shape_is_found(path: str) -> None:
    with opened(MODELS / path) as layout:
        for at, record in enumerate(layout.records):
            records = list(layout.records)
            records[at] = record._replace(shape=(*record.shape[:-1], record.shape[-1] + 32))
            (found,) = warnings(architecture.check(replace(layout, records=tuple(records))))
            assert (found.code, found.tensor) == ("shape_mismatch", record.name)


def changed(layout: Layout) -> Iterator[tuple[str, dict[str, Any]]]:
    prefix = f"{layout.metadata['general.architecture']}."
    for key in ("embedding_length", "feed_forward_length", "attention.head_count_kv", "attention.key_length"):
        if prefix + key in layout.metadata:
            yield prefix + key, {**layout.metadata, prefix + key: layout.metadata[prefix + key] * 2}


@pytest.mark.parametrize("path", CONVERTED)
def test_one_changed_number_is_found(path: str) -> None:
    with opened(MODELS / path) as layout:
        keys = []
        for key, numbers in changed(layout):
            found = warnings(architecture.check(replace(layout, metadata=numbers)))
            assert 1 <= len(found) <= 2, key
            assert {one.code for one in found} == {"shape_mismatch"}
            assert f"{key} {numbers[key]:,}" in found[0].message
            keys.append(key)
        assert len(keys) >= 2


@pytest.mark.parametrize("path", CONVERTED)
def test_one_missing_token_is_found(path: str) -> None:
    with opened(MODELS / path) as layout:
        numbers = {**layout.metadata, "tokenizer.ggml.tokens": ["<s>"] * 257}
        codes = {one.code for one in warnings(architecture.check(replace(layout, metadata=numbers)))}
        assert codes == {"vocabulary_size", "token_arrays"}


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_one_changed_number_of_a_config_is_found(name: str, tmp_path: Path) -> None:
    for path in (MODELS / "converted" / name).glob("*.safetensors*"):
        shutil.copy(path, tmp_path)
    config = json.loads((MODELS / "converted" / name / "config.json").read_text("utf-8"))
    target = (
        next(iter(sorted(tmp_path.glob("*.index.json")))) if name == "llama-sharded" else tmp_path / "model.safetensors"
    )
    checked = 0
    for key in (
        "hidden_size",
        "n_embd",
        "intermediate_size",
        "num_key_value_heads",
        "vocab_size",
        "n_positions",
        "head_dim",
    ):
        if isinstance(config.get(key), int):
            (tmp_path / "config.json").write_text(json.dumps(config | {key: config[key] * 2}), "utf-8")
            with opened(target) as layout:
                found = warnings(architecture.check(layout))
            assert found, key
            assert f"{config[key] * 2}" in found[0].message
            checked += 1
    assert checked >= 3
