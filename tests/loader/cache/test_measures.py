import dataclasses
import json
import os

import numpy as np
import pytest
from support.build import gguf, safetensors
from support.checksums import flip

import weightmap
from weightmap import comparing
from weightmap.cache import errors, statistics
from weightmap.measure import statistics as measure


@pytest.fixture(autouse=True)
def any_size(monkeypatch):
    monkeypatch.setattr(statistics, "LEAST", 0)
    monkeypatch.setattr(errors, "LEAST", 0)


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(1)
    file = tmp_path / "m.safetensors"
    values = rng.standard_normal(500).astype("<f4")
    odd = values.copy()
    odd[3], odd[7] = np.nan, np.inf
    file.write_bytes(
        safetensors(
            [
                ("plain", "F32", (500,), values.tobytes()),
                ("odd", "F32", (500,), odd.tobytes()),
                ("constant", "F16", (9,), np.full(9, 2, "<f2").tobytes()),
                ("nan", "F16", (2,), np.full(2, np.nan, "<f2").tobytes()),
                ("big", "I64", (3,), np.array([2**62 + 1, -(2**63), 5], "<i8").tobytes()),
                ("double", "F64", (3,), np.array([1e300, -1e-300, 0.1]).tobytes()),
                ("none", "F32", (0,), b""),
            ]
        )
    )
    return file


@pytest.fixture
def passes(monkeypatch):
    """Counts the passes over values."""
    counted = []
    real = measure.statistics
    monkeypatch.setattr(
        measure, "statistics", lambda elements, *a, **k: counted.append(elements) or real(elements, *a, **k)
    )
    return counted


def same(one, other):
    numbers = [field.name for field in dataclasses.fields(one) if field.name != "histogram"]
    assert [repr(getattr(one, name)) for name in numbers] == [repr(getattr(other, name)) for name in numbers]
    a, b = one.histogram, other.histogram
    assert (a.below, a.above, a.nan, a.inf) == (b.below, b.above, b.nan, b.inf)
    assert a.counts.dtype == b.counts.dtype
    assert np.array_equal(a.counts, b.counts)
    assert (a.edges is None and b.edges is None) or a.edges.tobytes() == b.edges.tobytes()


NAMES = ["plain", "odd", "constant", "nan", "big", "double", "none"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bins", [1, 256])
def test_statistics_are_worked_out_once_and_come_back_exact(path, cache, passes, name, bins):
    with weightmap.open(path, cache=False) as model:
        expected = model.tensors[name].statistics(bins)
        said = model.tensors[name].findings
    for _ in range(3):
        with weightmap.open(path) as model:
            tensor = model.tensors[name]
            seen = []
            same(tensor.statistics(bins, progress=lambda done, total: seen.append((done, total))), expected)  # noqa: B023
            assert tensor.values_checked
            assert tensor.findings == said
            assert seen[-1][0] == seen[-1][1]
    assert len(passes) == 2  # without a cache, and the first with it
    with weightmap.open(path) as model:
        model.tensors[name].statistics(bins + 1)
    assert len(passes) == 3


def test_a_cancelled_look_at_a_kept_answer(path, cache):
    with weightmap.open(path) as model:
        model.tensors["plain"].statistics()
        with pytest.raises(weightmap.Cancelled):
            model.tensors["plain"].statistics(progress=lambda done, total: False)
        with pytest.raises(ValueError, match="bins must be"):
            model.tensors["plain"].statistics(0)


def test_changed_values_and_changed_entries_are_never_believed(path, cache, passes):
    def measured():
        with weightmap.open(path) as model:
            return model.tensors["plain"].statistics(4)

    first = measured()
    with weightmap.open(path) as model:
        at = model.tensors["plain"].offset + 43
    flip(path, at)
    second = measured()
    assert second.max != first.max or second.mean != first.mean
    entry = max(cache.rglob("statistics-*"), key=lambda one: one.stat().st_mtime_ns)
    whole = entry.read_bytes()
    for at in range(0, len(whole), 5):
        spoilt = bytearray(whole)
        spoilt[at] ^= 0x10
        entry.write_bytes(spoilt)
        same(measured(), second)
    for length in range(0, len(whole), 41):
        entry.write_bytes(whole[:length])
        same(measured(), second)


def test_a_file_that_changes_while_open_raises(path, cache):
    with weightmap.open(path) as model:
        model.tensors["plain"].statistics()
        os.utime(path, ns=(0, 1))
        with pytest.raises(weightmap.FileChangedError):
            model.tensors["plain"].statistics()
    with pytest.raises(weightmap.ClosedError):
        model.tensors["plain"].statistics()


@pytest.fixture
def pair(tmp_path):
    """A model with an F16 copy of it, and a folder for each."""
    rng = np.random.default_rng(2)
    values = {name: rng.standard_normal((8, 32)).astype("<f4") for name in ("a.weight", "b.weight")}
    paths = []
    for number, (dtype, kind) in enumerate((("<f2", 1), ("<f4", 0))):
        folder = tmp_path / str(number)
        folder.mkdir()
        tensors = [(name, (8, 32), kind, array.astype(dtype).tobytes()) for name, array in values.items()]
        (folder / "m.gguf").write_bytes(gguf(tensors=tensors))
        paths.append(folder / "m.gguf")
    return paths


@pytest.fixture
def measured(monkeypatch):
    counted = []
    real = comparing.measure_errors
    monkeypatch.setattr(comparing, "measure_errors", lambda *sides, **more: counted.append(1) or real(*sides, **more))
    return counted


def test_errors_are_measured_once(pair, cache, measured, monkeypatch):
    monkeypatch.setenv("WEIGHTMAP_CACHE", "0")
    expected = weightmap.compare(*pair)
    monkeypatch.setenv("WEIGHTMAP_CACHE", str(cache))
    seen = []
    for _ in range(3):
        found = weightmap.compare(*pair, progress=lambda done, total: seen.append((done, total)))
        assert found.pairs == expected.pairs
        assert json.dumps(found.to_json()) == json.dumps(expected.to_json())
        assert seen[-1][0] == seen[-1][1]
    assert len(measured) == 4


@pytest.mark.parametrize("what", ["quantized", "reference", "config"])
def test_errors_are_measured_anew_after_any_change(pair, cache, measured, what):
    first = weightmap.compare(*pair)
    if what == "config":
        (pair[1].parent / "config.json").write_text("{}")
    else:
        path = pair[what == "reference"]
        with weightmap.open(path, cache=False) as model:
            at = model.tensors["a.weight"].offset + 1
        flip(path, at)
    second = weightmap.compare(*pair)
    assert len(measured) == 4
    assert (first.pairs != second.pairs) == (what != "config")


def test_damaged_errors_are_never_believed(pair, cache, measured):
    expected = weightmap.compare(*pair).pairs
    entries = sorted(cache.rglob("error-*"))
    assert len(entries) == 2
    wholes = [entry.read_bytes() for entry in entries]
    for at in range(0, min(map(len, wholes)), 11):
        for entry, whole in zip(entries, wholes, strict=True):
            entry.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert weightmap.compare(*pair).pairs == expected
    for entry, whole in zip(entries, reversed(wholes), strict=True):
        entry.write_bytes(whole)  # exchanged
    assert weightmap.compare(*pair).pairs == expected


def test_a_switched_off_cache_keeps_no_measures(path, pair, cache):
    with weightmap.open(path, cache=False) as model:
        model.tensors["plain"].statistics()
    with weightmap.open(pair[0], cache=False) as quantized:
        weightmap.compare(quantized, pair[1], guesses=False)
    assert not [*cache.rglob("statistics-*"), *cache.rglob("error-*")]
