"""What servers do, one clear error or a note for each: no ranges, refusals, silence, files that change, headers without end."""

from __future__ import annotations

import os
import struct

import numpy as np
import pytest
from support.served import floats, small, sparse
from support.web import Web

import weightmap
from weightmap.source import answer, http, strings
from weightmap.source.blocks import BLOCK


def test_a_small_file_without_ranges_is_read_whole_and_said(web: Web) -> None:
    path = small(web.folder / "model.gguf")
    for moment, way in enumerate(("whole", "endless")):
        web.ways["model.gguf"] = way
        with weightmap.open(web.url("model.gguf")) as model:
            [note] = [found for found in model.findings if found.code == "no_ranges"]
            assert note.severity == "info"
            assert f"{path.stat().st_size:,} bytes were read whole" in note.message
            assert np.array_equal(model.tensors["plain"].array(), floats(200, 500))
            assert model.changed() is None
            os.utime(path, (moment, moment))
            assert model.changed().code == "file_changed"


@pytest.mark.parametrize("way", ["whole", "endless"])
def test_a_large_file_without_ranges_is_refused_before_it_is_loaded(web: Web, way: str) -> None:
    sparse(web.folder / "large.safetensors")
    web.ways["large.safetensors"] = way
    with pytest.raises(weightmap.UnsupportedFormatError, match="does not give ranges") as caught:
        weightmap.open(web.url("large.safetensors"))
    assert caught.value.code == "no_ranges"
    assert caught.value.path == web.url("large.safetensors")
    assert web.sent < answer.WHOLE + 50_000_000  # what sockets take before they are closed


FAILURES = [
    (404, weightmap.MissingFileError, "not_found", "no file at this address"),
    (410, weightmap.MissingFileError, "not_found", "no file at this address"),
    (401, weightmap.UnreadableFileError, "permission", "status 401"),
    (403, weightmap.UnreadableFileError, "permission", "status 403"),
    (500, weightmap.UnreadableFileError, "remote_error", "status 500"),
    (503, weightmap.UnreadableFileError, "remote_error", "status 503"),
    (418, weightmap.UnreadableFileError, "remote_error", "status 418"),
    (206, weightmap.UnreadableFileError, "remote_error", "does not tell which range"),
    ("loop", weightmap.UnreadableFileError, "remote_error", "redirects more than 10 times"),
    ("short", weightmap.UnreadableFileError, "remote_error", "broke off"),
    ("wrong", weightmap.UnreadableFileError, "remote_error", "were asked for, and 1 to 65,536 of"),
]


@pytest.mark.parametrize(("way", "kind", "code", "words"), FAILURES)
def test_what_servers_do_is_one_clear_error(
    web: Web, way: str | int, kind: type[weightmap.WeightFileError], code: str, words: str
) -> None:
    small(web.folder / "model.gguf")
    web.ways["model.gguf"] = way
    with pytest.raises(kind, match=words) as caught:
        weightmap.open(web.url("model.gguf"))
    assert (caught.value.code, caught.value.path) == (code, web.url("model.gguf"))
    tries = {500: 3, 503: 3, "short": 3, "loop": 10}.get(way, 1)
    assert len(web.asked) == tries


def test_a_server_that_is_silent_or_not_there(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "READ", 0.2)
    small(web.folder / "model.gguf")
    web.ways["model.gguf"] = "silent"
    with pytest.raises(weightmap.UnreadableFileError, match="does not answer in time"):
        weightmap.open(web.url("model.gguf"))
    address = web.url("model.gguf")
    web.close()
    with pytest.raises(weightmap.UnreadableFileError, match="Reading from the server failed") as caught:
        weightmap.open(address)
    assert caught.value.code == "remote_error"
    assert weightmap.validate(address).findings[0].code == "remote_error"


def test_a_read_that_breaks_off_is_an_error_and_the_next_goes_on(web: Web) -> None:
    small(web.folder / "model.gguf")
    with weightmap.open(web.url("model.gguf")) as model:
        web.ways["model.gguf"] = "short"
        with pytest.raises(weightmap.UnreadableFileError, match="broke off"):
            model.tensors["plain"].array()
        with pytest.raises(weightmap.UnreadableFileError, match="broke off"):
            model.tensors["quantized"].statistics()
        web.ways["model.gguf"] = ""
        assert np.array_equal(model.tensors["plain"].array(), floats(200, 500))


def test_a_server_that_stops_giving_ranges_is_not_followed(web: Web) -> None:
    sparse(web.folder / "large.safetensors")
    with weightmap.open(web.url("large.safetensors")) as model:
        web.ways["large.safetensors"] = "whole"
        with pytest.raises(weightmap.UnsupportedFormatError, match="any more"):
            model.tensors["large"][100_000_000]
        assert web.sent < 8_000_000


def test_a_file_that_changes_is_noticed_at_the_next_read(web: Web) -> None:
    path = small(web.folder / "model.gguf")
    with weightmap.open(web.url("model.gguf")) as model:
        assert model.changed() is None
        os.utime(path, (1, 1))
        with pytest.raises(weightmap.FileChangedError, match="another version"):
            model.tensors["quantized"].array()
        assert model.changed().code == "file_changed"
        with model.reload() as again:
            assert again.tensors["quantized"].array().shape == (256, 1024)
            with path.open("ab") as file:
                file.write(b"more")
            with pytest.raises(weightmap.FileChangedError, match="it grew from"):
                again.tensors["half"].array()


def test_a_file_that_shrinks_or_goes(web: Web) -> None:
    path = small(web.folder / "model.gguf")
    web.tags = False
    with weightmap.open(web.url("model.gguf")) as model:
        os.truncate(path, 70_000)
        with pytest.raises(weightmap.FileChangedError, match="it shrank from"):
            model.tensors["quantized"].array()
        path.unlink()
        gone = model.changed()
        assert (gone.code, gone.severity) == ("file_changed", "warning")
        with pytest.raises(weightmap.MissingFileError):
            model.tensors["quantized"].array()


def array_of(count: int) -> bytes:
    """The beginning of a GGUF whose one metadata entry is an array of so many strings."""
    key = b"tokenizer.ggml.tokens"
    return b"GGUF" + struct.pack(f"<IQQQ{len(key)}sIIQ", 3, 0, 1, len(key), key, 9, 8, count)


@pytest.mark.parametrize("count", [1 << 60, 1 << 40, 1 << 27])
def test_a_count_that_no_file_has_takes_no_memory(web: Web, count: int) -> None:
    (web.folder / "vast.gguf").write_bytes(array_of(count))
    web.ways["vast.gguf"] = "vast"
    with weightmap.open(web.url("vast.gguf")) as model:
        assert "bad_length" in [found.code for found in model.findings]
    assert web.sent <= 2 * BLOCK


def test_a_header_without_end_is_given_up(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strings, "FAR_HEADER", 4_000_000)
    (web.folder / "vast.gguf").write_bytes(array_of(50_000_000))
    web.ways["vast.gguf"] = "vast"
    with weightmap.open(web.url("vast.gguf")) as model:
        [found] = [found for found in model.findings if found.code == "bad_length"]
        assert "goes on beyond byte 4,000,000" in found.message
    assert web.sent < 4_000_000 + 2 * strings.FAR_WINDOW


def test_an_empty_file_and_a_page(web: Web) -> None:
    (web.folder / "empty.gguf").write_bytes(b"")
    (web.folder / "page.gguf").write_text("<!doctype html><html>Sign in</html>")
    with pytest.raises(weightmap.CorruptWeightError, match="0 bytes"):
        weightmap.open(web.url("empty.gguf"))
    with pytest.raises(weightmap.UnsupportedFormatError, match="web page"):
        weightmap.open(web.url("page.gguf"))
