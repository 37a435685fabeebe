import json

import pytest
from support.checksums import sha
from support.stores import ADAPTER, MODEL, manifest

import weightmap
from weightmap.integrity.claims import Claim
from weightmap.integrity.manifests import LARGEST, parse, pointer, read

ONE, TWO = sha(b"1"), sha(b"2")


def claims(text: str | bytes) -> list[tuple]:
    found = parse("M", text.encode() if isinstance(text, str) else text)
    return [(claim.kind, claim.name, claim.algorithm, claim.value, claim.nbytes) for claim in found.claims]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{ONE}  a.gguf\n{TWO} *b c.gguf\n", [("a.gguf", ONE), ("b c.gguf", TWO)]),
        (f"# made by hand\r\n\r\n{ONE.upper()}  a.gguf\r\n", [("a.gguf", ONE)]),
        (f"\\{ONE}  a\\nb\\\\n\\r.gguf\n", [("a\nb\\n\r.gguf", ONE)]),
        (f"{ONE}  a\\nb.gguf\n", [("a\\nb.gguf", ONE)]),
        (f"SHA256 (dir/a (1).gguf) = {ONE}\n", [("dir/a (1).gguf", ONE)]),
        (f"\\SHA256 (a\\\\b) = {ONE}\n", [("a\\b", ONE)]),
        (f"{ONE}  -\n", [(None, ONE)]),
        (f"{ONE}\n", [(None, ONE)]),
        (f"\ufeff{ONE}  a\n", [("a", ONE)]),
        (f"{ONE}  a\n{ONE}  a\n", [("a", ONE)]),
    ],
)
def test_lists_of_sha256sum(text, expected):
    assert claims(text) == [("file", name, "sha256", value, None) for name, value in expected]


def test_names_that_are_no_utf8_are_kept():
    assert claims(ONE.encode() + b"  m\xff.gguf\n")[0][1] == "m\udcff.gguf"


def test_other_lengths_are_other_hashes():
    assert claims(f"{sha(b'', 'sha1')}  a\n{sha(b'', 'sha512')}  a\n") == [
        ("file", "a", "sha1", sha(b"", "sha1"), None),
        ("file", "a", "sha512", sha(b"", "sha512"), None),
    ]


def test_lists_of_gguf_hash():
    text = f"xxh64     f66e9cd66a4396a0  m.gguf:t\nsha1      {sha(b'', 'sha1')}  m.gguf:t\nsha256    {ONE}  m.gguf\n"
    assert claims(text) == [
        ("listed", "m.gguf:t", "sha1", sha(b"", "sha1"), None),
        ("listed", "m.gguf", "sha256", ONE, None),
    ]


def test_a_git_lfs_pointer(tmp_path):
    text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{ONE}\nsize 12345\n"
    assert claims(text) == [("file", None, "sha256", ONE, 12345)]
    (tmp_path / "p").write_text(text)
    assert pointer(str(tmp_path / "p")) == read(str(tmp_path / "p"))
    (tmp_path / "q").write_text("something else")
    assert pointer(str(tmp_path / "q")) is pointer(str(tmp_path / "absent")) is None


@pytest.mark.parametrize(("etag", "algorithm"), [(ONE, "sha256"), (sha(b"", "sha1"), "git-sha1")])
def test_a_note_of_the_hubs_client(etag, algorithm):
    assert claims(f"{sha(b'c', 'sha1')}\n{etag}\n1700000000.25\n") == [("file", None, algorithm, etag, None)]


def test_our_own_manifest():
    document = {"files": {"a": {"sha256": ONE, "bytes": 3}}, "tensors": {"t": TWO}}
    assert claims(json.dumps(document)) == [("file", "a", "sha256", ONE, 3), ("tensor", "t", "sha256", TWO, None)]
    assert parse("M", json.dumps(document).encode()).whole


def test_a_plain_map():
    assert claims(json.dumps({"t": f"sha256:{ONE}"})) == [("named", "t", "sha256", ONE, None)]


def test_a_manifest_of_ollama():
    content = manifest([(MODEL, b"model"), (ADAPTER, b"adapter")])
    assert claims(content) == [("file", None, "sha256", sha(b"model"), 5)]
    two = manifest([(MODEL, b"one"), (MODEL, b"two")])
    assert [name for _, name, *_ in claims(two)] == [f"sha256-{sha(b'one')}", f"sha256-{sha(b'two')}"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "has no checksum in it"),
        (b"\n# nothing\n", "has no checksum in it"),
        (b"hello\n", 'Line 1 is no checksum with a name: "hello"'),
        (f"{ONE}  a\nhello\n".encode(), "Line 2"),
        (f"{ONE[:-1]}  a\n".encode(), "has 63 hexadecimal digits; sha256 has 64"),
        (f"{ONE}0  a\n".encode(), "has 65 hexadecimal digits"),
        (f"{ONE}  a\n{TWO}  a\n".encode(), r"two different checksums for a \(lines 1 and 2\)"),
        (f"{ONE}\n{TWO}\n".encode(), "one of them stands without a name"),
        (f"{ONE} a\n".encode(), "Line 1 is no checksum"),
        (f"MD5 (a) = {ONE}\n".encode(), "of the kind MD5"),
        (b"xxh64     f66e9cd66a4396a0  m.gguf\nxxh3      f66e9cd66a4396a0  m.gguf\n", "only xxh3 and xxh64 hashes"),
        (f"sha256    {ONE[:-2]}  m.gguf\n".encode(), "has 62 hexadecimal digits"),
        (f"{ONE}  a\n".encode("utf-16"), "zero bytes"),
        (b'{"files": {"a\xff": ""}}', "is not UTF-8"),
        (b'{"files": ', "is not valid JSON"),
        (b'{"a": ' * 100_000, "nested too deep|not valid JSON"),
        (b"[]", "no object"),
        (b"\n" * (1 << 24) + b"\n", "no more than 16,777,216 are read"),
        (f"sha256    {ONE}  m.gguf".encode() + b":" * 100_000, "Line 1 has 100"),
        (b'{"files": []}', "field files"),
        (b'{"tensors": {"t": "abc"}}', "64 hexadecimal digits were expected"),
        (b'{"tensors": {"t": null}}', "64 hexadecimal digits were expected"),
        (b'{"tensors": {"t": 5}, "tensors": {}}', "a field twice"),
        (f'{{"files": {{"a": {{"sha256": "{ONE}", "bytes": -1}}}}}}'.encode(), "no number of bytes"),
        (f'{{"files": {{"a": {{"sha256": "{ONE}", "bytes": true}}}}}}'.encode(), "no number of bytes"),
        (f'{{"files": {{"a": {{"sha256": "{ONE}", "sha256": "{TWO}"}}}}}}'.encode(), "a field twice"),
        (f'{{"tensors": {{"a": "{ONE}", "a": "{TWO}"}}}}'.encode(), "two different checksums for a"),
        (b'{"layers": 5}', "names no weights"),
        (
            b'{"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:x"}]}',
            "digest of a layer",
        ),
        (b"version https://git-lfs.github.com/spec/v1\noid md5:00\nsize 1\n", "lacks its oid"),
        (f"version https://git-lfs.github.com/spec/v1\noid sha256:{ONE}\n".encode(), "or its size"),
    ],
)
def test_hostile_manifests_are_refused_with_a_reason(content, said):
    with pytest.raises(weightmap.CorruptWeightError, match=said) as problem:
        parse("M", content)
    assert problem.value.code == "bad_checksums"
    assert problem.value.path == "M"


def test_a_huge_manifest_is_not_read(tmp_path):
    path = tmp_path / "m.json"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(weightmap.CorruptWeightError, match="no more than 67,108,864 are read"):
        read(str(path))
    with pytest.raises(weightmap.MissingFileError):
        read(str(tmp_path / "absent"))
    with pytest.raises(weightmap.UnsupportedFormatError):
        read(str(tmp_path))


def test_a_claim_says_where_it_is_written():
    assert parse("M", f"\n{ONE}  a\n".encode()).claims == (Claim("M", "file", "a", "sha256", ONE, None, 2),)
