"""Small files of every kind, to make mutants of, and a folder in which each lies where it is looked for."""

from __future__ import annotations

import json
import os

from support.build import gguf, safetensors
from support.imatrix import imatrix
from support.stores import manifest

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
