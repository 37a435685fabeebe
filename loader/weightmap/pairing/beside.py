"""Which model of a folder is meant beside another one: what was quantized often lies beside its original."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from weightmap.model import WeightFile
from weightmap.source.address import basename

_RIDERS = ("mmproj", "adapter")  # in names of files that are no counterpart of a whole model
_GGUF, _SAFETENSORS = ".gguf", (".safetensors", ".safetensors.index.json")


def meant_beside(other: WeightFile, choices: Sequence[str]) -> str | None:
    """The one of a folder's models that can be meant beside the `other`: the only one that is not the other itself, else the
    only checkpoint beside a GGUF, the only GGUF beside a checkpoint. None where several can.
    """
    own = [other.path, *(part.path for part in other.parts)]
    left = [path for path in choices if not _is_one_of(path, own) and not _rides(path)]
    ending = _SAFETENSORS if other.format == "gguf" else _GGUF
    counterparts = [path for path in left if path.lower().endswith(ending)]
    for candidates in (left, counterparts):
        if len(candidates) == 1:
            return candidates[0]
    return None


def _is_one_of(path: str, own: Sequence[str]) -> bool:
    for known in own:
        with suppress(OSError, ValueError):
            if os.path.samefile(path, known):
                return True
    return False


def _rides(path: str) -> bool:
    return any(word in basename(path).lower() for word in _RIDERS)
