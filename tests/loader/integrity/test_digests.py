import itertools
import json
import os
import threading
import tracemalloc

import numpy as np
import pytest
from support.build import gguf, safetensors
from support.checksums import DATA, a_gguf, a_safetensors, sha, shards
from support.stores import MODEL, ollama

import weightmap
from weightmap.integrity import streams


@pytest.fixture(params=["1", "2", "8"])
def threads(request, monkeypatch):
    monkeypatch.setattr(streams, "CHUNK", 100)  # tensors and files reach over many chunks, and share some
    return int(request.param)


@pytest.mark.parametrize("write", [a_gguf, a_safetensors])
def test_every_file_and_every_tensor(tmp_path, threads, write):
    path = write(tmp_path / "model")
    found = weightmap.digest(path, threads=threads)
    content = path.read_bytes()
    assert found.files == {"model": weightmap.FileDigest(sha(content), len(content))}
    assert found.tensors == {name: sha(data) for name, data in DATA.items()}
    assert found.unreadable == ()
    assert found.entry() == {
        "files": {"model": {"sha256": sha(content), "bytes": len(content)}},
        "tensors": {name: sha(data) for name, data in DATA.items()},
    }
    assert json.loads(found.manifest()) == found.entry()


def test_an_open_model_gives_the_same_and_stays_open(tmp_path):
    path = a_gguf(tmp_path / "m.gguf")
    with weightmap.open(path) as model:
        assert weightmap.digest(model) == weightmap.digest(path)
        assert model.tensors["c"].array().tolist() == [0, 1, 2]
    with pytest.raises(weightmap.ClosedError):
        weightmap.digest(model)


def test_parts_whose_index_is_not_there(tmp_path):
    for number in (1, 2):
        data = safetensors([(f"w{number}", "F32", (2,), bytes(range(8)))])
        (tmp_path / f"model-{number:05d}-of-00002.safetensors").write_bytes(data)
    found = weightmap.digest(tmp_path)
    assert sorted(found.files) == ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    assert found.tensors == {"w1": sha(bytes(range(8))), "w2": sha(bytes(range(8)))}


def test_an_index_and_its_parts(tmp_path, threads):
    index = shards(tmp_path / "m")
    found = weightmap.digest(index, threads=threads)
    files = {path.name: (sha(path.read_bytes()), path.stat().st_size) for path in sorted((tmp_path / "m").iterdir())}
    assert {name: (one.sha256, one.bytes) for name, one in found.files.items()} == files
    assert next(iter(found.files)) == index.name
    assert found.tensors == {"a": sha(DATA["a"]), "c": sha(DATA["c"])}
    assert weightmap.digest(tmp_path / "m").files == found.files


def test_tensors_that_are_empty_shared_or_out_of_order(tmp_path, threads):
    path = tmp_path / "m.gguf"
    data = np.arange(16, dtype="<f4").tobytes()
    path.write_bytes(
        gguf(
            tensors=[("late", (16,), 0, data), ("early", (8,), 0, bytes(32)), ("twin", (16,), 0, b"")],
            offsets=[64, 0, 64],
        )
        + data
    )
    found = weightmap.digest(path, threads=threads)
    with weightmap.open(path) as model:
        stored = {name: tensor.raw().tobytes() for name, tensor in model.tensors.items()}
    assert found.tensors == {name: sha(stored[name]) for name in ("late", "early", "twin")}
    (tmp_path / "e.safetensors").write_bytes(safetensors([("none", "F32", (0, 4), b"")]))
    assert weightmap.digest(tmp_path / "e.safetensors").tensors == {"none": sha(b"")}


def test_a_tensor_whose_bytes_cannot_be_told_is_left_out_and_named(tmp_path):
    path = tmp_path / "cut.safetensors"
    path.write_bytes(safetensors([("a", "F32", (2,), bytes(8)), ("b", "F32", (2,), bytes(8))])[:-4])
    found = weightmap.digest(path)
    assert found.tensors == {"a": sha(bytes(8))}
    assert [(one.tensor, one.code) for one in found.unreadable] == [("b", "truncated")]
    assert found.entry()["unreadable"][0]["tensor"] == "b"
    assert found.files["cut.safetensors"].sha256 == sha(path.read_bytes())


def test_a_missing_part_is_an_error(tmp_path):
    index = shards(tmp_path)
    (tmp_path / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(weightmap.MissingFileError, match="model-00002"):
        weightmap.digest(index)


@pytest.fixture
def many(tmp_path, monkeypatch):
    """An index with twenty shards of different sizes, read in small chunks."""
    monkeypatch.setattr(streams, "CHUNK", 100)
    rng = np.random.default_rng(4)
    weight_map, data = {}, {}
    for number in range(20):
        name = f"model-{number + 1:05}-of-00020.safetensors"
        data[f"t{number}"] = rng.integers(0, 256, 150 * number + 8, np.uint8).tobytes()
        tensor = (f"t{number}", "U8", (len(data[f"t{number}"]),), data[f"t{number}"])
        (tmp_path / name).write_bytes(safetensors([tensor]))
        weight_map[f"t{number}"] = name
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    return index, data


@pytest.mark.parametrize("threads", [1, 2, 4, 7, 64])
def test_many_files_at_once(many, threads):
    index, data = many
    seen = []
    callers = set()

    def progress(done, total):
        seen.append((done, total))
        callers.add(threading.get_ident())

    found = weightmap.digest(index, threads=threads, progress=progress)
    assert found.tensors == {name: sha(content) for name, content in data.items()}
    assert {name: one.sha256 for name, one in found.files.items()} == {
        path.name: sha(path.read_bytes()) for path in index.parent.iterdir()
    }
    total = sum(path.stat().st_size for path in index.parent.iterdir())
    assert seen == sorted(seen)
    assert seen[-1] == (total, total)
    assert callers == {threading.get_ident()}


@pytest.mark.parametrize(("threads", "stops"), [(1, (0, 3, 30)), (4, (0,)), (64, (0,))])
def test_many_files_cancelled_or_changed_meanwhile(many, threads, stops):
    index, _ = many
    before = threading.active_count()
    for stop in stops:
        calls = itertools.count()
        with pytest.raises(weightmap.Cancelled):
            weightmap.digest(index, threads=threads, progress=lambda *_: next(calls) < stop)  # noqa: B023
    last = sorted(index.parent.glob("*.safetensors"))[0]

    def touch(done, total):
        os.utime(last, ns=(0, 1))

    with pytest.raises(weightmap.FileChangedError) as problem:
        weightmap.digest(index, threads=1, progress=touch)
    assert problem.value.path == str(last)
    assert threading.active_count() == before


def test_a_model_of_ollama_is_its_blob(tmp_path):
    content = a_gguf(tmp_path / "m.gguf").read_bytes()
    store = ollama(tmp_path / "store", {"registry.ollama.ai/library/m/latest": [(MODEL, content)]})
    found = weightmap.digest(store / "manifests/registry.ollama.ai/library/m/latest")
    assert found.files == {f"sha256-{sha(content)}": weightmap.FileDigest(sha(content), len(content))}


def test_progress_and_cancel(tmp_path, threads):
    path = a_gguf(tmp_path / "m.gguf")
    seen = []
    weightmap.digest(path, threads=threads, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (path.stat().st_size, path.stat().st_size)
    with pytest.raises(weightmap.Cancelled):
        weightmap.digest(path, threads=threads, progress=lambda done, total: done < 500)


def test_tensors_that_share_most_bytes_are_refused_before_they_are_hashed(tmp_path):
    path = tmp_path / "m.gguf"
    count = 64
    tensors = [(f"t{n}", (512 - n,), 0, b"" if n else bytes(2048)) for n in range(count)]
    path.write_bytes(gguf(tensors=tensors, offsets=[0] * count))
    with pytest.raises(weightmap.CorruptWeightError, match="share bytes") as problem:
        weightmap.digest(path)
    assert problem.value.code == "overlap"


def test_a_file_that_changes_meanwhile(tmp_path, threads):
    path = a_gguf(tmp_path / "m.gguf")

    def grow(done, total):
        with path.open("ab") as file:
            file.write(b"more")

    with pytest.raises(weightmap.FileChangedError):
        weightmap.digest(path, threads=threads, progress=grow)


def test_memory_stays_flat(tmp_path):
    path = tmp_path / "big.safetensors"
    path.write_bytes(safetensors([("a", "U8", (1 << 26,), bytes(1 << 26))]))
    tracemalloc.start()
    weightmap.digest(path, threads=2)
    assert tracemalloc.get_traced_memory()[1] < 12 << 20
    tracemalloc.stop()
