"""One entry of the tensor table of an open model: what the file says of a tensor, and what was found about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weightmap.checks.extent import unreadable
from weightmap.findings import Finding, Severity
from weightmap.opened import Opened
from weightmap.types.base import StoredType

if TYPE_CHECKING:
    from weightmap.sending import Ticket


class Entry:
    """What is known of a tensor before any of its values is read."""

    __slots__ = ("_index", "_opened", "_record")

    def __init__(self, opened: Opened, index: int) -> None:
        self._opened = opened
        self._index = index
        self._record = opened.layout.records[index]

    @property
    def name(self) -> str:
        """Name as stored; bytes that are no UTF-8 as surrogate escapes."""
        return self._record.name

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape in numpy order (the reverse of ggml's), as stored."""
        return self._record.shape

    @property
    def type(self) -> StoredType:
        """Stored type; `type.name` as in the format ("Q4_K", "BF16")."""
        return self._record.type

    @property
    def count(self) -> int:
        """Number of elements."""
        return self._record.count

    @property
    def nbytes(self) -> int:
        """Bytes in the file."""
        return self._record.nbytes

    @property
    def bits_per_weight(self) -> float:
        """Stored bits per element, 0 where there is no element: by its type, whatever bytes a faulty header gives it. Of a type
        that is not known here by those.
        """
        kind = self._record.type
        if not self.count:
            return 0.0
        return kind.bits_per_weight if kind.known else self.nbytes * 8 / self.count

    @property
    def path(self) -> str:
        """The file (of a set: the part) that holds the bytes."""
        return self._opened.layout.parts[self._record.part].path

    @property
    def part(self) -> int:
        """Index of that file in the model's `parts`."""
        return self._record.part

    @property
    def offset(self) -> int:
        """Absolute position of the first byte in that file."""
        return self._record.offset

    @property
    def located(self) -> bool:
        """Whether it is known where the bytes lie. Where a header breaks off it is not, and `offset` says nothing."""
        return self._opened.layout.parts[self._record.part].located

    @property
    def original_shape(self) -> tuple[int, ...] | None:
        """The shape before a converter flattened it (ComfyUI's `comfy.gguf.orig_shape.NAME`), numpy order, or None."""
        stored = self._opened.layout.metadata.get(f"comfy.gguf.orig_shape.{self.name}")
        if not isinstance(stored, np.ndarray) or stored.ndim != 1 or stored.dtype.kind not in "iu":
            return None
        shape = tuple(int(n) for n in stored)
        product = 1
        for n in shape:
            product *= n
        return shape if product == self.count and min(shape, default=0) >= 0 else None

    @property
    def status(self) -> Severity:
        """The worst of what is said about this tensor: its structure, and its values once they were scanned."""
        return self._opened.status(self._index)

    @property
    def values_checked(self) -> bool:
        """Whether every value was looked at since the model was opened: by `statistics` or `check_values`."""
        return self._opened.values_checked(self._index)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is said about this tensor, alone or together with others."""
        return self._opened.about(self._record)

    @property
    def problem(self) -> Finding | None:
        """Why the values cannot be given, or None where they can."""
        return unreadable(self._opened.layout, self._record)

    def __reduce__(self) -> tuple[object, ...]:
        # by path and fingerprint: the file is opened where this arrives, once for all tensors of it
        from weightmap.sending import ticket

        return _arrived, (type(self), ticket(self._opened), self._index)

    def __repr__(self) -> str:
        return f"<tensor {self.name!r} {self.type.name} {self.shape}>"


def _arrived(kind: type[Entry], ticket: Ticket, index: int) -> Entry:
    return kind(ticket.shared(), index)
