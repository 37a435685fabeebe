"""A file on a server read by many threads and a fork: fetched once and ahead, and ended by closing."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from support.build import safetensors
from support.served import floats, small
from support.web import Web

import weightmap
from weightmap.source.blocks import BLOCK


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
