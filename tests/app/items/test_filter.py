from pathlib import Path

import pytest
from support.build import gguf

import weightmap
from tensorloupe.items.filter import matches, parse
from tensorloupe.items.outline import Outline, build_outline


@pytest.fixture
def outline(tmp_path: Path) -> Outline:
    path = tmp_path / "m.gguf"
    tensors = [
        ("blk.0.attn_q.weight", (2, 256), 12, bytes(288)),
        ("blk.0.attn_norm.weight", (2,), 0, bytes(8)),
        ("blk.1.ffn_up.weight", (8, 256), 14, bytes(1680)),
        ("output.weight", (4, 32), 2, bytes(72)),
    ]
    path.write_bytes(gguf(tensors=tensors))
    with weightmap.open(path) as model:
        return build_outline(model.records, {part.path: part.size for part in model.parts})


def shown(outline: Outline, typed: str) -> list[str]:
    mask = matches(outline, parse(typed))
    return list(outline.names) if mask is None else [n for n, m in zip(outline.names, mask, strict=True) if m]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", [0, 1, 2, 3]),
        ("ATTN", [0, 1]),
        ("attn weight q", [0]),
        ("blk.*.ffn", [2]),
        ("type:q4_k", [0]),
        ("type:q4", [0, 3]),
        ("type:q6_k,f32", [1, 2]),
        ("-type:f32", [0, 2, 3]),
        ("-norm attn", [0]),
        ("size > 1kB", [2]),
        ("size>=288 B", [0, 2]),
        (">0,2kb type:Q4_K", [0]),
        ("<100", [1, 3]),
        ("size <= 72", [1, 3]),
        ("-size > 1 kB", [0, 1, 3]),
        ("type:", [0, 1, 2, 3]),
        ("status:ok", [0, 1, 2, 3]),
        ("status:error", []),
        ("status:bad", []),
        ("nothing", []),
        ("[", []),
    ],
)
def test_terms_leave_what_meets_all_of_them(outline, typed, expected):
    assert shown(outline, typed) == [outline.names[i] for i in expected]


def test_chips_say_what_was_typed_in_one_way():
    assert [term.text for term in parse("foo >1.5mb TYPE:Q4_K,F32 -status:OK")] == [
        "size > 1.5 MB",
        "foo",
        "type:q4_k,f32",
        "-status:ok",
    ]


def test_sizes_know_decimal_and_binary_units():
    assert [term.nbytes for term in parse(">1kB <1KiB >=2MB <= 3gib")] == [1e3, 1024, 2e6, 3 * 2**30]
