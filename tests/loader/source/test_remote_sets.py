"""Sets on a server: an index with its shards, the parts of a split GGUF, config.json beside a checkpoint."""

from __future__ import annotations

import numpy as np
import pytest
from support.build import gguf, safetensors
from support.served import floats
from support.web import Web

import weightmap


def test_an_index_opens_with_its_shards_and_names_the_one_that_is_missing(web: Web) -> None:
    one, two = floats(8, 8), floats(4, 4)
    folder = web.folder / "a model"
    folder.mkdir()
    (folder / "m-00001-of-00002.safetensors").write_bytes(safetensors([("one", "F32", (8, 8), one.tobytes())]))
    shard = folder / "m-00002-of-00002.safetensors"
    shard.write_bytes(safetensors([("two", "F32", (4, 4), two.tobytes())]))
    weight_map = '{"one": "m-00001-of-00002.safetensors", "two": "m-00002-of-00002.safetensors"}'
    (folder / "m.safetensors.index.json").write_text(
        '{"metadata": {"total_size": 320}, "weight_map": ' + weight_map + "}"
    )
    address = web.url("a%20model/m.safetensors.index.json?download=true")
    with weightmap.open(address) as model:
        assert model.status == "ok"
        assert np.array_equal(model.tensors["two"].array(), two)
        assert model.tensors["two"].path == web.url("a%20model/m-00002-of-00002.safetensors?download=true")
        assert [part.size for part in model.parts] == [
            part.stat().st_size for part in sorted(folder.glob("*.safetensors"))
        ]
    far, near = weightmap.digest(address), weightmap.digest(folder / "m.safetensors.index.json")
    assert (dict(far.files), dict(far.tensors)) == (dict(near.files), dict(near.tensors))
    shard.unlink()
    with weightmap.open(address) as model:
        assert [found.code for found in model.findings] == ["missing_shard"]
        assert np.array_equal(model.tensors["one"].array(), one)


@pytest.mark.parametrize("part", [1, 2])
def test_any_part_of_a_split_gguf_opens_all(web: Web, part: int) -> None:
    for number in range(2):
        metadata = [("general.architecture", "str", "toy")] if not number else []
        metadata += [("split.no", "u16", number), ("split.count", "u16", 2), ("split.tensors.count", "i32", 2)]
        data = gguf(metadata, [(f"t{number}", (4, 4), 0, (floats(4, 4) + number).tobytes())])
        (web.folder / f"toy-0000{number + 1}-of-00002.gguf").write_bytes(data)
    with weightmap.open(web.url(f"toy-0000{part}-of-00002.gguf")) as model:
        assert list(model.tensors) == ["t0", "t1"]
        assert np.array_equal(model.tensors["t1"].array(), floats(4, 4) + 1)
        assert model.status != "error"


def test_config_json_beside_a_checkpoint_is_looked_at(web: Web) -> None:
    names = ["model.embed_tokens.weight", "model.norm.weight", "model.layers.0.self_attn.q_proj.weight"]
    tensors = [
        (name, "F32", (8,) if "norm" in name else (16, 8), bytes(32 if "norm" in name else 512)) for name in names
    ]
    (web.folder / "model.safetensors").write_bytes(safetensors(tensors))
    config = (
        '{"model_type": "llama", "hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 1, "vocab_size": 99}'
    )
    (web.folder / "config.json").write_text(config)
    with weightmap.open(web.url("model.safetensors")) as far, weightmap.open(web.folder / "model.safetensors") as near:
        assert [found.message for found in far.findings] == [found.message for found in near.findings]
        assert any(found.code == "vocabulary_size" for found in far.findings)
    assert [path for path, _ in web.asked] == ["/model.safetensors", "/config.json"]
