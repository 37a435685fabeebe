"""What workers do. Every function here gets names and fingerprints, opens what they stand for, and sends records back.

One thread each: a worker has its own, and there are many workers.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from typing import Any

from weightmap.comparing import measure_pair
from weightmap.comparison import PairError
from weightmap.composed import Composed
from weightmap.distributed.handle import Handle, Place, shared
from weightmap.errors import WeightFileError
from weightmap.findings import Severity, finding
from weightmap.measure.statistics import Statistics
from weightmap.pairing.tensor_pair import Unpaired
from weightmap.pairs import Pairs, pair_models
from weightmap.tensor import Tensor
from weightmap.validation import Verdict, validate
from weightmap.version import __version__

Left = tuple[tuple[Unpaired, ...], tuple[Unpaired, ...]]


def version() -> str:
    """The version of weightmap that the worker has."""
    return __version__


def later(job: Callable[..., Any], *arguments: Any) -> Any:
    """A job after a second: one that may kill its worker must not meet one that is still starting, which nobody would replace."""
    time.sleep(1)
    return job(*arguments)


def validate_at(place: Place, values: bool, size: int | None) -> Verdict:
    """The verdict on a model. `size` is that of the file for who asked, None where it is no file: a worker that sees no file,
    or another one, must not speak for it.
    """
    path = place.here()
    if size is not None and (here := file_size(path)) != size:
        seen = "sees no such file" if here is None else f"sees a file of {here:,} bytes there, not of {size:,}"
        text = f"The worker on {socket.gethostname()} {seen}."
        return Verdict(place.path, None, Severity.ERROR, (finding("worker_elsewhere", text, path=place.path),))
    return place.as_given(validate(path, values=values, threads=1))


def file_size(path: str) -> int | None:
    """Size of a regular file in bytes; None where there is none."""
    try:
        return os.stat(path).st_size if os.path.isfile(path) else None
    except (OSError, ValueError):
        return None


def on_tensor(handle: Handle, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """What a function makes of one tensor; a WeightFileError comes back as such, for it is an answer too."""
    try:
        return function(handle.tensor(name), *arguments)
    except WeightFileError as problem:
        return problem


def statistics(tensor: Tensor | Composed, bins: int) -> Statistics:
    """Statistics of one tensor or composed weight."""
    return tensor.statistics(bins, threads=1)


def paired(quantized: Handle, reference: Handle, guesses: bool) -> tuple[tuple[tuple[str, int], ...], Left]:
    """The pairs of two models by (tensor, bytes), and what has none."""
    pairs = _pairs(quantized, reference, guesses)
    return tuple((pair.tensor, pair.nbytes) for pair in pairs), (pairs.unpaired_quantized, pairs.unpaired_reference)


def measure(quantized: Handle, reference: Handle, guesses: bool, imatrix: Handle | None, index: int) -> PairError:
    """The errors of one pair."""
    pairs = _pairs(quantized, reference, guesses)
    return measure_pair(pairs, pairs[index], imatrix=None if imatrix is None else imatrix.model(), threads=1)


def _pairs(quantized: Handle, reference: Handle, guesses: bool) -> Pairs:
    """Both models paired, once in each process: the names and values that decide are the same everywhere."""
    key = ("pairs", quantized, reference, guesses)
    return shared(key, lambda: pair_models(quantized.model(), reference.model(), guesses=guesses))
