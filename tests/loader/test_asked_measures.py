"""What measures, layers and pairs are asked for, and is not there or no whole number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.build import gguf
from support.composed import checkpoint

import weightmap


@pytest.fixture
def tensor(tmp_path: Path) -> Iterator[weightmap.Tensor]:
    path = tmp_path / "q.gguf"
    path.write_bytes(gguf(tensors=[("w", (4, 32), 8, (b"\0\x3c" + bytes(range(32))) * 4)]))
    with weightmap.open(path) as model:
        yield model.tensors["w"]


def test_whole_numbers_are_asked_for_by_name(tensor):
    for wrong, text in (
        (lambda: tensor.statistics(bins=1.5), "bins must be a whole number from 1 to 65,534; got 1.5"),
        (lambda: tensor.heatmap(2.5, 1), "a heatmap has whole numbers of cells; got 2.5 x 1"),
        (
            lambda: tensor.heatmap(2, 2, index=1),
            r"index has a whole number for each leading axis, such as \(0,\); got 1",
        ),
    ):
        with pytest.raises(TypeError, match=text):
            wrong()


def test_a_block_is_told_by_its_number(tensor):
    with pytest.raises(TypeError, match="block must be a whole number; got 'a'"):
        tensor.block("a")


def test_layers_and_readings_that_are_not_there(tmp_path):
    codes, scale = np.full((4, 4), 56, np.uint8), np.ones((4, 1), np.float32)
    folder = checkpoint(tmp_path / "m", {"a.weight": ("F8_E4M3", codes), "a.weight_scale": scale})
    with weightmap.open(folder) as model:
        weight = model.composed["a.weight"]
        assert list(map(repr, weight.layers().values()))[:1] == ["<elements (4, 4) read as float32>"]
        with pytest.raises(KeyError) as caught:
            weight.layer("scale")
        assert str(caught.value) == "no layer is called 'scale'; is 'scales' meant?"
        with pytest.raises(KeyError) as caught:
            weight.with_reading("x")
        assert str(caught.value) == "a.weight has no reading called 'x'"
        with pytest.raises(KeyError) as caught:
            model.read_as("x")
        assert str(caught.value) == "no weight has a reading called 'x': nothing is left open in these"


def test_pairs_are_told_from_what_is_none(tensor):
    with weightmap.pair_models(tensor.path, tensor.path) as pairs:
        with pytest.raises(TypeError, match=r"measure_pair takes the pairs of two models and one of them.*got Tensor"):
            weightmap.measure_pair(tensor, pairs[0])
        with pytest.raises(TypeError, match=r"PairValues takes one of the pairs of two models.*got Pairs"):
            weightmap.PairValues(pairs)
