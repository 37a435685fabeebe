"""The commands on addresses: they print what they print of the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.command import Weightmap
from support.shared import ROOT
from support.web import Web, serving

SAMPLES = ROOT / "app" / "tensorloupe" / "sample"
NAME = "minilm-sample.gguf"


@pytest.fixture
def web() -> Iterator[Web]:
    with serving(SAMPLES) as running:
        yield running


@pytest.mark.parametrize("command", ["info", "stats"])
def test_documents_are_those_of_the_file(weightmap: Weightmap, web: Web, command: str) -> None:
    near = weightmap(command, SAMPLES / NAME, "--json")
    far = weightmap(command, web.url(NAME), "--json")
    assert (near.status, far.status, far.err) == (0, 0, "")
    assert far.out == near.out.replace(str(SAMPLES / NAME), web.url(NAME))


def test_validate_lists_what_is_not_there(weightmap: Weightmap, web: Web) -> None:
    ran = weightmap("validate", web.url(NAME), web.url("nothing.gguf"), "--values", "--json")
    assert ran.status == 1
    good, bad = ran.json
    assert (good["status"], len(good["tensors"])) == ("ok", 37)
    assert (bad["path"], bad["format"], bad["findings"][0]["code"]) == (web.url("nothing.gguf"), None, "not_found")


def test_export_reads_one_tensor(weightmap: Weightmap, web: Web, tmp_path: Path) -> None:
    size = (SAMPLES / NAME).stat().st_size
    for path, out in ((SAMPLES / NAME, "near.npy"), (web.url(NAME), "far.npy")):
        assert weightmap("export", path, "blk.0.attn_q.weight", tmp_path / out).status == 0
    assert np.array_equal(np.load(tmp_path / "near.npy"), np.load(tmp_path / "far.npy"))
    assert web.sent < size / 2  # of which the header's block is an eighth


def test_compare_takes_two(weightmap: Weightmap, web: Web) -> None:
    other = "minilm-sample.safetensors"
    near = weightmap("compare", SAMPLES / NAME, SAMPLES / other, "--json")
    far = weightmap("compare", web.url(NAME), web.url(other), "--json")
    assert (far.status, far.out) == (near.status, near.out)


def test_an_error_is_one_line(weightmap: Weightmap, web: Web) -> None:
    ran = weightmap("info", web.url("nothing.gguf"))
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == f"weightmap: There is no file at this address. [{web.url('nothing.gguf')}] Check the address.\n"
    ran = weightmap("info", web.url("nothing.gguf"), "--json")
    assert ran.json["error"]["code"] == "not_found"
