"""An entry's file: every changed byte, length, name, version or form is noticed, and nothing that is no entry is read."""

import json
import os
import struct
import zlib

import pytest
from support.kept import BODY, SEGMENTS, file_of

from weightmap.cache.container import MAGIC, unpack
from weightmap.version import __version__


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


def test_unpack_reads_nothing_that_is_no_file(tmp_path):
    assert unpack(str(tmp_path), "k", "thing") is None
    assert unpack(str(tmp_path / "absent"), "k", "thing") is None
