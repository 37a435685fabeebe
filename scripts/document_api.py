#!/usr/bin/env python3
"""Writes docs/api.md from the docstrings of weightmap's public names, so that page and product never differ (a test compares)."""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import weightmap

PAGE = Path(__file__).resolve().parents[1] / "docs" / "api.md"
HEAD = """# Reference

Every public name of weightmap, as it documents itself. This page is made by `python scripts/document_api.py`. How the parts
play together, with examples that run: [loader/README.md](../loader/README.md). What findings there are:
[findings.md](findings.md).

Shapes are in numpy order throughout. `progress` is called with (done, total) on the calling thread; where it returns False the
pass ends with `Cancelled`. `threads=None` takes `WEIGHTMAP_THREADS`, else the cores that the process may use.
"""
SECTIONS = ("Functions", "Models, tensors and other classes", "Records", "Errors", "Modules")


def page() -> str:
    """The whole page."""
    sections: dict[str, list[str]] = {title: [] for title in SECTIONS}
    for name in sorted(weightmap.__all__, key=str.lower):
        if not name.startswith("__"):
            value = getattr(weightmap, name)
            sections[_section(value)].append(_entry(name, value))
    parts = [f"## {title}\n\n" + "\n".join(entries) for title, entries in sections.items() if entries]
    return HEAD + "\n" + "\n".join(parts)


def _section(value: Any) -> str:
    if isinstance(value, ModuleType):
        return "Modules"
    if not isinstance(value, type):
        return "Functions"
    if issubclass(value, Exception):
        return "Errors"
    record = is_dataclass(value) or issubclass(value, enum.Enum | tuple)
    return "Records" if record else "Models, tensors and other classes"


def _entry(name: str, value: Any) -> str:
    """One public name."""
    if isinstance(value, ModuleType):
        inside = [one for key, one in sorted(vars(value).items()) if _own(key, one, value)]
        below = "".join("\n" + _function(f"{name}.{one.__name__}", one, "####") for one in inside)
        return f"### {name}\n\n{_text(value)}\n{below}"
    if not isinstance(value, type):
        return _function(name, value, "###")
    if issubclass(value, Exception):
        bases = ", ".join(base.__name__ for base in value.__bases__)
        return f"### {name}\n\nA kind of {bases}.\n\n{_text(value)}" + "".join(_members(value))
    return f"### {name}\n\n{_text(value)}{_fields(value)}" + "".join(_members(value))


def _own(key: str, value: Any, module: ModuleType) -> bool:
    listed = getattr(module, "__all__", None)
    public = key in listed if listed is not None else not key.startswith("_")
    return public and isinstance(value, FunctionType) and value.__module__ == module.__name__


def _function(name: str, value: Any, level: str) -> str:
    return f"{level} {name}\n\n```python\n{_signature(name.rpartition('.')[2], value)}\n```\n\n{_text(value)}"


def _signature(name: str, function: Any) -> str:
    """How it is called; over several lines where one would be long."""
    taken = inspect.signature(function)
    whole = f"{name}{taken}".replace("(self, ", "(").replace("(self)", "()")
    if len(_unquoted(whole)) <= 100:
        return _unquoted(whole)
    parameters = [one for one in taken.parameters.values() if one.name != "self"]
    lines, starred = [], False
    for one in parameters:
        if one.kind is one.KEYWORD_ONLY and not starred:
            lines.append("*")
            starred = True
        lines.append(str(one))
    returned = "" if taken.return_annotation is taken.empty else f" -> {taken.return_annotation}"
    return _unquoted(f"{name}(\n" + "".join(f"    {line},\n" for line in lines) + f"){returned}")


def _unquoted(signature: str) -> str:
    """Without the quotes of annotations that are not evaluated."""
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", re.sub(r'(: |-> )"([^"]*)"', r"\1\2", signature))


def _fields(record: type) -> str:
    """The fields of a record, with their types; the values of an enumeration."""
    if issubclass(record, enum.Enum):
        return "\n" + ", ".join(f"`{one.value}`" for one in record) + "\n"
    if is_dataclass(record):
        return "\n```python\n" + "".join(f"{one.name}: {one.type}\n" for one in fields(record)) + "```\n"
    if issubclass(record, tuple):
        told = record.__annotations__
        return "\n```python\n" + "".join(f"{name}: {_plain(told[name])}\n" for name in told) + "```\n"
    return ""


def _plain(annotation: Any) -> str:
    return getattr(annotation, "__forward_arg__", None) or getattr(annotation, "__name__", None) or str(annotation)


def _members(kind: type) -> Iterator[str]:
    """Public methods and properties with a docstring of their own, those of weightmap's base classes included."""
    met: dict[str, Any] = {}
    for base in kind.__mro__:
        if base.__module__.partition(".")[0] == "weightmap" and (base is kind or not issubclass(kind, Exception)):
            for name, value in vars(base).items():
                met.setdefault(name, value)
    fielded = {one.name for one in fields(kind)} if is_dataclass(kind) else set()
    for name, value in sorted(met.items()):
        if name in fielded or (name.startswith("_") and name != "__getitem__"):
            continue
        if isinstance(value, property) and value.fget is not None:
            returned = inspect.signature(value.fget).return_annotation
            kind_of = "" if returned is inspect.Signature.empty else f": {returned}"
            yield f"\n**`{name}{kind_of}`**\n\n{_text(value.fget)}"
        elif isinstance(value, FunctionType | staticmethod | classmethod):
            function = value if isinstance(value, FunctionType) else value.__func__
            if function.__doc__:
                yield f"\n**`{name}`**\n\n```python\n{_signature(name, function)}\n```\n\n{_text(function)}"


def _text(value: Any) -> str:
    """A docstring: paragraphs as they are; what is set in columns or indented in a block of its own."""
    parts = []
    for paragraph in inspect.cleandoc(value.__doc__ or "").split("\n\n"):
        columns = any(re.search(r"\S {2,}\S|^ {2,}\S", line) for line in paragraph.splitlines())
        parts.append(f"```text\n{paragraph}\n```\n" if columns else f"{_escaped(paragraph)}\n")
    return "\n".join(parts)


def _escaped(paragraph: str) -> str:
    """Stars and angles that Markdown would take for its own, outside of code."""
    pieces = re.split(r"(`[^`]*`)", paragraph)
    return "".join(piece if piece.startswith("`") else re.sub(r"([*<])", r"\\\1", piece) for piece in pieces)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
