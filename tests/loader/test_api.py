import collections.abc
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from support.blocks import decoded, finite_blocks
from support.build import gguf, safetensors

import weightmap
from weightmap.types.registry import by_name

Q8_0 = by_name("Q8_0")
BLOCKS = finite_blocks(Q8_0, 4)
VALUES = decoded(Q8_0, BLOCKS).reshape(2, 64)
HALF = np.arange(6, dtype="<f2").reshape(2, 3)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "model.gguf"
    tensors = [("blk.1.w", (2, 64), 8, BLOCKS.tobytes()), ("blk.0.h", (2, 3), 1, HALF.tobytes())]
    file.write_bytes(gguf(tensors=tensors))
    return file


def test_weights_are_a_mapping_in_file_order(path):
    weights = weightmap.load_weights(path)
    assert isinstance(weights, collections.abc.Mapping)
    assert list(weights) == ["blk.1.w", "blk.0.h"]
    assert len(weights) == 2
    assert "blk.0.h" in weights
    assert np.array_equal(weights["blk.1.w"], VALUES)
    assert weights["blk.0.h"].dtype == np.float16
    assert np.array_equal(weights["blk.0.h"], HALF)
    assert weights.metadata["general.architecture"] == "llama"
    with pytest.raises(KeyError):
        weights["blk.2.w"]


def test_plain_arrays_share_memory_and_decoded_ones_are_not_kept(path):
    with weightmap.load_weights(path) as weights:
        assert np.shares_memory(weights["blk.0.h"], weights["blk.0.h"])
        assert not np.shares_memory(weights["blk.1.w"], weights["blk.1.w"])
        assert not any(weights[name].flags.writeable for name in weights)


def test_dtype(path):
    weights = weightmap.load_weights(path, dtype=np.float32)
    assert {name: weights[name].dtype for name in weights} == {"blk.1.w": np.float32, "blk.0.h": np.float32}
    assert weightmap.load_weights(path, dtype="f8")["blk.0.h"].dtype == np.float64


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        ("blk.0.h", ["blk.0.h"]),
        (["blk.0.h", "blk.1.w"], ["blk.1.w", "blk.0.h"]),
        ("blk.*", ["blk.1.w", "blk.0.h"]),
        (("*.w", "*.w"), ["blk.1.w"]),
        ([], []),
    ],
)
def test_names_and_patterns(path, names, chosen):
    assert list(weightmap.load_weights(path, names=names)) == chosen


@pytest.mark.parametrize("names", ["blk.7.*", ["blk.0.h", "absent"]])
def test_names_that_fit_nothing(path, names):
    with pytest.raises(KeyError, match="no tensor is called"):
        weightmap.load_weights(path, names=names)


def test_keep_quantized(path):
    weights = weightmap.load_weights(path, keep_quantized=True)
    kept = weights["blk.1.w"]
    assert isinstance(kept, weightmap.Tensor)
    assert np.array_equal(kept.raw().reshape(2, 68), BLOCKS.reshape(2, 68))
    assert np.array_equal(kept.array(), weightmap.load_weights(path)["blk.1.w"])
    assert weights["blk.0.h"].dtype == np.float16


def test_any_error_is_raised_at_once(tmp_path):
    file = tmp_path / "cut.safetensors"
    file.write_bytes(safetensors([("a", "F32", [2], bytes(8)), ("b", "F32", [2], bytes(8))])[:-4])
    with pytest.raises(weightmap.TruncatedFileError) as problem:
        weightmap.load_weights(file)
    assert problem.value.path == str(file)
    with weightmap.open(file) as model:
        assert model.tensors["a"].array().tolist() == [0, 0]


def test_only_errors_are_asked_for(path, monkeypatch):
    asked = []
    monkeypatch.setattr("weightmap.api.check", lambda layout, **more: asked.append(more["errors_only"]) or ())
    weightmap.load_weights(path)
    assert asked == [True]


def test_a_folder(tmp_path, path):
    with weightmap.open(tmp_path) as model:
        assert list(model.tensors) == ["blk.1.w", "blk.0.h"]
        assert model.reload().tensors["blk.0.h"].shape == (2, 3)
    assert list(weightmap.find_models(tmp_path)) == [str(path)]
    (tmp_path / "other.safetensors").write_bytes(safetensors([("a", "F32", [2], bytes(8))]))
    with pytest.raises(weightmap.SeveralModelsError) as problem:
        weightmap.open(tmp_path)
    assert problem.value.choices == (str(path), str(tmp_path / "other.safetensors"))


@pytest.mark.parametrize("kind", [str, os.fsencode, lambda p: p])
def test_any_kind_of_path(path, kind):
    with weightmap.open(kind(path)) as model:
        assert model.path == str(path)


def test_closing_weights(path):
    weights = weightmap.load_weights(path)
    view = weights["blk.0.h"]
    assert weights.close() == 1
    assert np.array_equal(view, HALF)
    with pytest.raises(weightmap.ClosedError):
        weights["blk.0.h"]
    with pytest.raises(weightmap.ClosedError):
        pickle.dumps(weights)


def test_a_missing_file_is_an_os_error_too(tmp_path):
    for open in (weightmap.open, weightmap.load_weights):
        with pytest.raises(FileNotFoundError) as problem:
            open(tmp_path / "absent")
        assert isinstance(problem.value, weightmap.WeightFileError)
        assert isinstance(problem.value, ValueError)


def test_public_names():
    assert all(hasattr(weightmap, name) for name in weightmap.__all__)
    wanted = "open load_weights find_models WeightFile Tensor Finding Severity errors Cancelled Statistics Histogram"
    assert {*wanted.split(), "Heatmap", "StoredType", "register_type", "printable"} <= set(weightmap.__all__)
    assert weightmap.__version__ == "0.1.0"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/status")
def test_views_take_no_memory_and_measures_little(tmp_path):
    file = tmp_path / "large.safetensors"
    count = 60 << 20
    header = safetensors([("t", "F32", [0], b"")])
    head = safetensors([("t", "F32", [count // 4096, 4096], b"")], pad=False)
    text = head[8:].replace(b'"data_offsets":[0,0]', b'"data_offsets":[0,%d]' % (4 * count))
    file.write_bytes(len(text).to_bytes(8, "little") + text)
    os.truncate(file, 8 + len(text) + 4 * count)
    assert header
    code = f"""
import weightmap
def anonymous():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))
weights = weightmap.load_weights({str(file)!r})
before = anonymous()
view = weights["t"]
assert view.nbytes == 4 * {count}
assert anonymous() - before < 1024
most = [0]
def look(done, total):
    most[0] = max(most[0], anonymous())
tensor = weightmap.open({str(file)!r}).tensors["t"]
assert tensor.statistics(progress=look, threads=2).zeros == {count}
tensor.heatmap(64, 64, progress=look, threads=2)
assert most[0] - before < 64 << 10, most[0] - before
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=120)


@pytest.mark.parametrize(
    ("problem", "code"), [(PermissionError(13, "Permission denied"), "permission"), (OSError(5, "I/O"), "read_error")]
)
def test_a_folder_that_cannot_be_read_is_not_called_empty(tmp_path, monkeypatch, problem, code):
    scan = os.scandir

    def refuse(folder):
        if os.path.basename(folder) == "closed":
            raise problem
        return scan(folder)

    closed = tmp_path / "closed"
    closed.mkdir()
    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(weightmap.UnreadableFileError) as caught:
        weightmap.open(closed)
    assert (caught.value.code, caught.value.path) == (code, str(closed))
    assert list(weightmap.find_models(tmp_path)) == []  # only one folder of several


def test_type_checkers_let_weights_be_used_as_arrays():
    assert weightmap.Weights.__getitem__.__annotations__["return"] == "Any"
