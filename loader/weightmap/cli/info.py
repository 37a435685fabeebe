"""`weightmap info`: what a model is, its metadata and its tensors."""

from __future__ import annotations

import argparse
import shutil
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

import weightmap
from weightmap.cli import output, text, verdict
from weightmap.errors import printable

LONG = 32  # an array with more items than this is shown by its beginning, unless --full is given
_FIRST = 8  # items of a long array on a terminal
_NARROWEST = 40  # characters that a value gets on the narrowest terminal


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser("info", help="what a model is, its metadata and its tensors")
    parser.add_argument("path", metavar="PATH", help="a weight file, an index, a folder with one model, or an address")
    parser.add_argument("--full", action="store_true", help="show long arrays and texts in full")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the model; the exit status is that of its findings."""
    with weightmap.open(arguments.path) as model:
        if arguments.json:
            output.document(report(model, arguments.full))
        else:
            output.write(_page(model, arguments.full))
        return verdict.exit_status([model.status])


def report(model: weightmap.WeightFile, full: bool) -> dict[str, object]:
    """The model as the document of `info --json`; offsets are null where nobody knows where tensors lie."""
    return {
        "path": model.path,
        "format": model.format,
        "version": model.version,
        "byte_order": model.byte_order,
        "alignment": model.alignment,
        "files": [{"path": part.path, "bytes": part.size} for part in model.parts],
        "metadata": {key: value if full else _head(model, key, value) for key, value in model.metadata.items()},
        "tensors": [
            {
                "name": tensor.name,
                "type": tensor.type.name,
                "shape": tensor.shape,
                "offset": tensor.offset if tensor.located else None,
                "nbytes": tensor.nbytes,
                "bits_per_weight": tensor.bits_per_weight,
            }
            for tensor in model.records
        ],
        "composed": [
            {
                "name": weight.name,
                "scheme": weight.scheme,
                "shape": weight.shape,
                "sources": weight.sources,
                "status": weight.status,
                "assumed": weight.assumed,
                "readings": weight.readings,
            }
            for weight in model.composed.values()
        ],
        "totals": _totals(model),
    }


def _head(model: weightmap.WeightFile, key: str, value: Any) -> Any:
    if isinstance(value, str) or not isinstance(value, np.ndarray | Sequence) or len(value) <= LONG:
        return value
    kind = model.metadata_type(key).removesuffix("[]")
    return {"array": kind, "length": len(value), "head": value[:LONG]}


def _totals(model: weightmap.WeightFile) -> dict[str, Any]:
    by_type: dict[str, dict[str, int]] = {}
    for tensor in model.records:
        sums = by_type.setdefault(tensor.type.name, {"tensors": 0, "elements": 0, "bytes": 0})
        sums["tensors"] += 1
        sums["elements"] += tensor.count
        sums["bytes"] += tensor.nbytes
    return {
        "tensors": len(model.records),
        "elements": sum(sums["elements"] for sums in by_type.values()),
        "data_bytes": sum(sums["bytes"] for sums in by_type.values()),
        "file_bytes": sum(part.size or 0 for part in model.parts),
        "by_type": by_type,
    }


def _page(model: weightmap.WeightFile, full: bool) -> str:
    totals = _totals(model)
    version = "" if model.version is None else f" version {model.version}"
    alignment = f", alignment {model.alignment}" if model.alignment > 1 else ""
    facts = [
        ("format", f"{model.format}{version}, {model.byte_order}-endian{alignment}"),
        ("size", f"{text.size(totals['file_bytes'])} in {text.plural(len(model.parts), 'file')}"),
        ("tensors", f"{_read(model)} with {text.plural(totals['elements'], 'element')}"),
        ("status", f"{text.mark(model.status)} {text.coloured(model.status, model.status)}"),
    ]
    sections = [
        f"{printable(model.path)}\n" + text.table(("", ""), facts, indent="  "),
        verdict.lines(model.findings, model.path, "  "),
        _section(f"metadata ({len(model.metadata):,})", _metadata(model, full)),
        _section("types", _types(totals)),
        _section("tensors", _tensors(model)),
        _section("weights that lie in several tensors", _composed(model)),
    ]
    if len(model.parts) > 1:
        parts = [(printable(p.path), "missing" if p.size is None else text.size(p.size)) for p in model.parts]
        sections.insert(2, _section("files", text.table(("", ""), parts, right=(1,), indent="  ")))
    return "\n".join(section for section in sections if section)


def _section(title: str, body: str) -> str:
    return f"{title}\n{body}" if body else ""


def _metadata(model: weightmap.WeightFile, full: bool) -> str:
    heads = []
    for key, value in model.metadata.items():
        kind = model.metadata_type(key)
        what = f"{kind.removesuffix('[]')} × {len(value):,}" if kind.endswith("[]") else kind
        heads.append((text.clipped(key, text.NAME), what))
    taken = sum(max((len(head[column]) for head in heads), default=0) + 2 for column in (0, 1)) + 2
    room = max(_NARROWEST, shutil.get_terminal_size((120, 24)).columns - taken)
    values = (_shown(value, full, room) for value in model.metadata.values())
    rows = [(*head, value) for head, value in zip(heads, values, strict=True)]
    return text.table(("key", "type", "value"), rows, indent="  ")


def _shown(value: Any, full: bool, width: int) -> str:
    if isinstance(value, str):
        return printable(value) if full else text.clipped(value, width)
    if isinstance(value, np.ndarray | Sequence):
        items = value if full or len(value) <= LONG else value[:_FIRST]
        listed = ", ".join(_shown(item, full, width) for item in items)
        more = "" if len(items) == len(value) else ", …"
        line = f"[{listed}{more}]"
        return line if full or len(line) <= width else line[: width - 1] + "…"
    if isinstance(value, float | np.floating):
        return _shortest(value)
    return str(value)


def _shortest(number: float | np.floating[Any]) -> str:
    """The shortest digits that stand for the number: those of float32 where that is what the file stores."""
    with np.errstate(over="ignore"):
        narrow = np.float32(number)
    return str(narrow if float(narrow) == float(number) else number)


def _types(totals: dict[str, Any]) -> str:
    rows = []
    for name, sums in sorted(totals["by_type"].items(), key=lambda item: -item[1]["bytes"]):
        bits = f"{sums['bytes'] * 8 / sums['elements']:.2f}" if sums["elements"] else "-"
        rows.append((name, f"{sums['tensors']:,}", f"{sums['elements']:,}", text.size(sums["bytes"]), bits))
    return text.table(("type", "tensors", "elements", "size", "bits per weight"), rows, right=(1, 2, 3, 4), indent="  ")


def _read(model: weightmap.WeightFile) -> str:
    """How many tensors there are; where a header breaks off, of how many."""
    read, broken = len(model.records), [part for part in model.parts if part.counted is not None]
    if len(model.parts) > 1 or not broken:
        return f"{read:,}"
    return f"{read:,} of {broken[0].counted:,}"


def _tensors(model: weightmap.WeightFile) -> str:
    rows = []
    for t in model.records:
        offset = f"{t.offset:,}" if t.located else "not known"
        rows.append((text.clipped(t.name, text.NAME), t.type.name, text.shape(t.shape), text.size(t.nbytes), offset))
    return text.table(("name", "type", "shape", "size", "offset"), rows, right=(2, 3, 4), indent="  ")


def _composed(model: weightmap.WeightFile) -> str:
    rows = []
    for weight in model.composed.values():
        name, bits = text.clipped(weight.name, text.NAME), f"{weight.bits_per_weight:.2f}"
        mark = text.mark(weight.status)
        # the parts as the ends of their names: the start is that of the weight
        module = weight.name.removesuffix("weight")
        parts = ", ".join(printable(source.removeprefix(module).lstrip("._")) for source in weight.sources)
        rows.append((mark, name, weight.scheme, text.shape(weight.shape), bits, parts))
    table = text.table(("", "name", "scheme", "shape", "bits per weight", "made of"), rows, right=(3, 4), indent="  ")
    return table + _readings(model)


def _readings(model: weightmap.WeightFile) -> str:
    """What --reading takes: each other reading that weights have, and how many have it."""
    counted = Counter(reading for weight in model.composed.values() for reading in weight.readings)
    lines = (f"  other reading: {printable(name)} ({text.plural(many, 'weight')})\n" for name, many in counted.items())
    return "".join(lines)
