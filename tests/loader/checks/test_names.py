"""Names that stand twice, are too long, are no text, or show as something else."""

from __future__ import annotations

import pytest
from support.build import gguf, safetensors
from support.sources import MemorySource

from weightmap.checks import names
from weightmap.formats import gguf as gguf_format
from weightmap.formats import safetensors as safetensors_format


def of_gguf(*tensor_names, keys=()):
    tensors = [(name, (1,), 0, b"\0" * 4) for name in tensor_names]
    return gguf_format.parse(MemorySource(gguf([("general.architecture", "str", "llama"), *keys], tensors)))


def said(findings):
    return [(one.code, str(one.severity), one.tensor, one.key) for one in findings]


def test_doubled_tensors_and_keys():
    layout = of_gguf("a", "b", "a", "a", keys=[("k", "u8", 1), ("k", "str", "two")])
    found = names.duplicates(layout)
    assert said(found) == [
        ("duplicate_tensor", "error", "a", None),
        ("duplicate_tensor", "error", "a", None),
        ("duplicate_key", "error", None, "k"),
    ]
    assert "1 and 'two'" in found[-1].message
    assert found[0].offset == layout.records[2].entry


def test_doubled_names_in_safetensors():
    data = safetensors([("a", "U8", (1,), b"\0"), ("b", "U8", (1,), b"\0")]).replace(b'"b"', b'"a"')
    layout = safetensors_format.parse(MemorySource(data))
    assert said(names.duplicates(layout)) == [("duplicate_key", "error", "a", None)]


@pytest.mark.parametrize(("name", "long"), [("x" * 63, False), ("x" * 64, True), ("é" * 31, False), ("é" * 32, True)])
def test_names_are_measured_in_bytes(name, long):
    found = names.check(of_gguf(name))
    assert said(found) == ([("name_too_long", "warning", name, None)] if long else [])


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("blk.0.attn_q.weight", None),
        ("层.权重 \u3000x", None),
        ("family \U0001f468", None),
        ("visible\0hidden", "control_char"),
        ("a\x1b[31m", "control_char"),
        ("a\u202eb", "control_char"),
        ("line\u2028", "control_char"),
        ("blk.0.\udcff", "non_utf8"),
    ],
)
def test_names_that_are_not_what_they_seem(name, code):
    expected = [] if code is None else [(code, "warning")]
    found = names.check(of_gguf(name, "sound"))
    assert [(one.code, str(one.severity)) for one in found] == expected
    assert all(one.tensor == name for one in found)
    keys = names.check(of_gguf(keys=[(name, "u8", 1)]))
    assert [(one.code, one.key) for one in keys] == ([] if code is None else [(code, name)])
    assert all(one.message.isprintable() for one in (*found, *keys))
