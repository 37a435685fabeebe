import gc
import os
import pickle
import sys
import threading

import numpy as np
import pytest
from support.build import gguf, safetensors

import weightmap

VALUES = np.arange(12, dtype="<f4")


def small(folder, name="model.safetensors", scale=1):
    file = folder / name
    data = (VALUES * scale).astype("<f4").tobytes()
    file.write_bytes(safetensors([("b", "F32", [3, 4], data), ("a", "F32", [12], data)], {"made": "here"}))
    return file


def held(path):
    """How this process still holds a file."""
    found = [fd for fd in os.listdir("/proc/self/fd") if os.path.realpath(f"/proc/self/fd/{fd}") == str(path)]
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        return (len(found), str(path) in maps.read())


def test_what_a_file_says(tmp_path):
    path = small(tmp_path)
    with weightmap.open(path) as model:
        assert (model.format, model.path, model.status, model.findings) == ("safetensors", str(path), "ok", ())
        assert list(model.tensors) == ["b", "a"]
        assert "a" in model.tensors
        assert len(model.tensors) == len(model.records) == 2
        assert [part.path for part in model.parts] == [str(path)]
        assert (model.version, model.byte_order, model.alignment, model.closed) == (None, "little", 1, False)
        assert "2 tensors" in repr(model)
        with pytest.raises(KeyError):
            model.tensors["c"]


def test_metadata(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf([("general.architecture", "str", "llama"), ("n", "arr", ("i32", [1, 2]))]))
    with weightmap.open(str(path)) as model:
        assert model.metadata["general.architecture"] == "llama"
        assert model.metadata["n"].tolist() == [1, 2]
        assert (model.version, model.alignment) == (3, 32)


def test_a_name_that_stands_twice_gives_the_first(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf(tensors=[("t", (2,), 0, VALUES[:2].tobytes()), ("t", (3,), 0, VALUES[:3].tobytes())]))
    with weightmap.open(path) as model:
        assert [t.shape for t in model.records] == [(2,), (3,)]
        assert list(model.tensors) == ["t"]
        assert model.tensors["t"].shape == (2,)
        assert model.records[1].array().tolist() == [0, 1, 2]
        assert model.status == "error"


def test_findings_are_worked_out_once(tmp_path, monkeypatch):
    calls = []
    real = weightmap.opened.check
    monkeypatch.setattr("weightmap.opened.check", lambda *args, **more: calls.append(1) or real(*args, **more))
    with weightmap.open(small(tmp_path)) as model:
        assert calls == []
        assert model.findings is not None
        assert model.status == "ok"
        assert model.tensors["a"].status == "ok"
    assert calls == [1]


def test_closing(tmp_path):
    path = small(tmp_path)
    model = weightmap.open(path)
    tensor = model.tensors["a"]
    assert tensor.array()[3] == tensor[3] == 3
    assert model.close() == 0
    if sys.platform == "linux":
        assert held(path) == (0, False)
    for read in (tensor.array, tensor.raw, lambda: tensor[0], lambda: tensor[0:0], tensor.statistics, model.changed):
        with pytest.raises(weightmap.ClosedError) as problem:
            read()
        assert problem.value.code == "closed"
    assert model.closed
    assert model.close() == 0
    assert "closed" in repr(model)
    assert model.metadata["made"] == "here"
    assert model.tensors["a"].shape == (12,)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_views_outlive_the_model_and_the_last_one_lets_go(tmp_path):
    path = small(tmp_path)
    with weightmap.open(path) as model:
        view = model.tensors["a"].array()[2:]
        part = model.tensors["b"][1]
    assert model.close() == 2
    assert view.tolist() == list(range(2, 12))
    assert held(path)[1]  # and Python's mmap keeps a descriptor of its own
    del view
    assert model.close() == 1
    assert part.tolist() == [4, 5, 6, 7]
    del part
    assert model.close() == 0
    assert held(path) == (0, False)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_tensor_keeps_its_model_open_and_goes_without_garbage_collection(tmp_path):
    path = small(tmp_path)
    gc.disable()
    try:
        tensor = weightmap.open(path).tensors["a"]
        assert tensor.array().tolist() == VALUES.tolist()
        assert held(path)[0]
        del tensor
        assert held(path) == (0, False)
    finally:
        gc.enable()


def test_close_waits_for_a_read_under_way(tmp_path):
    path = tmp_path / "large.safetensors"
    path.write_bytes(safetensors([("t", "F32", [1 << 19], np.ones(1 << 19, "<f4").tobytes())]))
    model = weightmap.open(path)
    started, outcome = threading.Event(), []

    def read():
        try:
            while True:
                outcome.append(model.tensors["t"].array(copy=True)[-1])
                started.set()
        except weightmap.ClosedError:
            outcome.append("closed")

    thread = threading.Thread(target=read)
    thread.start()
    started.wait(10)
    model.close()
    thread.join(10)
    assert outcome[-1] == "closed"
    assert set(outcome[:-1]) == {1.0}


def test_a_replaced_file_stays_as_it_was_and_reload_shows_the_new_one(tmp_path):
    path = small(tmp_path)
    with weightmap.open(path) as model:
        assert model.changed() is None
        small(tmp_path, "new", 2)
        os.replace(tmp_path / "new", path)
        assert model.changed().code == "file_changed"
        assert model.tensors["a"].array().tolist() == VALUES.tolist()
        with model.reload() as fresh:
            assert fresh.tensors["a"].array().tolist() == (2 * VALUES).tolist()
            assert fresh.changed() is None
        path.unlink()
        assert model.tensors["a"].array().tolist() == VALUES.tolist()
        with pytest.raises(FileNotFoundError):
            model.reload()


def test_a_set_of_parts_is_one_model(tmp_path):
    def part(number, name):
        meta = [("general.architecture", "str", "llama"), ("split.no", "u16", number), ("split.count", "u16", 2)]
        data = (VALUES + number).astype("<f4").tobytes()
        path = tmp_path / f"m-0000{number + 1}-of-00002.gguf"
        path.write_bytes(gguf([*meta, ("split.tensors.count", "i32", 2)], [(name, (12,), 0, data)]))
        return path

    paths = [part(0, "one"), part(1, "two")]
    with weightmap.open(paths[1]) as model:
        assert list(model.tensors) == ["one", "two"]
        assert [t.path for t in model.tensors.values()] == [str(p) for p in paths]
        assert model.tensors["two"].array()[0] == 1
        assert model.tensors["one"].part == 0
    paths[0].unlink()
    with weightmap.open(paths[1]) as model:
        assert model.status == "error"
        assert model.tensors["two"].array()[0] == 1


def test_errors_are_pickled(tmp_path):
    with pytest.raises(weightmap.MissingFileError) as problem:
        weightmap.open(tmp_path / "absent.gguf")
    again = pickle.loads(pickle.dumps(problem.value))
    assert (type(again), again.code, str(again)) == (type(problem.value), "not_found", str(problem.value))


def test_a_relative_path_holds_wherever_the_process_goes(tmp_path, monkeypatch):
    (tmp_path / "m.safetensors").write_bytes(safetensors((("a", "F32", (2,), bytes(8)),)))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with weightmap.open("m.safetensors") as model:
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert model.changed() is None
        with model.reload() as again:
            assert again.tensors["a"].array().tolist() == [0, 0]
        monkeypatch.chdir(tmp_path)
        with model.reload() as again:
            assert again.path == "m.safetensors"
        (tmp_path / "m.safetensors").unlink()
        assert "deleted" in model.changed().message
