"""Names of tensors and keys: doubled, too long, not UTF-8, or made to show as something else."""

from __future__ import annotations

from collections import Counter
from unicodedata import category

from weightmap.checks.structure import limited
from weightmap.errors import printable
from weightmap.findings import Finding, Severity, finding
from weightmap.formats.layout import Layout, TensorRecord

LONGEST_NAME = 63  # bytes; ggml keeps 64 with a zero at the end


def duplicates(layout: Layout) -> list[Finding]:
    """Tensor names and metadata keys that stand more than once: errors, since nobody can say which one is meant."""
    found: list[Finding] = []
    names = {record.name for record in layout.records}
    if len(names) < len(layout.records):
        found += limited(_doubled_tensors(layout))
    entries = layout.metadata.entries
    keys = Counter(entry.key for entry in entries)
    for key in [key for key, times in keys.items() if times > 1]:
        both = [entry for entry in entries if entry.key == key]
        values = " and ".join(printable(repr(e.value))[:80] if e.pending is None else e.kind for e in both)
        text = f"The metadata key {printable(key)} stands {len(both)} times, as {values}; the first one is shown."
        # in safetensors it harms no tensor, and no reader refuses it
        severity = Severity.WARNING if layout.format == "safetensors" else None
        found.append(
            finding(
                "duplicate_key",
                text,
                severity=severity,
                path=layout.path,
                key=key,
                offset=both[1].offset,
                found=values,
            )
        )
    return found


def check(layout: Layout) -> list[Finding]:
    """Warnings about tensor names and metadata keys that other readers or people stumble over."""
    names = [record.name for record in layout.records]
    joined = "".join(names)
    found: list[Finding] = []
    if layout.format == "gguf" and (not joined.isascii() or max(map(len, names), default=0) > LONGEST_NAME):
        found += limited(_long(layout, r) for r in layout.records if len(_encoded(r.name)) > LONGEST_NAME)
    if not joined.isascii() or not joined.isprintable():
        found += limited(_odd(layout, r) for r in layout.records if not sound(r.name))
    for key in layout.metadata:
        if not sound(key):
            code, text = ("non_utf8", "is not UTF-8") if not_utf8(key) else ("control_char", _CONTROL)
            text = f"The metadata key {printable(key)} {text}."
            found.append(finding(code, text, path=layout.path, key=key))
    return found


def sound(text: str) -> bool:
    """Whether a name is valid UTF-8 and shows as what it is, in one line."""
    return text.isprintable() or not (not_utf8(text) or any(category(c) in ("Cc", "Cf", "Zl", "Zp") for c in text))


def not_utf8(text: str) -> bool:
    """Whether this text came from bytes that are no UTF-8 (they stand in it as surrogate escapes)."""
    return not text.isascii() and any(0xDC80 <= ord(c) <= 0xDCFF for c in text)


_CONTROL = "has control or bidi characters, shown here as escapes"


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _doubled_tensors(layout: Layout) -> list[Finding]:
    first: dict[str, TensorRecord] = {}
    found = []
    for record in layout.records:
        other = first.setdefault(record.name, record)
        if other is record:
            continue
        path, place = layout.parts[record.part].path, ""
        if other.part != record.part:
            place = f" (first in {layout.parts[other.part].path})"
        text = f"The tensor name {printable(record.name)} stands twice{place}; the first one is taken by name."
        # in safetensors a name is a key of the header's JSON, and most readers keep the last one without a word
        code = "duplicate_key" if layout.format == "safetensors" and other.part == record.part else "duplicate_tensor"
        found.append(finding(code, text, path=path, tensor=record.name, offset=record.entry))
    return found


def _long(layout: Layout, record: TensorRecord) -> Finding:
    length = len(_encoded(record.name))
    return finding(
        "name_too_long",
        f"The name of tensor {printable(record.name)} has {length} bytes; llama.cpp takes no more than {LONGEST_NAME}.",
        path=layout.parts[record.part].path,
        tensor=record.name,
        offset=record.entry,
        expected=f"at most {LONGEST_NAME} bytes",
        found=f"{length} bytes",
    )


def _odd(layout: Layout, record: TensorRecord) -> Finding:
    code, text = ("non_utf8", "is not UTF-8") if not_utf8(record.name) else ("control_char", _CONTROL)
    text = f"The tensor name {printable(record.name)} {text}."
    return finding(code, text, path=layout.parts[record.part].path, tensor=record.name, offset=record.entry)
