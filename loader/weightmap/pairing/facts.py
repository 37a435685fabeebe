"""Numbers of a model that a transform needs (heads, widths), from a GGUF's metadata and a config.json, bounded.

Nothing here is believed: a number only decides which transforms are tried, and the values decide which one is right.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from weightmap.naming.symbols import Symbol, symbols
from weightmap.source.address import beside, is_url
from weightmap.source.places import read_small

CONFIG_BYTES = 1 << 22
LARGEST = 1 << 24

_STATE = {  # names of linear attention's numbers in config.json, which mean something else elsewhere
    "key_heads": Symbol("ssm.group_count", ("linear_num_key_heads",)),
    "value_heads": Symbol("ssm.time_step_rank", ("linear_num_value_heads",)),
    "key_width": Symbol("ssm.state_size", ("linear_key_head_dim",)),
    "value_width": Symbol("", ("linear_value_head_dim",)),
}
_NESTED = ("text_config", "language_config", "llm_config", "vision_config")


@dataclass(frozen=True, slots=True)
class Facts:
    """What the files of one comparison say about the model."""

    architecture: str
    metadata: tuple[Mapping[str, Any], ...]
    configs: tuple[Mapping[str, Any], ...]

    def numbers(self, letter: str, block: int | None = None) -> list[int]:
        """Every value that is told for a letter of `weightmap.naming.symbols`, each once, the GGUF's first."""
        symbol = _STATE.get(letter) or symbols(self.architecture).get(letter)
        if symbol is None:
            return []
        return list(dict.fromkeys(self._told(symbol, block)))

    def _told(self, symbol: Symbol, block: int | None) -> Iterator[int]:
        for metadata in self.metadata:
            if symbol.key and not symbol.length:
                for start in (self.architecture, "clip.vision", "clip.audio"):
                    yield from _plain(metadata.get(f"{start}.{symbol.key}"), block)
        for config in self.configs:
            for key in symbol.config:
                yield from _plain(config.get(key), block)


def facts_of(models: Iterable[tuple[str, Mapping[str, Any]]]) -> Facts:
    """Facts from the (path, metadata) of the models compared; a config.json is looked for beside each path."""
    metadata = []
    configs: list[Mapping[str, Any]] = []
    architecture = ""
    for path, told in models:
        metadata.append(told)
        name = told.get("general.architecture")
        architecture = architecture or (name if isinstance(name, str) else "")
        config = read_config(path)
        configs += [config, *(inner for key in _NESTED if isinstance(inner := config.get(key), dict))]
    return Facts(architecture, tuple(metadata), tuple(config for config in configs if config))


def read_config(path: str) -> dict[str, Any]:
    """The config.json beside a weight file or in a folder; {} where there is none or it is no small JSON object."""
    place = os.path.join(path, "config.json") if os.path.isdir(path) else beside(path, "config.json")
    try:
        if not (is_url(place) or os.path.isfile(place)):
            return {}
        data = read_small(place, CONFIG_BYTES) or b""
        config = json.loads(data) if len(data) <= CONFIG_BYTES else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return config if isinstance(config, dict) else {}


def _plain(value: Any, block: int | None) -> Iterator[int]:
    """Whole numbers of a sensible size; of an array the block's entry, or all of them."""
    if isinstance(value, np.ndarray | list | tuple):
        if len(value) > 1 << 16 or (isinstance(value, np.ndarray) and value.ndim != 1):
            return
        chosen = [value[block]] if block is not None and block < len(value) else list(value)
        for item in chosen:
            if not isinstance(item, np.ndarray | list | tuple):
                yield from _plain(item, None)
    elif isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 < value <= LARGEST:
        yield int(value)
