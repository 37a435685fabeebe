"""What the metadata of a GGUF says: kinds of well-known keys, text that is no text, arrays that other readers refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from weightmap.checks import texts
from weightmap.checks.known_keys import belongs, family
from weightmap.checks.names import not_utf8
from weightmap.checks.template import oddity
from weightmap.errors import printable
from weightmap.findings import Finding, finding, limited
from weightmap.formats.gguf_values import NestedArray, NumberArray, StringArray
from weightmap.formats.layout import Layout
from weightmap.formats.metadata import Entry
from weightmap.source.utf8 import Utf8
from weightmap.wording import plural

Array = TypeVar("Array", NumberArray, StringArray)

TEMPLATE = "tokenizer.chat_template"
SHOWN = 5  # indexes that one finding lists


def check(layout: Layout) -> list[Finding]:
    """Findings about the metadata, in file order. Reads all arrays of strings and bools once."""
    return limited(_said(layout)) if layout.format == "gguf" else []


def _said(layout: Layout) -> Iterator[Finding]:
    yield from _architecture(layout)
    judge = Utf8()
    architecture = layout.metadata.get("general.architecture")
    for entry in layout.metadata.entries:
        yield from _kind(layout, entry, architecture if isinstance(architecture, str) else "llama")
        yield from _text(layout, entry, judge)
        yield from _bools(layout, entry)
        if entry.kind.endswith("[][]"):
            text = f"{printable(entry.key)} is an array of arrays, which the format allows and llama.cpp does not read."
            yield finding("nested_array", text, path=layout.path, key=entry.key, offset=entry.offset)
        if entry.kind == "str" and (entry.key == TEMPLATE or entry.key.startswith(TEMPLATE + ".")):
            yield from _template(layout, entry)


def _architecture(layout: Layout) -> list[Finding]:
    """Said of whole models only: not where the part that has it is missing, and not of an imatrix, which has none."""
    first = layout.parts[0]
    if not first.located or first.size is None or layout.metadata.get("general.type") == "imatrix":
        return []
    if "general.architecture" in layout.metadata:
        return []
    text = "The key general.architecture is missing, so nobody can tell how the tensors belong together."
    return [finding("missing_arch", text, path=layout.path, key="general.architecture", expected="a string")]


def _kind(layout: Layout, entry: Entry, architecture: str) -> list[Finding]:
    wanted = family(entry.key, architecture)
    if wanted is None or belongs(entry.kind, wanted) or (entry.pending is not None and not len(entry.pending)):
        return []
    if any(one.key == entry.key and one.severity == "error" for one in layout.problems):  # it says more of the same
        return []
    text = f"{printable(entry.key)} is {entry.kind}; {wanted} was expected."
    return [
        finding(
            "wrong_kv_type",
            text,
            path=layout.path,
            key=entry.key,
            offset=entry.offset,
            expected=wanted,
            found=entry.kind,
        )
    ]


def _text(layout: Layout, entry: Entry, judge: Utf8) -> list[Finding]:
    if isinstance(entry.value, str):
        what = "is" if not_utf8(entry.value) else ""
    else:
        bad = [index for strings in _arrays(entry.value, StringArray) for index in texts.not_utf8(strings, judge)]
        more = f" and {len(bad) - SHOWN:,} more" if len(bad) > SHOWN else ""
        listed = ", ".join(str(index) for index in bad[:SHOWN])
        what = f"holds {plural(len(bad), 'string')} (index {listed}{more}) whose bytes are" if bad else ""
    if not what:
        return []
    text = f"{printable(entry.key)} {what} not UTF-8; the bytes are kept as they are."
    return [finding("non_utf8", text, path=layout.path, key=entry.key, offset=entry.offset)]


def _bools(layout: Layout, entry: Entry) -> list[Finding]:
    odd = [] if entry.raw is None else [entry.raw]
    for numbers in _arrays(entry.value, NumberArray):
        if numbers.kind == "bool[]":
            data = numbers.bytes()
            odd += data[data > 1].tolist()
    if not odd:
        return []
    text = f"{printable(entry.key)} has a bool with the byte {odd[0]}, neither 0 nor 1; it is taken as true."
    return [
        finding("bad_bool", text, path=layout.path, key=entry.key, offset=entry.offset, expected="0 or 1", found=odd[0])
    ]


def _template(layout: Layout, entry: Entry) -> list[Finding]:
    odd = oddity(entry.value)
    if odd is None:
        return []
    text = f"The chat template {odd}. It is shown as it is stored, and never run."
    return [finding("chat_template", text, path=layout.path, key=entry.key, offset=entry.offset)]


def _arrays(value: object, kind: type[Array]) -> Iterator[Array]:
    """The value itself, or what is nested in it, where it is of this kind of array."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, NestedArray):
        for item in value.items:
            yield from _arrays(item, kind)
