"""Tokens against rows of the embedding, and arrays of tokens against each other."""

from __future__ import annotations

import numpy as np
import pytest
from support.layouts import VOCABULARY, layout, metadata, tensors

from weightmap.checks.architecture import check


def model(rows: int, **more: object) -> list[tuple[str, str, str | None]]:
    whole = {**tensors("gemma"), "token_embd.weight": (rows, 24)}
    found = check(layout(whole, metadata("gemma") | more))
    return [(str(one.severity), one.code, one.found) for one in found]


def test_as_many_rows_as_tokens() -> None:
    assert model(VOCABULARY) == []


@pytest.mark.parametrize("rows", [51, 64, 1000])
def test_padding_rows_are_a_remark(rows: int) -> None:
    assert model(rows) == [("info", "vocabulary_size", f"{rows:,} rows")]


def test_fewer_rows_than_tokens_are_a_warning() -> None:
    found = check(layout({**tensors("gemma"), "token_embd.weight": (49, 24)}, metadata("gemma")))
    assert [one.severity for one in found] == ["warning"]
    assert found[0].message == (
        "token_embd.weight has 49 rows for a vocabulary of 50 by tokenizer.ggml.tokens; one row belongs to each token."
    )


def test_far_more_rows_than_tokens_are_a_warning() -> None:
    assert model(VOCABULARY + 1025) == [("warning", "vocabulary_size", "1,075 rows")]


def test_the_size_in_a_key_is_compared_too() -> None:
    assert model(VOCABULARY, **{"gemma.vocab_size": 60}) == [("warning", "vocabulary_size", "50 rows")]
    assert model(VOCABULARY, **{"gemma.vocab_size": 48}) == [("info", "vocabulary_size", "50 rows")]


def test_arrays_with_an_entry_per_token() -> None:
    arrays = {"tokenizer.ggml.scores": np.zeros(50, np.float32), "tokenizer.ggml.token_type": np.ones(49, np.int32)}
    (found,) = check(layout(tensors("llama"), metadata("llama") | arrays))
    assert (found.severity, found.code, found.key) == ("warning", "token_arrays", "tokenizer.ggml.token_type")
    assert (found.expected, found.found) == ("50 entries", "49 entries")


def test_a_vocabulary_without_tensors_and_architecture_is_checked_too() -> None:
    arrays = {"tokenizer.ggml.tokens": ["a", "b"], "tokenizer.ggml.scores": np.zeros(3, np.float32)}
    assert [one.code for one in check(layout({}, arrays))] == ["token_arrays"]


def test_tokens_that_are_no_array_say_nothing() -> None:
    assert model(VOCABULARY, **{"tokenizer.ggml.tokens": "<s>", "tokenizer.ggml.scores": np.zeros(3)}) == []


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("bos", "warning"),
        ("eos", "warning"),
        ("padding", "info"),
        ("mask", "info"),
        ("cls", "info"),
        ("fim_rep", "info"),
    ],
)
def test_a_special_token_beyond_the_vocabulary(name: str, severity: str) -> None:
    key = f"tokenizer.ggml.{name}_token_id"
    assert model(VOCABULARY, **{key: VOCABULARY - 1}) == []
    assert model(VOCABULARY, **{key: VOCABULARY}) == [(severity, "token_id", str(VOCABULARY))]
    assert model(VOCABULARY, **{key: -1}) == [(severity, "token_id", "-1")]


def test_ids_say_nothing_without_a_vocabulary_or_where_they_are_no_numbers() -> None:
    key = "tokenizer.ggml.bos_token_id"
    assert [one.code for one in check(layout({}, {key: 7}))] == []
    assert [one.code for one in check(layout({}, {key: 7, "tokenizer.ggml.tokens": []}))] == []
    assert model(VOCABULARY, **{key: True}) == model(VOCABULARY, **{key: "7,000"}) == []


def test_embedding_and_output_that_differ_together_are_one_finding() -> None:
    shapes = {**tensors("llama"), "token_embd.weight": (49, 24), "output.weight": (49, 24)}
    (found,) = check(layout(shapes, metadata("llama")))
    assert found.tensor == "token_embd.weight"
    assert found.message.startswith("token_embd.weight and output.weight have 49 rows for a vocabulary of 50 by ")
    shapes["output.weight"] = (60, 24)
    assert [one.found for one in check(layout(shapes, metadata("llama")))] == ["49 rows", "60 rows"]
