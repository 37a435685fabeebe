"""Manifests as other tools write them of a model of one file, worked out with hashlib alone."""

from __future__ import annotations

import json
from pathlib import Path

from support.checksums import DATA, sha

import weightmap


def listed(path: Path, algorithm: str = "sha256", name: str | None = None) -> str:
    """What gguf-hash writes: each tensor, and all of them in the table's order."""
    name = name or path.name
    lines = [f"{algorithm:8}  {sha(data, algorithm)}  {name}:{tensor}\n" for tensor, data in DATA.items()]
    return "".join(lines) + f"{algorithm:8}  {sha(b''.join(DATA.values()), algorithm)}  {name}\n"


def stated(path: Path, kind: str) -> Path:
    """A manifest of each kind for a model of one file."""
    whole = sha(path.read_bytes())
    target = path.with_name(f"stated.{kind}")
    texts = {
        "ours": weightmap.digest(path).manifest(),
        "sum": f"{sha(b'')}  other.gguf\n{whole}  {path.name}\n",
        "binary": f"{whole} *./{path.name}\n",
        "bare": f"{whole}\n",
        "lfs": f"version https://git-lfs.github.com/spec/v1\noid sha256:{whole}\nsize {path.stat().st_size}\n",
        "note": f"{'0' * 40}\n{whole}\n1700000000.5\n",
        "git": f"{'0' * 40}\n{sha(b'blob %d' % path.stat().st_size + bytes(1) + path.read_bytes(), 'sha1')}\n1700000000\n",
        "gguf-hash": listed(path),
        "sha1": listed(path, "sha1") + "xxh64     f66e9cd66a4396a0  m.gguf\n",
        "sha512": f"{sha(path.read_bytes(), 'sha512')}  {path.name}\n",
        "map": json.dumps({name: sha(data) for name, data in DATA.items()}),
    }
    target.write_text(texts[kind])
    return target


def place_of(path: Path, tensor: str) -> int:
    """Where a tensor begins by the file's own table."""
    with weightmap.open(path) as model:
        return model.tensors[tensor].offset
