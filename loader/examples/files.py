"""Writes the files that the examples of the README open, so that each of them runs as it stands.

    python loader/examples/files.py [FOLDER]

The folder, `weightmap-examples` where none is named, gets model.gguf and model.safetensors (the sample that lies in this
repository, real weights of a small model), models/ with both, damaged.gguf, which breaks off in the middle, and fp8/, a made-up
checkpoint as DeepSeek stores its own: 8-bit floats, with a scale for each 128 rows and columns.
"""

from __future__ import annotations

import json
import shutil
import struct
import sys
from pathlib import Path

import numpy as np

SAMPLE = Path(__file__).parents[2] / "app" / "tensorloupe" / "sample"
WEIGHT = "model.layers.0.mlp.down_proj.weight"


def write_files(folder: Path) -> None:
    """Write all files into a folder, which is made where it is not there."""
    (folder / "models").mkdir(parents=True, exist_ok=True)
    for ending in ("gguf", "safetensors"):
        sample = SAMPLE / f"minilm-sample.{ending}"
        for place in (folder, folder / "models"):
            shutil.copyfile(sample, place / f"model.{ending}")
    (folder / "damaged.gguf").write_bytes((folder / "model.gguf").read_bytes()[:300_000])
    _write_fp8(folder / "fp8")


def _write_fp8(folder: Path) -> None:
    """A checkpoint of one weight: its codes, its scales, and a config.json that says how both are meant."""
    dice = np.random.default_rng(1)
    codes = dice.integers(0, 0x7F, (256, 384), np.uint8)
    scales = dice.uniform(1e-4, 1e-2, (2, 3)).astype("<f4")
    header, at = {}, 0
    for name, dtype, array in ((WEIGHT, "F8_E4M3", codes), (f"{WEIGHT}_scale_inv", "F32", scales)):
        header[name] = {"dtype": dtype, "shape": array.shape, "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header).encode()
    folder.mkdir(exist_ok=True)
    whole = struct.pack("<Q", len(text)) + text + codes.tobytes() + scales.tobytes()
    (folder / "model.safetensors").write_bytes(whole)
    config = {"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}
    (folder / "config.json").write_text(json.dumps(config))


if __name__ == "__main__":
    made = Path(sys.argv[1] if len(sys.argv) > 1 else "weightmap-examples")
    write_files(made)
    print(f"The examples run in {made}.")
