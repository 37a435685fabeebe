"""What metadata says: kinds, text, bools, chat templates."""

from __future__ import annotations

import re

import pytest
from support.build import gguf
from support.sources import MemorySource

from weightmap.checks import metadata, template
from weightmap.checks.known_keys import belongs, family
from weightmap.checks.template import oddity
from weightmap.findings import MANY
from weightmap.formats.gguf import parse
from weightmap.source import utf8

ARCH = ("general.architecture", "str", "llama")


def said(*entries):
    layout = parse(MemorySource(gguf(entries, [("a", (1,), 0, b"\0" * 4)])))
    return [(one.code, str(one.severity), one.key) for one in metadata.check(layout)]


def test_a_missing_architecture():
    assert said() == [("missing_arch", "warning", "general.architecture")]
    assert said(ARCH) == []
    assert said(("general.type", "str", "imatrix")) == []
    assert said(("general.architecture", "u32", 3)) == [("wrong_kv_type", "warning", "general.architecture")]


@pytest.mark.parametrize(
    ("key", "kind", "value", "wrong"),
    [
        ("split.count", "str", "two", True),
        ("tokenizer.ggml.tokens", "u32", 11, True),
        ("tokenizer.ggml.tokens", "arr", ("str", []), False),
        ("tokenizer.ggml.tokens", "arr", ("i32", []), False),
        ("tokenizer.ggml.scores", "arr", ("f64", [1.0]), False),
        ("tokenizer.chat_template", "arr", ("i32", [1]), True),
        ("general.file_type", "u64", 1, False),
        ("llama.block_count", "i64", 1 << 40, False),
        ("llama.block_count", "f32", 2.0, True),
        ("llama.attention.head_count_kv", "arr", ("i32", [8, 0]), False),
        ("llama.attention.head_count_kv", "bool", True, True),
        ("llama.rope.freq_base", "u32", 10000, False),
        ("other.block_count", "str", "x", False),
        ("x.anything", "bool", True, False),
    ],
)
def test_kinds_of_well_known_keys(key, kind, value, wrong):
    assert said(ARCH, (key, kind, value)) == ([("wrong_kv_type", "warning", key)] if wrong else [])


def test_families():
    assert (family("general.name", "llama"), family("llama.context_length", "llama")) == ("a string", "an integer")
    assert family("gemma.context_length", "llama") is None
    assert belongs("i8[]", "an array of numbers")
    assert not belongs("str", "a number")


def test_text_that_is_not_utf8():
    assert said(ARCH, ("general.name", "str", b"caf\xe9")) == [("non_utf8", "warning", "general.name")]
    words = [b"ok", b"\xff", *[b"\xc3\xa9"] * 5000, b"\xc3", b"\xa9", *[b"x" * 400] * 900, b"\x80"]
    layout = parse(MemorySource(gguf([ARCH, ("tokenizer.ggml.tokens", "arr", ("str", words))])))
    (found,) = metadata.check(layout)
    assert found.key == "tokenizer.ggml.tokens"
    assert f"holds 4 strings (index 1, 5002, 5003, {len(words) - 1})" in found.message


def test_halves_of_a_character_do_not_join_over_a_border():
    words = [b"\xe6", b"\x97", b"\xa5" * 1]
    layout = parse(MemorySource(gguf([ARCH, ("k", "arr", ("str", words))])))
    assert "(index 0, 1, 2)" in metadata.check(layout)[0].message


@pytest.mark.parametrize("length", [119, 127, 128, 169, 191, 200, 255, 0xA9C3])
def test_a_length_does_not_complete_a_character(length):
    words = [b"a", b"\xc3", b"x" * length, b"b"]
    layout = parse(MemorySource(gguf([ARCH, ("k", "arr", ("str", words))])))
    assert "(index 1)" in metadata.check(layout)[0].message


def test_strings_longer_than_the_room_for_many():
    words = [
        b"ok",
        "é".encode() * utf8.CHUNK,
        b"x" * (utf8.CHUNK - 3) + b"\xf0\x9f\x98\x80",
        b"y" * utf8.CHUNK + b"\xed\xa0\x80",
    ]
    words += [b"z", b"\xc3" + b"\xa9" * utf8.CHUNK, b"end"]
    layout = parse(MemorySource(gguf([ARCH, ("k", "arr", ("str", words))])))
    assert "holds 2 strings (index 3, 5)" in metadata.check(layout)[0].message


def test_arrays_of_arrays_and_odd_bools():
    nested = ("x.nested", "arr", ("arr", [("str", [b"\xff"])]))
    assert said(ARCH, nested) == [("non_utf8", "warning", "x.nested"), ("nested_array", "warning", "x.nested")]
    data = gguf([ARCH, ("flag", "u8", 2), ("flags", "arr", ("u8", [0, 9]))])
    data = data.replace(b"flag\0\0\0\0", b"flag\x07\0\0\0").replace(b"flags\x09\0\0\0\0", b"flags\x09\0\0\0\x07")
    layout = parse(MemorySource(data))
    assert layout.metadata["flag"] is True
    assert layout.metadata["flags"].tolist() == [False, True]
    assert [(one.code, one.key, one.found) for one in metadata.check(layout)] == [
        ("bad_bool", "flag", "2"),
        ("bad_bool", "flags", "9"),
    ]


@pytest.mark.parametrize(
    ("template", "odd"),
    [
        ("plain text", None),
        ("{% if a -%}{{ '}}' ~ \"%}\" }}{%- endif %}{# %} #}", None),
        ("{% raw %}{{ {% if %}{% endraw %}", None),
        ("{% for m in ms %}{% if m %}{% else %}x{% endif %}{% endfor %}{% set x = {'a': {}} %}", None),
        ("{%- macro f(x) %}{{ x }}{% endmacro %}", None),
        ("", "is empty"),
        ("  \n", "is empty"),
        ("{% for m in messages %}{{ m.content }", "opens {{ at character 23 and does not close it"),
        ("{% if a %}", "opens if and does not close it"),
        ("{% if a %}{% endfor %}", "closes for at character 10, which is not open there"),
        ("{% raw %}", "opens raw and does not close it"),
        ("{# note", "opens {# at character 0 and does not close it"),
        ("{# {% if a %} #}{{ '{% if a %}' }}{%if%}{%+endif%}", None),
        ("{%- if a -%}{%- endif -%}{%- endif -%}", "closes if at character 25, which is not open there"),
        ("{% %}{%-%}{% '%}' %}{%}", "opens {% at character 20 and does not close it"),
        ("{# it's #}it's{{ \"it's\" }}", None),
        ("{{ it's }}", "begins a string at character 5 that does not end"),
        ('{% if a == "b %}x{% endif %}', "begins a string at character 11 that does not end"),
        (
            "{% generation %}x{% endgeneration %}",
            "uses the tag generation, which only Hugging Face's transformers knows",
        ),
    ],
)
def test_templates(template, odd):
    assert oddity(template) == odd
    expected = [] if odd is None else [("chat_template", "info", "tokenizer.chat_template")]
    assert said(ARCH, ("tokenizer.chat_template", "str", template)) == expected


class Searched:
    """A pattern that counts the characters that searches go over, and sees to it that none tries an opening in vain."""

    def __init__(self, pattern):
        self.pattern, self.seen = pattern, 0

    def search(self, text, at):
        found = self.pattern.search(text, at)
        openings = [place for mark in ("{{", "{%", "{#") if (place := text.find(mark, at)) >= 0]
        assert (found and found.start()) == min(openings, default=None)
        self.seen += (found.end() if found else len(text)) - at
        return found


def test_a_hostile_template_costs_one_pass(monkeypatch):
    for unit in ("\\'", "'a", "{{", "'\"", "}a", "{% raw"):
        for opening in ("{{", "{%", "{#"):
            searched = Searched(re.compile(template._TAG.pattern, template._TAG.flags))
            hostile = opening + unit * 100_000
            with monkeypatch.context() as patch:
                patch.setattr(template, "_TAG", searched)
                assert oddity(hostile) is not None
            assert searched.seen <= len(hostile)


@pytest.mark.parametrize("place", [0, 4095, 19_999])
def test_text_of_a_whole_vocabulary(place):
    words = ["\u2581" * (n % 7) + "a" * (n % 3) for n in range(20_000)]
    assert said(ARCH, ("tokenizer.ggml.tokens", "arr", ("str", words))) == []
    long = [*words[:place], "\U0001f600" * 60, *words[place + 1 :]]  # a length that is no ASCII
    assert said(ARCH, ("tokenizer.ggml.tokens", "arr", ("str", long))) == []
    words[place] = "caf\udce9"
    (found,) = metadata.check(parse(MemorySource(gguf([ARCH, ("tokenizer.ggml.tokens", "arr", ("str", words))]))))
    assert (found.code, f"1 string (index {place})" in found.message) == ("non_utf8", True)


def test_findings_of_many_entries_are_counted():
    bad = [(f"k{number}", "str", b"\xff") for number in range(1000)]
    found = said(ARCH, *bad)
    assert found == [("non_utf8", "warning", f"k{number}") for number in range(MANY)]


@pytest.mark.parametrize(("kind", "sound"), [("u32", True), ("u64", False), ("i32", False), ("u16", False)])
def test_the_alignment_is_of_one_type_only(kind, sound):
    expected = [] if sound else [("wrong_kv_type", "warning", "general.alignment")]
    assert said(ARCH, ("general.alignment", kind, 64)) == expected


@pytest.mark.parametrize(("kind", "value"), [("i32", -32), ("u8", 3), ("str", "32")])
def test_an_alignment_that_cannot_be_is_said_once(kind, value):
    layout = parse(MemorySource(gguf([ARCH, ("general.alignment", kind, value)])))
    assert [one.code for one in layout.problems] == ["bad_alignment"]
    assert metadata.check(layout) == []
