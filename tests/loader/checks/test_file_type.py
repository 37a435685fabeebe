"""The promised quantization against the stored types."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.layouts import layout

from weightmap.checks.file_type import FILE_TYPES, check
from weightmap.formats.layout import Layout, Part, TensorRecord
from weightmap.types.registry import by_name


def files(*kinds: tuple[str, int], number: Any = None, path: str = "model.gguf") -> Layout:
    """A file of matrices of 64 rows, each of a type and a row length, with one norm; `number` is general.file_type."""
    records = [TensorRecord("norm.weight", (256,), by_name("F32"), 0, 0, 0, 0)]  # type: ignore[arg-type]
    for at, (name, row) in enumerate(kinds):
        records.append(TensorRecord(f"blk.{at}.w.weight", (64, row), by_name(name), 0, 0, 0, 0))  # type: ignore[arg-type]
    metadata = {} if number is None else {"general.file_type": number}
    return Layout("gguf", path, (Part(path, 1 << 30),), tuple(records), metadata)


@pytest.mark.parametrize(("number", "kind"), [(number, types[0]) for number, (_, types) in FILE_TYPES.items()])
def test_a_promise_kept_is_silent(number: int, kind: str) -> None:
    assert check(files((kind, 256), (kind, 512), number=number)) == []
    assert check(files((kind, 256), number=number + 1024)) == []


def test_a_mix_with_more_bits_is_silent() -> None:
    assert check(files(("Q4_K", 256), ("Q6_K", 256), ("Q5_K", 256), ("F16", 256), number=15)) == []


def test_another_quantization_than_promised() -> None:
    (found,) = check(files(("Q4_K", 256), ("Q4_K", 256), ("Q6_K", 256), number=7))
    assert (found.severity, found.code, found.key) == ("info", "file_type", "general.file_type")
    assert (found.expected, found.found) == ("Q8_0", "Q4_K (2), Q6_K (1)")
    assert found.message.startswith("general.file_type is 7, which means Q8_0, and less than a quarter")


def test_rows_that_blocks_do_not_fit() -> None:
    (found,) = check(files(("Q5_0", 640), ("Q8_0", 640), ("Q4_K", 256), number=15))
    assert (found.severity, found.code, found.found) == ("info", "fallback_type", "Q5_0 (1), Q8_0 (1)")
    assert "2 tensors are of other types, for blocks of 256 do not fit their rows" in found.message


@pytest.mark.parametrize(("number", "kept"), [(15, "fallback_type"), (10, "file_type"), (18, "file_type")])
def test_a_fallback_keeps_only_the_promise_that_it_is_made_for(number: int, kept: str) -> None:
    (found,) = check(files(*[("Q5_0", 640)] * 8, ("Q8_0", 640), ("Q4_K", 256), number=number))
    assert found.code == kept


def test_embeddings_do_not_stand_for_the_layers() -> None:
    embeddings = TensorRecord("token_embd.weight", (4096, 256), by_name("Q8_0"), 0, 0, 0, 0)  # type: ignore[arg-type]
    mixed = files(("Q4_K", 256), ("Q4_K", 256), number=7)
    (found,) = check(replace(mixed, records=(*mixed.records, embeddings)))
    assert (found.code, found.found) == ("file_type", "Q4_K (2), Q8_0 (1)")
    assert check(replace(mixed, records=(embeddings,))) == []


def test_the_same_types_with_rows_that_fit_are_no_fallback() -> None:
    (found,) = check(files(("Q5_0", 512), ("Q8_0", 512), number=15))
    assert found.code == "file_type"


def test_the_name_promises_too() -> None:
    (found,) = check(files(("Q4_K", 256), path="/x/Model-7B-Q8_0.gguf"))
    assert (found.code, found.key, found.expected) == ("file_type", None, "Q8_0")
    assert "The file name Model-7B-Q8_0.gguf promises Q8_0" in found.message
    assert check(files(("Q4_K", 256), path="model.q4_k_m.gguf")) == []
    assert check(files(("Q4_K", 256), path="model-XQ8_00.gguf")) == []


def test_one_promise_is_judged_once() -> None:
    assert len(check(files(("Q4_K", 256), number=7, path="m-Q8_0.gguf"))) == 1


@pytest.mark.parametrize("number", [None, 5, 99, 139, -1, True, "7", 7.0, 1 << 63])
def test_numbers_that_mean_nothing_here(number: Any) -> None:
    assert check(files(("Q4_K", 256), number=number)) == []


def test_nothing_to_judge() -> None:
    assert check(files(number=7)) == []
    assert check(layout({}, {"general.file_type": 7})) == []
    assert check(layout({"a": (2, 2)}, {"general.file_type": 7}, format="safetensors")) == []
