"""An importance matrix at hand: the weights that it has for one tensor or another, or why it has none.

Both forms hold, by the tensor's name in a GGUF, the sums of the squared inputs and how many they are; the quotient is the
mean square that quantizers weight errors with. Where names or widths do not fit, nothing is guessed: it is said.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from weightmap.api import Path
from weightmap.api import open as open_model
from weightmap.errors import WeightFileError, error
from weightmap.findings import finding
from weightmap.measure.weighted import Importance
from weightmap.model import WeightFile
from weightmap.naming.roles import roles

Shape = tuple[int, ...]


class ImportanceMatrix:
    """The weights of an open importance matrix. Raises UnsupportedFormatError (code not_an_imatrix) for any other model."""

    def __init__(self, model: WeightFile) -> None:
        self.path = os.fspath(model.path)
        if model.format != "imatrix":
            message = f"An importance matrix was expected; this is a {model.format} model."
            raise error(finding("not_an_imatrix", message, path=self.path, expected="imatrix", found=model.format))
        self._tensors = model.tensors

    def weights(self, name: str, shape: Shape) -> Importance | str:
        """The weights for a tensor of this name in a GGUF, and of this shape in numpy order; or a sentence why there are none."""
        sums, counts = (self._tensors.get(f"{name}.{part}") for part in ("in_sum2", "counts"))
        if sums is None:
            return "The importance matrix has no entry for it."
        if counts is None:
            return "The importance matrix does not say how many inputs its entry is made from."
        if len(shape) < 2:
            return "It has no columns that inputs could be weighted by."
        experts, width = (shape[0] if len(shape) == 3 else 1), shape[-1]
        if sums.count not in (width, experts * width) or not width:
            per = "" if sums.shape[:-1] in ((), (1,)) else f" in {sums.shape[0]:,} rows"
            expected = f"{width:,}" if experts == 1 else f"{experts:,} × {width:,}"
            return f"The importance matrix has {sums.count:,} values{per} for it; {expected} were expected."
        try:
            squares = sums.array(np.float64).reshape(-1, width)
            number = counts.array(np.float64).reshape(-1)
        except (WeightFileError, TypeError) as problem:
            return f"Its entry in the importance matrix cannot be read: {problem}"
        return _importance(squares, number, shape)

    def weights_or_hint(self, name: str, shape: Shape) -> Importance | str:
        """As `weights`; to the name of a tensor in a checkpoint it says which entry may be meant."""
        found = self.weights(name, shape)
        known = next((role.target for role in roles(name) if f"{role.target}.in_sum2" in self._tensors), None)
        if known is None or f"{name}.in_sum2" in self._tensors:
            return found
        return f"{found} Its names are those of a GGUF, where this may be {known}: give the model as GGUF."


def _importance(squares: NDArray[np.float64], counts: NDArray[np.float64], shape: Shape) -> Importance | str:
    """Mean squares out of sums, (matrices, columns), and counts, one for all or one for each."""
    if counts.size not in (1, len(squares)):
        expected = "1 was" if len(squares) == 1 else f"1 or {len(squares):,} were"
        return f"The importance matrix has {counts.size:,} counts for it; {expected} expected."
    sound = (
        np.isfinite(squares).all() and np.isfinite(counts).all() and not (squares < 0).any() and not (counts < 0).any()
    )
    if not sound:
        return "Its entry in the importance matrix holds NaN, Inf or negative values."
    counted = np.broadcast_to(counts.reshape(-1, 1), (len(squares), 1))
    weights = np.where(counted > 0, squares / np.maximum(counted, 1), 0.0)
    unused = int(np.count_nonzero(~weights.any(axis=1)))
    if unused == len(weights):
        return "The importance matrix has only zeros for it: no text came to it."
    rows = int(np.prod(shape[:-1], dtype=np.int64)) // len(weights)
    return Importance(weights, max(rows, 1), unused)


@contextmanager
def opened_importance(given: Path | WeightFile | None) -> Iterator[ImportanceMatrix | None]:
    """What was given, ready to ask: a path, which is opened meanwhile, or an open model; None stays None."""
    if given is None or isinstance(given, WeightFile):
        yield None if given is None else ImportanceMatrix(given)
        return
    with open_model(given) as model:
        yield ImportanceMatrix(model)
