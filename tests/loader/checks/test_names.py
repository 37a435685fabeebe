"""Names that stand twice, are too long, are no text, or show as something else."""

from __future__ import annotations

import pytest
from support.build import gguf, safetensors
from support.imatrix import imatrix
from support.sources import MemorySource
from support.work import assert_linear

from weightmap.checks import names
from weightmap.findings import LONGEST_MESSAGE, MANY
from weightmap.formats import gguf as gguf_format
from weightmap.formats import imatrix as imatrix_format
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


def test_many_doubled_keys_are_counted_in_one_pass():
    def doubled(number):
        keys = [(f"k{n // 2}", "u8", 1) for n in range(number)]
        layout = of_gguf("a", keys=[*keys, *[("k", "u8", n % 256) for n in range(number // 20)]])
        return lambda: names.duplicates(layout)

    assert_linear(doubled, 1000)
    found = doubled(20_000)()
    assert len(found) == MANY
    assert found[-1].message.endswith("9,981 more are like this.")
    metadata = '{"__metadata__":{' + ",".join(f'"k{number // 2}":"1"' for number in range(20_000)) + "}}"
    layout = safetensors_format.parse(MemorySource(len(metadata).to_bytes(8, "little") + metadata.encode()))
    assert len(names.duplicates(layout)) == MANY


def test_a_key_that_stands_a_thousand_times_is_one_finding():
    [found] = names.duplicates(of_gguf("a", keys=[("k", "u8", n % 200) for n in range(1000)]))
    assert "stands 1,000 times, as 0 and 1 and 2 and 3 and 4 and so on" in found.message


def test_names_that_are_empty():
    layout = of_gguf("", "b", keys=[("", "u32", 1)])
    assert said(names.check(layout)) == [("empty_name", "warning", "", None), ("empty_name", "warning", None, "")]
    layout = safetensors_format.parse(MemorySource(safetensors([("", "U8", (1,), b"\0")])))
    assert names.check(layout) == []


@pytest.mark.parametrize(("length", "long"), [(65_535, False), (65_536, True)])
def test_keys_longer_than_the_format_allows_are_read_on(length, long):
    layout = of_gguf("a", keys=[("k" * length, "u32", 7)])
    assert layout.metadata["k" * length] == 7
    found = names.check(layout)
    assert [one.code for one in found] == (["name_too_long"] if long else [])
    assert all(len(one.message) < 300 for one in found)


def test_a_huge_name_makes_no_huge_message():
    [found] = names.check(of_gguf("n" * 200_000))
    assert found.code == "name_too_long"
    assert len(found.message) <= LONGEST_MESSAGE
    assert found.message.endswith("has 200,000 bytes; llama.cpp takes no more than 63.")


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


def test_an_entry_of_an_old_imatrix_is_said_once():
    data = imatrix([("a", 1, [1.0]), (b"\xff", 1, [1.0]), ("a", 1, [1.0]), ("b", 1, [1.0])])
    layout = imatrix_format.parse(MemorySource(data))
    assert said(names.duplicates(layout)) == [("duplicate_tensor", "error", "a.in_sum2", None)]
    assert said(names.check(layout)) == [("non_utf8", "warning", "\udcff.in_sum2", None)]
