"""Whatever bytes a file holds: opening and checking it gives a layout or a WeightFileError, quickly and with little memory."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.build import gguf, safetensors
from support.stores import ADAPTER, MODEL, PROJECTOR, digest, ollama

from weightmap.checks import check
from weightmap.checks.extent import unreadable
from weightmap.errors import WeightFileError
from weightmap.findings import Finding
from weightmap.formats.sets import find_models, open_layout

TENSORS = [("a", (2, 32), 8, b"\1" * 68), ("blk.0.w", (3,), 0, b"\0" * 12), ("q", (256,), 12, b"\2" * 144)]
KEYS = [
    ("general.architecture", "str", "llama"),
    ("general.alignment", "u32", 32),
    ("tokenizer.ggml.tokens", "arr", ("str", ["<s>", "", "b\u00e9", "x" * 300])),
    ("tokenizer.ggml.scores", "arr", ("f32", [0.0, -1.0])),
    ("flags", "arr", ("bool", [True, False])),
    ("nested", "arr", ("arr", [("u8", [1]), ("str", ["a"])])),
    ("tokenizer.chat_template", "str", "{% if a %}{{ b }}{% endif %}"),
]
SEEDS = [
    gguf(KEYS, TENSORS),
    gguf(KEYS, TENSORS, big_endian=True),
    gguf(KEYS, TENSORS, version=1),
    gguf(),
    safetensors([("a", "F32", (2, 2), b"\0" * 16), ("b", "F4", (4,), b"\0\0"), ("c", "BF16", (), b"\0\0")], {"k": "v"}),
    safetensors([]),
]
EDGES = [
    0,
    1,
    7,
    31,
    32,
    255,
    256,
    1 << 16,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    1 << 62,
    1 << 63,
    (1 << 64) - 1,
    (1 << 64) - 32,
]
QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def survives(path, data: bytes) -> None:
    """Open, check, look at every value and every tensor; only WeightFileError may come out."""
    path.write_bytes(data)
    try:
        layout, sources = open_layout(str(path))
    except WeightFileError as error:
        assert str(error)
        return
    try:
        for finding in check(layout, sources=sources):
            assert isinstance(finding, Finding)
            assert finding.message
        for entry in layout.metadata.entries:
            value = entry.read()
            assert entry.pending is None or len(value) == len(entry.pending)
        for record in layout.records:
            if unreadable(layout, record) is None and record.nbytes:
                source = sources[record.part]
                assert source is not None
                assert len(source.read(record.offset, record.nbytes)) == record.nbytes
    finally:
        for source in sources:
            if source is not None:
                source.close()


@given(st.sampled_from(SEEDS), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=6))
@settings(max_examples=120, suppress_health_check=QUIET)
def test_changed_bytes(tmp_path, seed, changes):
    data = bytearray(seed)
    for place, value in changes:
        data[int(place * (len(data) - 1))] = value
    survives(tmp_path / "x", bytes(data))


@given(st.sampled_from(SEEDS), st.floats(0, 1), st.sampled_from(EDGES), st.sampled_from(["<I", "<Q", ">Q"]))
@settings(max_examples=120, suppress_health_check=QUIET)
def test_numbers_at_their_edges(tmp_path, seed, place, value, code):
    field = struct.pack(code, value & ((1 << 8 * struct.calcsize(code)) - 1))
    at = int(place * max(len(seed) - len(field), 0))
    survives(tmp_path / "x", seed[:at] + field + seed[at + len(field) :])


@given(st.sampled_from(SEEDS), st.floats(0, 1), st.binary(max_size=40), st.floats(0, 1))
@settings(max_examples=80, suppress_health_check=QUIET)
def test_bytes_put_in_and_cut_off(tmp_path, seed, place, extra, end):
    at = int(place * len(seed))
    data = seed[:at] + extra + seed[at:]
    survives(tmp_path / "x", data[: int(end * len(data))])


NAMES = st.one_of(st.text(max_size=8), st.sampled_from(["a", "a", "x" * 80, "\u202e", "\0", "a\nb"]))
NUMBERS = st.one_of(st.integers(0, 70), st.sampled_from(EDGES))


@given(
    st.lists(
        st.tuples(NAMES, st.lists(NUMBERS, max_size=5), st.one_of(st.integers(0, 45), NUMBERS), NUMBERS), max_size=6
    ),
    st.one_of(st.sampled_from([8, 32, 64]), NUMBERS),
    st.sampled_from([False, False, True]),
    st.integers(0, 400),
)
@example([("a", [3], 0, 0), ("b", [3], 0, 0)], 32, False, 64)
@example([("a", [0, 1 << 62, 1 << 62], 0, 0)], 32, False, 0)
@settings(max_examples=120, suppress_health_check=QUIET)
def test_tensor_tables(tmp_path, tensors, alignment, big_endian, room):
    data = gguf(
        [("general.architecture", "str", "llama"), ("general.alignment", "u64", alignment)],
        [(name, shape, kind & 0xFFFFFFFF, b"") for name, shape, kind, _ in tensors],
        offsets=[offset for *_, offset in tensors],
        big_endian=big_endian,
    )
    survives(tmp_path / "x", data + b"\0" * room)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 1 << 65), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=6,
)
DTYPES = st.sampled_from(["F32", "F16", "BF16", "F4", "F6_E2M3", "BOOL", "I64", "F8_E4M3", "NEW", "Q4_0"])
ENTRY = st.one_of(
    st.fixed_dictionaries(
        {
            "dtype": DTYPES,
            "shape": st.lists(NUMBERS, max_size=4),
            "data_offsets": st.lists(NUMBERS, min_size=2, max_size=2).map(sorted),
        }
    ),
    st.fixed_dictionaries({}, optional={"dtype": JSON, "shape": JSON, "data_offsets": JSON, "other": JSON}),
    JSON,
)


@given(st.lists(st.tuples(st.one_of(NAMES, st.just("__metadata__")), ENTRY), max_size=5), st.integers(0, 200))
@settings(max_examples=150, suppress_health_check=QUIET)
def test_safetensors_headers(tmp_path, entries, room):
    text = "{" + ",".join(f"{json.dumps(name)}:{json.dumps(value)}" for name, value in entries) + "}"
    data = text.encode()
    survives(tmp_path / "x.safetensors", struct.pack("<Q", len(data)) + data + b"\0" * room)


@given(
    st.one_of(JSON, st.fixed_dictionaries({"weight_map": st.dictionaries(NAMES, JSON, max_size=4), "metadata": JSON}))
)
@settings(max_examples=80, suppress_health_check=QUIET)
def test_indexes(tmp_path, content):
    survives(tmp_path / "model.safetensors.index.json", json.dumps(content).encode())


@pytest.mark.parametrize("seed", SEEDS, ids=range(len(SEEDS)))
def test_every_cut(tmp_path, seed):
    for size in range(0, len(seed), 3):
        survives(tmp_path / "x.gguf", seed[:size])


CONFIG_KEYS = ["model_type", "architectures", "hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"]
CONFIG_KEYS += ["text_config", "head_dim", "intermediate_size", "num_key_value_heads"]
CONFIG = st.dictionaries(
    st.sampled_from(CONFIG_KEYS), st.one_of(NUMBERS, st.just("llama"), st.just(["LlamaForCausalLM"]), JSON)
)
NAMED = [(f"model.{name}.weight", "F32", (2, 2), b"\0" * 16) for name in ("embed_tokens", "layers.0.mlp.up_proj")]


@given(st.one_of(JSON, CONFIG))
@settings(max_examples=100, suppress_health_check=QUIET)
def test_configs(tmp_path, content):
    (tmp_path / "config.json").write_text(json.dumps(content))
    survives(tmp_path / "model.safetensors", safetensors(NAMED))


LAYER = st.fixed_dictionaries(
    {},
    optional={
        "mediaType": st.one_of(st.sampled_from([MODEL, ADAPTER, PROJECTOR]), JSON),
        "digest": st.one_of(st.sampled_from([digest(SEEDS[0]), digest(b"gone"), "sha256:../../x"]), JSON),
        "size": NUMBERS,
    },
)


@given(
    st.one_of(JSON, st.fixed_dictionaries({"mediaType": JSON, "layers": st.one_of(JSON, st.lists(LAYER, max_size=4))}))
)
@settings(max_examples=100, suppress_health_check=QUIET)
def test_manifests(tmp_path, content):
    store = ollama(tmp_path, {"registry.ollama.ai/library/m/good": [(MODEL, SEEDS[0])]})
    path = store / "manifests/registry.ollama.ai/library/m/latest"
    survives(path, json.dumps(content).encode())
    assert str(path.with_name("good")) in find_models(store)
