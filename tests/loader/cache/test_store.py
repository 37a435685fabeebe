"""A folder of entries: what is kept comes back, to its owner alone, within a bounded size, whoever else writes."""

import multiprocessing
import os
from pathlib import Path

from support.kept import BODY, SEGMENTS, file_of

from weightmap.cache.store import Store


def test_what_is_kept_comes_back(kept):
    found = kept.load("k", "thing")
    assert found.body == BODY
    assert {name: found.segment(name) for name in SEGMENTS} == SEGMENTS
    assert found.segment("three") is None
    assert kept.load("k", "other") is kept.load("j", "thing") is None
    assert os.listdir(os.path.dirname(file_of(kept))) == ["thing.wmc"]
    kept.forget("k", "thing")
    kept.forget("k", "thing")
    assert kept.load("k", "thing") is None


def test_a_document_longer_than_the_first_read(tmp_path):
    place = Store(str(tmp_path))
    body = ["x" * 1000] * 1000
    assert place.save("k", "long", body, {"s": b"tail"})
    assert place.load("k", "long").body == body
    assert place.load("k", "long").segment("s") == b"tail"


def test_a_segment_that_was_replaced_or_removed_meanwhile(kept):
    found = kept.load("k", "thing")
    kept.save("k", "thing", "shorter", {"one": b"other"})
    assert found.segment("one") is None
    os.remove(file_of(kept))
    assert found.segment("two") is None


def test_what_json_does_not_have_is_not_kept(kept):
    assert not kept.save("k", "odd", {"a": {1, 2}}, {})
    assert kept.load("k", "odd") is None


def test_nobody_else_may_read_it(kept):
    assert os.stat(file_of(kept)).st_mode & 0o077 == 0
    assert os.stat(os.path.dirname(file_of(kept))).st_mode & 0o077 == 0


def test_what_another_user_wrote_is_not_believed(kept, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.stat(kept.place).st_uid + 1)
    assert kept.load("k", "thing") is None


def test_a_pipe_in_place_of_an_entry_blocks_nothing(kept):
    file_of(kept).unlink()
    os.mkfifo(file_of(kept))
    assert kept.load("k", "thing") is None
    assert kept.save("k", "thing", 2)
    assert kept.load("k", "thing").body == 2


def test_places_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for place in (Store(str(tmp_path / "file")), Store("/proc/nowhere"), Store("\0")):
        assert not place.save("k", "thing", 1)
        assert place.load("k", "thing") is None
        place.tidy()
        assert place.size() == (0, 0)


def test_a_full_disk_leaves_nothing_behind(kept, monkeypatch):
    real = os.open

    def full(path, flags, *more, **words):
        if str(path).endswith(".part"):
            return real("/dev/full", os.O_WRONLY)
        return real(path, flags, *more, **words)

    monkeypatch.setattr(os, "open", full)
    assert not kept.save("k", "thing", "new")
    assert kept.load("k", "thing").body == BODY
    assert os.listdir(os.path.dirname(file_of(kept))) == ["thing.wmc"]


def test_the_size_is_bounded_and_the_oldest_goes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("WEIGHTMAP_CACHE_SIZE", "100000")
    place = Store(str(tmp_path))
    data = os.urandom(9000)
    for number in range(10):
        assert place.save(f"k{number}", "thing", number, {"d": data})
        os.utime(file_of(place, f"k{number}"), (number, number))
    assert place.load("k0", "thing").body == 0  # used now
    place.save("k10", "thing", 10, {"d": data})
    place.save("k11", "thing", 11, {"d": data})
    place.tidy()
    assert place.size()[1] <= 50000
    assert place.load("k0", "thing") is not None
    assert [number for number in range(1, 12) if place.load(f"k{number}", "thing")] == [8, 9, 10, 11]
    assert not os.path.exists(os.path.dirname(file_of(place, "k1")))
    assert not place.save("big", "thing", 0, {"d": bytes(100000 // 8)})


def test_it_tidies_by_itself(tmp_path, monkeypatch):
    monkeypatch.setenv("WEIGHTMAP_CACHE_SIZE", "50000")
    place = Store(str(tmp_path))
    for number in range(200):
        place.save(f"k{number}", "thing", number, {"d": bytes(1000)})
    assert place.size()[1] < 50000 + 64 * 1200


def test_half_written_files_go_after_a_while_and_strangers_stay(kept):
    folder = os.path.dirname(file_of(kept))
    for name, age in (("old.part", 10), ("new.part", None), ("stranger.txt", 10)):
        Path(folder, name).touch()
        if age:
            os.utime(os.path.join(folder, name), (age, age))
    kept.tidy()
    assert sorted(os.listdir(folder)) == ["new.part", "stranger.txt", "thing.wmc"]
    kept.clear()
    assert os.listdir(folder) == ["stranger.txt"]


def hammer(place, seed, count):
    """Write and read the same few things as others do; what is read is whole or not there."""
    mine = Store(place)
    for number in range(count):
        kind = f"t{(seed + number) % 3}"
        data = bytes([seed]) * 5000
        mine.save("k", kind, {"by": seed, "is": [seed] * 500}, {"d": data})
        found = mine.load("k", kind)
        if found is not None:
            by = found.body["by"]
            assert found.body["is"] == [by] * 500
            segment = found.segment("d")
            assert segment is None or segment == bytes([segment[0]]) * 5000
        if number % 10 == 0:
            mine.tidy()


def test_many_processes_at_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=hammer, args=(str(tmp_path), seed, 60)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * 4
    found = [Store(str(tmp_path)).load("k", f"t{n}") for n in range(3)]
    assert all(one is not None and len(one.segment("d")) == 5000 for one in found)
    assert not [name for _, _, names in os.walk(tmp_path) for name in names if name.endswith(".part")]
