"""What load_weights returns: a mapping from names to arrays that reads when a name is looked up and keeps nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from weightmap.asked import UnknownNameError, converts, dtype_asked, names_asked
from weightmap.listing import composed, listed, unknown_reading
from weightmap.opened import Opened
from weightmap.reading.decode import converted_from
from weightmap.tensor import Tensor

if TYPE_CHECKING:
    from weightmap.companions.base import Claim
    from weightmap.composed import Composed
    from weightmap.sending import Ticket


class Weights(Mapping[str, Any]):
    """Arrays (with `keep_quantized`: the Tensor or Composed of what is quantized) by name, in file order. Thread-safe.

    A weight that lies in several tensors has the name that the model gives it; these tensors are not listed. A context
    manager; `close` lets go of the files at once. Pickled it is a path and a fingerprint: whoever unpickles it maps the
    files itself, and gets FileChangedError where they are others.
    """

    def __init__(
        self,
        opened: Opened,
        *,
        dtype: DTypeLike | None = None,
        names: str | Iterable[str] | None = None,
        keep_quantized: bool = False,
        reading: str | None = None,
    ) -> None:
        self._opened = opened
        self._dtype = dtype_asked(dtype)
        self._keep_quantized = keep_quantized
        self._restricted, self._reading = names is not None, reading
        every = listed(opened)
        stored = [record.name for record in opened.layout.records] if names is not None else []
        self._chosen = every if names is None else _chosen(every, stored, names)  # indices of records, for a start
        self._made: dict[str, Tensor | Composed] | None = None
        if self._dtype is not None:
            self._refuse_dtype(self._dtype)
        if reading is not None and not any(getattr(one, "reading", None) for one in self._tensors.values()):
            raise unknown_reading(reading, self._tensors.values())

    def _refuse_dtype(self, wanted: np.dtype[Any]) -> None:
        """Raise TypeError where nothing that was chosen converts, or floats would have to become integers."""
        records = self._opened.layout.records
        types = {name: records[one].type if isinstance(one, int) else None for name, one in self._chosen.items()}
        if self._keep_quantized:
            types = {name: kind for name, kind in types.items() if kind is not None and kind.elements == 1}
        values = {name: np.dtype(np.float32) if kind is None else converted_from(kind) for name, kind in types.items()}
        unfit = [name for name, value in values.items() if not converts(value, wanted)]
        floats = wanted.kind in "biu" and any(values[name].kind not in "biu" for name in unfit)
        if unfit and (len(unfit) == len(values) or floats):
            text = (
                f"{unfit[0]!r} holds {values[unfit[0]]}, which does not convert to {wanted} without losing what it is"
            )
            others = "nor does one other" if len(unfit) == 2 else f"nor do {len(unfit) - 1:,} others"
            more = f"; {others}. Name another dtype, or by names= what is to come so"
            raise TypeError(text + (more if len(unfit) > 1 else ""))

    @property
    def _tensors(self) -> Mapping[str, Tensor | Composed]:
        if self._made is None:
            self._made = {name: self._tensor(found) for name, found in self._chosen.items()}
        return self._made

    def _tensor(self, found: int | Claim) -> Tensor | Composed:
        return Tensor(self._opened, found) if isinstance(found, int) else composed(self._opened, found, self._reading)

    @property
    def stored(self) -> tuple[str, ...]:
        """Names of the tensors that all of this is read from."""
        names = ((one.name,) if isinstance(one, Tensor) else one.sources for one in self._tensors.values())
        return tuple(name for some in names for name in some)

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The model's metadata, as `weightmap.open` gives it."""
        return self._opened.layout.metadata

    def __getitem__(self, name: str) -> Any:  # an array but for keep_quantized; a union would refuse what arrays can do
        try:
            found = self._chosen[name]
        except KeyError:
            raise UnknownNameError(name, self._chosen) from None
        if self._dtype is None and isinstance(found, int):
            # most of a checkpoint: nothing but the view is made
            view = self._opened.view(self._opened.layout.records[found])
            if view is not None:
                return view
        tensor = self._tensor(found)
        if self._keep_quantized and not (isinstance(tensor, Tensor) and tensor.type.elements == 1):
            return tensor
        return tensor.array(self._dtype)

    def torch(self, *, dtype: Any = None) -> Mapping[str, Any]:
        """The same weights as PyTorch tensors, each made when it is looked up; see `weightmap.to_torch`.

        `dtype` is PyTorch's, its name, or numpy's. A state dict is `dict(weights.torch())`: nothing is copied that PyTorch
        has a type for.
        """
        from weightmap.frameworks import Converted

        return Converted(self._tensors, "torch", self._dtype if dtype is None else dtype)

    def jax(self, *, dtype: DTypeLike | None = None) -> Mapping[str, Any]:
        """The same weights as JAX arrays, each made when it is looked up; see `weightmap.to_jax`."""
        from weightmap.frameworks import Converted

        return Converted(self._tensors, "jax", self._dtype if dtype is None else dtype)

    def __contains__(self, name: object) -> bool:
        return name in self._chosen

    def __iter__(self) -> Iterator[str]:
        return iter(self._chosen)

    def __len__(self) -> int:
        return len(self._chosen)

    def close(self) -> int:
        """End reading; returns how many zero-copy views are still in use. They stay valid."""
        return self._opened.close()

    def __enter__(self) -> Weights:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[object, ...]:
        # by path and fingerprint: the files are opened anew where this arrives
        from weightmap.sending import ticket

        chosen = tuple(self) if self._restricted else None
        return _arrived, (ticket(self._opened), self._dtype, chosen, self._keep_quantized, self._reading)

    def __repr__(self) -> str:
        return f"<weights of {self._opened.path!r}: {len(self):,} tensors>"


def _chosen(listed: Mapping[str, int | Claim], stored: list[str], names: str | Iterable[str]) -> dict[str, int | Claim]:
    """What the names and patterns ask for, in file order. A stored tensor that is a part of a weight is found by its exact
    name only. KeyError where one fits nothing.
    """
    chosen: set[str] = set()
    parts: dict[str, int | Claim] = {}
    for pattern in names_asked(names):
        if pattern in listed:
            chosen.add(pattern)
            continue
        if pattern in stored:
            parts[pattern] = stored.index(pattern)
            continue
        fitting = [name for name in listed if fnmatchcase(name, pattern)]
        if not fitting:
            raise UnknownNameError(pattern, [*listed, *stored])
        chosen.update(fitting)
    return {name: found for name, found in listed.items() if name in chosen} | parts


def _arrived(
    ticket: Ticket,
    dtype: np.dtype[Any] | None,
    names: tuple[str, ...] | None,
    keep_quantized: bool,
    reading: str | None = None,
) -> Weights:
    return Weights(ticket.open(), dtype=dtype, names=names, keep_quantized=keep_quantized, reading=reading)
