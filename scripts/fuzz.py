#!/usr/bin/env python3
"""Opens and checks mutants of small weight files: only WeightFileError may escape, within a second and 100 MB.

Every run is a function of its seed: `--seed S --count N` tries the mutants S:0 to S:N-1, and `--seed S --only I` repeats one.
What breaks a rule is printed and kept in the folder of `--keep`. Files given as PATH join the built-in ones, cut to their
first 64 KiB.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.build import gguf, safetensors
from support.imatrix import imatrix
from support.stores import manifest

import weightmap

LARGEST_SEED = 1 << 16
SECONDS, MEGABYTES = 1.0, 100
EDGES = (0, 1, 7, 31, 32, 255, 256, 1 << 16, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 62, 1 << 63, (1 << 64) - 1)
TOKENS = (
    b"0",
    b"-1",
    b"1e400",
    b"18446744073709551616",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b'""',
    b'"a"',
    b"NaN",
    b"[" * 40,
)
TENSORS = [
    ("a", (2, 32), 8, b"\1" * 68),
    ("blk.0.attn_q.weight", (3, 4), 0, b"\0" * 48),
    ("q", (256,), 12, b"\2" * 144),
]
KEYS = [
    ("general.architecture", "str", "llama"),
    ("general.alignment", "u32", 32),
    ("general.file_type", "u32", 7),
    ("llama.block_count", "u32", 1),
    ("llama.embedding_length", "u32", 4),
    ("llama.attention.head_count", "arr", ("u32", [2])),
    ("tokenizer.ggml.tokens", "arr", ("str", ["<s>", "", "b\u00e9", "x" * 30])),
    ("tokenizer.ggml.scores", "arr", ("f32", [0.0, -1.0])),
    ("flags", "arr", ("bool", [True, False])),
    ("nested", "arr", ("arr", [("u8", [1]), ("str", ["a"])])),
    ("tokenizer.chat_template", "str", "{% if a %}{{ b }}{% endif %}"),
]
PLAIN = safetensors([("model.norm.weight", "F32", (4,), bytes(16)), ("b", "F4", (4,), b"\0\0")], {"k": "v"})
QUANTIZED = safetensors(
    [
        ("a.weight", "F8_E4M3", (4, 16), bytes(range(64))),
        ("a.weight_scale", "F32", (4, 1), b"\0\0\x80\x3f" * 4),
        ("b.weight_packed", "U8", (2, 16), bytes(range(32))),
        ("b.weight_scale", "U8", (2, 1), b"\x7f\x80"),
        ("c.weight", "U8", (2, 16), bytes(range(32))),
        ("c.weight_scale", "F8_E4M3", (2, 2), b"\x38" * 4),
        ("c.weight_scale_2", "F32", (), b"\0\0\x80\x3a"),
        ("d_blocks", "U8", (1, 2, 1, 16), bytes(range(32))),
        ("d_scales", "U8", (1, 2, 1), b"\x7f\x80"),
        ("e.weight", "I8", (2, 16), bytes(range(32))),
        ("e.weight_scale", "F32", (), b"\0\0\x80\x3a"),
        ("e.comfy_quant", "U8", (70,), b'{"format": "int8_tensorwise", "convrot": true, "convrot_groupsize": 4}'),
        ("f.qweight", "I32", (4, 8), bytes(range(128))),
        ("f.qzeros", "I32", (1, 1), b"wwww"),
        ("f.scales", "F16", (1, 8), b"\0\x3c" * 8),
        ("f.g_idx", "I32", (32,), bytes(128)),
        ("g.weight", "U32", (2, 4), bytes(range(32))),
        ("g.scales", "F16", (2, 1), b"\0\x3c" * 2),
        ("g.biases", "F16", (2, 1), b"\0\x3c" * 2),
    ],
    {"_quantization_metadata": '{"layers": {}}'},
)
INDEX = json.dumps(
    {"metadata": {"total_size": 18}, "weight_map": {"model.norm.weight": "s.safetensors", "b": "s.safetensors"}}
)
CONFIG = json.dumps(
    {"model_type": "llama", "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 2, "vocab_size": 8}
)


def built_in() -> list[tuple[str, bytes]]:
    """(kind, content) of the files that mutants are made of; the kind says where the file lies among others."""
    models = [
        gguf(KEYS, TENSORS),
        gguf(KEYS, TENSORS, big_endian=True),
        gguf(KEYS, TENSORS, version=1),
        gguf(),
        PLAIN,
        QUANTIZED,
    ]
    models.append(imatrix([("blk.0.attn_q.weight", 4, [1.0] * 32), ("output.weight", 4, [2.0])]))
    split = [("split.no", "u16", 0), ("split.count", "u16", 2), ("split.tensors.count", "i32", 3)]
    return [
        *(("model", content) for content in models),
        ("split", gguf([*KEYS, *split], TENSORS[:1])),
        ("index", INDEX.encode()),
        ("config", CONFIG.encode()),
        ("manifest", manifest([("application/vnd.ollama.image.model", gguf(KEYS, TENSORS))])),
    ]


class Folder:
    """A folder in which each kind of file lies where it is looked for, beside files that stay as they are."""

    def __init__(self, top: str) -> None:
        self.top = top
        split = [("split.no", "u16", 1), ("split.count", "u16", 2), ("split.tensors.count", "i32", 3)]
        self._put("split/m-00002-of-00002.gguf", gguf(split, TENSORS[1:]))
        self._put("index/s.safetensors", PLAIN)
        self._put("config/model.safetensors", PLAIN)
        self._put("store/blobs/sha256-" + "0" * 64, gguf(KEYS, TENSORS))
        os.makedirs(os.path.join(top, "store/manifests/registry.ollama.ai/library/m"))

    def _put(self, name: str, content: bytes) -> str:
        path = os.path.join(self.top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def put(self, kind: str, content: bytes) -> str:
        """Write a mutant to its place; the path that a user would open."""
        places = {
            "model": "model.gguf",
            "split": "split/m-00001-of-00002.gguf",
            "index": "index/model.safetensors.index.json",
            "config": "config/config.json",
            "manifest": "store/manifests/registry.ollama.ai/library/m/latest",
        }
        path = self._put(places[kind], content)
        return os.path.join(self.top, "config/model.safetensors") if kind == "config" else path


def mutant(dice: random.Random, seeds: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    """One to four changes to one of the seeds."""
    kind, content = dice.choice(seeds)
    changes: list[Callable[[random.Random, bytearray, list[tuple[str, bytes]]], None]] = [
        _byte,
        _number,
        _cut,
        _doubled,
        _spliced,
    ]
    if content[:1] == b"{" or content[8:9] == b"{":
        changes += [_token, _token]
    data = bytearray(content)
    for _ in range(dice.choice((1, 1, 2, 4))):
        dice.choice(changes)(dice, data, seeds)
    return kind, bytes(data)


def _byte(dice: random.Random, data: bytearray, seeds: object) -> None:
    if data:
        data[dice.randrange(len(data))] = dice.randrange(256)


def _number(dice: random.Random, data: bytearray, seeds: object) -> None:
    form = dice.choice(["<I", ">I", "<Q", ">Q", "<H"])
    size = struct.calcsize(form)
    if len(data) >= size:
        near = dice.choice(EDGES) + dice.choice((0, 0, 1, -1))
        at = dice.randrange(len(data) - size + 1)
        data[at : at + size] = struct.pack(form, near & ((1 << 8 * size) - 1))


def _cut(dice: random.Random, data: bytearray, seeds: object) -> None:
    begin = dice.randrange(len(data) + 1)
    del data[begin : begin + dice.choice((1, 4, 8, 64, len(data)))]


def _doubled(dice: random.Random, data: bytearray, seeds: object) -> None:
    begin = dice.randrange(len(data) + 1)
    data[begin:begin] = data[begin : begin + dice.choice((1, 4, 8, 40))]


def _spliced(dice: random.Random, data: bytearray, seeds: list[tuple[str, bytes]]) -> None:
    other = dice.choice(seeds)[1]
    begin = dice.randrange(len(other) + 1)
    at = dice.randrange(len(data) + 1)
    piece = other[begin : begin + dice.choice((4, 16, 64, 256))]
    data[at : at + dice.choice((0, len(piece)))] = piece


def _token(dice: random.Random, data: bytearray, seeds: object) -> None:
    """Puts a JSON value where one begins."""
    starts = [at + 1 for at, byte in enumerate(data) if byte in b":,["]
    if starts:
        at = dice.choice(starts)
        end = at + dice.choice((0, 1, 2, 5))
        data[at:end] = dice.choice(TOKENS)


def examine(path: str, thorough: bool) -> str:
    """Open, check, look at everything; how the file was judged. Anything but a WeightFileError escapes."""
    try:
        model = weightmap.open(path)
    except weightmap.WeightFileError as problem:
        assert str(problem)
        return "refused"
    with model:
        status = str(model.status)
        for found in model.findings:
            assert found.message
        for value in model.metadata.values():
            if not isinstance(value, str) and isinstance(value, Sequence):
                list(value)
        for weight in model.composed.values():
            for reading in (None, *weight.readings):
                try:
                    chosen = weight.with_reading(reading)
                    assert chosen.array(threads=1).shape == chosen.shape
                    if chosen.count:
                        assert chosen.explain(chosen.count - 1)
                    chosen.check_values(threads=1)
                except weightmap.WeightFileError as problem:
                    assert str(problem)
        for tensor in model.records:
            try:
                if thorough:
                    tensor.check_values(threads=1)
                elif tensor.problem is None and tensor.count < 1 << 16:
                    tensor.array(copy=True, threads=1)
            except weightmap.WeightFileError as problem:
                assert str(problem)
    return status


def main() -> int:
    """Run the mutants; 1 where one of them broke a rule."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("corpus", metavar="PATH", nargs="*", type=Path, help="more small files to make mutants of")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--only", type=int, help="repeat the mutant of this number alone")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"), help="where files that break a rule go")
    arguments = parser.parse_args()
    seeds = built_in() + [("model", path.read_bytes()[:LARGEST_SEED]) for path in arguments.corpus if path.is_file()]
    chosen = range(arguments.count) if arguments.only is None else [arguments.only]
    shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
    broken, judged, began = 0, Counter[str](), time.monotonic()
    with tempfile.TemporaryDirectory(dir=shared) as top:
        folder = Folder(top)
        examine(folder.put("model", gguf(KEYS, TENSORS)), True)  # what is loaded at first use is no mutant's doing
        for number in chosen:
            kind, content = mutant(random.Random(f"{arguments.seed}:{number}"), seeds)
            path = folder.put(kind, content)
            before, clock = _peak(), time.process_time()
            fault = ""
            try:
                judged[examine(path, number % 20 == 0)] += 1
            except Exception as problem:
                fault = f"{type(problem).__name__}: {problem}"
            if (spent := time.process_time() - clock) > SECONDS:
                fault = f"took {spent:.1f} s. {fault}"
            if (grown := _peak() - before) > MEGABYTES + len(content) / 1e6:
                fault = f"took {grown:.0f} MB. {fault}"
            if fault:
                broken += 1
                print(f"mutant {arguments.seed}:{number} ({kind}, {len(content):,} bytes): {fault}", flush=True)
                arguments.keep.mkdir(parents=True, exist_ok=True)
                (arguments.keep / f"{arguments.seed}-{number}-{kind}").write_bytes(content)
            if number % 50_000 == 49_999:
                print(f"{number + 1:,} mutants, {time.monotonic() - began:,.0f} s, {broken} broke a rule", flush=True)
    spent_all = time.monotonic() - began
    print(f"{len(chosen):,} mutants of {len(seeds)} files in {spent_all:,.0f} s: {dict(judged)}; {broken} broke a rule")
    return int(broken > 0)


def _peak() -> float:
    """Largest resident size of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    sys.exit(main())
