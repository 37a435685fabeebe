"""Numbers and names of any kind: no exception, no error, no loop as long as a number in the file says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.layouts import layout, metadata, tensors
from support.work import assert_linear, lines

from weightmap.checks import file_type
from weightmap.checks.architecture import check
from weightmap.formats.layout import Layout
from weightmap.naming.shapes import TABLES

ODD: list[Any] = [
    0, -1, 1 << 63, (1 << 64) - 1, -(1 << 63), 10**400, True, None, float("nan"), float("inf"), "", "3", b"3", (), {}, [],
    np.array([], np.int32), np.array([-1, 2, 3]), np.array([np.nan] * 3), np.full(40, 1 << 62), np.zeros((2, 2)),
    ["a", "b"], [[1], [2, 3]], np.uint64((1 << 64) - 1), np.int8(3),
]  # fmt: skip
NAMES = [
    "",
    "\n",
    "a\nb",
    "\udc80",
    "blk.-1.attn_q.weight",
    "blk." + "9" * 5000 + ".attn_q.weight",
    "blk.٣.attn_q.weight",
]
KEYS = [
    "block_count",
    "embedding_length",
    "attention.head_count",
    "attention.head_count_kv",
    "feed_forward_length",
    "expert_count",
]


@pytest.mark.parametrize("value", ODD, ids=repr)
@pytest.mark.parametrize("key", KEYS)
def test_an_odd_number_does_no_harm(key: str, value: Any) -> None:
    for architecture in ("llama", "deepseek2", "openelm", "t5"):
        found = check(layout(tensors(architecture), metadata(architecture) | {f"{architecture}.{key}": value}))
        assert all(one.severity != "error" and one.message.isprintable() for one in found)


@given(
    architecture=st.sampled_from(list(TABLES)),
    numbers=st.dictionaries(st.sampled_from(KEYS), st.sampled_from(ODD) | st.integers(-3, 99)),
    plain=st.dictionaries(
        st.sampled_from(["general.architecture", "general.type", "general.file_type", "tokenizer.ggml.tokens"]),
        st.sampled_from(ODD),
    ),
    names=st.lists(st.sampled_from(NAMES)),
    shape=st.lists(st.sampled_from([0, 1, 24, 1 << 63]), max_size=6).map(tuple),
)
def test_any_mixture_does_no_harm(
    architecture: str, numbers: dict[str, Any], plain: dict[str, Any], names: list[str], shape: tuple[int, ...]
) -> None:
    odd = {f"{architecture}.{key}": value for key, value in numbers.items()}
    files = layout({**tensors(architecture, 1), **dict.fromkeys(names, shape)}, metadata(architecture) | odd | plain)
    for one in check(files) + file_type.check(files):
        assert one.severity in ("info", "warning")
        assert one.message.isprintable()
        assert len(one.message) < 20_000


def test_a_count_of_blocks_costs_nothing() -> None:
    files = layout(tensors("llama"), metadata("llama", block_count=(1 << 64) - 1))
    honest = layout(tensors("llama"), metadata("llama"))
    assert lines(lambda: check(files)) < 2 * lines(lambda: check(honest))
    (found,) = check(files)
    assert (found.severity, found.code) == ("warning", "block_count")


def test_twenty_thousand_tensors_are_silent() -> None:
    def dense(blocks: int) -> Layout:
        every = tensors("qwen2", blocks)
        names = {name: shape for name, shape in every.items() if "bias" not in name and "qkv" not in name}
        return layout(names, metadata("qwen2", block_count=blocks))

    def checked(blocks: int) -> Callable[[], object]:
        files = dense(blocks)
        return lambda: check(files)

    assert_linear(checked, 600)
    files = dense(2000)
    assert len(files.records) > 18_000
    assert check(files) == []
