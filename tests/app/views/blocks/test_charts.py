"""Charts of how codes are used: words under them that do not run into each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.tensors import in_blocks

from tensorloupe.views.blocks.bars import code_chart


@pytest.mark.parametrize(("kind", "first"), [("Q8_0", "−128"), ("Q4_0", "0"), ("Q6_K", "00")])
@pytest.mark.parametrize("room", [150.0, 222.0, 600.0])
def test_codes_under_the_bars_stand_apart(tmp_path: Path, kind: str, first: str, room: float) -> None:
    health, character = in_blocks(tmp_path, kind, (4, 256)).block_health(), 7.0
    ticks = code_chart(health, room, character).ticks
    assert ticks[0] == (0.0, first)
    apart = (ticks[1][0] - ticks[0][0]) * room / len(health.codes)
    assert apart >= (max(len(word) for _, word in ticks) + 1) * character
