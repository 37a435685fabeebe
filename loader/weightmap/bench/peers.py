"""The packages that read the same files: what each of them does, imported when it is measured and not before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

PACKAGES = ("gguf", "safetensors", "torch", "transformers")


@cache
def installed() -> dict[str, str]:
    """Version by name of the peers that are there."""
    found = {}
    for name in PACKAGES:
        try:
            if find_spec(name) is not None:
                found[name] = version(name)
        except (PackageNotFoundError, ValueError):
            continue
    return found


def absent() -> tuple[str, ...]:
    """The peers that are not there."""
    return tuple(name for name in PACKAGES if name not in installed())


def has(*names: str) -> bool:
    """Whether all of these peers are there."""
    return all(name in installed() for name in names)


@dataclass(frozen=True, slots=True)
class Peer:
    """Another way to the same result: `run()` does it once, `value(result)` gives what to compare with ours, or None."""

    name: str
    run: Callable[[], Any]
    value: Callable[[Any], NDArray[Any] | None] = lambda result: None


def gguf_open(path: str) -> Peer:
    """gguf-py's reader, which decodes the whole header."""
    reader = import_module("gguf").GGUFReader
    return Peer("gguf-py", lambda: [(tensor.name, tensor.shape) for tensor in reader(path).tensors])


class GgufTensor:
    """One tensor as gguf-py gives it: its rows of blocks mapped, decoded on demand."""

    def __init__(self, path: str, name: str) -> None:
        gguf = import_module("gguf")
        self._quants = import_module("gguf.quants")
        found = next(tensor for tensor in gguf.GGUFReader(path).tensors if tensor.name == name)
        self._data, self._kind = found.data, found.tensor_type
        self._plain = not gguf.GGML_QUANT_SIZES[found.tensor_type][0] > 1 and found.data.dtype != np.uint8
        self._data.view(np.uint8).max(initial=0)  # every page is there before a clock runs

    def values(self) -> NDArray[Any]:
        """Decoded to float32."""
        values: NDArray[Any] = self._data if self._plain else self._quants.dequantize(self._data, self._kind)
        return values.astype(np.float32) if self._plain else values


def safetensors_open(path: str) -> Peer:
    """The reader of safetensors itself: names and shapes from the header."""
    opened = import_module("safetensors").safe_open

    def names() -> list[tuple[str, Any]]:
        with opened(path, "np") as file:
            return [(name, file.get_slice(name).get_shape()) for name in file.keys()]  # noqa: SIM118 - it is no mapping

    return Peer("safetensors", names)


def load_numpy(path: str) -> Peer:
    """safetensors.numpy.load_file: every tensor read into memory."""
    load = import_module("safetensors.numpy").load_file
    return Peer("safetensors.numpy.load_file", lambda: load(path))


def load_torch(path: str) -> Peer:
    """safetensors.torch.load_file: every tensor as a torch tensor over the mapped file."""
    load = import_module("safetensors.torch").load_file
    return Peer("safetensors.torch.load_file", lambda: load(path))


def from_pretrained(folder: str) -> Peer:
    """The from_pretrained of transformers on the folder of a model, from disk alone; it builds the model as well."""
    transformers = import_module("transformers")
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return Peer(
        "transformers from_pretrained",
        lambda: transformers.AutoModel.from_pretrained(folder, local_files_only=True, trust_remote_code=False),
    )


def torch_product(values: NDArray[Any], kind: str, vector: NDArray[np.float32]) -> Peer:
    """A matrix-vector product of torch in the stored type, from memory."""
    torch = import_module("torch")
    dtype = {"F16": torch.float16, "BF16": torch.bfloat16}.get(kind, torch.float32)
    matrix = torch.from_numpy(np.array(values, np.float32)).to(dtype)
    other = torch.from_numpy(vector).to(dtype)
    return Peer("torch", lambda: matrix @ other)
