"""A sharded safetensors model: the index says which file holds which tensor, and the files are taken at its word or not."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weightmap.errors import error, printable
from weightmap.findings import Finding, Severity, finding
from weightmap.formats.json_header import loads
from weightmap.formats.layout import Layout
from weightmap.formats.safetensors import LARGEST_HEADER
from weightmap.source.file import ByteSource

SHOWN = 5  # names that one finding lists


@dataclass(frozen=True, slots=True)
class Index:
    """What an index file says. `weight_map`: tensor name -> file name. `files` are those inside the folder, in order of
    first mention; names that lead outside of it are in `problems` and never opened.
    """

    path: str
    weight_map: Mapping[str, str]
    files: tuple[str, ...]
    total_size: Any
    problems: tuple[Finding, ...]


def read_index(source: ByteSource) -> Index:
    """Read an index file. Raises CorruptWeightError where it is none."""
    path = source.path
    if source.size > LARGEST_HEADER:
        text = f"The index has {source.size:,} bytes; no more than {LARGEST_HEADER:,} are read."
        raise error(finding("bad_header", text, path=path))
    try:
        content = loads(source.read(0, source.size))
    except ValueError as problem:
        raise error(finding("bad_header", f"The index {problem}.", path=path)) from None
    fields = dict(content) if type(content) is tuple else {}
    pairs = fields.get("weight_map")
    if type(pairs) is not tuple:
        raise error(finding("bad_header", "The index has no weight_map of tensor names to file names.", path=path))
    problems = []
    twice = [name for name, n in Counter(name for name, _ in pairs).items() if n > 1]
    if twice:
        text = f"The index lists a tensor twice: {_listed(twice)}; the first one counts."
        problems.append(finding("duplicate_key", text, path=path, tensor=twice[0]))
    weight_map: dict[str, str] = {}
    for name, file in pairs:
        if type(file) is not str or not _inside(file):
            shown = printable(str(file))
            text = f"The index places tensor {printable(name)} in {shown}, which is no file in its folder; it is not opened."
            problems.append(finding("index_mismatch", text, path=path, tensor=name, found=shown))
        else:
            weight_map.setdefault(name, file)
    metadata = fields.get("metadata")
    total = dict(metadata).get("total_size") if type(metadata) is tuple else None
    return Index(path, weight_map, tuple(dict.fromkeys(weight_map.values())), total, tuple(problems))


def compare(index: Index, layout: Layout) -> list[Finding]:
    """Where the index and the shards that were opened disagree. `layout` has one part per file of the index, in order."""
    found = []
    held = [{record.name for record in layout.records if record.part == part} for part in range(len(layout.parts))]
    for number, part in enumerate(layout.parts):
        promised = [name for name, file in index.weight_map.items() if file == index.files[number]]
        if part.size is None:
            found.append(_absent(part.path, len(promised), len(index.weight_map)))
            continue
        for name in [name for name in promised if name not in held[number]][:SHOWN]:
            text = f"The index places tensor {printable(name)} in {index.files[number]}, which does not hold it."
            found.append(
                finding("index_mismatch", text, path=part.path, tensor=name, expected="the tensor", found="none")
            )
        if surplus := sorted(held[number].difference(promised)):
            text = f"{index.files[number]} holds {len(surplus):,} tensors that the index does not place there: {_listed(surplus)}."
            found.append(finding("index_mismatch", text, severity=Severity.WARNING, path=part.path, tensor=surplus[0]))
    sizes = sum(record.nbytes for record in layout.records)
    if (
        type(index.total_size) in (int, float)
        and sizes != index.total_size
        and None not in [p.size for p in layout.parts]
    ):
        stated = f"{index.total_size:,}"
        text = f"The index gives the total size as {stated} bytes; its tensors take {sizes:,} bytes."
        found.append(
            finding(
                "index_mismatch", text, severity=Severity.WARNING, path=index.path, expected=stated, found=f"{sizes:,}"
            )
        )
    return found


def _absent(path: str, lost: int, total: int) -> Finding:
    name = os.path.basename(path)
    text = f"The file {name} is not there: {lost:,} of {total:,} tensors are out of reach."
    return finding("missing_shard", text, path=path, expected=name)


def _inside(file: str) -> bool:
    """Whether a name is that of a file in the index's own folder, on any system."""
    parts = file.replace("\\", "/").split("/")
    return (
        bool(file) and "\0" not in file and ":" not in parts[0] and not any(part in ("", ".", "..") for part in parts)
    )


def _listed(names: list[str]) -> str:
    more = "" if len(names) <= SHOWN else f" and {len(names) - SHOWN:,} more"
    return ", ".join(printable(name) for name in names[:SHOWN]) + more
