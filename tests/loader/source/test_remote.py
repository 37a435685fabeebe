"""Files on a server: only the ranges that are needed travel, are kept in bounded memory, and are the values of the file."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import fsspec.config
import numpy as np
import pytest
from support.build import gguf
from support.served import LARGE, floats, small, sparse
from support.web import Web

import weightmap
from weightmap.source.blocks import BLOCK, CACHE, VARIABLE, BlockCache


def test_the_header_of_a_large_file_is_all_that_travels(web: Web) -> None:
    file = sparse(web.folder / "large.safetensors")
    assert file.stat().st_size == LARGE
    with weightmap.open(web.url(file.name)) as model:
        assert model.status == "ok"
        assert model.tensors["small"].shape == (10, 100)
        assert web.sent == BLOCK < 0.02 * LARGE
        assert np.array_equal(model.tensors["small"].array(), floats(10, 100))
        assert web.sent <= 3 * BLOCK
        assert model.tensors["large"][100_000_000:100_000_010].tolist() == [0] * 10
        assert web.sent <= 4 * BLOCK
    assert {span for path, span in web.asked if path == "/large.safetensors"} >= {"bytes=0-65535"}


def test_a_vocabulary_is_walked_in_few_requests_and_what_needs_no_reading_is_skipped(web: Web) -> None:
    words = [f"token {n} " + "x" * (n % 9) for n in range(100_000)]
    scores = ("f32", [0.5] * 500_000)
    metadata = [("tokenizer.ggml.tokens", "arr", ("str", words)), ("scores", "arr", scores), ("last", "u32", 7)]
    data = gguf(metadata, [("weight", (4,), 0, floats(4).tobytes())])
    (web.folder / "vocabulary.gguf").write_bytes(data)
    length = sum(8 + len(word) for word in words)
    with weightmap.open(web.url("vocabulary.gguf")) as model:
        assert model.metadata["last"] == 7
        assert web.sent < length + 4 * BLOCK < len(data) - 4 * 500_000 + 5 * BLOCK
        assert len(web.asked) <= 8
        assert model.metadata["tokenizer.ggml.tokens"][99_999] == words[-1]
        assert model.metadata["scores"].sum() == 250_000
        assert np.array_equal(model.tensors["weight"].array(), floats(4))


KEYS = [np.s_[3:7], np.s_[::2, 5], np.s_[..., -1], np.s_[0, 0], np.s_[::-7, 1:99:3], np.s_[5:5], np.s_[:, 17:18]]


@pytest.mark.parametrize("name", ["plain", "half", "quantized"])
def test_values_are_those_of_the_file(web: Web, name: str) -> None:
    path = small(web.folder / "model.gguf")
    with weightmap.open(path) as near, weightmap.open(web.url("model.gguf")) as far:
        here, there = near.tensors[name], far.tensors[name]
        for mine, theirs in ((here.array(), there.array()), (here.raw(), there.raw())):
            assert mine.dtype == theirs.dtype
            assert np.array_equal(mine, theirs)
            assert not theirs.flags.writeable
        for key in KEYS:
            mine, theirs = here[key], there[key]
            assert type(mine) is type(theirs)
            assert mine.dtype == theirs.dtype
            assert np.array_equal(mine, theirs)
        copied = there.array(copy=True)
        assert copied.flags.writeable
        assert np.array_equal(here.array(np.float32), there.array(np.float32))
        mine, theirs = here.statistics(), there.statistics()
        assert (mine.min, mine.max, mine.mean, mine.std) == (theirs.min, theirs.max, theirs.mean, theirs.std)
        assert np.array_equal(here.heatmap(9, 9).cells, there.heatmap(9, 9).cells)
        assert there.check_values() == here.check_values()


def test_views_outlive_the_model_and_the_server(web: Web) -> None:
    small(web.folder / "model.gguf")
    with weightmap.load_weights(web.url("model.gguf")) as weights:
        plain = weights["plain"]
        assert weights.close() == 0
    assert np.array_equal(plain, floats(200, 500))
    with pytest.raises(weightmap.ClosedError):
        weights["plain"]


def test_progress_and_cancel(web: Web) -> None:
    small(web.folder / "model.gguf")
    with weightmap.open(web.url("model.gguf")) as model:
        seen: list[tuple[int, int]] = []
        model.tensors["plain"].array(progress=lambda done, total: seen.append((done, total)))
        assert seen[-1] == (100_000, 100_000)
        with pytest.raises(weightmap.Cancelled):
            model.tensors["quantized"].array(progress=lambda *_: False)


def test_memory_is_bounded(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    sparse(web.folder / "large.safetensors")
    with weightmap.open(web.url("large.safetensors")) as model:
        values = model.tensors["large"][10_000_000:30_000_000]
        assert values.nbytes == 20_000_000
        assert not values.any()
        assert CACHE.held <= 1_000_000
    cache = BlockCache()
    for number in range(20):
        cache.put(1, number, bytes(100_000))
    assert cache.held == 1_000_000
    assert (cache.get(1, 9), cache.get(1, 19)) == (None, bytes(100_000))
    cache.forget(1)
    assert (cache.held, cache.get(1, 19)) == (0, None)


def test_a_password_is_used_and_not_shown(web: Web) -> None:
    path = small(web.folder / "toy-00001-of-00002.gguf")
    address = web.url(path.name).replace("//", "//me:secret@")
    with weightmap.open(address) as model:
        assert model.reload().tensors["plain"].shape == (200, 500)
        assert "secret" not in repr(model) + str(model.findings) + str(model.parts) + model.path
    assert all(headers["Authorization"].startswith("Basic ") for headers in web.headers)
    web.ways[path.name] = 403
    with pytest.raises(weightmap.UnreadableFileError) as caught:
        weightmap.open(address)
    assert "secret" not in str(caught.value)


def test_the_users_options_for_the_web_are_those_of_fsspec(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    small(web.folder / "model.gguf")
    options = {"headers": {"X-Mine": "1"}, "client_kwargs": {"headers": {"User-Agent": "mine"}}}
    monkeypatch.setitem(fsspec.config.conf, "https", options)
    with weightmap.open(web.url("model.gguf")) as model:
        assert model.tensors["plain"][3, 4] == floats(200, 500)[3, 4]
    assert {(sent["X-Mine"], sent["User-Agent"], sent["Accept-Encoding"]) for sent in web.headers} == {
        ("1", "mine", "identity")
    }


def test_nothing_remote_is_loaded_for_a_file(tmp_path: Path) -> None:
    path = small(tmp_path / "model.gguf")
    code = (
        "import sys, weightmap\n"
        "with weightmap.open(sys.argv[1]) as model: model.findings\n"
        "print(sorted({'fsspec', 'aiohttp', 'asyncio', 'urllib.request', 'ssl'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("address", "absent", "extra"),
    [
        ("http://127.0.0.1:9/a.gguf", "aiohttp", "remote"),
        ("memory://a.gguf", "fsspec", "remote"),
        ("hf://a/b/c", "fsspec", "remote"),
        ("s3://a/b", "fsspec", "s3"),
        ("s3://a/b", "s3fs", "s3"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(
    address: str, absent: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == absent]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, absent, None)
    with pytest.raises(weightmap.MissingPackageError, match=rf"pip install 'weightmap\[{extra}\]'") as caught:
        weightmap.open(address)
    assert caught.value.code == "missing_package"
    assert re.search(rf"a package that is not installed: (\w+ and )?{absent}( and \w+)?\.", str(caught.value))
    assert isinstance(caught.value, ImportError)


def test_an_address_is_no_blob_of_this_machine(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weightmap.formats.sets.called", lambda path: pytest.fail(path))
    small(web.folder / "model.gguf")
    with weightmap.open(web.url("model.gguf")) as model:
        assert "plain" in model.tensors
