"""What every decoder owes its callers, whatever its type: the kit that a plug-in's type should pass too."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from support.blocks import decoded, finite_blocks, random_blocks

from weightmap.types.registry import BUILT_IN
from weightmap.types.workspace import Workspace

every_type = pytest.mark.parametrize("type", BUILT_IN, ids=lambda type: type.name)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    with np.errstate(invalid="ignore"):  # signalling NaN, which later versions of numpy report when they compare
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


@every_type
def test_no_blocks_give_no_values(type):
    assert decoded(type, random_blocks(type, 0)).shape == (0, type.elements)


@every_type
def test_reads_read_only_and_misaligned_blocks(type):
    blocks = random_blocks(type, 37)
    shifted = np.empty(blocks.size + 1, np.uint8)[1:].reshape(blocks.shape)
    shifted[...] = blocks
    shifted.flags.writeable = False
    assert same(decoded(type, shifted), decoded(type, blocks))
    assert np.array_equal(shifted, blocks)


@every_type
def test_a_used_workspace_and_the_number_of_blocks_change_nothing(type):
    work, blocks = Workspace(), random_blocks(type, 3 * 2**14 // type.elements + 5)
    whole = decoded(type, blocks, work)
    for start, stop in ((0, 1), (1, 4), (5, len(blocks) - 1), (0, len(blocks))):
        assert same(decoded(type, blocks[start:stop], work), whole[start:stop])


@every_type
def test_leaves_the_callers_scratch_alone(type):
    """Callers keep the blocks and the values of a chunk in the same workspace."""
    work, blocks = Workspace(), random_blocks(type, 64)
    mine = work.array("blocks", blocks.shape, np.uint8)
    mine[...] = blocks
    out = work.array("values", (len(blocks), type.elements), type.value)
    type.decode(mine, out, work)
    assert np.array_equal(mine, blocks)
    assert same(out, decoded(type, blocks))


@every_type
def test_needs_no_memory_beside_the_workspace(type):
    blocks, work = finite_blocks(type, 2**17 // type.elements), Workspace()
    out = np.empty((len(blocks), type.elements), type.value)
    type.decode(blocks, out, work)
    tracemalloc.start()
    try:
        type.decode(blocks, out, work)
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < 100_000


@every_type
def test_is_described_in_full(type):
    assert type.known and type.reason is None
    assert type.value.kind in "fiucb" and type.value.isnative
    assert type.nbytes(3 * type.elements) == 3 * type.bytes
    assert type.bits_per_weight == 8 * type.bytes / type.elements
    assert all(0 <= offset < offset + width <= type.bytes for offset, width in type.fields)
    if type.dtype is not None:
        assert type.elements == 1 and type.dtype.itemsize == type.bytes
