from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from support.build import gguf, safetensors
from support.command import Weightmap
from support.sets import shards

from weightmap import writing


def test_the_values_and_the_document(weightmap: Weightmap, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.npy"
    ran = weightmap("export", model, "token_embd.weight", out, "--json")
    assert ran.status == 0
    assert ran.json == {"path": str(out), "tensor": "token_embd.weight", "dtype": "float32", "shape": [2, 3]}
    np.testing.assert_array_equal(np.load(out), np.arange(6, dtype=np.float32).reshape(2, 3))
    assert sorted(os.listdir(tmp_path)) == ["a.npy", "small.gguf"]


@pytest.mark.parametrize("name", ["a.txt", "a", "-"])
def test_other_endings_are_refused(weightmap: Weightmap, model: Path, tmp_path: Path, name: str) -> None:
    ran = weightmap("export", model, "output.weight", tmp_path / name, "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "export_format")
    assert "neither in .npy nor in .csv" in ran.json["error"]["message"]
    assert os.listdir(tmp_path) == ["small.gguf"]


def test_blocks_are_decoded_and_plain_types_stay(weightmap: Weightmap, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npy"
    assert weightmap("export", model, "output.weight", out).status == 0
    np.testing.assert_array_equal(np.load(out), np.arange(32, dtype=np.float32)[None] / 2)
    assert weightmap("export", model, "output_norm.weight", out).status == 0
    assert np.load(out).dtype == np.float16


@pytest.mark.parametrize(
    ("dtype", "stored", "expected"),
    [
        ("BF16", b"\x80\x3f\x00\xc0", np.array([1, -2], np.float32)),
        ("I64", np.array([-1, 2**62], "<i8").tobytes(), np.array([-1, 2**62])),
        ("BOOL", b"\x01\x00", np.array([True, False])),
        ("F64", np.array([1e-300, 2]).tobytes(), np.array([1e-300, 2])),
    ],
)
def test_each_kind_of_value(
    weightmap: Weightmap, tmp_path: Path, dtype: str, stored: bytes, expected: np.ndarray
) -> None:
    path, out = tmp_path / "m.safetensors", tmp_path / "out.npy"
    path.write_bytes(safetensors((("t", dtype, (2,), stored),)))
    assert weightmap("export", path, "t", out).status == 0
    found = np.load(out)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_scalars_empty_tensors_and_big_endian_files(weightmap: Weightmap, tmp_path: Path) -> None:
    path, out = tmp_path / "m.safetensors", tmp_path / "out.npy"
    path.write_bytes(safetensors((("s", "F32", (), np.float32(3).tobytes()), ("e", "F32", (0, 4), b""))))
    assert weightmap("export", path, "s", out).status == 0
    assert np.load(out).shape == ()
    assert np.load(out) == 3
    assert weightmap("export", path, "e", out).status == 0
    assert np.load(out).shape == (0, 4)
    swapped = tmp_path / "big.gguf"
    swapped.write_bytes(gguf(tensors=[("t", (2,), 0, np.array([1, 2], ">f4").tobytes())], big_endian=True))
    assert weightmap("export", swapped, "t", out).status == 0
    assert np.load(out).dtype == np.dtype("=f4")
    np.testing.assert_array_equal(np.load(out), [1, 2])


def test_a_table(weightmap: Weightmap, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.CSV"
    assert weightmap("export", model, "token_embd.weight", out).status == 0
    assert out.read_bytes() == b"0.0,1.0,2.0\r\n3.0,4.0,5.0\r\n"


def test_the_model_itself_is_never_written_over(weightmap: Weightmap, model: Path, tmp_path: Path) -> None:
    before = model.read_bytes()
    link = tmp_path / "link.npy"
    link.symlink_to(model)
    for out in (model, link):
        ran = weightmap("export", model, "token_embd.weight", out)
        assert ran.status == 2
        assert "the model itself" in ran.err
    assert model.read_bytes() == before


def test_nor_is_its_index(weightmap: Weightmap, tmp_path: Path) -> None:
    index = Path(shards(tmp_path, {"a": "model-00001-of-00001.safetensors"}))
    before = index.read_bytes()
    ran = weightmap("export", index, "a", index)
    assert ran.status == 2 and "the model itself" in ran.err
    assert index.read_bytes() == before


def test_a_failed_export_leaves_the_old_file_and_no_part(weightmap: Weightmap, cut: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npy"
    out.write_bytes(b"old")
    ran = weightmap("export", cut, "b", out, "--json")
    assert (ran.status, ran.json["error"]["tensor"]) == (1, "b")
    assert out.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["cut.safetensors", "out.npy"]


def test_an_end_half_way_leaves_nothing(
    weightmap: Weightmap, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "stored_dtype", interrupt)
    assert weightmap("export", model, "token_embd.weight", tmp_path / "out.npy").status == 130
    assert os.listdir(tmp_path) == ["small.gguf"]


def test_a_place_that_cannot_be_written(weightmap: Weightmap, model: Path, tmp_path: Path) -> None:
    for out in (tmp_path / "no" / "such" / "folder.npy", tmp_path):
        ran = weightmap("export", model, "token_embd.weight", out, "--json")
        assert (ran.status, ran.json["error"]["code"]) == (1, "write_error")
    assert "is a folder. Give the name of a file" in ran.json["error"]["message"]
    out = tmp_path / f"{'x' * 300}.npy"  # longer than file systems allow: only the system knows
    assert weightmap("export", model, "token_embd.weight", out).err.startswith(f"weightmap: {out} cannot be written: ")


def test_a_device_is_written_to_and_stays(weightmap: Weightmap, model: Path) -> None:
    assert weightmap("export", model, "token_embd.weight", os.devnull).status == 0
    assert not os.path.isfile(os.devnull)


def test_a_name_as_long_as_the_file_system_allows(weightmap: Weightmap, model: Path, tmp_path: Path) -> None:
    out = tmp_path / ("x" * 251 + ".npy")
    assert weightmap("export", model, "token_embd.weight", out).status == 0
    assert np.load(out).shape == (2, 3)


@pytest.mark.skipif(os.name != "posix", reason="a named pipe")
def test_into_a_pipe(weightmap: Weightmap, model: Path, tmp_path: Path) -> None:
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    ran = weightmap("export", model, "token_embd.weight", pipe)
    reader.join()
    assert (ran.status, ran.out) == (0, "")
    np.testing.assert_array_equal(np.load(io.BytesIO(received[0])), np.arange(6, dtype=np.float32).reshape(2, 3))


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="a name for stdout")
def test_into_stdout(model: Path) -> None:
    command = [sys.executable, "-c", "import sys; from weightmap.cli import main; sys.exit(main())"]
    command += ["export", str(model), "token_embd.weight", "/dev/stdout"]
    process = subprocess.run(command, capture_output=True, check=True)
    assert np.load(io.BytesIO(process.stdout)).shape == (2, 3)
    assert len(process.stdout) == 128 + 24
