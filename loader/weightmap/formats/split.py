"""A GGUF in several files: finds the siblings of whatever part was opened, and says where they do not belong together."""

from __future__ import annotations

from collections.abc import Sequence

from weightmap.errors import printable
from weightmap.findings import Finding, Severity, finding
from weightmap.formats.layout import Layout
from weightmap.formats.part_names import PART_NAME
from weightmap.source.address import basename, beside, shown
from weightmap.wording import out_of_reach

MOST_PARTS = 99_999  # five digits
SHOWN = 5  # missing parts that are listed


COMMON = ("split.tensors.count", "general.architecture")
"""Keys that all parts which have them agree on."""


def split_count(layout: Layout) -> int:
    """Number of files that this one says it is one of; 1 for a whole file."""
    value = layout.metadata.get("split.count") if _plain(layout, "split.count") else None
    return value if type(value) is int and 1 < value <= MOST_PARTS else 1


def siblings(layout: Layout, path: str) -> tuple[int, list[str]] | None:
    """Index of the part at `path` and the paths of all parts, by its name; None where its name does not say.

    A name that contradicts the metadata is none: nobody could say which files belong together.
    """
    numbered = PART_NAME.match(basename(path))
    count = split_count(layout)
    if not numbered or int(numbered["count"]) != count or not 1 <= int(numbered["number"]) <= count:
        return None
    stem, ending = numbered["prefix"], numbered["ending"]
    names = [f"{stem}-{number:05d}-of-{count:05d}{ending}" for number in range(1, count + 1)]
    return int(numbered["number"]) - 1, [beside(path, name) for name in names]


def odd_name(layout: Layout) -> list[Finding]:
    """What to say about a file whose name and metadata do not agree on what it is a part of."""
    name, count = basename(layout.path), split_count(layout)
    numbered = PART_NAME.match(name)
    if count > 1:
        number = layout.metadata.get("split.no")
        shown = number + 1 if type(number) is int else "?"
        text = f"The file says that it is part {shown} of {count} (split.count), but its name does not: the others cannot be found."
        return [
            finding(
                "missing_shard",
                text,
                path=layout.path,
                key="split.count",
                expected=f"a name that ends with -00001-of-{count:05d}.gguf",
                found=name,
                advice="Give all parts their original names and put them into one folder.",
            )
        ]
    if numbered and int(numbered["count"]) > 1:
        text = (
            f"The file's name says that it is part {numbered['number']}-of-{numbered['count']}, but the file itself has no "
            "split.count and is whole."
        )
        return [
            finding(
                "shard_mismatch",
                text,
                severity=Severity.WARNING,
                path=layout.path,
                advice="Rename the file: some loaders look for parts that do not exist.",
            )
        ]
    return []


def compare(parts: Sequence[Layout | None]) -> list[Finding]:
    """Where the parts contradict each other: number, count, sum of tensors, and what only parts of different models say.

    None stands for a part that is not there.
    """
    found = []
    for number, part in enumerate(parts):
        if part is None:
            continue
        for key, expected in (("split.no", number), ("split.count", len(parts))):
            value = part.metadata.get(key) if _plain(part, key) else None
            if value != expected:
                shown = "absent" if value is None else repr(value)
                text = f"{key} is {shown} in part {number + 1} of {len(parts)}; {expected} was expected."
                found.append(finding("shard_mismatch", text, path=part.path, key=key, expected=expected, found=shown))
    present = [part for part in parts if part is not None]
    for key in COMMON:
        found += _of_other_models(key, [part for part in present if _plain(part, key)])
    stated = next(
        (part.metadata["split.tensors.count"] for part in present if _plain(part, "split.tensors.count")), None
    )
    held = sum(len(part.records) for part in present)
    if len(present) == len(parts) and all(part.parts[0].located for part in present) and stated not in (None, held):
        text = f"split.tensors.count is {stated}, but the parts hold {held:,} tensors."
        found.append(
            finding(
                "shard_mismatch",
                text,
                path=present[0].path,
                key="split.tensors.count",
                expected=stated,
                found=f"{held:,}",
            )
        )
    return found


def _of_other_models(key: str, stating: Sequence[Layout]) -> list[Finding]:
    """The parts that give this key another value than the first of them does."""
    found = []
    for part in stating[1:]:
        first, value = repr(stating[0].metadata[key]), repr(part.metadata[key])
        if value != first:
            of = f"{key} is {value} in {printable(basename(part.path))} and {first} in {printable(basename(stating[0].path))}"
            text = f"{of}: these are parts of different models."
            found.append(finding("shard_mismatch", text, path=part.path, key=key, expected=first, found=value))
    return found


def absent(paths: Sequence[str], parts: Sequence[Layout | None]) -> list[Finding]:
    """What to say about parts that are not there: one finding each for the first ones, and one for the number of others."""
    stated = next((p.metadata["split.tensors.count"] for p in parts if p and _plain(p, "split.tensors.count")), 0)
    lost = stated - sum(len(p.records) for p in parts if p) if type(stated) is int else 0
    reach = f" {out_of_reach(lost, stated)}" if lost > 0 else ""
    found = []
    for path in paths[:SHOWN]:
        name = basename(path)
        text = f"The part {printable(name)} is not there.{reach}"
        found.append(finding("missing_shard", text, path=shown(path), expected=name))
    if len(paths) > SHOWN:
        text = f"{len(paths) - SHOWN:,} more parts are not there, {printable(basename(paths[SHOWN]))} first."
        found.append(finding("missing_shard", text, path=shown(paths[SHOWN])))
    return found


def _plain(layout: Layout, key: str) -> bool:
    """Whether the key is there with a value that is no array: an array would have to be read."""
    return key in layout.metadata and layout.metadata.entry(key).pending is None
