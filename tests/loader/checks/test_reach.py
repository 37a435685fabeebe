"""One finding that speaks of many tensors is a finding about each of them."""

from __future__ import annotations

import numpy as np
from support.build import gguf, safetensors

import weightmap

VALUES = np.random.default_rng(2).normal(0, 0.02, 4_000).astype("<f4").tobytes()


def codes(model: weightmap.WeightFile) -> dict[str, tuple[str, list[str]]]:
    return {name: (str(one.status), [found.code for found in one.findings]) for name, one in model.tensors.items()}


def test_tensors_behind_the_place_where_a_file_begins_anew_are_wrong(tmp_path):
    whole = gguf([("general.architecture", "str", "none")], [(name, (4_000,), 0, VALUES) for name in "abc"])
    path = tmp_path / "m.gguf"
    path.write_bytes(whole[:20_000] + whole)
    with weightmap.open(path, cache=False) as model:
        again = "error", ["begun_again"]
        assert codes(model) == {"a": ("ok", []), "b": again, "c": again}
        assert model.tensors["b"].offset < 20_000 < model.tensors["c"].offset


def test_every_weight_without_values_is_one_of_the_emptied(tmp_path):
    path = tmp_path / "m.safetensors"
    empty = [(f"model.layers.{n}.mlp.up_proj.weight", "F32", (0,), b"") for n in range(3)]
    path.write_bytes(safetensors([*empty, ("model.norm.weight", "F32", (8,), bytes(range(32)))]))
    with weightmap.open(path, cache=False) as model:
        said = codes(model)
        assert said.pop("model.norm.weight")[0] == "ok"
        assert set(map(repr, said.values())) == {repr(("warning", ["emptied"]))}
