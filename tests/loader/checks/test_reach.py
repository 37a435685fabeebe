"""One finding that speaks of many tensors is a finding about each of them."""

from __future__ import annotations

import numpy as np
from support.build import gguf, safetensors
from support.sets import shards
from support.work import assert_linear

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


def test_what_is_said_of_a_weight_is_found_in_the_order_of_all_findings_without_a_look_at_each(tmp_path, monkeypatch):
    """A model in hundreds of files may have ten thousands of weights and as many findings."""
    path = tmp_path / "m.safetensors"
    scale = np.array([[np.nan]], "<f4").tobytes()
    made = []
    for n in range(40):
        made += [
            (f"layers.{n}.weight", "F8_E4M3", (2, 64), bytes(128)),
            (f"layers.{n}.weight_scale", "F32", (1, 1), scale),
        ]
    path.write_bytes(safetensors(made))
    looked = []
    real = weightmap.opened.reaches
    monkeypatch.setattr(
        "weightmap.opened.reaches", lambda found, *args: looked.append(found.code) or real(found, *args)
    )
    with weightmap.open(path, cache=False) as model:
        said = model.findings
        assert len(model.composed) == 40
        own = {}
        for weight in model.composed.values():
            own[weight.name] = [found for found in said if found.tensor in (weight.name, *weight.sources)]
            assert [found for found in weight.findings if found in said] == own[weight.name]
        for name, tensor in model.tensors.items():
            assert tensor.findings == tuple(found for found in said if found.tensor == name)
        assert sum(map(bool, own.values())) >= 8
        assert looked == []


def test_twice_as_many_files_with_something_to_say_of_each_are_twice_the_work(tmp_path):
    def work(number):
        folder = tmp_path / str(number)
        folder.mkdir()
        index = shards(folder, {f"{n}.{name}": f"{n}.safetensors" for n in range(number) for name in "abcd"})
        for n in range(number):
            path = folder / f"{n}.safetensors"
            path.write_bytes(path.read_bytes() + b"more")

        def look():
            with weightmap.open(index, cache=False) as model:
                assert len([found for found in model.findings if found.code == "trailing_bytes"]) == number
                assert {str(tensor.status) for tensor in model.tensors.values()} == {"ok"}
                assert {len(tensor.findings) for tensor in model.tensors.values()} == {0}

        return look

    assert_linear(work, 100)
