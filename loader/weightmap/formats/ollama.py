"""Ollama's store: a manifest names the layers of a model, and the layer that holds the weights is a blob under its digest.

A store is a folder with `manifests/REGISTRY/NAMESPACE/MODEL/TAG` and `blobs/sha256-HEX`. A manifest stands for the model of
that name; adapters and projectors among its layers are models of their own, as they are files of their own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from weightmap.errors import WeightFileError, error, printable
from weightmap.findings import Finding, Severity, finding
from weightmap.formats.json_header import loads
from weightmap.source.byte_source import ByteSource
from weightmap.source.file import FileSource
from weightmap.wording import plural

MANIFESTS, BLOBS = "manifests", "blobs"
LARGEST = 1 << 20  # bytes of a manifest; real ones have about a thousand
MOST = 1000  # manifests that are looked into for the names of a blob
SHOWN = 3  # of these names
LAYER = "application/vnd.ollama.image."
BESIDE = ("adapter", "projector")
DEFAULTS = ("registry.ollama.ai", "library")
DIGEST = re.compile(r"sha256[:-][0-9a-f]{64}")


class Manifest(NamedTuple):
    """What a manifest says. `name` as Ollama's users type it; `models` and `beside` (adapters, projectors) are paths of blobs.

    `sizes`: the bytes that a blob should have, of those whose layer says so.
    """

    path: str
    name: str
    models: tuple[str, ...]
    beside: tuple[str, ...]
    sizes: dict[str, int]


def is_manifest(text: str) -> bool:
    """Whether the beginning of a JSON text looks like that of a manifest."""
    return '"layers"' in text and '"mediaType"' in text


def store_of(path: str) -> str | None:
    """The store that a path under `manifests` lies in; None where it lies in none."""
    top = os.path.abspath(path)
    while (above := os.path.dirname(top)) != top:
        if os.path.basename(top) == MANIFESTS and os.path.isdir(os.path.join(above, BLOBS)):
            return above
        top = above
    return None


def read_manifest(source: ByteSource) -> Manifest:
    """Read a manifest. Raises CorruptWeightError where it is none, UnsupportedFormatError where it names no weights."""
    path = source.path
    if source.size > LARGEST:
        text = f"The manifest has {source.size:,} bytes; no more than {LARGEST:,} are read."
        raise error(finding("bad_manifest", text, path=path))
    try:
        content = loads(source.read(0, source.size))
    except ValueError as problem:
        raise error(finding("bad_manifest", f"The manifest {problem}.", path=path)) from None
    fields = dict(content) if type(content) is tuple else {}
    layers = fields.get("layers")
    store = store_of(path)
    if type(layers) is not list:
        raise error(finding("bad_manifest", "The manifest has no list of layers.", path=path))
    if store is None:
        text = "The manifest lies in no store: there is no folder manifests above it with a folder blobs beside that."
        raise error(finding("bad_manifest", text, path=path))
    found: dict[str, list[str]] = {}
    sizes: dict[str, int] = {}
    for layer in layers:
        entry = dict(layer) if type(layer) is tuple else {}
        kind, digest = entry.get("mediaType"), entry.get("digest")
        if type(kind) is not str or not kind.startswith(LAYER):
            continue
        if type(digest) is not str or not DIGEST.fullmatch(digest):
            text = f"The digest of a layer is {printable(str(digest)[:80])}; sha256 and 64 hexadecimal digits were expected."
            raise error(finding("bad_manifest", text, path=path, found=str(digest)[:80]))
        blob, size = _blob(store, digest), entry.get("size")
        found.setdefault(kind.removeprefix(LAYER), []).append(blob)
        if type(size) is int and size >= 0:
            sizes[blob] = size
    models = tuple(dict.fromkeys(found.get("model", ())))
    beside = tuple(dict.fromkeys(blob for kind in BESIDE for blob in found.get(kind, ())))
    name = _name(path, store)
    if not models:
        text = (
            f"The manifest of {printable(name)} names no weights: the model runs elsewhere, or is kept in another form."
        )
        raise error(finding("no_weights_in_manifest", text, path=path, expected=LAYER + "model"))
    return Manifest(path, name, models, beside, sizes)


def called(path: str) -> list[Finding]:
    """What there is to say of a blob in a store that is opened by itself: by which names Ollama's users know it."""
    folder, name = os.path.split(os.path.abspath(path) if DIGEST.fullmatch(os.path.basename(path)) else "")
    store = os.path.dirname(folder)
    if os.path.basename(folder) != BLOBS or not os.path.isdir(os.path.join(store, MANIFESTS)):
        return []
    names = list(islice(_names(store, name.replace("-", ":")), SHOWN + 1))
    if not names:
        return []
    listed = ", ".join(map(printable, names[:SHOWN])) + (" and more" if len(names) > SHOWN else "")
    return [finding("manifest", f"In the store of Ollama this blob belongs to {listed}.", path=path, found=names[0])]


def _names(store: str, digest: str) -> Iterator[str]:
    """Names of the models with a blob of this digest, as far as MOST manifests tell."""
    top = os.path.join(store, MANIFESTS)
    paths = (os.path.join(folder, name) for folder, _, names in os.walk(top) for name in sorted(names))
    for path in islice(paths, MOST):
        with suppress(OSError):
            if os.path.isfile(path) and os.path.getsize(path) <= LARGEST and digest in _beginning(path, LARGEST):
                yield _name(path, store)


def missing(manifest: Manifest, blob: str) -> WeightFileError:
    """The error that names a blob which the store does not have."""
    name = os.path.basename(blob)
    text = f"The weights of {printable(manifest.name)} are not there: the store has no blob {name}."
    return error(
        finding("missing_blob", text, path=blob, expected=name, advice=f"Run: ollama pull {printable(manifest.name)}")
    )


def lacking(manifest: Manifest) -> list[Finding]:
    """What there is to say of adapters and projectors that the manifest names and the store does not have."""
    advice = f"Run: ollama pull {printable(manifest.name)}"
    text = (
        "The manifest of {} names an adapter or a projector of the model that is not there: the store has no blob {}."
    )
    return [
        finding(
            "missing_blob",
            text.format(printable(manifest.name), os.path.basename(blob)),
            severity=Severity.WARNING,
            path=blob,
            expected=os.path.basename(blob),
            advice=advice,
        )
        for blob in manifest.beside
        if not os.path.exists(blob)
    ]


def resized(manifest: Manifest, blob: ByteSource) -> list[Finding]:
    """What there is to say where a blob is not as large as the manifest says."""
    size = manifest.sizes.get(blob.path, blob.size)
    if size == blob.size:
        return []
    name = os.path.basename(blob.path)
    text = f"The blob {name} has {plural(blob.size, 'byte')}; the manifest of {printable(manifest.name)} says {size:,}."
    advice = f"Run: ollama pull {printable(manifest.name)}"
    return [finding("blob_size", text, path=blob.path, expected=f"{size:,}", found=f"{blob.size:,}", advice=advice)]


def in_folder(folder: str, names: list[str]) -> tuple[list[str], list[str]]:
    """Of a folder under `manifests`: the files that stand for a model, and the blobs beside their weights."""
    models, beside = [], []
    for name in names if store_of(folder) else ():
        try:
            source = FileSource(os.path.join(folder, name))
            try:
                manifest = read_manifest(source)
            finally:
                source.close()
        except WeightFileError as problem:
            if problem.code == "bad_manifest" and is_manifest(_beginning(os.path.join(folder, name))):
                models.append(name)  # to be named as what is wrong, not left out
            continue
        models.append(name)
        beside += [blob for blob in manifest.beside if os.path.exists(blob)]
    return models, beside


def _beginning(path: str, most: int = 4096) -> str:
    with open(path, "rb") as file:
        return file.read(most).decode("utf-8", "replace")


def _blob(store: str, digest: str) -> str:
    """The path of a blob; old releases left the colon in its name."""
    old = os.path.join(store, BLOBS, digest)
    return old if ":" in digest and os.path.exists(old) else os.path.join(store, BLOBS, digest.replace(":", "-"))


def _name(path: str, store: str) -> str:
    *folders, tag = os.path.relpath(os.path.abspath(path), os.path.join(store, MANIFESTS)).split(os.sep)
    for default in DEFAULTS:
        if folders[:1] == [default]:
            del folders[0]
    return f"{'/'.join(folders)}:{tag}" if folders else tag
