"""Reads whose target lies a few bytes ahead of their source within a page go by way of a buffer, all others straight."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from weightmap.errors import WeightFileError
from weightmap.source import staging
from weightmap.source.file import FileSource

SIZE = 3 * staging.STEP + 12_345
OFFSET = 777


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "some.bin"
    path.write_bytes(np.random.default_rng(1).bytes(OFFSET + SIZE))
    return path


def target(ahead: int, nbytes: int = SIZE) -> np.ndarray:
    """Memory that lies so many bytes ahead of byte `OFFSET` of a file, within a page."""
    room = np.zeros(nbytes + staging.PAGE, np.uint8)
    begin = (OFFSET + ahead - room.ctypes.data) % staging.PAGE
    return room[begin : begin + nbytes]


@pytest.mark.parametrize("ahead", [0, 1, 16, 31, 32, 2048])
def test_the_same_bytes_wherever_the_target_lies(stored: Path, ahead: int) -> None:
    out = target(ahead)
    source = FileSource(stored)
    source.read_into(OFFSET, out)
    source.close()
    assert out.tobytes() == stored.read_bytes()[OFFSET:]


@pytest.mark.parametrize(
    ("ahead", "nbytes", "badly"), [(0, SIZE, 0), (1, SIZE, 1), (31, SIZE, 1), (32, SIZE, 0), (1, 64, 0)]
)
def test_only_long_reads_a_little_ahead_lie_badly(ahead: int, nbytes: int, badly: int) -> None:
    assert staging.lies_badly(OFFSET, target(ahead, nbytes)) == bool(badly)


def test_no_piece_lies_badly_and_each_byte_is_read_once() -> None:
    pieces = []

    def fill(offset: int, out: memoryview) -> None:
        lies = (np.frombuffer(out, np.uint8).ctypes.data - offset) % staging.PAGE
        pieces.append((offset, len(out), lies >= staging.AHEAD))

    staging.read_staged(OFFSET, target(1), fill)
    assert [offset for offset, _, _ in pieces] == list(range(OFFSET, OFFSET + SIZE, staging.STEP))
    assert sum(nbytes for _, nbytes, _ in pieces) == SIZE
    assert all(well for _, _, well in pieces)


def test_a_file_that_ends_early_is_told_from_there_as_well(stored: Path) -> None:
    source = FileSource(stored)
    with pytest.raises(WeightFileError, match=f"The file ends at byte {OFFSET + SIZE:,}, 9 bytes early"):
        source.read_into(OFFSET, target(1, SIZE + 9))
    source.close()
