"""Headers are remembered: opening again parses nothing and says the same, for sets and models of Ollama too; and it can be off."""

import json
import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest
from support.build import gguf, safetensors
from support.headers import METADATA, TENSORS, TOKENS, entries, opened
from support.stores import MODEL, ollama

import weightmap

pytestmark = pytest.mark.usefixtures("any_header")

VARIANTS = {
    "little": lambda: gguf(METADATA, TENSORS, alignment=64),
    "big": lambda: gguf(METADATA, TENSORS, alignment=64, big_endian=True),
    "version 1": lambda: gguf(METADATA, TENSORS, alignment=64, version=1),
    "nested": lambda: gguf([*METADATA, ("a.nest", "arr", ("arr", []))], TENSORS, alignment=64),
    # with the length behind it, which is no text, half a character would be a whole one
    "half a character": lambda: gguf(
        [*METADATA, ("a.list", "arr", ("str", [b"caf\xc3", b"x" * 0xA9]))], TENSORS, alignment=64
    ),
    "safetensors": lambda: safetensors([("a", "F32", (2,), bytes(8)), ("b", "BF16", (), bytes(2))], {"k": "ü"}),
    "no tensors": lambda: gguf(METADATA, []),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_second_opening_says_the_same_without_parsing(tmp_path, cache, variant, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(VARIANTS[variant]())
    expected = opened(path, cache=False)
    with weightmap.open(path, cache=False) as model:
        values = {name: tensor.array(copy=True) for name, tensor in model.tensors.items()}
    assert opened(path) == expected
    assert len(entries(cache)) == 1
    for name in ("gguf", "safetensors"):
        monkeypatch.setitem(weightmap.api.sets.PARSERS, name, lambda source: pytest.fail("parsed again"))
    monkeypatch.setattr("weightmap.cache.structure.walk", lambda *_: pytest.fail("walked again"))
    assert opened(path) == expected
    with weightmap.load_weights(path) as weights:
        assert list(weights) == list(values)
        assert all(np.array_equal(weights[name], values[name]) for name in values)


def test_loading_twice_judges_once(path, cache, parses, monkeypatch):
    judged = []
    real = weightmap.api.check
    monkeypatch.setattr(
        "weightmap.api.check", lambda layout, **more: judged.append(layout.path) or real(layout, **more)
    )
    opened(path)
    assert (len(parses), judged) == (1, [])
    for _ in range(3):
        weightmap.load_weights(path).close()
    assert (len(parses), len(judged)) == (1, 1)  # opening alone proved nothing
    assert json.loads(entries(cache)[0].read_bytes()[20:].split(b"\0")[0].rpartition(b"}")[0] + b"}")["body"]["sound"]
    opened(path)
    weightmap.load_weights(path).close()
    assert (len(parses), len(judged)) == (1, 1)  # and takes nothing back


def test_switched_off_it_neither_reads_nor_writes(path, cache, parses, monkeypatch):
    opened(path, cache=False)
    assert not cache.exists()
    opened(path)
    monkeypatch.setenv("WEIGHTMAP_CACHE", "0")
    opened(path)
    opened(path, cache=cache)
    weightmap.load_weights(path).close()
    assert len(parses) == 5


def test_another_folder_by_keyword(path, cache, tmp_path, parses):
    opened(path, cache=tmp_path / "other")
    assert not cache.exists()
    assert len(entries(tmp_path / "other")) == 1
    with weightmap.open(path, cache=tmp_path / "other") as model:
        assert model.reload().status == model.status
    assert len(parses) == 1


def test_unknown_types_and_plugins_are_parsed_each_time(tmp_path, cache, parses):
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf(METADATA, [("t", (8,), 77, bytes(64))], alignment=64))
    assert opened(path) == opened(path)
    assert len(parses) == 2
    assert entries(cache) == []


def test_strings_are_walked_again_where_the_cache_went_away_meanwhile(path, cache):
    opened(path)
    with weightmap.open(path) as model:
        for entry in entries(cache):
            entry.unlink()
        assert list(model.metadata["tokenizer.ggml.tokens"]) == TOKENS
        assert len(model.metadata["tokenizer.ggml.tokens"]) == len(TOKENS)


def test_the_parts_of_a_set_are_remembered_one_by_one(tmp_path, cache, parses):
    split = [("split.count", "u16", 2), ("split.tensors.count", "i32", 2)]
    for number in (0, 1):
        metadata = [*METADATA[:1], ("split.no", "u16", number), *split]
        (tmp_path / f"m-0000{number + 1}-of-00002.gguf").write_bytes(gguf(metadata, [TENSORS[number + 1]]))
    first = tmp_path / "m-00001-of-00002.gguf"
    expected = opened(first)
    assert (len(parses), len(entries(cache))) == (2, 2)
    assert opened(first) == expected
    weightmap.load_weights(first).close()
    weightmap.load_weights(first).close()
    assert len(parses) == 2
    (tmp_path / "m-00002-of-00002.gguf").unlink()
    with pytest.raises(weightmap.MissingFileError):
        weightmap.load_weights(first)


def test_a_model_of_ollama(tmp_path, cache, parses):
    store = ollama(
        tmp_path / "o", {"registry.ollama.ai/library/m/latest": [(MODEL, gguf(METADATA, TENSORS, alignment=64))]}
    )
    manifest = store / "manifests/registry.ollama.ai/library/m/latest"
    assert opened(manifest) == opened(manifest) == opened(manifest, cache=False)
    assert len(parses) == 2


def test_a_cache_that_cannot_be_written_is_as_none(path, cache, parses):
    cache.write_text("a file where a folder should be")
    assert opened(path) == opened(path)
    assert len(parses) == 2
    weightmap.load_weights(path).close()


def load(path, count, queue):
    for _ in range(count):
        with weightmap.load_weights(path) as weights:
            queue.put((len(weights), weights["scalar"].item()))


def test_many_processes(path, cache):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    workers = [context.Process(target=load, args=(str(path), 10, queue)) for _ in range(3)]
    for worker in workers:
        worker.start()
    found = [queue.get(timeout=60) for _ in range(30)]
    for worker in workers:
        worker.join(60)
    assert found == [(4, 2.0)] * 30


def test_nothing_of_the_cache_is_imported_where_it_is_off(path):
    code = (
        "import sys, weightmap; weightmap.load_weights(sys.argv[1]);"
        "print([m for m in ('platformdirs', 'hashlib', 'weightmap.cache', 'weightmap.integrity') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_platformdirs_next_to_nothing_of_it_is(path):
    code = (
        "import sys; sys.modules['platformdirs'] = None; import weightmap; weightmap.load_weights(sys.argv[1]);"
        "print(sorted(m for m in sys.modules if m.startswith('weightmap.cache') or m == 'hashlib'))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "WEIGHTMAP_CACHE"}
    run = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(run, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "['weightmap.cache', 'weightmap.cache.place']"
