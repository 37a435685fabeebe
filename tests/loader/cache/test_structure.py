import json
import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest
from support.build import gguf, safetensors
from support.checksums import flip
from support.stores import MODEL, ollama

import weightmap
from weightmap.cache import structure
from weightmap.formats import gguf as gguf_format
from weightmap.source import fingerprint

TOKENS = [f"token {n}" for n in range(1000)] + ["", "x" * 300, "ümläut", "\udcff"]
METADATA = (
    ("general.architecture", "str", "llama"),
    ("general.alignment", "u32", 64),
    ("a.bool", "bool", True),
    ("a.float", "f32", 1e-6),
    ("a.nan", "f64", float("nan")),
    ("a.big", "u64", 2**64 - 1),
    ("a.small", "i64", -(2**63)),
    ("a.text", "str", "long \udcfe " * 500),
    ("a.numbers", "arr", ("f32", [0.5] * 100)),
    ("a.flags", "arr", ("bool", [True, False])),
    ("a.empty", "arr", ("str", [])),
    ("tokenizer.ggml.tokens", "arr", ("str", TOKENS)),
    ("a.more", "arr", ("str", ["one", "two"])),
)
TENSORS = [
    ("token_embd.weight", (2, 64), 8, bytes(range(136)) * 1),
    ("n\udcfe", (3,), 1, np.arange(3, dtype="<f2").tobytes()),
    ("scalar", (), 0, np.float32(2).tobytes()),
    ("i", (2, 2), 27, np.arange(4, dtype="<i8").tobytes()),
]


@pytest.fixture(autouse=True)
def any_header(monkeypatch):
    monkeypatch.setattr(structure, "LEAST", 0)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "m.gguf"
    file.write_bytes(gguf(METADATA, TENSORS, alignment=64))
    return file


@pytest.fixture
def parses(monkeypatch):
    """Counts how often a GGUF header is parsed."""
    counted = []
    real = gguf_format.parse
    monkeypatch.setitem(weightmap.api.sets.PARSERS, "gguf", lambda source: counted.append(source.path) or real(source))
    return counted


def content(model, findings=None):
    """Everything that a header says, in plain values."""
    layout = model.opened.layout
    metadata = [(e.key, e.kind, plain(e.read()), e.offset, e.raw) for e in layout.metadata.entries]
    records = [(r.name, r.shape, r.type, r.part, r.offset, r.nbytes, r.entry) for r in layout.records]
    rest = (
        layout.format,
        layout.path,
        layout.parts,
        layout.version,
        layout.byte_order,
        layout.alignment,
        layout.problems,
    )
    return repr((metadata, records, rest, model.findings if findings is None else findings))


def plain(value):
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    return list(map(plain, value)) if not isinstance(value, str | int | float) else value


def opened(path, **words):
    with weightmap.open(path, **words) as model:
        return content(model)


def entries(cache):
    return sorted(cache.rglob("*.wmc"))


VARIANTS = {
    "little": lambda: gguf(METADATA, TENSORS, alignment=64),
    "big": lambda: gguf(METADATA, TENSORS, alignment=64, big_endian=True),
    "version 1": lambda: gguf([entry for entry in METADATA if entry[0] != "a.none"], TENSORS, alignment=64, version=1),
    "nested": lambda: gguf([*METADATA, ("a.nest", "arr", ("arr", []))], TENSORS, alignment=64),
    "safetensors": lambda: safetensors([("a", "F32", (2,), bytes(8)), ("b", "BF16", (), bytes(2))], {"k": "ü"}),
    "no tensors": lambda: gguf(METADATA, []),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_second_opening_says_the_same_without_parsing(tmp_path, cache, variant, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(VARIANTS[variant]())
    expected = opened(path, cache=False)
    with weightmap.open(path, cache=False) as model:
        values = {name: tensor.array(copy=True) for name, tensor in model.tensors.items()}
    assert opened(path) == expected
    assert len(entries(cache)) == 1
    for name in ("gguf", "safetensors"):
        monkeypatch.setitem(weightmap.api.sets.PARSERS, name, lambda source: pytest.fail("parsed again"))
    monkeypatch.setattr("weightmap.cache.structure.walk", lambda *_: pytest.fail("walked again"))
    assert opened(path) == expected
    with weightmap.load_weights(path) as weights:
        assert list(weights) == list(values)
        assert all(np.array_equal(weights[name], values[name]) for name in values)


def test_loading_twice_judges_once(path, cache, parses, monkeypatch):
    judged = []
    real = weightmap.api.check
    monkeypatch.setattr(
        "weightmap.api.check", lambda layout, **more: judged.append(layout.path) or real(layout, **more)
    )
    opened(path)
    assert (len(parses), judged) == (1, [])
    for _ in range(3):
        weightmap.load_weights(path).close()
    assert (len(parses), len(judged)) == (1, 1)  # opening alone proved nothing
    assert json.loads(entries(cache)[0].read_bytes()[20:].split(b"\0")[0].rpartition(b"}")[0] + b"}")["body"]["sound"]
    opened(path)
    weightmap.load_weights(path).close()
    assert (len(parses), len(judged)) == (1, 1)  # and takes nothing back


def test_switched_off_it_neither_reads_nor_writes(path, cache, parses, monkeypatch):
    opened(path, cache=False)
    assert not cache.exists()
    opened(path)
    monkeypatch.setenv("WEIGHTMAP_CACHE", "0")
    opened(path)
    opened(path, cache=cache)
    weightmap.load_weights(path).close()
    assert len(parses) == 5


def test_another_folder_by_keyword(path, cache, tmp_path, parses):
    opened(path, cache=tmp_path / "other")
    assert not cache.exists()
    assert len(entries(tmp_path / "other")) == 1
    with weightmap.open(path, cache=tmp_path / "other") as model:
        assert model.reload().status == model.status
    assert len(parses) == 1


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


def test_unknown_types_and_plugins_are_parsed_each_time(tmp_path, cache, parses):
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf(METADATA, [("t", (8,), 77, bytes(64))], alignment=64))
    assert opened(path) == opened(path)
    assert len(parses) == 2
    assert entries(cache) == []


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


def test_strings_are_walked_again_where_the_cache_went_away_meanwhile(path, cache):
    opened(path)
    with weightmap.open(path) as model:
        for entry in entries(cache):
            entry.unlink()
        assert list(model.metadata["tokenizer.ggml.tokens"]) == TOKENS
        assert len(model.metadata["tokenizer.ggml.tokens"]) == len(TOKENS)


def test_the_parts_of_a_set_are_remembered_one_by_one(tmp_path, cache, parses):
    split = [("split.count", "u16", 2), ("split.tensors.count", "i32", 2)]
    for number in (0, 1):
        metadata = [*METADATA[:1], ("split.no", "u16", number), *split]
        (tmp_path / f"m-0000{number + 1}-of-00002.gguf").write_bytes(gguf(metadata, [TENSORS[number + 1]]))
    first = tmp_path / "m-00001-of-00002.gguf"
    expected = opened(first)
    assert (len(parses), len(entries(cache))) == (2, 2)
    assert opened(first) == expected
    weightmap.load_weights(first).close()
    weightmap.load_weights(first).close()
    assert len(parses) == 2
    (tmp_path / "m-00002-of-00002.gguf").unlink()
    with pytest.raises(weightmap.MissingFileError):
        weightmap.load_weights(first)


def test_a_model_of_ollama(tmp_path, cache, parses):
    store = ollama(
        tmp_path / "o", {"registry.ollama.ai/library/m/latest": [(MODEL, gguf(METADATA, TENSORS, alignment=64))]}
    )
    manifest = store / "manifests/registry.ollama.ai/library/m/latest"
    assert opened(manifest) == opened(manifest) == opened(manifest, cache=False)
    assert len(parses) == 2


def test_a_cache_that_cannot_be_written_is_as_none(path, cache, parses):
    cache.write_text("a file where a folder should be")
    assert opened(path) == opened(path)
    assert len(parses) == 2
    weightmap.load_weights(path).close()


def load(path, count, queue):
    for _ in range(count):
        with weightmap.load_weights(path) as weights:
            queue.put((len(weights), weights["scalar"].item()))


def test_many_processes(path, cache):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    workers = [context.Process(target=load, args=(str(path), 10, queue)) for _ in range(3)]
    for worker in workers:
        worker.start()
    found = [queue.get(timeout=60) for _ in range(30)]
    for worker in workers:
        worker.join(60)
    assert found == [(4, 2.0)] * 30


def test_nothing_of_the_cache_is_imported_where_it_is_off(path):
    code = (
        "import sys, weightmap; weightmap.load_weights(sys.argv[1]);"
        "print([m for m in ('platformdirs', 'hashlib', 'weightmap.cache', 'weightmap.integrity') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_platformdirs_next_to_nothing_of_it_is(path):
    code = (
        "import sys; sys.modules['platformdirs'] = None; import weightmap; weightmap.load_weights(sys.argv[1]);"
        "print(sorted(m for m in sys.modules if m.startswith('weightmap.cache') or m == 'hashlib'))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "WEIGHTMAP_CACHE"}
    run = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(run, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "['weightmap.cache', 'weightmap.cache.place']"
