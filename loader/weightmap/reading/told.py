"""What reading tells telemetry: a span per view and per decoding. Called only where telemetry is on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from weightmap import telemetry
from weightmap.formats.layout import TensorRecord
from weightmap.telemetry import Value


@contextmanager
def viewing(record: TensorRecord) -> Iterator[None]:
    """Around the making of a zero-copy view."""
    with telemetry.span("tensor_view_create", **_of(record), bytes=record.nbytes):
        yield


@contextmanager
def decoding(elements: Any, count: int, dtype: np.dtype[Any]) -> Iterator[None]:
    """Around the decoding of `count` of the elements to a dtype. Weights put together from several tensors have no record."""
    record: TensorRecord | None = getattr(elements, "record", None)
    named = {"shape": elements.shape} if record is None else _of(record)
    with telemetry.span("dequantize", **named, elements=count, bytes=count * dtype.itemsize):
        yield
    telemetry.bytes_decoded(count * dtype.itemsize, "composed" if record is None else record.type.name)


def _of(record: TensorRecord) -> dict[str, Value]:
    return {"tensor": record.name, "type": record.type.name, "shape": record.shape}
