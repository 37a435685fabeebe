import hashlib
import os
import random
import signal
import subprocess
import sys

import pytest
from support.checksums import DATA, a_gguf, flip, place, sha, shards

import weightmap
from weightmap.cache.container import pack, unpack
from weightmap.integrity import resumable
from weightmap.source.file import FileSource


@pytest.fixture
def path(tmp_path):
    return a_gguf(tmp_path / "m.gguf")


@pytest.fixture
def reads(monkeypatch):
    """Ranges of at most a chunk that a pass reads, in order; the ends that name a file are read in other sizes."""
    seen = []
    real = FileSource.read_into
    monkeypatch.setattr(
        FileSource,
        "read_into",
        lambda self, at, out: (seen.append(at) if len(out) <= 100 else None, real(self, at, out))[1],
    )
    return seen


def expected(path):
    content = path.read_bytes()
    return {path.name: weightmap.FileDigest(sha(content), len(content))}, {
        name: sha(data) for name, data in DATA.items()
    }


def digested(path, **options):
    found = weightmap.digest(path, **options)
    return dict(found.files), dict(found.tensors)


def test_the_second_time_nothing_is_read(path, cache, reads):
    assert digested(path) == expected(path)
    assert reads
    reads.clear()
    seen = []
    assert digested(path, progress=lambda *done: seen.append(done)) == expected(path)
    assert (reads, seen) == ([], [(0, 0)])
    assert digested(path, fresh=True) == expected(path)
    assert reads


def test_a_changed_file_is_read_again(path, cache, reads):
    before = digested(path)
    flip(path, place(path, "c"))
    assert digested(path)[0] == expected(path)[0] != before[0]


def test_verifying_reads_every_byte_unless_told_otherwise(path, cache, reads):
    manifest = weightmap.digest(path).entry()
    reads.clear()
    assert weightmap.verify(path, manifest, cached=True).checked == 4
    assert reads == []
    assert weightmap.verify(path, manifest).checked == 4
    assert reads
    reads.clear()
    with weightmap.load_weights(path, verify=manifest):
        assert reads


def test_more_is_asked_than_is_known(path, cache, reads):
    weightmap.verify(path, {"c": sha(DATA["c"])}, strict=False, cached=True)
    assert len(reads) < 10
    assert digested(path) == expected(path)


def test_only_what_is_needed_is_read(path, cache, reads):
    with weightmap.load_weights(path, names="c", verify={"c": sha(DATA["c"])}):
        pass
    assert reads == [place(path, "c")]


def stop_after(calls):
    def progress(done, total):
        progress.seen.append((done, total))
        return len(progress.seen) <= calls

    progress.seen = []
    return progress


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_a_pass_that_was_cancelled_goes_on_where_it_was(path, cache, reads, threads):
    assert resumable.available()
    size = path.stat().st_size
    for calls in range(0, size // 100, 3):
        for entry in cache.rglob("digest*"):
            entry.unlink()
        with pytest.raises(weightmap.Cancelled):
            digested(path, threads=threads, progress=stop_after(calls))
        reads.clear()
        again = stop_after(1000)
        assert digested(path, threads=threads, progress=again) == expected(path)
        assert reads[0] == 100 * (calls + 1)
        assert again.seen[0] == (min(reads[0] + 100, size), size)
        assert again.seen[-1] == (size, size)
        assert not list(cache.rglob("digest-under-way*"))


def in_small_steps(path):
    """Cancelled after every second chunk until it is done; how often, and the result."""
    for rounds in range(1000):
        try:
            return rounds, digested(path, progress=stop_after(1))
        except weightmap.Cancelled:
            pass
    raise AssertionError("it comes to no end")


def test_again_and_again(path, cache):
    rounds, found = in_small_steps(path)
    assert found == expected(path)
    assert rounds == -(-path.stat().st_size // 200)


def test_each_file_of_a_set_by_itself(tmp_path, cache):
    index = shards(tmp_path / "m")
    plain = digested(index, fresh=True)
    rounds, found = in_small_steps(index)
    assert found == plain
    assert rounds > 2
    assert digested(index) == plain


def test_a_changed_file_does_not_go_on(path, cache):
    with pytest.raises(weightmap.Cancelled):
        digested(path, progress=stop_after(7))
    flip(path, 40)
    found = weightmap.digest(path)
    assert found.files == expected(path)[0]


def test_a_process_that_was_killed_left_a_checkpoint(path, cache, reads):
    code = (
        "import os, signal, sys, weightmap\n"
        "from weightmap.integrity import memory, passes, streams\n"
        "from weightmap.source import fingerprint\n"
        "fingerprint.TICK = fingerprint.COARSE_TICK = -10**18\n"
        "memory.LEAST = memory.LARGE = 0; streams.CHUNK = 100; passes.CHECKPOINT = 300\n"
        "weightmap.digest(sys.argv[1], progress=lambda done, total: done < 900 or os.kill(os.getpid(), signal.SIGKILL))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert digested(path) == expected(path)
    assert reads[0] == 600


def test_what_is_under_way_is_never_believed_when_damaged(path, cache):
    with pytest.raises(weightmap.Cancelled):
        digested(path, progress=stop_after(7))
    [entry] = cache.rglob("digest-under-way*")
    known = {other: other.read_bytes() for other in cache.rglob("digest.wmc")}
    whole = entry.read_bytes()
    for at in range(0, len(whole), 9):
        spoilt = bytearray(whole)
        spoilt[at] ^= 4
        entry.write_bytes(spoilt)
        for other, data in known.items():
            other.write_bytes(data)
        assert digested(path) == expected(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body | {"position": body["position"] + 100},
        lambda body: body | {"position": 0},
        lambda body: body | {"position": -5},
        lambda body: body | {"streams": []},
        lambda body: body | {"streams": [[*one[:4], "00" * 112] for one in body["streams"]]},
        lambda body: body | {"streams": [[*one[:4], "ff" * 112] for one in body["streams"]]},
        lambda body: body | {"streams": [[*one[:3], one[3] + 1, one[4]] for one in body["streams"]]},
        lambda body: body | {"streams": [[*one[:2], 7, *one[3:]] for one in body["streams"]]},
        lambda body: body | {"streams": [[*one[:2], -1, *one[3:]] for one in body["streams"]]},
        lambda body: body | {"streams": 5},
        lambda body: [],
    ],
)
def test_odd_states_that_pass_all_checks_start_anew(path, cache, change):
    with pytest.raises(weightmap.Cancelled):
        digested(path, progress=stop_after(7))
    [entry] = cache.rglob("digest-under-way*")
    kept = unpack(str(entry), entry.parent.name, "digest-under-way")
    entry.write_bytes(b"".join(pack(entry.parent.name, "digest-under-way", change(kept.body), {})))
    assert digested(path) == expected(path)


def test_where_no_state_can_be_kept_a_pass_starts_anew(path, cache, monkeypatch, reads):
    monkeypatch.setattr(resumable, "available", lambda: False)
    with pytest.raises(weightmap.Cancelled):
        digested(path, progress=stop_after(7))
    reads.clear()
    assert digested(path) == expected(path)
    assert reads[0] == 0
    assert not list(cache.rglob("digest-under-way*"))


def test_a_cache_that_cannot_be_written(path, cache):
    cache.write_text("a file where a folder should be")
    with pytest.raises(weightmap.Cancelled):
        digested(path, progress=stop_after(7))
    assert digested(path) == digested(path) == expected(path)


class TestResumable:
    def test_it_is_hashlibs_wherever_it_is_cut(self):
        rng = random.Random(3)
        for _ in range(100):
            data = bytearray(rng.randbytes(rng.randrange(1000)))
            hash, at = resumable.Sha256(), 0
            while at < len(data):
                end = min(at + rng.randrange(200), len(data))
                hash.update(memoryview(data)[at:end])
                assert hash.hexdigest() == hashlib.sha256(data[:end]).hexdigest()
                hash, at = resumable.Sha256(hash.state), end
            assert (hash.hexdigest(), hash.nbytes) == (hashlib.sha256(data).hexdigest(), len(data))

    @pytest.mark.parametrize(
        "state", [b"", bytes(112), b"\xff" * 112, bytes(111), os.urandom(104) + b"\x40\0\0\0\x20\0\0\0"]
    )
    def test_what_cannot_be_a_state_is_refused(self, state):
        with pytest.raises(ValueError, match="no state"):
            resumable.Sha256(state)
