"""Tensors that an architecture may have or not, and that all blocks of a file have but one: lost, and no choice.

Some models have blocks of several kinds. So only one block may differ, between others, and by nothing of its own.
"""

from __future__ import annotations

from weightmap.checks.architecture.census import Census
from weightmap.checks.architecture.hyperparameters import Hyperparameters
from weightmap.naming.rules import BLOCK, EXPERT

FEWEST, MOST = 4, 512  # blocks


def lost_choices(census: Census, numbers: Hyperparameters) -> list[tuple[str, int]]:
    """Names of tensors that one block lacks and all others have, though the tables let them be absent, and how many blocks
    there are.
    """
    found: list[tuple[str, int]] = []
    for letter in ("B", "BD"):
        total = numbers.value(letter)
        if total is None or not FEWEST <= total <= MOST:
            continue
        every = frozenset(range(total))
        held = {
            group.entry: every if group.whole else every & group.blocks
            for name, group in census.groups.items()
            if group.entry.rule.blocks == letter and EXPERT not in name
        }
        lacking = {entry: every - blocks for entry, blocks in held.items() if len(blocks) == total - 1}
        odd = {block for blocks in lacking.values() for block in blocks}
        if len(odd) != 1 or not 0 < (block := odd.pop()) < total - 1:
            continue
        if any(block in blocks and blocks != every for blocks in held.values()):
            continue
        names = (entry.rule.name for entry in lacking if not entry.rule.required)
        found += [(name.replace(BLOCK, str(block)), total) for name in names]
    return found
