import json
import multiprocessing
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from weightmap.cache.container import MAGIC, unpack
from weightmap.cache.place import store
from weightmap.cache.store import Store
from weightmap.version import __version__

BODY = {"a": [1, 2.5, None, "ü\udcff", {"b": True}], "n": float("inf")}
SEGMENTS = {"one": b"\0\1\2" * 50, "none": b"", "two": b"x"}


@pytest.fixture
def kept(tmp_path):
    place = Store(str(tmp_path / "c"))
    assert place.save("k", "thing", BODY, SEGMENTS)
    return place


def file_of(place, key="k", kind="thing"):
    return Path(place.place, "v1", key, kind + ".wmc")


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


def test_every_changed_byte_is_noticed(kept):
    path = file_of(kept)
    whole = path.read_bytes()
    start = len(whole) - sum(map(len, SEGMENTS.values()))
    for at in range(len(whole)):
        spoilt = bytearray(whole)
        spoilt[at] ^= 1 << at % 8
        path.write_bytes(spoilt)
        found = kept.load("k", "thing")
        if at < start:
            assert found is None
        else:
            assert found.body == BODY
            assert {name for name in SEGMENTS if found.segment(name) != SEGMENTS[name]} == {
                "one" if at < start + 150 else "two"
            }
            assert all(found.segment(name) in (None, SEGMENTS[name]) for name in SEGMENTS)


def test_every_length_but_the_right_one_is_noticed(kept):
    path = file_of(kept)
    whole = path.read_bytes()
    for length in (*range(len(whole)), len(whole) + 1):
        path.write_bytes((whole + b"\0")[:length])
        assert kept.load("k", "thing") is None


def test_a_file_under_anothers_name_is_not_taken_for_it(kept):
    kept.save("j", "thing", "other", {})
    for key, kind in (("j", "thing"), ("k", "kind")):
        os.makedirs(os.path.dirname(file_of(kept, key, kind)), exist_ok=True)
        os.replace(file_of(kept), file_of(kept, key, kind))
        assert kept.load(key, kind) is None
        kept.save("k", "thing", BODY, SEGMENTS)


def forged(**changes):
    """A file that is whole, with something else in it than belongs there."""
    fields = {"format": 1, "weightmap": __version__, "key": "k", "kind": "thing", "segments": {}, "body": 1}
    document = json.dumps(fields | changes).encode()
    rest = struct.pack("<II", len(document), 0)
    return MAGIC + struct.pack("<I", zlib.crc32(document, zlib.crc32(rest))) + rest + document


@pytest.mark.parametrize(
    ("changes", "accepted"),
    [
        ({}, True),
        ({"weightmap": "0.0.9"}, False),
        ({"format": 2}, False),
        ({"segments": {"a": [0]}}, False),
        ({"segments": {"a": None}}, False),
        ({"segments": 5}, False),
    ],
)
def test_another_version_or_form(kept, changes, accepted):
    file_of(kept).write_bytes(forged(**changes))
    assert (kept.load("k", "thing") is not None) == accepted


def test_a_document_that_is_nested_too_deep(kept):
    document = b"[" * 100_000
    rest = struct.pack("<II", len(document), 0)
    whole = MAGIC + struct.pack("<I", zlib.crc32(document, zlib.crc32(rest))) + rest + document
    file_of(kept).write_bytes(whole)
    assert kept.load("k", "thing") is None


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


class TestWhere:
    @pytest.mark.parametrize("said", ["0", "off", " No ", "FALSE"])
    def test_switched_off_whatever_is_asked_for(self, monkeypatch, tmp_path, said):
        monkeypatch.setenv("WEIGHTMAP_CACHE", said)
        assert store() is store(True) is store(tmp_path) is None

    def test_a_folder_by_the_environment_or_by_keyword(self, monkeypatch, tmp_path):
        monkeypatch.setenv("WEIGHTMAP_CACHE", str(tmp_path / "e"))
        assert store().place == store(True).place == str(tmp_path / "e")
        assert store(tmp_path / "k").place == str(tmp_path / "k")
        assert store(False) is None

    def test_the_users_folder_is_that_of_platformdirs(self, tmp_path):
        code = "from weightmap.cache.place import store; print(store().place)"
        environment = {name: value for name, value in os.environ.items() if name != "WEIGHTMAP_CACHE"}
        environment |= {"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        from platformdirs import user_cache_dir

        assert done.stdout.strip().startswith(str(tmp_path))
        assert os.path.basename(user_cache_dir("weightmap", appauthor=False)) == os.path.basename(done.stdout.strip())

    def test_a_user_without_a_home_has_none(self):
        code = (
            "import sys, types; sys.modules['platformdirs'] = m = types.ModuleType('platformdirs');"
            "m.user_cache_dir = lambda *a, **k: '~/.cache/weightmap';"
            "from weightmap.cache.place import store; print(store())"
        )
        environment = {name: value for name, value in os.environ.items() if name != "WEIGHTMAP_CACHE"}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "None"

    def test_without_platformdirs_there_is_none(self, tmp_path):
        code = "import sys; sys.modules['platformdirs'] = None; from weightmap.cache.place import store; print(store())"
        environment = {name: value for name, value in os.environ.items() if name != "WEIGHTMAP_CACHE"}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "None"


def test_unpack_reads_nothing_that_is_no_file(tmp_path):
    assert unpack(str(tmp_path), "k", "thing") is None
    assert unpack(str(tmp_path / "absent"), "k", "thing") is None
