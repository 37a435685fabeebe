"""A sharded safetensors model: the index says which file holds which tensor, and the files are taken at its word or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from weightmap.errors import error, printable
from weightmap.findings import Finding, Severity, finding
from weightmap.formats.json_header import loads
from weightmap.formats.layout import Layout
from weightmap.formats.safetensors import LARGEST_HEADER
from weightmap.source.byte_source import ByteSource
from weightmap.wording import out_of_reach, plural

SHOWN = 5  # names that one finding lists


class Index(NamedTuple):
    """What an index file says. `weight_map`: tensor name -> file name. `files` are those inside the folder, in order of
    first mention; names that lead outside of it are in `problems` and never opened.
    """

    path: str
    weight_map: Mapping[str, str]
    files: tuple[str, ...]
    total_size: Any
    problems: tuple[Finding, ...]

    @property
    def promised(self) -> dict[str, list[str]]:
        """The names of the tensors that each file should hold."""
        names: dict[str, list[str]] = {file: [] for file in self.files}
        for name, file in self.weight_map.items():
            names[file].append(name)
        return names


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
    outside: list[str] = []
    for name, file in pairs:
        if type(file) is str and _inside(file):
            weight_map.setdefault(name, file)
        else:
            outside.append(f"{name} in {file}")
    if outside:
        text = f"The index places tensors in what is no file of its folder, which is not opened: {_listed(outside)}."
        problems.append(finding("index_mismatch", text, path=path, expected="a file name", found=_listed(outside)))
    if not weight_map:
        nothing = finding("bad_header", "The index names no file: its weight_map is empty.", path=path)
        raise error(problems[0] if problems else nothing)
    metadata = fields.get("metadata")
    total = dict(metadata).get("total_size") if type(metadata) is tuple else None
    return Index(path, weight_map, tuple(dict.fromkeys(weight_map.values())), total, tuple(problems))


def compare(index: Index, layout: Layout, told: Container[str] = ()) -> list[Finding]:
    """Where the index and the shards that were opened disagree. `layout` has one part per file of the index, in order.
    Of those whose path is in `told` it is said already why they cannot be read.
    """
    promised = index.promised
    held: list[set[str]] = [set() for _ in layout.parts]
    for record in layout.records:
        held[record.part].add(record.name)
    found = _absent(index, layout, promised, told)
    faulty = {(one.path, one.tensor) for one in layout.problems if one.tensor is not None and one.severity == "error"}
    for file, part, names in zip(index.files, layout.parts, held, strict=True):
        if part.size is not None and part.located:  # an entry that cannot be read is there, and said to be so
            there = names.union(name for path, name in faulty if path == part.path and name is not None)
            found += _contents(file, part.path, promised[file], there)
    if not faulty and all(part.size is not None for part in layout.parts):
        found += _total(index, sum(record.nbytes for record in layout.records))
    return found


def absent(index: Index, layout: Layout) -> tuple[str, ...]:
    """Names of tensors that the index lists, and that none of the shards holds which could be opened."""
    held = {record.name for record in layout.records}
    return tuple(name for name in index.weight_map if name not in held)


def unread(index: Index, paths: Sequence[str], why: Sequence[Finding]) -> list[Finding]:
    """Why files at these paths, one per file of the index, cannot be read, with what is lost by it."""
    lost = dict(zip(paths, (len(names) for names in index.promised.values()), strict=True))
    return [
        replace(one, message=f"{one.message} {out_of_reach(lost[one.path], len(index.weight_map))}")
        if one.path in lost
        else one
        for one in why
    ]


def _absent(index: Index, layout: Layout, promised: Mapping[str, list[str]], told: Container[str]) -> list[Finding]:
    """Files that are not there: one finding each for the first ones, and one for the number of others."""
    parts = zip(index.files, layout.parts, strict=True)
    missing = [(file, part) for file, part in parts if part.size is None and part.path not in told]
    found = []
    for file, part in missing[:SHOWN]:
        text = f"{printable(file)} cannot be read: {out_of_reach(len(promised[file]), len(index.weight_map))}"
        found.append(finding("missing_shard", text, path=part.path, expected=file))
    if others := missing[SHOWN:]:
        lost = sum(len(promised[file]) for file, _ in others)
        first = printable(others[0][0])
        text = f"{plural(len(others), 'more file')} cannot be read, {first} first, with {plural(lost, 'tensor')}."
        found.append(finding("missing_shard", text, path=others[0][1].path, expected=others[0][0]))
    return found


def _contents(file: str, path: str, promised: list[str], held: set[str]) -> list[Finding]:
    """Tensors that the index places in a file which does not hold them, and the other way round."""
    found: list[Finding] = []
    lacking = [name for name in promised if name not in held]
    for name in lacking[:SHOWN]:
        text = f"The index places tensor {printable(name)} in {printable(file)}, which does not hold it."
        if len(found) == SHOWN - 1 and len(lacking) > SHOWN:
            text = f"{text} {len(lacking) - SHOWN:,} more are missing there."
        found.append(finding("index_mismatch", text, path=path, tensor=name, expected="the tensor", found="none"))
    if surplus := sorted(held.difference(promised)):
        count = "a tensor" if len(surplus) == 1 else f"{len(surplus):,} tensors"
        text = f"{printable(file)} holds {count} that the index does not place there: {_listed(surplus)}."
        found.append(finding("index_mismatch", text, severity=Severity.WARNING, path=path, tensor=surplus[0]))
    return found


def _total(index: Index, held: int) -> list[Finding]:
    """metadata.total_size against the bytes of all tensors; older writers left a float, or nothing."""
    if type(index.total_size) not in (int, float) or index.total_size == held:
        return []
    stated = f"{index.total_size:,}"
    text = f"The index gives the total size as {stated} bytes; its tensors take {held:,} bytes."
    return [
        finding(
            "index_mismatch",
            text,
            severity=Severity.WARNING,
            path=index.path,
            expected=f"{stated} bytes",
            found=f"{held:,} bytes",
        )
    ]


def _inside(file: str) -> bool:
    """Whether a name is that of a file in the index's own folder, on any system."""
    parts = file.replace("\\", "/").split("/")
    return (
        bool(file) and "\0" not in file and ":" not in parts[0] and not any(part in ("", ".", "..") for part in parts)
    )


def _listed(names: list[str]) -> str:
    more = "" if len(names) <= SHOWN else f" and {len(names) - SHOWN:,} more"
    return ", ".join(printable(name) for name in names[:SHOWN]) + more
