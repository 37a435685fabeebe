"""Small models and the command line as a function."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.build import gguf, safetensors
from support.command import Ran, Weightmap

from weightmap.cli import main

Q8_ROW = np.float16(0.5).tobytes() + bytes(range(32))


@pytest.fixture
def weightmap(capsys: pytest.CaptureFixture[str]) -> Weightmap:
    """Runs the command line in this process."""

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = int(end.code or 0)
        out, err = capsys.readouterr()
        return Ran(status, out, err)

    return run


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A sound GGUF: a 2 x 3 F32, a Q8_0 row, an F16 with a NaN, a long array and a long text in the metadata."""
    path = tmp_path / "small.gguf"
    metadata = (
        ("general.architecture", "str", "llama"),
        ("general.name", "str", "small"),
        ("llama.rope.freq_base", "f32", 1e-6),
        ("x.numbers", "arr", ("i32", list(range(40)))),
        ("x.text", "str", "long " * 200),
    )
    tensors = (
        ("token_embd.weight", (2, 3), 0, np.arange(6, dtype="<f4").tobytes()),
        ("output.weight", (1, 32), 8, Q8_ROW),
        ("output_norm.weight", (4,), 1, np.array([1, np.nan, np.inf, 0], "<f2").tobytes()),
    )
    path.write_bytes(gguf(metadata, tensors))
    return path


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    """A safetensors file that ends early: `a` can be read, `b` cannot."""
    path = tmp_path / "cut.safetensors"
    whole = safetensors((("a", "F32", (2,), np.ones(2, "<f4").tobytes()), ("b", "F32", (64,), bytes(256))))
    path.write_bytes(whole[:-100])
    return path
