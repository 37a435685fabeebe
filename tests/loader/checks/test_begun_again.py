"""Downloads that began from the start where they should have gone on: the whole file behind a piece of itself."""

from __future__ import annotations

import io
import struct
import tarfile

import pytest
from support import single
from support.build import gguf, safetensors
from support.single import FILES, VALUES

import weightmap


def said(folder, data):
    return single.said(folder, data, "begun_again", "trailing_bytes")


@pytest.mark.parametrize("format", FILES)
@pytest.mark.parametrize("piece", [5_000, 65_536, -1])
def test_the_whole_file_behind_a_piece_of_itself_is_an_error(tmp_path, format, piece):
    whole = FILES[format]
    (found,) = said(tmp_path, whole[:piece] + whole)
    begins = len(whole[:piece])
    assert (found.severity, found.code, found.offset) == ("error", "begun_again", begins)
    assert f"begins anew at byte {begins:,}" in found.message
    assert f"Cut off the first {begins:,} bytes" in found.advice
    with pytest.raises(weightmap.CorruptWeightError, match="begins anew"):
        weightmap.load_weights(tmp_path / "model", cache=False)


@pytest.mark.parametrize("format", FILES)
@pytest.mark.parametrize("more", [100, None])
def test_a_file_appended_to_itself_has_every_value(tmp_path, format, more):
    whole = FILES[format]
    (found,) = said(tmp_path, whole + whole[:more] + (whole if more is None else b""))
    assert (found.severity, found.code) == ("warning", "trailing_bytes")
    assert found.message.endswith("it was appended to itself.")
    assert f"{len(whole):,} bytes" in found.advice


@pytest.mark.parametrize("cut", [0, 4, 60])
def test_padding_behind_the_last_tensor_may_be_missing(tmp_path, cut):
    keys = [("general.architecture", "str", "none"), ("general.alignment", "u32", 64)]
    whole = gguf(keys, [("w", (1_001,), 0, VALUES[:4004])], alignment=64)
    whole = whole[: len(whole) - (-4004 % 64)] + bytes(max(-4004 % 64 - cut, 0))
    (found,) = said(tmp_path, whole[:2000] + whole)
    assert (found.code, found.offset) == ("begun_again", 2000)
    (found,) = said(tmp_path, whole + whole)
    assert found.code == "trailing_bytes"
    assert found.advice == f"Every value is right; cut the file to {len(whole):,} bytes."


@pytest.mark.parametrize("format", FILES)
def test_other_bytes_behind_are_no_sign(tmp_path, format):
    (found,) = said(tmp_path, FILES[format] + VALUES[:5_000])
    assert (found.severity, found.code) == ("warning", "trailing_bytes")
    assert "itself" not in found.message
    (found,) = said(tmp_path, FILES[format] + FILES[format][:31])
    assert "itself" not in found.message


def test_a_file_that_begins_anew_inside_its_header(tmp_path):
    keys = [("general.architecture", "str", "none"), ("tokenizer.ggml.tokens", "arr", ("str", ["token"] * 500))]
    whole = gguf(keys, [("w", (20_000,), 0, VALUES)])
    (found,) = said(tmp_path, whole[:1000] + whole)
    assert (found.severity, found.code, found.offset) == ("error", "begun_again", 1000)
    whole = safetensors([(f"a.tensor.{n}", "F32", (2,), VALUES[:8]) for n in range(99)])
    (tmp_path / "model").write_bytes(whole[:900] + whole)
    with pytest.raises(weightmap.CorruptWeightError, match="begins anew at byte 900, inside its own header"):
        weightmap.open(tmp_path / "model")


def archive() -> bytes:
    """A tar of two files, whose records begin alike: with the long name of the folder."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as made:
        for name in ("config.json", "model.safetensors"):
            entry = tarfile.TarInfo(f"models--deepseek-ai--DeepSeek-V3-0324/{name}")
            entry.size = 1000
            made.addfile(entry, io.BytesIO(VALUES[:1000]))
    return file.getvalue()


def checkpoint() -> bytes:
    """A zip as PyTorch writes it: sizes and checksums follow behind the data, so that what stands before names may repeat."""
    head = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 0, 0x808, 0, 0, 0, 0, 0, 0, 16, 0)
    return b"".join(head + name + VALUES[:100] for name in (b"archive/data.pkl", b"archive/data/100"))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (archive(), "unknown_format"),
        (checkpoint(), "pytorch_zip"),
        (b"INFO the server has started and is ready\nsomething else\n" * 9, "text_body"),
        (b"<!doctype html><html lang='en'><head></head>\n" * 3, "html"),
    ],
)
@pytest.mark.parametrize("name", ["model", "model.safetensors"])
def test_what_repeats_in_other_files_is_no_sign(tmp_path, name, data, code):
    (tmp_path / name).write_bytes(data)
    assert data.find(data[:32], 32) > 0
    with pytest.raises(weightmap.WeightFileError) as refused:
        weightmap.open(tmp_path / name)
    assert refused.value.code == code


@pytest.mark.parametrize("data", [b"\xff" * 500, bytes(32) + b"\xff" + bytes(500)])
def test_one_byte_again_and_again_is_no_sign(tmp_path, data):
    (tmp_path / "model.safetensors").write_bytes(data)
    with pytest.raises(weightmap.WeightFileError) as refused:
        weightmap.open(tmp_path / "model.safetensors")
    assert refused.value.code == "bad_header"
