"""Files that went through a transfer in text mode are told from those that are too long for other reasons."""

from __future__ import annotations

import pytest
from support import single
from support.build import safetensors
from support.single import FILES

import weightmap


def said(folder, data):
    return single.said(folder, data, "text_mode", "trailing_bytes")


@pytest.mark.parametrize("format", FILES)
def test_a_carriage_return_before_every_line_feed_is_an_error(tmp_path, format):
    data = FILES[format].replace(b"\n", b"\r\n")
    (found,) = said(tmp_path, data)
    assert (found.severity, found.code) == ("error", "text_mode")
    assert found.offset == data.index(b"\r\n")
    assert found.expected == f"{len(FILES[format]):,} bytes"
    assert found.found == f"{len(data):,} bytes"
    assert f"the first at byte {found.offset:,}" in found.message
    with pytest.raises(weightmap.CorruptWeightError, match="text mode"):
        weightmap.load_weights(tmp_path / "model", cache=False)


@pytest.mark.parametrize("format", FILES)
def test_one_line_feed_alone_tells_that_it_is_something_else(tmp_path, format):
    whole = FILES[format]
    data = whole.replace(b"\n", b"\r\n", whole.count(b"\n") - 1)
    (found,) = said(tmp_path, data)
    assert found.code == "trailing_bytes"


@pytest.mark.parametrize("format", FILES)
def test_bytes_behind_the_last_tensor_alone_are_no_sign(tmp_path, format):
    (found,) = said(tmp_path, FILES[format] + b"\r\n" * 50)
    assert (found.severity, found.code) == ("warning", "trailing_bytes")


def test_few_line_feeds_are_no_sign(tmp_path):
    data = safetensors([("w", "U8", (40,), b"\r\n" * 15 + b"x" * 10)])
    (found,) = said(tmp_path, data + b"12345")
    assert found.code == "trailing_bytes"


def test_values_that_are_shifted_are_not_looked_at_one_by_one(tmp_path):
    tensors = [(f"{n}.weight", "F32", (64,), b"\n\x7f\x80\x7f" * 64) for n in range(4)]
    path = tmp_path / "model.safetensors"
    path.write_bytes(safetensors(tensors).replace(b"\n", b"\r\n"))
    verdict = weightmap.validate(path, values=True)
    assert [one.code for one in verdict.findings] == ["text_mode"]
    with weightmap.open(path) as model:
        assert model.tensors["3.weight"].check_values()
