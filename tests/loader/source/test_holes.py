"""Holes as a file system tells of them: pieces in order, no more than are wanted, none where it does not know."""

from __future__ import annotations

import errno
import os

import pytest
from support.holes import PAGE, pages_of_zeros

from weightmap.source import holes as module
from weightmap.source.holes import holes

SIZE, APART = 1 << 20, 1 << 16


@pytest.fixture
def descriptor(tmp_path):
    """A file with a byte at the start of every 64 KiB, and nothing else."""
    with open(tmp_path / "sparse", "w+b") as file:
        file.truncate(SIZE)
        for at in range(0, SIZE, APART):
            os.pwrite(file.fileno(), b"x", at)
        os.fsync(file.fileno())
        yield file.fileno()


EVERY = [(at + PAGE, at + APART) for at in range(0, SIZE, APART)]


def test_every_hole_is_told_in_order(descriptor, monkeypatch):
    pages_of_zeros(monkeypatch)
    assert holes(descriptor, 0, SIZE) == EVERY
    assert holes(descriptor, PAGE + 10, APART + 5) == [(PAGE + 10, APART)]
    assert holes(descriptor, 0, PAGE) == []
    assert holes(descriptor, APART, APART) == []
    assert holes(descriptor, SIZE - 100, SIZE) == [(SIZE - 100, SIZE)]


def test_few_are_looked_for(descriptor, monkeypatch):
    pages_of_zeros(monkeypatch)
    monkeypatch.setattr(module, "MOST", 2)
    assert holes(descriptor, 0, SIZE) == EVERY[:2]


def test_this_file_system_tells_of_them_or_of_none(descriptor):
    found = holes(descriptor, 0, SIZE)
    assert all(not any(os.pread(descriptor, end - begin, begin)) and 0 <= begin < end <= SIZE for begin, end in found)


def test_none_where_nobody_knows(descriptor, monkeypatch):
    def refused(*_):
        raise OSError(errno.EINVAL, "not here")

    monkeypatch.setattr(os, "lseek", refused)
    assert holes(descriptor, 0, SIZE) == []
    monkeypatch.delattr(os, "SEEK_HOLE", raising=False)
    monkeypatch.setattr(os, "lseek", None)
    assert holes(descriptor, 0, SIZE) == []
