"""An index whose files are not there: a shard that is missing, or an index that was left behind by other files?"""

from __future__ import annotations

import os

from weightmap.errors import WeightFileError, printable
from weightmap.findings import Finding, finding
from weightmap.formats import safetensors
from weightmap.formats.index import Index, read_index
from weightmap.formats.layout import Layout
from weightmap.formats.part_names import INDEX_NAME
from weightmap.source.address import is_url
from weightmap.source.file import FileSource

MOST_FILES = 200  # beside an index that are looked into


def stale(index: Index, layout: Layout) -> Finding | None:
    """The finding that says which other files hold all tensors of the missing ones; None where no others do."""
    absent = [file for file, part in zip(index.files, layout.parts, strict=True) if part.size is None]
    gone = set(absent)
    lost = {name for name, file in index.weight_map.items() if file in gone}
    if not lost:
        return None
    folder, rest, holders = os.path.dirname(index.path), set(lost), []
    for name in _others(folder, index):
        held = rest & _names(os.path.join(folder, name))
        if held:
            holders.append(name)
            rest -= held
    if rest:
        return None
    others = "another file holds" if len(holders) == 1 else f"{len(holders):,} other files hold"
    listed = ", ".join(printable(name) for name in holders[:5]) + (" and more" if len(holders) > 5 else "")
    missing = (
        f"{printable(absent[0])} is" if len(absent) == 1 else f"{printable(absent[0])} and {len(absent) - 1:,} more are"
    )
    those = "its tensor" if len(lost) == 1 else f"all {len(lost):,} of those tensors"
    text = f"The index is stale: {missing} not there, but {others} {those}: {listed}."
    return finding(
        "stale_index",
        text,
        path=index.path,
        expected=absent[0],
        found=listed,
        advice=f"Open {listed}, and delete the index.",
    )


def index_beside(path: str) -> Index | None:
    """An index in the same folder that lists this file as one of its shards; None where there is none."""
    folder, name = os.path.split(path)
    if is_url(path):  # the web lists no folders
        return None
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return None
    for candidate in [name for name in names if INDEX_NAME.search(name)][:20]:
        try:
            source = FileSource(os.path.join(folder, candidate))
            try:
                if name in (index := read_index(source)).files:
                    return index
            finally:
                source.close()
        except WeightFileError:
            continue
    return None


def _others(folder: str, index: Index) -> list[str]:
    """Names of the safetensors files beside an index that it does not name."""
    if is_url(index.path):
        return []
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return []
    return [name for name in names if name.lower().endswith(".safetensors") and name not in index.files][:MOST_FILES]


def _names(path: str) -> set[str]:
    """Names of the tensors of a file; none where it cannot be read."""
    try:
        source = FileSource(path)
        try:
            return {record.name for record in safetensors.parse(source).records}
        finally:
            source.close()
    except WeightFileError:
        return set()
