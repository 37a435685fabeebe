"""A folder as people have them: sound models, broken ones, a split one, and things that are no models at all."""

import struct
from pathlib import Path

import pytest
from support.build import gguf, safetensors


def numbers(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


@pytest.fixture
def incoming(tmp_path: Path) -> Path:
    """Seven models: three sound, one with a NaN, one cut, a web page, and a Git LFS pointer in a sub-folder."""
    folder = tmp_path / "incoming"
    (folder / "deeper").mkdir(parents=True)
    for n in (1, 2, 10):
        tensors = [("a.weight", "F32", (2, 2), numbers(1, 2, 3, n)), ("b", "F32", (2,), numbers(4, 5))]
        (folder / f"sound{n}.safetensors").write_bytes(safetensors(tensors))
    nan = [("w", "F32", (2, 2), numbers(1, float("nan"), 3, 4)), ("v", "F32", (2,), numbers(1, 2))]
    (folder / "nan.safetensors").write_bytes(safetensors(nan))
    whole = gguf([("general.architecture", "str", "toy")], [("t", (4, 4), 0, numbers(*range(16)))])
    (folder / "cut.gguf").write_bytes(whole[:-20])
    (folder / "page.gguf").write_text("<!DOCTYPE html><html><body>404</body></html>")
    (folder / "deeper" / "pointer.gguf").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 4661211424\n"
    )
    (folder / "notes.txt").write_text("not a model")
    return folder
