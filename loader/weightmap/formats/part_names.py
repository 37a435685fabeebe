"""What the names of a set's files tell: which part one is, and which numbered parts of a folder lack their index."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import NamedTuple

PART_NAME = re.compile(r"^(?P<prefix>.*)-(?P<number>\d{5})-of-(?P<count>\d{5})(?P<ending>\.[A-Za-z]+)$")
INDEX_NAME = re.compile(r"\.safetensors\.index(\.[^.]+)?\.json$|(?<!\.bin)(?<!\.h5)(?<!\.msgpack)\.index\.json$")
"""An index of safetensors; those of PyTorch's, Keras's and Flax's files lie beside it in many repositories."""
INDEX_ENDING = ".safetensors.index.json"


class Parts(NamedTuple):
    """Numbered parts of one model that no index names. `names`: by number, from 1; `total`: how many there should be."""

    prefix: str
    total: int
    names: dict[int, str]

    def name(self, number: int) -> str:
        """The name of a part, of one that is not there as well."""
        return self.names.get(number, f"{self.prefix}-{number:05d}-of-{self.total:05d}.safetensors")


def unindexed(names: Iterable[str]) -> dict[str, Parts]:
    """Of files that no index names: the parts that belong together, by the name of the index that they lack.

    Two at least, which agree on their count: any other numbered file stands for itself.
    """
    found: dict[str, dict[int, Parts]] = {}
    for name in names:
        numbered = PART_NAME.match(name)
        if numbered is None or numbered["ending"] != ".safetensors":
            continue
        number, count = int(numbered["number"]), int(numbered["count"])
        if 1 <= number <= count:
            families = found.setdefault(numbered["prefix"] + INDEX_ENDING, {})
            families.setdefault(count, Parts(numbered["prefix"], count, {})).names[number] = name
    alone = {index: next(iter(families.values())) for index, families in found.items() if len(families) == 1}
    return {index: parts for index, parts in alone.items() if len(parts.names) > 1}


def parts_beside(path: str) -> Parts | None:
    """The parts that lie where this index should be; None where it is there itself, or they are not."""
    folder, name = os.path.split(path)
    if not name.endswith(INDEX_ENDING) or os.path.lexists(path):
        return None
    try:
        names = os.listdir(folder or ".")
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None
    return unindexed(names).get(name)
