"""Values written as .npy and as CSV: what is read back is what the tensor holds, bit for bit."""

import io

import numpy as np
import pytest
from support.build import safetensors

import weightmap
from weightmap import writing


def opened(tmp_path, dtype, array):
    path = tmp_path / "m.safetensors"
    path.write_bytes(safetensors((("t", dtype, array.shape, array.tobytes()),)))
    return weightmap.open(path).tensors["t"]


def written(tensor, kind):
    file = io.BytesIO()
    dtype = weightmap.write_values(tensor, file, kind)
    return dtype, file.getvalue()


FLOATS = [0.1, -0.0, 1e-42, 3.4e38, float("nan"), float("inf"), float("-inf"), 1 / 3, 16777216, 1e20, -2.5, 7]


@pytest.mark.parametrize(
    ("dtype", "numpy"), [("F32", "<f4"), ("F16", "<f2"), ("F64", "<f8"), ("I64", "<i8"), ("U8", "u1"), ("C64", "<c8")]
)
def test_csv_reads_back_exactly(tmp_path, dtype, numpy):
    values = np.array([min(max(v, -60000), 60000) if "2" in numpy and v == v and abs(v) < 1e39 else v for v in FLOATS])
    if numpy[-2] in "iu":
        values = np.array([0, 1, 2**62 + 1, 255, 7, 9, 3, 4, 5, 6, 8, 10])
    with np.errstate(all="ignore"):
        array = values.astype(numpy).reshape(3, 4)
    _, text = written(opened(tmp_path, dtype, array), "csv")
    lines = text.decode("ascii").split("\r\n")
    assert lines[-1] == ""
    assert len(lines) == 4
    found = np.array([line.split(",") for line in lines[:-1]]).astype(numpy)
    np.testing.assert_array_equal(found, array)
    assert np.array_equal(np.signbit(found.real), np.signbit(array.real)) or array.dtype.kind in "iu"


def test_words_and_short_numbers(tmp_path):
    array = np.array([0.1, np.nan, -np.inf, 1], np.float32)
    assert written(opened(tmp_path, "F32", array), "csv")[1] == b"0.1\r\nnan\r\n-inf\r\n1.0\r\n"
    assert written(opened(tmp_path, "BOOL", np.array([[True, False]])), "csv")[1] == b"True,False\r\n"
    assert written(opened(tmp_path, "F32", np.float32(2.5)), "csv")[1] == b"2.5\r\n"
    assert written(opened(tmp_path, "F32", np.empty((0, 3), np.float32)), "csv")[1] == b""


@pytest.mark.parametrize("shape", [(7, 11), (2, 3, 5), (60,), (3, 40), (1, 1, 1, 9)])
def test_lines_end_where_rows_do_however_it_is_cut(tmp_path, monkeypatch, shape):
    array = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    tensor = opened(tmp_path, "I32", array)
    rows = array.reshape(-1, shape[-1] if len(shape) > 1 else 1)
    expected = "".join(",".join(map(str, row)) + "\r\n" for row in rows.tolist()).encode()
    for limit in (1, 4, 7, 13, 1000):
        monkeypatch.setattr(writing, "LINES", limit)
        assert written(tensor, "csv")[1] == expected


def test_npy_of_each_kind(tmp_path):
    array = np.arange(6, dtype="<i8").reshape(2, 3) << 60
    dtype, data = written(opened(tmp_path, "I64", array), "npy")
    np.testing.assert_array_equal(np.load(io.BytesIO(data)), array)
    assert dtype == np.int64


def test_progress_counts_elements_and_can_end_it(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "PIECE", 4)
    tensor, seen = opened(tmp_path, "F32", np.zeros((3, 4), np.float32)), []
    weightmap.write_values(tensor, io.BytesIO(), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(4, 12), (8, 12), (12, 12)]
    with pytest.raises(weightmap.Cancelled):
        weightmap.write_values(tensor, io.BytesIO(), progress=lambda done, total: False)
    with pytest.raises(ValueError, match="npy"):
        weightmap.write_values(tensor, io.BytesIO(), "txt")
    with pytest.raises(TypeError, match="a file opened with mode 'wb'; got str"):
        weightmap.write_values(tensor, "out.npy")


@pytest.mark.parametrize("shape", [(), (7,), (3, 5), (2, 1, 9), (4, 3, 2), (0, 3), (1, 1, 1)])
@pytest.mark.parametrize("limit", [1, 2, 4, 100])
def test_pieces_cover_an_array_once_in_order(shape, limit):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    parts = [array[place].reshape(-1) for place in writing.pieces(shape, limit)]
    assert all(part.size <= limit for part in parts)
    np.testing.assert_array_equal(np.concatenate([np.empty(0, int), *parts]), array.reshape(-1))
