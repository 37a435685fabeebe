"""Numbers of a model, from files that may say anything."""

import json

import numpy as np
import pytest

from weightmap.pairing.facts import CONFIG_BYTES, facts_of, read_config


def told(letter, metadata=(), config=None, folder=None, block=None):
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config))
    path = "nowhere" if folder is None else str(folder / "model.safetensors")
    return facts_of([(path, {"general.architecture": "llama", **dict(metadata)})]).numbers(letter, block)


def test_both_files_are_asked_and_the_gguf_goes_first(tmp_path):
    metadata = [("llama.attention.head_count", 32)]
    assert told("H", metadata, {"num_attention_heads": 40}, tmp_path) == [32, 40]
    assert told("HK", metadata, {"text_config": {"num_key_value_heads": 8}}, tmp_path) == [8]


def test_a_number_for_each_block():
    metadata = [("llama.attention.head_count_kv", np.array([4, 0, 8], np.int32))]
    assert told("HK", metadata, block=2) == [8]
    assert told("HK", metadata, block=1) == []
    assert told("HK", metadata) == [4, 8]


@pytest.mark.parametrize("value", [True, -1, 0, 1 << 40, "32", 2.5, None, [[1]], {"a": 1}, np.zeros((2, 2)), b"8"])
def test_what_is_no_sensible_number_is_not_taken(value):
    assert told("H", [("llama.attention.head_count", value)]) == []


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "nul", '{"a": 1e999}', "[" * 100_000, '{"num_attention_heads": {}}', "\udcff"]
)
def test_any_config_is_read_or_left(tmp_path, text):
    (tmp_path / "config.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert told("H", folder=tmp_path) == []


def test_a_config_beyond_all_measure_is_left(tmp_path):
    (tmp_path / "config.json").write_text('{"num_attention_heads": 8}' + " " * CONFIG_BYTES)
    assert read_config(str(tmp_path)) == {}


def test_a_config_that_is_a_folder(tmp_path):
    (tmp_path / "config.json").mkdir()
    assert read_config(str(tmp_path)) == {}
