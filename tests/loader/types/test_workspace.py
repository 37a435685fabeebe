"""Scratch memory: lent by name, aligned, kept for next time, and never more of it than the largest request."""

from __future__ import annotations

import numpy as np

from weightmap.types.workspace import SHAPES, Workspace


def test_lends_aligned_arrays_of_the_shape_and_dtype_asked_for():
    array = Workspace().array("a", (3, 5), np.uint16)
    assert (array.shape, array.dtype) == ((3, 5), np.uint16)
    assert array.flags.c_contiguous and array.flags.writeable
    assert array.ctypes.data % 64 == 0


def test_one_name_is_one_piece_of_memory_and_two_names_are_two():
    work = Workspace()
    first, second = work.array("a", (8,), np.uint8), work.array("a", (2,), np.float32)
    assert np.shares_memory(first, second)
    assert work.array("a", (8,), np.uint8) is first
    assert not np.shares_memory(first, work.array("b", (8,), np.uint8))


def test_a_larger_request_moves_all_later_ones_to_the_larger_memory():
    work = Workspace()
    small = work.array("a", (4,), np.uint8)
    large = work.array("a", (4000,), np.uint8)
    assert not np.shares_memory(small, large)
    assert np.shares_memory(work.array("a", (4,), np.uint8), large)


def test_many_shapes_are_not_remembered_for_ever():
    work = Workspace()
    for size in range(2 * SHAPES):
        assert work.array("a", (size,), np.uint8).size == size
    assert len(work._arrays) <= SHAPES


def test_an_empty_array_is_no_special_case():
    assert Workspace().array("a", (0, 7), "<u4").shape == (0, 7)
