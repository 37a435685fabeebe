"""What load_weights returns: a mapping from names to arrays that reads when a name is looked up and keeps nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, NoReturn

import numpy as np
from numpy.typing import DTypeLike, NDArray

from weightmap.opened import Opened
from weightmap.tensor import Tensor


class Weights(Mapping[str, Any]):
    """Arrays (with `keep_quantized`: the Tensor of what is quantized) by tensor name, in file order. Thread-safe.

    A context manager; `close` lets go of the files at once.
    """

    def __init__(
        self,
        opened: Opened,
        *,
        dtype: DTypeLike | None = None,
        names: str | Iterable[str] | None = None,
        keep_quantized: bool = False,
    ) -> None:
        self._opened = opened
        self._dtype = None if dtype is None else np.dtype(dtype)
        self._keep_quantized = keep_quantized
        records = opened.layout.records
        wanted = _chosen([record.name for record in records], names)
        self._tensors = {records[index].name: Tensor(opened, index) for index in wanted}

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The model's metadata, as `weightmap.open` gives it."""
        return self._opened.layout.metadata

    def __getitem__(self, name: str) -> NDArray[Any] | Tensor:
        tensor = self._tensors[name]
        if self._keep_quantized and tensor.type.elements > 1:
            return tensor
        return tensor.array(self._dtype)

    def __contains__(self, name: object) -> bool:
        return name in self._tensors

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def close(self) -> int:
        """End reading; returns how many zero-copy views are still in use. They stay valid."""
        return self._opened.close()

    def __enter__(self) -> Weights:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "Loaded weights cannot be pickled as a whole; take the arrays (dict(weights)), or send the path."
        )

    def __repr__(self) -> str:
        return f"<weights of {self._opened.path!r}: {len(self):,} tensors>"


def _chosen(stored: list[str], names: str | Iterable[str] | None) -> list[int]:
    """Indexes of the tensors that the names and patterns ask for, in file order. KeyError where one fits nothing."""
    if names is None:
        return list(range(len(stored)))
    position = {name: index for index, name in reversed(list(enumerate(stored)))}
    chosen: set[int] = set()
    for pattern in [names] if isinstance(names, str) else names:
        if pattern in position:
            chosen.add(position[pattern])
            continue
        fitting = [index for name, index in position.items() if fnmatchcase(name, pattern)]
        if not fitting:
            raise KeyError(f"no tensor is called {pattern!r}")
        chosen.update(fitting)
    return sorted(chosen)
