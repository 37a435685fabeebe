"""A remembered header is believed only for the bytes it was read from: files that changed, damage, entries that were spoilt."""

import os

import pytest
from support.build import gguf
from support.checksums import flip
from support.headers import METADATA, TENSORS, content, entries, opened

import weightmap
from weightmap.source import fingerprint

pytestmark = pytest.mark.usefixtures("any_header")


def test_damaged_files_are_never_cached_as_sound(tmp_path, cache):
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(gguf(METADATA, TENSORS, alignment=64)[:-200])
    before = opened(cut)
    for _ in range(2):
        with pytest.raises(weightmap.TruncatedFileError):
            weightmap.load_weights(cut)
        assert opened(cut) == before
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(cut.read_bytes()[:9000])
    for _ in range(2):
        with pytest.raises(weightmap.CorruptWeightError):
            weightmap.load_weights(broken)
    doubled = tmp_path / "doubled.gguf"
    doubled.write_bytes(gguf(METADATA, [TENSORS[0], TENSORS[0]], alignment=64))
    for _ in range(2):
        with pytest.raises(weightmap.CorruptWeightError, match="twice"):
            weightmap.load_weights(doubled)
        opened(doubled)


@pytest.mark.parametrize("keep_time", [False, True])
def test_a_file_changed_in_place_at_the_same_size_is_parsed_again(path, cache, parses, keep_time):
    first = opened(path)
    status = path.stat()
    at = path.read_bytes().index(b"token 500")
    if keep_time:
        flip(path, at)  # sets the modification time back
        assert path.stat().st_mtime_ns == status.st_mtime_ns
    else:
        with path.open("r+b") as file:
            file.seek(at)
            file.write(b"T")
    second = opened(path)
    assert second != first
    assert second == opened(path, cache=False)
    assert len(parses) == 3


def test_a_file_replaced_by_another_of_the_same_size_and_time(path, cache, tmp_path, parses):
    first = opened(path)
    status = path.stat()
    other = tmp_path / "other"
    other.write_bytes(path.read_bytes().replace(b"token 500", b"token 5oo"))
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.replace(other, path)
    assert opened(path) != first
    assert len(parses) == 2


def test_a_file_written_a_moment_ago_is_not_remembered(path, cache, monkeypatch):
    """It could be written once more within the same tick of the file system's clock, and look the same."""
    monkeypatch.setattr(fingerprint, "TICK", 10**12)
    monkeypatch.setattr(fingerprint, "COARSE_TICK", 10**12)
    opened(path)
    weightmap.load_weights(path).close()
    assert entries(cache) == []


def test_the_same_file_under_another_name_says_what_its_name_gives_to_say(path, cache, tmp_path):
    opened(path)
    os.link(path, tmp_path / "m.safetensors")
    link = tmp_path / "m.safetensors"
    assert opened(link) == opened(link, cache=False)
    with weightmap.open(link) as model:
        assert "extension_mismatch" in [found.code for found in model.findings]
        assert {found.path for found in model.findings} <= {str(link), None}


def test_changed_bytes_anywhere_and_any_length_of_an_entry(path, cache):
    expected = says(path)
    [entry] = entries(cache)
    whole = entry.read_bytes()
    for at in (*range(200), *range(200, len(whole), 23)):
        spoilt = bytearray(whole)
        spoilt[at] ^= 0x41
        entry.write_bytes(spoilt)
        assert says(path) == expected
    for length in range(0, len(whole), 301):
        entry.write_bytes(whole[:length])
        assert says(path) == expected


def says(path):
    """Records and metadata, without what checks say of them."""
    with weightmap.open(path) as model:
        return content(model, model.opened.layout.problems)


def test_entries_that_were_exchanged(path, cache, tmp_path):
    other = tmp_path / "other.gguf"
    other.write_bytes(gguf(METADATA[:-1], TENSORS[:-1], alignment=64))
    expected = opened(path), opened(other)
    one, two = entries(cache)
    swap = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(swap)
    assert (opened(path), opened(other)) == expected


def test_odd_documents_that_pass_all_checks_are_parsed_around(path, cache, parses):
    expected = opened(path)
    [entry] = entries(cache)
    from weightmap.cache.container import pack, unpack

    kept = unpack(str(entry), entry.parent.name, "structure")
    for field in kept.body:
        for value in (None, 5, [], "x", [[1]], {}):
            pieces = pack(entry.parent.name, "structure", kept.body | {field: value}, {})
            entry.write_bytes(b"".join(pieces))
            if field in ("types", "records", "metadata", "part"):
                opened(path)  # raises nothing
            entry.unlink()
    assert opened(path) == expected
