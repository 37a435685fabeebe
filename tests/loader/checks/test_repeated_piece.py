"""Downloads that went on at an earlier place than they had reached: a piece of the file stands twice."""

from __future__ import annotations

import numpy as np
import pytest
from support import single
from support.build import gguf
from support.single import FILES, VALUES

import weightmap
from weightmap.checks import repeated_piece


def said(folder, data):
    return single.said(folder, data, "begun_again", "repeated_piece", "trailing_bytes")


@pytest.mark.parametrize("format", FILES)
@pytest.mark.parametrize(("first", "length"), [(20_000, 512), (5_003, 10_001), (1_000, 70_000), (79_000, 900)])
def test_a_piece_that_stands_twice_is_an_error(tmp_path, format, first, length):
    whole = FILES[format]
    (found,) = said(tmp_path, whole[: first + length] + whole[first:])
    assert (found.severity, found.code) == ("error", "repeated_piece")
    assert 0 <= first + length - found.offset < 4  # what is alike by chance may come before it
    assert f"The {length:,} bytes from byte {found.offset - length:,} on" in found.message
    data = (tmp_path / "model").read_bytes()
    assert data[: found.offset] + data[found.offset + length :] == whole
    with pytest.raises(weightmap.CorruptWeightError, match="stand there twice"):
        weightmap.load_weights(tmp_path / "model", cache=False)


def test_padding_behind_the_last_tensor_may_be_missing(tmp_path):
    keys = [("general.architecture", "str", "none"), ("general.alignment", "u32", 64)]
    whole = gguf(keys, [("w", (1_001,), 0, VALUES[:4004])], alignment=64)
    whole = whole[: len(whole) - (-4004 % 64)]
    (found,) = said(tmp_path, whole[:2000] + whole[1000:])
    assert (found.code, found.offset) == ("repeated_piece", 2000)


@pytest.mark.parametrize("format", FILES)
@pytest.mark.parametrize(
    "more", [b"x" * 5_000, bytes(5_000), VALUES[1:5_000], VALUES[-40_000:-20_000] + bytes(9), VALUES[:99]]
)
def test_other_bytes_behind_are_no_sign(tmp_path, format, more):
    (found,) = said(tmp_path, FILES[format] + more)
    assert (found.severity, found.code) == ("warning", "trailing_bytes")


def test_rows_that_all_come_again_are_no_sign(tmp_path):
    rows = np.tile(np.frombuffer(VALUES[:4_000], "<f4"), 20)
    whole = gguf([("general.architecture", "str", "none")], [("w", (20_000,), 0, rows.tobytes())])
    (found,) = said(tmp_path, whole + VALUES[8_000:12_000])
    assert found.code == "trailing_bytes"


def test_what_is_not_looked_for_in_a_large_file(tmp_path, monkeypatch):
    monkeypatch.setattr(repeated_piece, "PLACES", 8)
    whole = FILES["gguf"]
    (found,) = said(tmp_path, whole[:3_000] + whole[2_000:])
    assert found.code == "trailing_bytes"


def test_values_behind_it_are_not_told_of(tmp_path):
    whole = FILES["gguf"]
    data = bytearray(whole[:30_000] + whole[25_001:])
    (tmp_path / "model").write_bytes(data)
    verdict = weightmap.validate(tmp_path / "model", values=True)
    assert [one.code for one in verdict.findings if one.severity != "info"] == ["repeated_piece"]
