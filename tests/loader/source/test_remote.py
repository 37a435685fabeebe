"""Files on a server: only the ranges that are needed travel, whatever the server does, and what comes is right or refused."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import fsspec.config
import numpy as np
import pytest
from support.build import gguf, safetensors
from support.web import Web, serving

import weightmap
from weightmap.source import answer, http, strings
from weightmap.source.blocks import BLOCK, CACHE, VARIABLE, BlockCache

LARGE = 250_000_000


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    monkeypatch.setattr(http, "PAUSES", (0.0, 0.0))
    folder = tmp_path / "served"
    folder.mkdir()
    with serving(folder) as running:
        yield running


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).standard_normal(shape).astype("<f4")


def small(path: Path) -> Path:
    """A GGUF with a plain, a half and a quantized tensor, each of more than one block of the cache."""
    dice = np.random.default_rng(1)
    blocks = dice.integers(1, 59, (256 * 1024 // 32, 34), dtype=np.uint8)
    tensors = [
        ("plain", (200, 500), 0, floats(200, 500).tobytes()),
        ("half", (300, 256), 1, floats(300, 256).astype("<f2").tobytes()),
        ("quantized", (256, 1024), 8, blocks.tobytes()),
    ]
    path.write_bytes(gguf(tensors=tensors))
    return path


def sparse(path: Path) -> Path:
    """A safetensors file of 250 MB that takes next to nothing on the disk: one small tensor behind a very large one."""
    size = LARGE - 8 - 4096 - 4000
    header = (
        f'{{"large":{{"dtype":"U8","shape":[{size}],"data_offsets":[0,{size}]}},'
        f'"small":{{"dtype":"F32","shape":[10,100],"data_offsets":[{size},{size + 4000}]}}}}'
    ).ljust(4096)
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header.encode())
        file.truncate(LARGE - 4000)
        file.seek(LARGE - 4000)
        file.write(floats(10, 100).tobytes())
    return path


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


def test_what_was_fetched_is_kept_and_fetched_once_for_all_threads(web: Web) -> None:
    path = small(web.folder / "model.gguf")
    with weightmap.open(web.url("model.gguf")) as model:
        web.delay = 0.02
        with weightmap.open(path) as near:
            expected = near.tensors["quantized"].array()
        wrong: list[int] = []

        def read(number: int) -> None:
            if not np.array_equal(model.tensors["quantized"].array(threads=2), expected):
                wrong.append(number)

        threads = [threading.Thread(target=read, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
        assert web.sent <= path.stat().st_size
        held = web.sent
        model.tensors["quantized"].statistics()
        assert web.sent == held


@pytest.mark.parametrize("threads", [1, 3])
def test_a_pass_is_fetched_ahead_up_to_the_end_of_its_tensor(web: Web, threads: int) -> None:
    one, two = floats(3000, 1100), -floats(3000, 1100)
    tensors = [("one", "F32", one.shape, one.tobytes()), ("two", "F32", two.shape, two.tobytes())]
    (web.folder / "model.safetensors").write_bytes(safetensors(tensors))
    with weightmap.open(web.url("model.safetensors")) as model:
        found = model.tensors["one"].statistics(threads=threads)
        assert (found.min, found.max) == (one.min(), one.max())
        first = web.sent
        assert one.nbytes <= first <= one.nbytes + 2 * BLOCK
        assert np.array_equal(model.tensors["two"].array(threads=threads), two)
        assert web.sent <= one.nbytes + two.nbytes + 2 * BLOCK
        spans = [span for path, span in web.asked if path.endswith("safetensors")]
        assert len(set(spans)) == len(spans)


def test_what_is_fetched_ahead_in_vain_is_fetched_again(web: Web) -> None:
    one = floats(3000, 1100)
    (web.folder / "model.safetensors").write_bytes(safetensors([("one", "F32", one.shape, one.tobytes())]))
    with weightmap.open(web.url("model.safetensors")) as model:
        web.ways["model.safetensors"] = "short"
        with pytest.raises(weightmap.UnreadableFileError):
            model.tensors["one"].statistics()
        web.ways["model.safetensors"] = "silent"
        asked = len(web.asked)

        def read() -> None:
            with pytest.raises(weightmap.ClosedError):
                model.tensors["one"].statistics()

        thread = threading.Thread(target=read)
        thread.start()
        while len(web.asked) <= asked:
            time.sleep(0.005)
        model.close()
        thread.join(10)
        assert not thread.is_alive()
        web.ways.clear()
        with model.reload() as again:
            assert np.array_equal(again.tensors["one"].array(), one)


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


def test_an_index_opens_with_its_shards_and_names_the_one_that_is_missing(web: Web) -> None:
    one, two = floats(8, 8), floats(4, 4)
    folder = web.folder / "a model"
    folder.mkdir()
    (folder / "m-00001-of-00002.safetensors").write_bytes(safetensors([("one", "F32", (8, 8), one.tobytes())]))
    shard = folder / "m-00002-of-00002.safetensors"
    shard.write_bytes(safetensors([("two", "F32", (4, 4), two.tobytes())]))
    weight_map = '{"one": "m-00001-of-00002.safetensors", "two": "m-00002-of-00002.safetensors"}'
    (folder / "m.safetensors.index.json").write_text(
        '{"metadata": {"total_size": 320}, "weight_map": ' + weight_map + "}"
    )
    address = web.url("a%20model/m.safetensors.index.json?download=true")
    with weightmap.open(address) as model:
        assert model.status == "ok"
        assert np.array_equal(model.tensors["two"].array(), two)
        assert model.tensors["two"].path == web.url("a%20model/m-00002-of-00002.safetensors?download=true")
        assert [part.size for part in model.parts] == [
            part.stat().st_size for part in sorted(folder.glob("*.safetensors"))
        ]
    far, near = weightmap.digest(address), weightmap.digest(folder / "m.safetensors.index.json")
    assert (dict(far.files), dict(far.tensors)) == (dict(near.files), dict(near.tensors))
    shard.unlink()
    with weightmap.open(address) as model:
        assert [found.code for found in model.findings] == ["missing_shard"]
        assert np.array_equal(model.tensors["one"].array(), one)


@pytest.mark.parametrize("part", [1, 2])
def test_any_part_of_a_split_gguf_opens_all(web: Web, part: int) -> None:
    for number in range(2):
        metadata = [("general.architecture", "str", "toy")] if not number else []
        metadata += [("split.no", "u16", number), ("split.count", "u16", 2), ("split.tensors.count", "i32", 2)]
        data = gguf(metadata, [(f"t{number}", (4, 4), 0, (floats(4, 4) + number).tobytes())])
        (web.folder / f"toy-0000{number + 1}-of-00002.gguf").write_bytes(data)
    with weightmap.open(web.url(f"toy-0000{part}-of-00002.gguf")) as model:
        assert list(model.tensors) == ["t0", "t1"]
        assert np.array_equal(model.tensors["t1"].array(), floats(4, 4) + 1)
        assert model.status != "error"


def test_config_json_beside_a_checkpoint_is_looked_at(web: Web) -> None:
    names = ["model.embed_tokens.weight", "model.norm.weight", "model.layers.0.self_attn.q_proj.weight"]
    tensors = [
        (name, "F32", (8,) if "norm" in name else (16, 8), bytes(32 if "norm" in name else 512)) for name in names
    ]
    (web.folder / "model.safetensors").write_bytes(safetensors(tensors))
    config = (
        '{"model_type": "llama", "hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 1, "vocab_size": 99}'
    )
    (web.folder / "config.json").write_text(config)
    with weightmap.open(web.url("model.safetensors")) as far, weightmap.open(web.folder / "model.safetensors") as near:
        assert [found.message for found in far.findings] == [found.message for found in near.findings]
        assert any(found.code == "vocabulary_size" for found in far.findings)
    assert [path for path, _ in web.asked] == ["/model.safetensors", "/config.json"]


def test_closing_ends_a_read_under_way(web: Web) -> None:
    small(web.folder / "model.gguf")
    model = weightmap.open(web.url("model.gguf"))
    web.ways["model.gguf"] = "silent"
    caught: list[BaseException] = []

    def read() -> None:
        try:
            model.tensors["quantized"].array()
        except weightmap.WeightFileError as problem:
            caught.append(problem)

    thread = threading.Thread(target=read)
    thread.start()
    while not any(span != "bytes=0-65535" for _, span in web.asked):
        time.sleep(0.005)
    assert model.close() == 0
    thread.join(10)
    assert not thread.is_alive()
    assert [problem.code for problem in caught] == ["closed"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_reads_on(web: Web) -> None:
    small(web.folder / "model.gguf")
    code = (
        "import os, sys, weightmap\n"
        "model = weightmap.open(sys.argv[1])\n"
        "child = os.fork()\n"
        "values = model.tensors['plain'].array()\n"
        "if not child: os._exit(0 if values.shape == (200, 500) else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), values.shape)"
    )
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code, web.url("model.gguf")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("0 (200, 500)\n", "")


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


def test_the_hub_is_a_web_server_and_the_token_goes_there_alone(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", web.root)
    monkeypatch.setenv("HF_TOKEN", "hf_mine")
    home = web.folder / "owner/name/resolve/refs%2Fpr%2F1"
    other = tmp_path / "store"
    other.mkdir()
    small(other / "blob")
    with serving(other) as store:
        web.moved["owner/name/resolve/main/sub/model.gguf"] = store.url("blob")
        with weightmap.open("hf://owner/name/sub/model.gguf") as model:
            assert model.path == "hf://owner/name/sub/model.gguf"
            assert np.array_equal(model.tensors["plain"].array(), floats(200, 500))
        assert {headers.get("Authorization") for headers in web.headers} == {"Bearer hf_mine"}
        assert {headers.get("Authorization") for headers in store.headers} == {None}
    assert not home.exists()
    web.forget()
    with pytest.raises(weightmap.MissingFileError):
        weightmap.open("hf://owner/name@refs/pr/1/model.gguf")
    assert web.asked[0][0] == "/owner/name/resolve/refs%2Fpr%2F1/model.gguf"
    with pytest.raises(weightmap.UnsupportedFormatError, match="names no repository"):
        weightmap.open("hf://@main/model.gguf")


def test_a_repository_of_the_hub_is_a_folder(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", web.root)
    there = ["README.md", "m.safetensors.index.json", "m-00001-of-00001.safetensors", "Q8/b-00001-of-00002.gguf"]
    there += ["Q8/b-00002-of-00002.gguf", "Q8/mmproj.gguf"]
    tree = web.folder / "api/models/owner/name/tree/main"
    tree.parent.mkdir(parents=True)
    files = [{"type": "directory", "path": "Q8"}, *({"type": "file", "path": name} for name in there)]
    tree.write_text(json.dumps(files))
    models = ["m.safetensors.index.json", "Q8/b-00001-of-00002.gguf", "Q8/mmproj.gguf"]
    assert list(weightmap.find_models("hf://owner/name")) == [f"hf://owner/name/{name}" for name in models]
    with pytest.raises(weightmap.SeveralModelsError, match="holds 3 models: m") as caught:
        weightmap.open("hf://owner/name/")
    assert caught.value.choices == tuple(f"hf://owner/name/{name}" for name in models)
    tree.write_text(json.dumps([files[0], {"type": "file", "path": "model.gguf"}]))
    small(web.folder / "model.gguf")
    web.moved["owner/name/resolve/main/model.gguf"] = web.url("model.gguf")
    with weightmap.open("hf://owner/name") as model:
        assert model.tensors["plain"].shape == (200, 500)
        assert "one model was opened: model.gguf" in model.findings[0].message
    for text in ("{}", "[1]", "no JSON", '[{"path": 1, "type": "file"}, {"type": "file"}]'):
        tree.write_text(text)
        with pytest.raises(weightmap.WeightFileError, match=r"cannot be read|no weight file"):
            weightmap.open("hf://owner/name")
    with pytest.raises(weightmap.MissingFileError):
        weightmap.open("hf://owner/other")


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
    assert isinstance(caught.value, ImportError)
