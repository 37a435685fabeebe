import os
import threading

import numpy as np
import pytest
from support.blocks import decoded, finite_blocks
from support.build import gguf, safetensors

import weightmap
from weightmap.types.registry import by_name

Q4_0 = by_name("Q4_0")
BLOCKS = finite_blocks(Q4_0, 12)
VALUES = decoded(Q4_0, BLOCKS).reshape(6, 64)
PLAIN = np.arange(24, dtype="<f4").reshape(4, 6)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "model.gguf"
    tensors = [("quantized", (6, 64), 2, BLOCKS.tobytes()), ("plain", (4, 6), 0, PLAIN.tobytes())]
    meta = [("general.architecture", "str", "llama"), ("comfy.gguf.orig_shape.plain", "arr", ("i32", [2, 2, 6]))]
    file.write_bytes(gguf([*meta, ("comfy.gguf.orig_shape.quantized", "arr", ("i32", [5, 5]))], tensors))
    return file


@pytest.fixture
def model(path):
    with weightmap.open(path) as model:
        yield model


def test_what_an_entry_says(model, path):
    t = model.tensors["quantized"]
    assert (t.name, t.shape, t.type.name, t.count, t.nbytes) == ("quantized", (6, 64), "Q4_0", 384, 216)
    assert (t.path, t.part, t.bits_per_weight, len(t)) == (str(path), 0, 4.5, 6)
    assert path.read_bytes()[t.offset : t.offset + t.nbytes] == BLOCKS.tobytes()
    assert t.type.assumed is None
    assert t.problem is None
    assert t.status == "ok"
    assert model.tensors["quantized"] is t
    assert repr(t) == "<tensor 'quantized' Q4_0 (6, 64)>"


def test_original_shape(model):
    assert model.tensors["plain"].original_shape == (2, 2, 6)
    assert model.tensors["plain"].shape == (4, 6)
    assert model.tensors["quantized"].original_shape is None  # 25 elements are not 384


def test_raw_and_stored_are_views(model):
    t = model.tensors["quantized"]
    assert np.array_equal(t.raw(), BLOCKS)
    assert not t.raw().flags.writeable
    assert np.shares_memory(model.tensors["plain"].raw(), model.tensors["plain"].array())


def test_values(model):
    t = model.tensors["quantized"]
    assert np.array_equal(t.array(), VALUES)
    assert t.array().dtype == np.float32
    assert not t.array().flags.writeable
    assert np.array_equal(t[1:4, 5:40:3], VALUES[1:4, 5:40:3])
    assert t[2, 3] == VALUES[2, 3]
    plain = model.tensors["plain"]
    assert np.array_equal(plain.array(), PLAIN)
    assert np.shares_memory(plain.array(), plain[1:3, ::-1])
    assert np.array_equal(plain.read((slice(1, 3), slice(None, None, -1))), PLAIN[1:3, ::-1])
    assert not np.shares_memory(plain.read(), plain.array())
    own = plain.array(copy=True)
    own[:] = 0
    assert np.array_equal(plain.array(), PLAIN)


def test_a_tensor_without_axes_has_no_length(tmp_path):
    file = tmp_path / "scalar.safetensors"
    file.write_bytes(safetensors([("s", "F32", [], np.float32(2.5).tobytes())]))
    with weightmap.open(file) as model:
        t = model.tensors["s"]
        assert t[()] == t.array() == 2.5
        assert t.locate(()) == (0, t.offset)
        with pytest.raises(TypeError, match="no length"):
            len(t)


def test_where_an_element_lies(model):
    t = model.tensors["quantized"]
    assert t.locate(0) == (0, t.offset)
    assert t.locate((1, 33)) == t.locate(97) == (3, t.offset + 54)
    assert t.locate(-1) == t.locate((-1, -1)) == (11, t.offset + 198)
    for index in (384, -385, (6, 0), (0, 64), (1,)):
        with pytest.raises(IndexError):
            t.locate(index)


def test_measures(model):
    t = model.tensors["quantized"]
    got = t.statistics(16)
    assert (got.count, got.min, got.max) == (384, VALUES.min(), VALUES.max())
    assert got.histogram.counts.sum() == 384
    counts = t.histogram(8, (-0.01, 0.01))
    assert counts.below + counts.above + counts.counts.sum() == 384
    assert np.array_equal(t.heatmap(6, 64).cells, VALUES)


def test_a_scan_of_values_changes_the_status(tmp_path):
    file = tmp_path / "values.safetensors"
    bad, zero = np.array([1, np.nan, np.inf, np.nan], "<f4").tobytes(), bytes(16)
    names = [("bad", bad), ("zero", zero), ("good", np.ones(4, "<f4").tobytes()), ("norm.bias", zero)]
    file.write_bytes(safetensors([(name, "F32", [4], data) for name, data in names]))
    with weightmap.open(file) as model:
        tensors = model.tensors
        assert [t.status for t in tensors.values()] == ["ok"] * 4
        assert not any(t.values_checked for t in tensors.values())
        found = tensors["bad"].check_values()
        assert [(f.code, f.tensor, f.message) for f in found] == [
            (
                "non_finite",
                "bad",
                "2 NaN and 1 Inf among 4 values. NaN at byte 252 (element 1); Inf at byte 256 (element 2); NaN at byte 260 "
                "(element 3).",
            ),
        ]
        assert tensors["bad"].findings == found
        for name in ("zero", "good", "norm.bias"):
            tensors[name].statistics()
        assert [t.status for t in tensors.values()] == ["warning", "warning", "ok", "ok"]
        assert all(t.values_checked for t in tensors.values())
        assert [f.code for f in model.findings] == ["non_finite", "all_zero"]
        assert model.status == "warning"


def test_a_damaged_tensor_raises_and_its_neighbour_reads(tmp_path):
    file = tmp_path / "unknown.gguf"
    tensors = [("strange", (32,), 200, bytes(32)), ("plain", (6,), 0, PLAIN[0].tobytes())]
    file.write_bytes(gguf(tensors=tensors))
    with weightmap.open(file) as model:
        t = model.tensors["strange"]
        assert t.problem.code == "unsupported_type"
        assert t.status == "error"
        for read in (t.raw, t.array, lambda: t[0], t.statistics, lambda: t.heatmap(4, 4), lambda: t.histogram(4)):
            with pytest.raises(weightmap.UnsupportedFormatError) as problem:
                read()
            assert problem.value.code == "unsupported_type"
            assert problem.value.tensor == "strange"
        assert model.tensors["plain"].array().tolist() == PLAIN[0].tolist()


def test_a_cut_file_gives_what_is_left(path):
    os.truncate(path, path.stat().st_size - 70)
    with weightmap.open(path) as model:
        assert np.array_equal(model.tensors["quantized"].array(), VALUES)
        with pytest.raises(weightmap.TruncatedFileError):
            model.tensors["plain"].array()


def test_a_file_that_shrinks_during_a_pass_raises(tmp_path, monkeypatch):
    monkeypatch.setattr("weightmap.reading.elements.CHUNK", 4096)
    file = tmp_path / "shrinks.safetensors"
    values = np.arange(1 << 20, dtype=np.float32)  # not constant: the range is one pass, the counts are another
    file.write_bytes(safetensors([("t", "F32", [1 << 20], values.tobytes())]))
    with weightmap.open(file) as model:
        t = model.tensors["t"]

        def cut(done, total):
            os.truncate(file, 1000)

        with pytest.raises(weightmap.FileChangedError, match="shrank") as problem:
            t.statistics(progress=cut)
        assert problem.value.code == "file_changed"
        for read in (t.array, t.raw, lambda: t[0], lambda: t.heatmap(4, 4), lambda: t.array(copy=True)):
            with pytest.raises(weightmap.FileChangedError):
                read()
        assert model.changed().code == "file_changed"


def test_reading_from_many_threads(model):
    problems = []

    def read():
        try:
            for _ in range(20):
                assert np.array_equal(model.tensors["quantized"][1:5, 7:50], VALUES[1:5, 7:50])
                assert model.tensors["quantized"].statistics(8).count == 384
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_blocks_are_taken_apart(model):
    t = model.tensors["quantized"]
    block = t.block(3)
    assert (block.offset, block.position) == (t.locate(3 * 32)[1], (1, 32))
    assert np.array_equal(block.values, VALUES[1, 32:64])
    assert isinstance(block, weightmap.Block)
    assert isinstance(block.fields[0], weightmap.BlockField)
    assert isinstance(block.numbers[0], weightmap.BlockNumber)
    health = t.block_health(bins=5)
    assert isinstance(health, weightmap.BlockHealth)
    assert (health.blocks, len(health.scales.counts)) == (12, 5)
    picture = t.scale_heatmap(6, 2)
    assert picture.cells.shape == (6, 2)
    assert picture.cells[1, 1] == block.scales[0]
    for ask in (lambda t: t.block(0), lambda t: t.block_health(), lambda t: t.scale_heatmap(2, 2)):
        with pytest.raises(TypeError, match="F32 has no blocks"):
            ask(model.tensors["plain"])


def test_what_cannot_be_read_raises_one_error_alone(tmp_path):
    path = tmp_path / "m.safetensors"
    path.write_bytes(safetensors([("w", "NONE", (2,), bytes(2))]))
    with weightmap.open(path) as model, pytest.raises(weightmap.UnsupportedFormatError) as caught:
        model.tensors["w"].array()
    assert caught.value.__context__ is None
