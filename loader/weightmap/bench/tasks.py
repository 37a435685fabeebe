"""What is measured on one file: opening, views, decoding, statistics, matrix-vector products."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import weightmap
from weightmap.bench import peers
from weightmap.bench.peers import Peer
from weightmap.bench.race import PRODUCT, Job, Pace, race
from weightmap.bench.rows import MILLISECONDS, Row, Unit, rows_of
from weightmap.tensor import Tensor

MOST = 1 << 25  # elements of a tensor to measure on, where the file has one that is not larger
_PIECE = 1 << 18  # elements decoded at a time for a product: they stay in the cache


@dataclass
class Bench:
    """What a run shares: how long each race takes, what ends it, and the notes on peers that failed."""

    pace: Pace
    file: str | None = None
    check: Callable[[], None] | None = None
    notes: dict[str, str] = field(default_factory=dict)

    def rows(
        self,
        what: str,
        kind: str | None,
        units: list[Unit],
        job: Job,
        others: list[Peer],
        ours: NDArray[Any] | None = None,
    ) -> Iterator[Row]:
        """Compare results first, then time everything that gave one: a row per peer in the first unit, one in each other."""
        jobs: dict[str, Job] = {PRODUCT: job}
        notes, self.notes = self.notes, {}
        for peer in others:
            try:
                theirs = peer.value(peer.run())
                jobs[peer.name] = peer.run
                if ours is not None and theirs is not None and not _equal(ours, theirs):
                    notes[peer.name] = "its values differ from ours"
            except Exception as problem:  # whatever another package does, the bench goes on
                notes[peer.name] = _said(problem)
        times = race(jobs, self.pace, self.check)
        yield from rows_of(what, kind, self.file, units[0], times, notes)
        for unit in units[1:]:
            yield from rows_of(what, kind, self.file, unit, {PRODUCT: times[PRODUCT]}, {})

    def peer(self, name: str, make: Callable[[], Peer]) -> list[Peer]:
        """The peer, or none with a note where it cannot even begin."""
        try:
            return [make()]
        except Exception as problem:
            self.notes[name] = _said(problem)
            return []


def opening(bench: Bench, path: str, kind: str) -> Iterator[Row]:
    """Open a file and list what is in it."""
    others: list[Peer] = []
    if kind == "gguf" and peers.has("gguf"):
        others += bench.peer("gguf-py", lambda: peers.gguf_open(path))
    if kind == "safetensors" and os.path.isfile(path) and peers.has("safetensors"):
        others += bench.peer("safetensors", lambda: peers.safetensors_open(path))

    def listed() -> list[tuple[str, tuple[int, ...]]]:
        with weightmap.open(path, cache=False) as model:
            return [(name, tensor.shape) for name, tensor in model.tensors.items()]

    yield from bench.rows(f"open, {kind}", None, [MILLISECONDS], listed, others)


def views(bench: Bench, model: weightmap.WeightFile) -> Iterator[Row]:
    """Views of every tensor of an open model: of its values where they are stored plainly, else of its blocks."""
    tensors = [tensor for tensor in model.records if tensor.problem is None]

    def made() -> list[NDArray[Any]]:
        return [tensor.array() if tensor.type.view_dtype() is not None else tensor.raw() for tensor in tensors]

    if tensors:
        yield from bench.rows("view creation", None, [Unit("views/s", len(tensors))], made, [])


def loading(bench: Bench, path: str, model: weightmap.WeightFile) -> Iterator[Row]:
    """A whole checkpoint by name: as views beside peers that map the file, as copies beside one that reads it."""
    if model.format != "safetensors" or not os.path.isfile(path):
        return
    folder = os.path.dirname(os.path.abspath(path))

    def as_views() -> dict[str, Any]:
        return dict(weightmap.load_weights(path, cache=False))

    def as_copies() -> dict[str, Any]:
        with weightmap.open(path, cache=False) as opened:
            return {name: tensor.array(copy=True) for name, tensor in opened.tensors.items()}

    mapped: list[Peer] = []
    if peers.has("safetensors", "torch"):
        mapped += bench.peer("safetensors.torch.load_file", lambda: peers.load_torch(path))
    if peers.has("transformers", "torch") and os.path.isfile(os.path.join(folder, "config.json")):
        mapped += bench.peer("transformers from_pretrained", lambda: peers.from_pretrained(folder))
    yield from bench.rows("load, as views", None, [MILLISECONDS], as_views, mapped)
    read: list[Peer] = []
    if peers.has("safetensors"):
        read += bench.peer("safetensors.numpy.load_file", lambda: peers.load_numpy(path))
    yield from bench.rows("load, as copies", None, [MILLISECONDS], as_copies, read)


def values(bench: Bench, path: str, tensor: Tensor) -> Iterator[Row]:
    """Decode, measure and multiply one tensor, beside gguf-py where it is in a GGUF file."""
    name, count = tensor.type.name, tensor.count
    tensor.raw().max(initial=0)  # every page is there before a clock runs
    decoded = tensor.array(np.float32)
    peer: list[peers.GgufTensor] = []
    if tensor.type.id is not None and peers.has("gguf") and _is_gguf(path):
        try:
            peer = [peers.GgufTensor(tensor.path, tensor.name)]
        except Exception as problem:
            bench.notes["gguf-py"] = _said(problem)
    decoding = [Peer("gguf-py", one.values, lambda result: result) for one in peer]
    units = [Unit("elements/s", count), Unit("GB/s", count, 4e-9)]
    decode = bench.rows("decode", name, units, lambda: tensor.array(np.float32, copy=True), decoding, decoded)
    for row in decode:
        yield row
        peer = peer if row.note is None else []  # what cannot decode does the rest no better
    measuring = [Peer("gguf-py and numpy", partial(_peer_statistics, one)) for one in peer]
    yield from bench.rows("statistics", name, units[:1], tensor.statistics, measuring)
    if len(tensor.shape) > 1:
        yield from _products(bench, tensor, decoded, peer)


def _products(bench: Bench, tensor: Tensor, decoded: NDArray[Any], peer: list[peers.GgufTensor]) -> Iterator[Row]:
    """Matrix times vector: from the stored blocks, piece by piece, and with what was decoded before."""
    name, matrix = tensor.type.name, decoded.reshape(-1, tensor.shape[-1])
    vector = np.random.default_rng(3).standard_normal(matrix.shape[1], dtype=np.float32)
    unit = [Unit("GFLOP/s", 2 * tensor.count, 1e-9)]
    others = [Peer("gguf-py and numpy", partial(_peer_product, one, matrix.shape, vector)) for one in peer]
    yield from bench.rows("matrix-vector, from stored", name, unit, lambda: product(tensor, vector), others)
    torch = []
    if name in ("F32", "F16", "BF16") and peers.has("torch"):
        torch = bench.peer("torch", lambda: peers.torch_product(matrix, name, vector))
    yield from bench.rows("matrix-vector, loaded", name, unit, lambda: matrix @ vector, torch)


def product(tensor: Tensor, vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The tensor as a matrix of its last axis times `vector`: float32 (rows,), some rows decoded at a time."""
    columns = tensor.shape[-1]
    out = np.empty(tensor.count // max(columns, 1), np.float32)
    if len(tensor.shape) != 2 or tensor.type.value != np.float32:
        np.matmul(tensor.array(np.float32).reshape(len(out), columns), vector, out=out)
        return out
    step = max(_PIECE // max(columns, 1), 1)
    for start in range(0, len(out), step):
        piece = np.asarray(tensor[start : start + step], np.float32)
        np.matmul(piece, vector, out=out[start : start + step])
    return out


def chosen(model: weightmap.WeightFile) -> list[Tensor]:
    """One tensor for each stored type of floats: the largest that is not too large, else the smallest."""
    by_type: dict[str, list[Tensor]] = {}
    for tensor in model.records:
        if tensor.problem is None and tensor.count and tensor.type.value.kind == "f":
            by_type.setdefault(tensor.type.name, []).append(tensor)
    return [
        max((t for t in group if t.count <= MOST), key=lambda t: t.count, default=min(group, key=lambda t: t.count))
        for group in by_type.values()
    ]


def _peer_product(peer: peers.GgufTensor, shape: tuple[int, ...], vector: NDArray[np.float32]) -> NDArray[Any]:
    """Decoded whole, then multiplied."""
    product: NDArray[Any] = peer.values().reshape(shape) @ vector
    return product


def _peer_statistics(peer: peers.GgufTensor) -> tuple[Any, ...]:
    """What our statistics hold, as a careful script computes it with numpy."""
    values = peer.values()
    finite = values[np.isfinite(values)]
    counted = np.isnan(values).sum(), np.isinf(values).sum(), values.size - np.count_nonzero(values)
    moments = finite.min(), finite.max(), finite.mean(dtype=np.float64), finite.std(dtype=np.float64)
    return (*counted, *moments, np.histogram(finite, 256))


def _equal(ours: NDArray[Any], theirs: NDArray[Any]) -> bool:
    return ours.size == theirs.size and bool(np.array_equal(ours.reshape(-1), theirs.reshape(-1), equal_nan=True))


def _is_gguf(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"GGUF"


def _said(problem: Exception) -> str:
    lines = str(problem).strip().splitlines()
    return f"{type(problem).__name__}: {lines[0][:160]}" if lines else type(problem).__name__
