"""What the names of a set's files tell: which part one is, and which numbered parts of a folder lack their index."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

PART_NAME = re.compile(r"^(?P<prefix>.*)-(?P<number>\d{5})-of-(?P<count>\d{5})(?P<ending>\.[A-Za-z]+)$")
INDEX_NAME = re.compile(r"\.safetensors\.index(\.[^.]+)?\.json$|(?<!\.bin)(?<!\.h5)(?<!\.msgpack)\.index\.json$")
"""An index of safetensors; those of PyTorch's, Keras's and Flax's files lie beside it in many repositories."""
INDEX_ENDING = ".safetensors.index.json"


class Parts(NamedTuple):
    """Numbered parts of one model that no index names. `names`: by number, from 1; `total`: how many there should be;
    `ending`: that of the first one met.
    """

    prefix: str
    total: int
    names: dict[int, str]
    ending: str = ".safetensors"

    def name(self, number: int) -> str:
        """The name of a part, of one that is not there as well."""
        return self.names.get(number, f"{self.prefix}-{number:05d}-of-{self.total:05d}{self.ending}")

    @property
    def index_name(self) -> str:
        """The name of the index that they should have."""
        return self.prefix + INDEX_ENDING

    @property
    def own_name(self) -> str:
        """What stands for them where that name is another set's: no writer gives it to a file."""
        return f"{self.prefix}-of-{self.total:05d}{INDEX_ENDING}"


def unindexed(names: Iterable[str], indexed: Iterable[str] = ()) -> dict[str, Parts]:
    """Of the files of a folder: the parts that belong together and that no index names, by the name that stands for them.

    That is the name of the index that they lack, unless parts of another count have the same. Two at least, which agree on
    their count: any other numbered file stands for itself. `indexed` are files that indexes name.
    """
    found: dict[tuple[str, int], Parts] = {}
    for name in names:
        numbered = PART_NAME.match(name)
        if numbered is None or numbered["ending"].lower() != ".safetensors":
            continue
        prefix, number, count = numbered["prefix"], int(numbered["number"]), int(numbered["count"])
        if 1 <= number <= count:
            family = found.setdefault((prefix, count), Parts(prefix, count, {}, numbered["ending"]))
            family.names.setdefault(number, name)
    sets = [parts for parts in found.values() if len(parts.names) > 1]
    sharing, taken = Counter(parts.prefix for parts in sets), set(indexed)
    return {
        parts.index_name if sharing[parts.prefix] == 1 else parts.own_name: parts
        for parts in sets
        if taken.isdisjoint(parts.names.values())
    }


def parts_called(name: str, names: Iterable[str]) -> Parts | None:
    """The parts among the files of a folder that this name of an index stands for; None where they are not there."""
    return next((parts for index, parts in unindexed(names).items() if name in (index, parts.own_name)), None)


def parts_beside(path: str) -> Parts | None:
    """The parts that lie where this index should be; None where it is there itself, or they are not."""
    folder, name = os.path.split(path)
    if not name.endswith(INDEX_ENDING) or os.path.lexists(path):
        return None
    try:
        names = os.listdir(folder or ".")
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None
    return parts_called(name, sorted(names))


def others_beside(path: str) -> bool:
    """Whether more parts of the set that this file is one of lie beside it, and no index of that name."""
    folder, name = os.path.split(path)
    numbered = PART_NAME.match(name)
    if numbered is None:
        return False
    parts = Parts(numbered["prefix"], int(numbered["count"]), {})
    if os.path.lexists(os.path.join(folder, parts.index_name)):
        return False
    return parts_beside(os.path.join(folder, parts.own_name)) is not None
