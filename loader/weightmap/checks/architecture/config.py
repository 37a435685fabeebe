"""config.json beside a safetensors file: the hyperparameters of a Hugging Face checkpoint, read with bounds."""

from __future__ import annotations

import json
import os
import stat
from typing import Any

from weightmap.errors import WeightFileError
from weightmap.naming.symbols import symbols
from weightmap.source.address import is_url
from weightmap.source.places import read_small

MOST_BYTES = 1 << 22
"""No config is nearly as long as 4 MiB; a longer file is something else."""


OF_THE_WHOLE = (
    "model_type",
    "text_config",
    "quantization_config",
    "quantization",
    "vocab_size",
    "num_nextn_predict_layers",
)
"""What counts for a language model beside other towers, too, where its own part does not say it; other numbers are theirs."""


class BadConfig(ValueError):  # noqa: N818 - what it is, not what happened
    """The file is there and cannot be used. The text is the end of a sentence that begins with its name."""


def read_config(path: str) -> dict[str, Any] | None:
    """The part of a config.json that describes the language model, with what the whole says of its quantization; None where
    there is no such file.

    Raises BadConfig where the file cannot be read or is no JSON object.
    """
    config = read_object(path)
    inner = None if config is None else config.get("text_config")
    if config is None or not isinstance(inner, dict):
        return config
    return {key: config[key] for key in OF_THE_WHOLE if key in config} | inner


def read_object(path: str) -> dict[str, Any] | None:
    """The JSON object that a small file holds; None where there is no such file. Raises BadConfig as `read_config` does."""
    data = _remote(path) if is_url(path) else _local(path)
    if data is None:
        return None
    if len(data) > MOST_BYTES:
        raise BadConfig(f"is longer than {MOST_BYTES:,} bytes")
    try:
        config = json.loads(data)
    except (ValueError, RecursionError):
        raise BadConfig("is no valid JSON") from None
    if not isinstance(config, dict):
        raise BadConfig("holds no JSON object")
    return config


def _local(path: str) -> bytes | None:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            return file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the path
        raise BadConfig(f"cannot be read: {getattr(problem, 'strerror', None) or problem}") from None


def _remote(path: str) -> bytes | None:
    """The same beside an address; a server that does not give it, for whatever reason, has none."""
    try:
        return read_small(path, MOST_BYTES)
    except WeightFileError:
        return None


def config_value(config: dict[str, Any], key: str) -> Any:
    """A value of the config; null counts as absent. Of Falcon's heads the number that its flags mean."""
    if key == "num_key_value_heads" and config.get("model_type") == "falcon":
        if config.get("new_decoder_architecture"):
            return config.get("num_kv_heads")
        return 1 if config.get("multi_query", True) else config.get("num_attention_heads")
    return config.get(key)


def config_keys(architecture: str) -> dict[str, tuple[str, ...]]:
    """For each letter of the formulas its names in config.json."""
    return {letter: symbol.config for letter, symbol in symbols(architecture).items()}
