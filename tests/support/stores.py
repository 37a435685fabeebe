"""Model stores of other programs, small: Ollama's manifests and blobs, the download cache of Hugging Face."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

MODEL = "application/vnd.ollama.image.model"
ADAPTER = "application/vnd.ollama.image.adapter"
PROJECTOR = "application/vnd.ollama.image.projector"
TEMPLATE = "application/vnd.ollama.image.template"


def digest(content: bytes) -> str:
    """As a manifest names a blob."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def manifest(layers: Iterable[tuple[str, bytes]]) -> bytes:
    """An Ollama manifest of (media type, content of the blob)."""
    listed = [{"mediaType": kind, "digest": digest(content), "size": len(content)} for kind, content in layers]
    config = {"mediaType": "application/vnd.docker.container.image.v1+json", "digest": digest(b"{}"), "size": 2}
    head = {"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json", "config": config}
    return json.dumps({**head, "layers": listed}).encode()


def ollama(top: Path, models: Mapping[str, Iterable[tuple[str, bytes]]]) -> Path:
    """A store in `top`: name (registry/namespace/model/tag) to the layers. Returns `top`."""
    for name, layers in models.items():
        layers = list(layers)
        path = top / "manifests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(manifest(layers))
        for _, content in layers:
            blob = top / "blobs" / digest(content).replace(":", "-")
            blob.parent.mkdir(parents=True, exist_ok=True)
            blob.write_bytes(content)
    return top


def hugging_face(cache: Path, files: Mapping[str, bytes], repository: str = "models--a--b") -> Path:
    """A snapshot whose files are links to blobs, as the hub's client makes it. Returns the snapshot's folder."""
    blobs, snapshot = cache / repository / "blobs", cache / repository / "snapshots" / "0123abcd"
    for folder in (blobs, snapshot, cache / repository / "refs"):
        folder.mkdir(parents=True, exist_ok=True)
    (cache / repository / "refs" / "main").write_text("0123abcd", encoding="ascii")
    for name, content in files.items():
        blob = blobs / hashlib.sha256(content).hexdigest()
        blob.write_bytes(content)
        os.symlink(os.path.relpath(blob, snapshot), snapshot / name)
    return snapshot
