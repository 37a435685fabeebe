"""Types from outside: registered by a call, or found by their entry point; a broken one must not keep a file shut."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.blocks import decoded
from support.shared import ROOT

from weightmap.types import registry
from weightmap.types.anatomy import codes_at
from weightmap.types.base import StoredType
from weightmap.types.lookup import Registry
from weightmap.types.registry import BUILT_IN

EXAMPLE = ROOT / "loader" / "examples" / "int4"


class Mine(StoredType):
    """A type of one byte, value = byte / 2."""

    name, id, bytes = "MINE", 1000, 1

    def decode(self, blocks, out, work):
        np.multiply(blocks, np.float32(0.5), out=out)


@pytest.fixture
def types() -> Registry:
    """A registry of the test's own, so that what is registered here does not stay."""
    return Registry(BUILT_IN)


def install(folder: Path, name: str, entries: str) -> None:
    """What an installer leaves behind: the metadata that names the entry points."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[weightmap.types]\n{entries}\n")


def test_a_registered_type_is_found_by_number_and_name(types):
    assert not types.by_id(1000).known
    types.register(Mine())
    assert types.by_id(1000) is types.by_name("MINE") is types.all_types()[-1]
    assert types.by_dtype("MINE") is None
    assert decoded(types.by_id(1000), np.array([[3]], np.uint8)) == 1.5


def test_the_example_is_found_by_its_entry_point(types, tmp_path, monkeypatch):
    project = (EXAMPLE / "pyproject.toml").read_text()
    entry = project.split('[project.entry-points."weightmap.types"]\n')[1].split("\n")[0].replace('"', "")
    install(tmp_path, "weightmap-int4", entry)
    monkeypatch.syspath_prepend(EXAMPLE)
    monkeypatch.syspath_prepend(tmp_path)
    type = types.by_dtype("I4")
    assert type.name == "I4"
    assert type is types.by_dtype("I4")
    assert decoded(type, np.array([[0x7F], [0x08]], np.uint8)).tolist() == [[-1, 7], [-8, 0]]
    assert types.plugin_problems() == ()


def test_plugins_are_not_looked_for_while_types_are_built_in(types, tmp_path, monkeypatch):
    (tmp_path / "not_to_be_imported.py").write_text("raise RuntimeError('imported')")
    install(tmp_path, "eager", "X = not_to_be_imported:X")
    monkeypatch.syspath_prepend(tmp_path)
    for type in BUILT_IN:
        assert types.by_name(type.name) is type
    assert types.plugin_problems() == ()
    assert types.by_name("X") is None
    assert len(types.plugin_problems()) == 1


def test_a_broken_plugin_is_said_and_others_still_load(types, tmp_path, monkeypatch):
    (tmp_path / "breaks.py").write_text("raise RuntimeError('out of order.')")
    (tmp_path / "clash.py").write_text(
        "from weightmap.types.plain import I8\nclass Q(I8):\n    name, id, bytes = 'Q4_K', 1001, 1\n"
    )
    (tmp_path / "good.py").write_text(
        "from weightmap.types.plain import I8\nclass G(I8):\n    name, id, bytes = 'GOOD', 1002, 1\n"
    )
    (tmp_path / "leaves.py").write_text("raise SystemExit(3)")
    install(
        tmp_path, "several", "a = breaks:X\nb = clash:Q\nc = good:G\nd = good:nothing\ne = good:__name__\nf = leaves:X"
    )
    monkeypatch.syspath_prepend(tmp_path)
    unknown = types.by_id(1001)
    assert not unknown.known
    assert "The plug-in a (breaks:X) could not be loaded: RuntimeError: out of order." in unknown.reason
    problems = types.plugin_problems()
    assert len(problems) == 5
    assert "The name of Q4_K, number 1001 (clash.Q) is taken by Q4_K, number 12" in problems[1]
    assert problems[3].endswith("must be an instance of weightmap.StoredType; got 'good'.")
    assert problems[4] == "The plug-in f (leaves:X) could not be loaded: SystemExit: 3."
    assert types.by_id(1002).name == "GOOD"
    assert types.by_name("Q4_K").id == 12


def test_a_plugin_that_does_not_decode_is_said_when_it_is_loaded_not_when_values_are_asked_for(
    types, tmp_path, monkeypatch
):
    (tmp_path / "mute.py").write_text(
        "from weightmap.types.base import StoredType\nclass M(StoredType):\n    name, id, bytes = 'MUTE', 1003, 1\n"
    )
    install(tmp_path, "mute", "m = mute:M")
    monkeypatch.syspath_prepend(tmp_path)
    type = types.by_id(1003)
    assert not type.known
    (problem,) = types.plugin_problems()
    assert problem.startswith("The plug-in m (mute:M) could not be loaded: TypeError: ")
    assert "decode" in problem and problem in type.reason


def test_a_number_or_name_that_is_taken_is_an_error_that_names_both(types):
    types.register(Mine())
    with pytest.raises(ValueError, match=r"name of MINE, number 1000 .*Mine\) is taken by MINE, number 1000 .*Mine\)"):
        types.register(Mine())
    other = Mine()
    other.name = "OTHER"
    with pytest.raises(ValueError, match=r"number of OTHER, number 1000 .* is taken by MINE, number 1000"):
        types.register(other)
    assert types.by_name("OTHER") is None


def test_what_makes_no_sense_is_refused(types):
    with pytest.raises(TypeError, match=r"instance of weightmap.StoredType; got <class"):
        types.register(Mine)
    for attributes, words in (
        ({"name": ""}, "has no name"),
        ({"bytes": 0}, "at least one element"),
        ({"elements": 0}, "at least one element"),
        ({"value": "float32"}, "must have a numpy dtype as value; got 'float32'"),
        ({"dtype": np.dtype("<f4")}, "has the dtype float32, but its blocks are no single elements"),
        ({"fields": ((0, 2),)}, "outside of its block of 1 bytes"),
        ({"anatomy": (codes_at(0, 1, "codes"),), "elements": 8, "groups": 3}, "shared out into 3 sub-blocks"),
        ({"anatomy": (codes_at(0, 1, "codes"),)}, "must be a weightmap.CodedType with an anatomy, or have none"),
    ):
        type = Mine()
        for key, value in attributes.items():
            setattr(type, key, value)
        with pytest.raises(ValueError, match=words):
            types.register(type)
    assert types.all_types() == BUILT_IN


def test_the_functions_of_the_module_are_those_of_one_registry():
    assert registry.by_id(12) is registry.by_name("Q4_K")
    assert registry.plugin_problems() == ()
    assert registry.all_types()[: len(BUILT_IN)] == BUILT_IN
