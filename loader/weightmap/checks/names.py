"""Names of tensors and keys: doubled, too long, not UTF-8, or made to show as something else."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import category

from weightmap.errors import printable
from weightmap.findings import Finding, Severity, finding, limited
from weightmap.formats.layout import Layout, TensorRecord, listed
from weightmap.formats.metadata import Entry
from weightmap.source.address import basename

SHOWN = 5  # values of a doubled key that are listed
LONGEST_NAME = 63  # bytes; ggml keeps 64 with a zero at the end
LONGEST_KEY = (1 << 16) - 1  # bytes, by the format's own rule


def duplicates(layout: Layout) -> list[Finding]:
    """Tensor names and metadata keys that stand more than once: errors, since nobody can say which one is meant."""
    found: list[Finding] = []
    if len(set(layout.columns.names)) < len(layout.records):
        found += limited(_doubled_tensors(layout))
    entries = layout.metadata.entries
    if len({entry.key for entry in entries}) < len(entries):
        by_key: dict[str, list[Entry]] = {}
        for entry in entries:
            by_key.setdefault(entry.key, []).append(entry)
        found += limited(_doubled_key(layout, same) for same in by_key.values() if len(same) > 1)
    return found


def _doubled_key(layout: Layout, same: Sequence[Entry]) -> Finding:
    shown = [printable(repr(e.value))[:80] if e.pending is None else e.kind for e in same[:SHOWN]]
    values = " and ".join(shown) + (" and so on" if len(same) > SHOWN else "")
    key = printable(same[0].key) or "without a name"
    text = f"The metadata key {key} stands {len(same):,} times, as {values}; the first one is shown."
    # in safetensors it harms no tensor, and no reader refuses it
    severity = Severity.WARNING if layout.format == "safetensors" else None
    return finding(
        "duplicate_key",
        text,
        severity=severity,
        path=layout.path,
        key=same[0].key,
        offset=same[1].offset,
        found=values,
    )


def check(layout: Layout) -> list[Finding]:
    """Warnings about tensor names and metadata keys that other readers or people stumble over."""
    names = layout.columns.names
    joined = "".join(names)
    found: list[Finding] = []
    if layout.format == "gguf" and (not joined.isascii() or max(map(len, names), default=0) > LONGEST_NAME):
        found += limited(_long(layout, r) for r in layout.records if len(_encoded(r.name)) > LONGEST_NAME)
    if layout.format == "gguf":
        if not all(names):
            found += limited(_nameless(layout, r) for r in layout.records if not r.name)
        found += limited(_odd_length(layout, e) for e in layout.metadata.entries if not 0 < len(e.key) <= LONGEST_KEY)
    if not joined.isascii() or joined.encode().translate(None, _PLAIN):
        found += limited(_odd(layout, r) for r in _named(layout) if not sound(r.name))
    return found + limited(_odd_key(layout, key) for key in layout.metadata if not sound(key))


def sound(text: str) -> bool:
    """Whether a name is valid UTF-8 and shows as what it is, in one line."""
    return text.isprintable() or not (not_utf8(text) or any(category(c) in ("Cc", "Cf", "Zl", "Zp") for c in text))


def not_utf8(text: str) -> bool:
    """Whether this text came from bytes that are no UTF-8 (they stand in it as surrogate escapes)."""
    return not text.isascii() and any(0xDC80 <= ord(c) <= 0xDCFF for c in text)


_PLAIN = bytes(range(0x20, 0x7F))  # ASCII that can be printed, which is told of all names together
_CONTROL = "has control or bidi characters, shown here as escapes"


def _named(layout: Layout) -> Sequence[TensorRecord]:
    """The tensors; of an old imatrix, whose entries are two tensors each, the first one."""
    if layout.format != "imatrix":
        return layout.records
    return tuple({record.entry: record for record in reversed(layout.records)}.values())[::-1]


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _doubled_tensors(layout: Layout) -> list[Finding]:
    first: dict[str, TensorRecord] = {}
    found = []
    for record in _named(layout):
        other = first.setdefault(record.name, record)
        if other is record:
            continue
        place = ""
        if other.part != record.part:
            place = f" (first in {printable(basename(layout.parts[other.part].path))})"
        text = f"The tensor name {printable(record.name) or '(empty)'} stands twice{place}; the first one is taken by name."
        # in safetensors a name is a key of the header's JSON, and most readers keep the last one without a word
        code = "duplicate_key" if layout.format == "safetensors" and other.part == record.part else "duplicate_tensor"
        found.append(finding(code, text, **listed(layout.parts[record.part], record)))
    return found


def _long(layout: Layout, record: TensorRecord) -> Finding:
    length = len(_encoded(record.name))
    return finding(
        "name_too_long",
        f"The name of tensor {printable(record.name)} has {length:,} bytes; llama.cpp takes no more than {LONGEST_NAME}.",
        **listed(layout.parts[record.part], record),
        expected=f"at most {LONGEST_NAME} bytes",
        found=f"{length:,} bytes",
    )


def _nameless(layout: Layout, record: TensorRecord) -> Finding:
    text = f"The tensor whose entry begins at byte {record.entry:,} has no name."
    where = listed(layout.parts[record.part], record)
    return finding("empty_name", text, **where, expected="a name", found="nothing")


def _odd_length(layout: Layout, entry: Entry) -> Finding:
    if not entry.key:
        text = "A metadata entry has an empty key, and llama.cpp refuses the file for it."
        return finding("empty_name", text, path=layout.path, key="", offset=entry.offset, expected="a key")
    length = len(_encoded(entry.key))
    return finding(
        "name_too_long",
        f"The metadata key {printable(entry.key[:80])}… has {length:,} bytes; the format allows {LONGEST_KEY:,}.",
        path=layout.path,
        key=entry.key,
        offset=entry.offset,
        expected=f"at most {LONGEST_KEY:,} bytes",
        found=f"{length:,} bytes",
        advice="Shorten the key.",
    )


def _odd_key(layout: Layout, key: str) -> Finding:
    code, text = ("non_utf8", "is not UTF-8") if not_utf8(key) else ("control_char", _CONTROL)
    return finding(code, f"The metadata key {printable(key)} {text}.", path=layout.path, key=key)


def _odd(layout: Layout, record: TensorRecord) -> Finding:
    code, text = ("non_utf8", "is not UTF-8") if not_utf8(record.name) else ("control_char", _CONTROL)
    text = f"The tensor name {printable(record.name)} {text}."
    return finding(code, text, **listed(layout.parts[record.part], record))
