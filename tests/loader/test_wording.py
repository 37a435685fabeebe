"""Counts in sentences."""

from __future__ import annotations

from weightmap.wording import out_of_reach


def test_tensors_out_of_reach_are_counted():
    assert out_of_reach(1, 1) == "1 of 1 tensor is out of reach."
    assert out_of_reach(1, 2_000) == "1 of 2,000 tensors is out of reach."
    assert out_of_reach(2, 2) == "2 of 2 tensors are out of reach."
