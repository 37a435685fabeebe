"""Tasks in the background: results, failures and progress on the window's thread, slots, cancelling, and how many at a time."""

import threading
import time

import weightmap


def test_the_result_comes_on_the_windows_thread(qtbot, tasks):
    seen = []
    here = threading.get_ident()
    tasks.start("a", "A", lambda go: threading.get_ident(), lambda there: seen.append((there, threading.get_ident())))
    qtbot.waitUntil(lambda: bool(seen))
    assert seen[0][0] != here and seen[0][1] == here
    assert tasks.idle


def test_a_new_task_of_a_slot_drops_the_older_and_its_result(qtbot, tasks):
    seen, gate, begun, discarded = [], threading.Event(), threading.Event(), []

    def slow(go):
        begun.set()
        gate.wait(5)
        return "old"

    tasks.start("a", "A", slow, seen.append, discard=discarded.append)
    assert begun.wait(5)
    tasks.start("a", "A", lambda go: "new", seen.append)
    gate.set()
    qtbot.waitUntil(lambda: bool(seen) and bool(discarded))
    qtbot.wait(20)
    assert seen == ["new"] and discarded == ["old"]


def test_a_result_that_is_ready_but_not_heard_is_dropped_too(qtbot, tasks):
    seen, done = [], threading.Event()
    tasks.start("a", "A", lambda go: done.set() or "stale", seen.append)
    done.wait(5)
    time.sleep(0.05)  # the result lies in the queue; the event loop has not run
    tasks.start("a", "A", lambda go: "fresh", seen.append)
    qtbot.waitUntil(lambda: bool(seen))
    qtbot.wait(20)
    assert seen == ["fresh"]


def test_cancel_is_answered_at_once_and_ends_the_work(qtbot, tasks):
    events, ended = [], threading.Event()

    def work(go):
        while go(1, 10) is not False:
            time.sleep(0.002)
        ended.set()
        raise weightmap.Cancelled

    tasks.start("a", "A", work, events.append, lambda r: events.append(r), lambda: events.append("cancelled"))
    qtbot.wait(20)
    assert tasks.cancel_all()
    assert events == ["cancelled"]
    assert ended.wait(5)
    qtbot.wait(20)
    assert events == ["cancelled"] and not tasks.cancel_all()


def test_cancelled_by_the_work_itself_is_not_failed(qtbot, tasks):
    events = []

    def work(go):
        raise weightmap.Cancelled

    tasks.start("a", "A", work, events.append, lambda r: events.append("failed"), lambda: events.append("cancelled"))
    qtbot.waitUntil(lambda: bool(events))
    assert events == ["cancelled"]


def test_failures_arrive_as_they_are(qtbot, tasks):
    failures = []

    def work(go):
        raise weightmap.errors.error(
            weightmap.Finding(severity=weightmap.Severity.ERROR, code="truncated", message="short")
        )

    tasks.start("a", "A", work, lambda r: None, failures.append)
    qtbot.waitUntil(lambda: bool(failures))
    assert isinstance(failures[0], weightmap.TruncatedFileError)


def test_a_failure_that_nobody_takes_is_raised_in_the_event_loop(qtbot, tasks):
    with qtbot.captureExceptions() as raised:
        tasks.start("a", "A", lambda go: 1 / 0, lambda r: None)
        qtbot.waitUntil(lambda: bool(raised))
    assert raised[0][0] is ZeroDivisionError


def test_progress_is_told_now_and_then_and_quiet_tasks_are_not(qtbot, tasks):
    told, started, ended = [], [], []
    tasks.started.connect(lambda task: started.append(task.slot))
    tasks.progressed.connect(lambda task: told.append((task.done, task.total)))
    tasks.ended.connect(lambda task: ended.append(task.slot))
    done = []

    def work(go):
        for n in range(30):
            go(n, 30)
            time.sleep(0.01)
        return "done"

    tasks.start("loud", "Loud", work, done.append)
    tasks.start("quiet", "", work, done.append, quiet=True)
    assert tasks.running("quiet") and tasks.running()
    qtbot.waitUntil(lambda: len(done) == 2, timeout=10_000)
    assert started == ["loud"] and ended == ["loud"]
    assert 1 <= len(told) <= 20 and all(total == 30 for _, total in told)


def test_what_begins_later_has_its_slot_and_can_be_dropped_until_then(qtbot, tasks):
    seen = []
    tasks.start("a", "A", lambda go: "late", seen.append, delay=60)
    tasks.start("b", "B", lambda go: seen.append("begun"), seen.append, delay=60)
    assert tasks.running("a") and not tasks.idle
    tasks.drop("b")
    qtbot.wait(20)
    assert seen == []
    qtbot.waitUntil(lambda: tasks.idle)
    qtbot.wait(100)
    assert seen == ["late"]


def test_the_plot_pool_does_one_thing_at_a_time(qtbot, tasks):
    running, most, done = [], [], []

    def work(go):
        running.append(1)
        most.append(len(running))
        time.sleep(0.02)
        running.pop()

    for n in range(4):
        tasks.start(f"p{n}", "", work, done.append, pool="plot", quiet=True)
    qtbot.waitUntil(lambda: len(done) == 4, timeout=10_000)
    assert max(most) == 1


def test_five_thousand_tasks_and_signals_lose_nothing(qtbot, tasks):
    count, heard = [0], [0]

    def one_more(value):
        count[0] += value
        heard[0] += 1
        if heard[0] < 5_000:
            tasks.start("n", "N", lambda go: True, one_more)

    tasks.ended.connect(lambda task: None)
    tasks.start("n", "N", lambda go: True, one_more)
    qtbot.waitUntil(lambda: heard[0] == 5_000, timeout=60_000)
    assert count[0] == 5_000


def test_no_more_tasks_run_at_a_time_than_a_pool_has_threads(qtbot, tasks):
    gate, here, counts, plotted = threading.Event(), [], [], []

    def work(go):
        here.append(1)
        counts.append(len(here))
        gate.wait(5)
        here.pop()

    for number in range(12):
        tasks.start(f"a{number}", "A", work, lambda r: None)
    for number in range(3):
        tasks.start(f"p{number}", "P", lambda go: threading.get_ident(), plotted.append, pool="plot")
    qtbot.waitUntil(lambda: len(here) == 4 and len(plotted) == 3)
    gate.set()
    qtbot.waitUntil(lambda: tasks.idle)
    assert len(counts) == 12 and max(counts) == 4
    assert len(set(plotted)) == 1


def test_the_thread_that_was_last_at_work_goes_on(qtbot, tasks):
    gate, at_work = threading.Event(), threading.Semaphore(0)
    for number in range(4):
        tasks.start(f"{number}", "", lambda go: (at_work.release(), gate.wait(5)), lambda _: None)
    for _ in range(4):
        assert at_work.acquire(timeout=5)
    gate.set()
    qtbot.waitUntil(lambda: tasks.idle)
    seen = []
    for _ in range(12):
        tasks.start("one by one", "", lambda go: threading.get_ident(), seen.append)
        qtbot.waitUntil(lambda: tasks.idle)
        qtbot.wait(2)
    assert len(seen) == 12 and len(set(seen)) == 1
