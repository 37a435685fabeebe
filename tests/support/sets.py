"""Models that lie in several files: split GGUF, sharded safetensors; opened, and what was said of them."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from support.build import gguf, safetensors

from weightmap.formats.layout import Layout
from weightmap.formats.sets import open_layout


def part(number: int, count: int, names: Sequence[str], total: int, *, no: int | None = None) -> bytes:
    """Part `number` of `count`, from 1; `no` is what its metadata says of that, from 0."""
    keys = [("general.architecture", "str", "llama"), ("x.only", "u8", 1)] if number == 1 else []
    keys += [
        ("split.no", "u16", number - 1 if no is None else no),
        ("split.count", "u16", count),
        ("split.tensors.count", "i32", total),
    ]
    return gguf(keys, [(name, (2,), 0, b"\0" * 8) for name in names])


def split(folder: Path, names: Sequence[Sequence[str]] = (("a",), ("b", "c"), ("d",)), total: int = 4) -> list[Path]:
    """A GGUF in a part for each group of names."""
    paths = [folder / f"m-{n:05d}-of-{len(names):05d}.gguf" for n in range(1, len(names) + 1)]
    for number, path in enumerate(paths, 1):
        path.write_bytes(part(number, len(names), names[number - 1], total))
    return paths


def shards(folder: Path, weight_map: dict[str, str], **fields: object) -> Path:
    """An index with the shards that it names; returns the index, to which `fields` are added."""
    by_file: dict[str, list[str]] = {}
    for name, file in weight_map.items():
        by_file.setdefault(file, []).append(name)
    for file, names in by_file.items():
        (folder / file).write_bytes(safetensors([(name, "F32", (1,), b"\0" * 4) for name in names]))
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 4 * len(weight_map)}, "weight_map": weight_map, **fields}))
    return index


def opened(path: Path) -> Layout:
    """The layout, with a source for each part that is there."""
    layout, sources = open_layout(str(path))
    try:
        assert len(sources) == len(layout.parts)
        for source, part in zip(sources, layout.parts, strict=True):
            assert (source is None) == (part.size is None)
    finally:
        for source in sources:
            if source is not None:
                source.close()
    return layout


def said(layout: Layout) -> list[tuple[str, str, str]]:
    """(code, severity, file) of every problem."""
    return [(p.code, str(p.severity), os.path.basename(p.path)) for p in layout.problems]
