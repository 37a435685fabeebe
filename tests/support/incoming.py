"""A folder as people have them: sound models, broken ones, and things that are no models at all."""

from __future__ import annotations

from pathlib import Path

from support.build import gguf, safetensors
from support.toys import floats, ramp

from tensorloupe.panels.sheet.page import SheetPage

STATES = {
    "sound1.safetensors": "ok",
    "sound2.safetensors": "ok",
    "sound10.safetensors": "ok",
    "nan.safetensors": "ok",
    "cut.gguf": "error",
    "page.gguf": "error",
    "pointer.gguf": "error",
}  # by their headers alone


def states(page: SheetPage) -> dict[str, str]:
    """How the models of a list stand, by their names; those that the filter hides are left out."""
    return {row.name: row.state for row in page.model.rows if not row.hidden}


def build(folder: Path) -> Path:
    """Seven models: three sound, one with a NaN, one cut, a web page, and a Git LFS pointer in a sub-folder."""
    (folder / "deeper").mkdir(parents=True)
    for n in (1, 2, 10):
        tensors = [("a.weight", "F32", (2, 2), floats(1, 2, 3, n)), ("b", "F32", (2,), floats(4, 5))]
        (folder / f"sound{n}.safetensors").write_bytes(safetensors(tensors))
    nan = [("w", "F32", (2, 2), floats(1, float("nan"), 3, 4)), ("v", "F32", (2,), floats(1, 2))]
    (folder / "nan.safetensors").write_bytes(safetensors(nan))
    whole = gguf([("general.architecture", "str", "toy")], [("t", (4, 4), 0, ramp(16))])
    (folder / "cut.gguf").write_bytes(whole[:-20])
    (folder / "page.gguf").write_text("<!DOCTYPE html><html><body>404</body></html>")
    (folder / "deeper" / "pointer.gguf").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 4661211424\n"
    )
    (folder / "notes.txt").write_text("not a model")
    return folder
