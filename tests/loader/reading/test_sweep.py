import gc
import threading
import weakref

import numpy as np
import pytest

from weightmap.errors import Cancelled
from weightmap.reading import sweep as sweeping
from weightmap.reading.sweep import Meter, sweep, thread_limit, workspace


def test_every_chunk_once_in_order_on_each_thread():
    seen, lock = [], threading.Lock()

    def worker(work):
        mine = []
        with lock:
            seen.append(mine)
        return lambda start, stop: mine.append((start, stop))

    sweep(1003, 10, worker, threads=3)
    assert len(seen) == 3
    assert all(mine == sorted(mine) for mine in seen)
    assert sorted(chunk for mine in seen for chunk in mine) == [(i, min(i + 10, 1003)) for i in range(0, 1003, 10)]


@pytest.mark.parametrize(("each", "used"), [(1, 4), (30, 3), (51, 1), (200, 1)])
def test_a_thread_is_started_for_enough_chunks_only(each, used):
    workers = []
    sweep(100, 1, lambda _: workers.append(1) or (lambda *__: None), threads=4, each=each)
    assert len(workers) == used


def test_one_thread_starts_none():
    threads = set()
    sweep(100, 10, lambda _: lambda *__: threads.add(threading.current_thread()), threads=1)
    assert threads == {threading.current_thread()}


def test_nothing_to_do_reports_its_end():
    seen = []
    sweep(0, 10, lambda _: lambda *__: pytest.fail("no chunk"), meter=Meter(lambda *at: seen.append(at), 0))
    assert seen == [(0, 0)]


def test_progress_rises_to_the_total_over_several_sweeps():
    seen = []
    meter = Meter(lambda done, total: seen.append((done, total)), 200)
    for _ in range(2):
        sweep(100, 7, lambda _: lambda *__: None, threads=2, meter=meter)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (200, 200)
    assert {total for _, total in seen} == {200}


def test_progress_is_called_by_the_caller_alone():
    threads = set()
    meter = Meter(lambda *_: threads.add(threading.current_thread()), 1000)
    sweep(1000, 1, lambda _: lambda *__: None, threads=4, meter=meter)
    assert threads == {threading.current_thread()}


@pytest.mark.parametrize("answer", [None, 0, "", True])
def test_only_false_cancels(answer):
    sweep(10, 1, lambda _: lambda *__: None, meter=Meter(lambda *_: answer, 10))


def test_false_cancels_all_threads():
    calls = []
    meter = Meter(lambda *_: False, 10**6)
    with pytest.raises(Cancelled):
        sweep(10**6, 1, lambda _: lambda start, stop: calls.append(start), threads=2, meter=meter)
    assert len(calls) < 10**6
    assert not [thread for thread in threading.enumerate() if thread.name == "weightmap"]


@pytest.mark.parametrize("threads", [1, 4])
def test_the_first_problem_is_raised_and_kept_by_nobody(threads):
    class Held:
        pass

    def run():
        held = Held()

        def fail(start, stop):
            assert held
            raise ValueError(f"chunk {start}")

        with pytest.raises(ValueError, match="chunk"):
            sweep(1000, 1, lambda _: fail, threads=threads)
        return weakref.ref(held)

    gone = run()
    gc.collect()
    assert gone() is None
    assert not [thread for thread in threading.enumerate() if thread.name == "weightmap"]


def test_an_interrupt_ends_the_sweep():
    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(1000, 1, lambda _: lambda *__: None, threads=2, meter=Meter(interrupt, 1000))


@pytest.mark.parametrize(
    ("text", "asked", "limit"),
    [("3", None, 3), ("3", 2, 2), ("1", 8, 1), ("", 5, 5), ("0", 5, 5), ("many", 5, 5), (" 2 ", None, 2)],
)
def test_thread_limit(monkeypatch, text, asked, limit):
    monkeypatch.setenv("WEIGHTMAP_THREADS", text)
    assert thread_limit(asked) == limit


def test_thread_limit_is_what_the_process_may_use(monkeypatch):
    monkeypatch.delenv("WEIGHTMAP_THREADS", raising=False)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {3, 5, 8}, raising=False)
    assert thread_limit() == 3


def test_threads_below_one_are_refused():
    with pytest.raises(ValueError, match="at least 1"):
        thread_limit(0)


def test_a_workspace_is_lent_to_one_at_a_time_and_then_reused():
    with workspace() as first, workspace() as second:
        assert first is not second
    with workspace() as again:
        assert again in (first, second)


def test_a_workspace_that_grew_over_many_kinds_of_passes_is_given_back(monkeypatch):
    monkeypatch.setattr(sweeping, "_spare", [])
    with sweeping.workspace() as small:
        small.array("values", (1 << 20,), np.uint8)
    with sweeping.workspace() as again:
        assert again is small and again.nbytes == 1 << 20
        again.array("values", (2 << 20,), np.uint8)  # in place of the smaller
        assert again.nbytes == 2 << 20
        for kind in range(8):
            again.array(f"scales of {kind}", (2 << 20,), np.uint8)
    assert again.nbytes == 18 << 20 > sweeping.KEPT_BYTES
    assert sweeping._spare == []
