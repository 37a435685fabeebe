"""An open file: what it gives, what it refuses, and what it says when the file changes under it."""

from __future__ import annotations

import os

import numpy as np
import pytest

from weightmap.errors import (
    ClosedError,
    FileChangedError,
    MissingFileError,
    UnreadableFileError,
    UnsupportedFormatError,
)
from weightmap.findings import Severity
from weightmap.source.file import FileSource


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.bin"
    path.write_bytes(bytes(range(200)))
    return path


def test_reads_and_views_give_the_same_bytes(path):
    source = FileSource(path)
    assert source.read(10, 5) == bytes([10, 11, 12, 13, 14])
    out = np.zeros(3, np.uint8)
    source.read_into(197, out)
    assert out.tolist() == [197, 198, 199]
    rows = np.zeros((2, 3), np.uint8)
    source.read_rows((100, 7), rows)
    assert rows.tolist() == [[100, 101, 102], [7, 8, 9]]
    view = source.view(10, 5)
    assert view.tolist() == [10, 11, 12, 13, 14]
    assert not view.flags.writeable
    assert source.view(200, 0).shape == (0,)
    source.close()


def test_close_counts_views_and_leaves_them_alive(path):
    source = FileSource(path)
    view = source.view(0, 4)
    assert source.close() == 1
    assert view.tolist() == [0, 1, 2, 3]
    with pytest.raises(ClosedError):
        source.read(0, 1)
    del view
    assert source.close() == 0


def test_no_view_after_close_even_where_the_descriptor_is_another_files_by_now(path):
    source = FileSource(path)
    assert source.view(0, 4).tolist() == [0, 1, 2, 3]
    source.close()
    other = path.with_name("other")
    other.write_bytes(b"something else")
    with other.open("rb"), pytest.raises(ClosedError):
        source.view(0, 4)
    with pytest.raises(ClosedError):
        source.array(0, (2,), np.dtype("<u2"))


def test_a_file_that_is_closed_while_a_view_is_made_is_said_to_be_closed(path, monkeypatch):
    source = FileSource(path)
    held, compare = source.view(0, 4), source._compare

    def close_first():
        source.close()
        compare()

    monkeypatch.setattr(source, "_compare", close_first)
    with pytest.raises(ClosedError):
        source.array(0, (2,), np.dtype("<u2"))
    assert held.tolist() == [0, 1, 2, 3]


def test_values_are_views_of_the_mapping_wherever_they_lie(path):
    source = FileSource(path)
    odd = source.array(3, (2, 2), np.dtype("<u2"))
    assert odd.tolist() == [[0x0403, 0x0605], [0x0807, 0x0A09]]
    assert np.shares_memory(odd, source.view(0, 200))
    assert not odd.flags.writeable
    assert source.array(200, (0, 3), np.dtype("<f4")).shape == (0, 3)
    os.truncate(path, 50)
    with pytest.raises(FileChangedError):
        source.array(3, (2, 2), np.dtype("<u2"))
    del odd
    source.close()


def test_a_file_that_shrinks_is_refused_and_named(path):
    source = FileSource(path)
    os.truncate(path, 50)
    with pytest.raises(FileChangedError) as caught:
        source.read(0, 10)
    assert "shrank from 200 to 50 bytes" in str(caught.value)
    with pytest.raises(FileChangedError):
        source.read_rows((0, 1), np.zeros((2, 3), np.uint8))
    assert source.changed().code == "file_changed"
    source.close()


def test_a_file_that_is_replaced_or_deleted_reads_on(path):
    source = FileSource(path)
    other = path.with_name("other")
    other.write_bytes(b"new")
    os.replace(other, path)
    assert source.read(1, 1) == b"\x01"
    assert source.changed().severity is Severity.WARNING
    path.unlink()
    assert "deleted" in source.changed().message
    source.close()


def test_what_cannot_be_opened_says_why(tmp_path):
    with pytest.raises(MissingFileError):
        FileSource(tmp_path / "none")
    (tmp_path / "link").symlink_to("blobs/gone")
    with pytest.raises(MissingFileError, match=r"link leads to blobs/gone"):
        FileSource(tmp_path / "link")
    with pytest.raises(UnsupportedFormatError) as caught:
        FileSource("/dev/zero")
    assert caught.value.code == "not_regular_file"
    with pytest.raises(UnsupportedFormatError):
        FileSource(tmp_path)


@pytest.mark.parametrize("odd", ["x" * 5000, "a/" * 3000, "loop"])
def test_what_the_system_says_is_said_without_the_path(tmp_path, odd):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UnreadableFileError) as caught:
        FileSource(f"{tmp_path}/{odd}")
    assert caught.value.code == "read_error"
    assert odd not in caught.value.finding.message
    assert "Errno" not in caught.value.finding.message


def test_a_link_that_goes_while_it_is_looked_at(tmp_path, monkeypatch):
    (tmp_path / "exe").symlink_to("gone")

    def vanished(path):
        raise FileNotFoundError(2, "No such file or directory", path)

    monkeypatch.setattr("os.readlink", vanished)
    with pytest.raises(MissingFileError, match="There is no such file"):
        FileSource(tmp_path / "exe")


def test_a_path_that_leads_nowhere_is_no_failing_disk(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_bytes(b"")
    for path in ("loop", "file/x", "x" * 300, "a\0b"):
        with pytest.raises(UnreadableFileError) as caught:
            FileSource(os.path.join(tmp_path, path))
        assert (caught.value.code, caught.value.finding.advice) == ("read_error", "Check the path.")
