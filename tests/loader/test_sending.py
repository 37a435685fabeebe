import copy
import multiprocessing
import os
import pickle
import shutil

import numpy as np
import pytest
from support.blocks import decoded, finite_blocks
from support.build import gguf, safetensors
from support.checksums import shards

import weightmap
from weightmap.types.registry import by_name

Q8_0 = by_name("Q8_0")
BLOCKS = finite_blocks(Q8_0, 64)
VALUES = decoded(Q8_0, BLOCKS).reshape(32, 64)
HALF = np.arange(6, dtype="<f2").reshape(2, 3)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "model.gguf"
    tensors = [("blk.1.w", (32, 64), 8, BLOCKS.tobytes()), ("blk.0.h", (2, 3), 1, HALF.tobytes())]
    file.write_bytes(gguf(tensors=tensors))
    return file


def there(sent):
    """What a worker finds of what it was sent, or the error that it met."""
    if isinstance(sent, weightmap.Tensor):
        return sent.name, sent.array().tolist()
    if isinstance(sent, weightmap.WeightFile):
        return sent.path, sent.status, list(sent.tensors)
    return {
        name: np.asarray(value if isinstance(value, np.ndarray) else value.array()).tolist()
        for name, value in sent.items()
    }


def work(inbox, outbox, folder):
    os.chdir(folder)
    while (data := inbox.get()) is not None:
        try:
            outbox.put(there(pickle.loads(data)))
        except Exception as problem:
            outbox.put(problem)


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    """Another process, in another folder: gives what it makes of what it is sent."""
    context = multiprocessing.get_context("spawn")
    inbox, outbox = context.Queue(), context.Queue()
    process = context.Process(target=work, args=(inbox, outbox, str(tmp_path_factory.mktemp("elsewhere"))))
    process.start()

    def ask(sent):
        inbox.put(sent if isinstance(sent, bytes) else pickle.dumps(sent))
        return outbox.get(timeout=60)

    yield ask
    inbox.put(None)
    process.join(60)
    assert process.exitcode == 0


def test_weights_are_read_by_the_worker_itself(path, worker):
    with weightmap.load_weights(path) as weights:
        assert len(pickle.dumps(weights)) < 1000
        assert worker(weights) == {"blk.1.w": VALUES.tolist(), "blk.0.h": HALF.tolist()}


def test_the_selection_travels(path, worker):
    weights = weightmap.load_weights(path, names="blk.0.*", dtype=np.float64)
    again = pickle.loads(pickle.dumps(weights))
    assert (list(again), again["blk.0.h"].dtype) == (["blk.0.h"], np.float64)
    assert list(pickle.loads(pickle.dumps(weightmap.load_weights(path, names=[])))) == []
    kept = pickle.loads(pickle.dumps(weightmap.load_weights(path, keep_quantized=True)))
    assert isinstance(kept["blk.1.w"], weightmap.Tensor)
    assert worker(weightmap.load_weights(path, names="blk.1.w", keep_quantized=True)) == {"blk.1.w": VALUES.tolist()}


def test_models_and_tensors(path, worker):
    with weightmap.open(path) as model:
        assert worker(model) == (str(path), "info", ["blk.1.w", "blk.0.h"])
        assert worker(model.tensors["blk.0.h"]) == ("blk.0.h", HALF.tolist())
        assert worker(model.records[0]) == ("blk.1.w", VALUES.tolist())


def test_a_relative_path_holds_in_a_worker_elsewhere(path, worker, monkeypatch):
    monkeypatch.chdir(path.parent)
    with weightmap.load_weights("model.gguf") as weights:
        assert set(worker(weights)) == {"blk.1.w", "blk.0.h"}
    with weightmap.open("model.gguf") as model:
        assert pickle.loads(pickle.dumps(model)).path == "model.gguf"


def change_time(path):
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


def replace_with_a_copy(path):
    other = path.with_name("copy")
    shutil.copy2(path, other)
    os.replace(other, path)


def change_the_end(path):
    status = path.stat()
    with path.open("r+b") as file:
        file.seek(-30, os.SEEK_END)
        file.write(b"x")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def grow(path):
    status = path.stat()
    with path.open("ab") as file:
        file.write(b"x")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("change", [change_time, replace_with_a_copy, change_the_end, grow])
def test_another_file_there_is_an_error(path, worker, change):
    with weightmap.load_weights(path) as weights, weightmap.open(path) as model:
        sent = [pickle.dumps(one) for one in (weights, model, model.tensors["blk.0.h"])]
    change(path)
    for data in sent:
        problem = worker(data)
        assert isinstance(problem, weightmap.FileChangedError)
        assert (problem.code, problem.path) == ("file_changed", str(path))


def test_no_file_there_is_an_error(path, worker):
    with weightmap.load_weights(path) as weights:
        sent = pickle.dumps(weights)
    path.unlink()
    assert isinstance(worker(sent), weightmap.MissingFileError)


def test_a_file_that_changed_here_is_not_sent(path):
    with weightmap.load_weights(path) as weights:
        change_time(path)
        with pytest.raises(weightmap.FileChangedError):
            pickle.dumps(weights)


def test_each_part_of_a_set_counts(tmp_path, worker):
    index = shards(tmp_path)
    with weightmap.load_weights(index) as weights:
        sent = pickle.dumps(weights)
    assert set(worker(sent)) == {"a", "c"}
    second = tmp_path / "model-00002-of-00002.safetensors"
    change_time(second)
    problem = worker(sent)
    assert (type(problem), problem.path) == (weightmap.FileChangedError, str(second))


def test_what_is_closed_is_not_sent(path):
    with weightmap.open(path) as model:
        tensor = model.tensors["blk.0.h"]
    for one in (model, tensor):
        with pytest.raises(weightmap.ClosedError):
            pickle.dumps(one)


def test_tensors_of_one_model_share_its_files_where_they_arrive(path):
    with weightmap.open(path) as model:
        one, two = (pickle.loads(pickle.dumps(model.tensors[name])) for name in ("blk.0.h", "blk.1.w"))
    assert one._opened is two._opened
    assert np.array_equal(two.array(), VALUES)
    shared = one._opened
    shared.close()
    with weightmap.open(path) as model:
        assert pickle.loads(pickle.dumps(model.tensors["blk.0.h"])).array().tolist() == HALF.tolist()


def test_damage_is_not_loaded_strictly_by_sending_it(tmp_path, worker):
    cut = tmp_path / "cut.safetensors"
    cut.write_bytes(safetensors([("a", "F32", (2,), bytes(8)), ("b", "F32", (2,), bytes(8))])[:-4])
    with weightmap.open(cut) as model:
        assert worker(model.tensors["a"]) == ("a", [0, 0])
        assert isinstance(worker(model.tensors["b"]), weightmap.TruncatedFileError)


def test_copies_are_models_of_their_own(path):
    with weightmap.load_weights(path) as weights:
        other = copy.copy(weights)
    assert other["blk.0.h"].tolist() == HALF.tolist()
    other.close()


def test_the_cache_travels_with_it(path, tmp_path, monkeypatch):
    monkeypatch.setenv("WEIGHTMAP_CACHE", str(tmp_path / "c"))
    with weightmap.open(path) as model:
        assert pickle.loads(pickle.dumps(model)).opened.store.place == str(tmp_path / "c")
    with weightmap.open(path, cache=False) as model:
        assert pickle.loads(pickle.dumps(model)).opened.store is None
