"""Bands of many weights share one shelf: bounded, right whatever is evicted meanwhile, and empty once the weights are gone."""

import gc
import threading
from pathlib import Path

import numpy as np
import pytest
from support.stored import stored

from weightmap.companions.integers import bands
from weightmap.companions.integers.bands import Bands
from weightmap.companions.packing.shelf import Shelf
from weightmap.types.workspace import Workspace


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    small = Shelf(4000)
    monkeypatch.setattr(bands, "SHELF", small)
    monkeypatch.setattr(bands, "BUDGET", 1280)
    monkeypatch.setattr(bands, "NARROW", 64)
    return small


def held(shelf: Shelf) -> int:
    return sum(place.buffer.nbytes for place in shelf._places.values())


def made(folder: Path, count: int) -> list[tuple[Bands, np.ndarray]]:
    values = [np.random.default_rng(i).integers(0, 256, (1, 20, 200), np.uint8) for i in range(count)]
    return [(Bands(stored(folder, f"t{i}", v, "U8"), 200, 20), v) for i, v in enumerate(values)]


def test_many_weights_keep_no_more_than_there_is_room_for(tmp_path: Path, shelf: Shelf) -> None:
    weights = made(tmp_path, 12)
    for of, values in weights:
        assert np.array_equal(of.take(0, 0, 20, 30, 170, Workspace(), "t"), values[0, :, 30:170])
        assert 0 < held(shelf) <= 4000
    of = values = None
    weights.clear()
    gc.collect()
    assert held(shelf) == 0


def test_memory_of_a_weight_that_went_holds_the_bands_of_the_next_one(tmp_path: Path, shelf: Shelf) -> None:
    shelf.room = 20_000  # for all bands of both
    (first, _), (second, values) = made(tmp_path, 2)
    first.take(0, 0, 20, 0, 200, Workspace(), "t")
    before = [place.buffer for place in shelf._places.values()]
    del first
    gc.collect()
    assert np.array_equal(second.take(0, 0, 20, 0, 200, Workspace(), "t"), values[0])
    after = [place.buffer for place in shelf._places.values()]
    assert {id(buffer) for buffer in after} == {id(buffer) for buffer in before} and len(after) > 1


@pytest.mark.parametrize("lines", [3, 20])
def test_words_are_put_turned_round_wherever_they_begin(tmp_path: Path, shelf: Shelf, lines: int) -> None:
    ((of, values),) = made(tmp_path, 1)
    out = np.zeros((30, lines), "<u4")
    of.put(0, 20 - lines, 8, out.T, Workspace())
    assert np.array_equal(out.T, np.ascontiguousarray(values[0, 20 - lines :, 8:128]).view("<u4"))


def test_threads_that_push_out_each_others_bands_read_the_right_bytes(tmp_path: Path, shelf: Shelf) -> None:
    weights, wrong = made(tmp_path, 6), []

    def read(seed: int) -> None:
        random, work = np.random.default_rng(seed), Workspace()
        for _ in range(300):
            of, values = weights[random.integers(6)]
            left = int(random.integers(190))
            if not np.array_equal(of.take(0, 0, 20, left, left + 10, work, "t"), values[0, :, left : left + 10]):
                wrong.append(left)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert held(shelf) <= 4000
