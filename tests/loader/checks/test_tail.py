"""Files that end in zeros say so once."""

from __future__ import annotations

import numpy as np
import pytest
from support.build import gguf, safetensors

import weightmap
from weightmap.checks.tail import zero_tails

NAMES = [f"blk.{n}.ffn_up.weight" for n in range(6)]
ROWS = np.random.default_rng(3).normal(0, 0.02, (64, 128)).astype("<f4").tobytes()
BYTES = len(ROWS)
FILES = {
    "gguf": gguf([("general.architecture", "str", "llama")], [(name, (64, 128), 0, ROWS) for name in NAMES]),
    "safetensors": safetensors([(name, "F32", (64, 128), ROWS) for name in NAMES]),
}


def said(tmp_path, data):
    path = tmp_path / "model"
    path.write_bytes(data)
    verdict = weightmap.validate(path, values=True)
    return verdict, [(one.code, one.tensor) for one in verdict.findings if one.severity == "warning"]


@pytest.mark.parametrize("format", FILES)
def test_zeros_up_to_the_end_are_told_once_with_their_beginning(tmp_path, format):
    begin = len(FILES[format]) - 2 * BYTES - BYTES // 2 + 3
    verdict, found = said(tmp_path, FILES[format][:begin] + bytes(2 * BYTES + BYTES // 2 - 3))
    assert found == [("zeroed_stretch", NAMES[3]), ("all_zero", NAMES[4])]
    [tail] = [one for one in verdict.findings if one.code == "zeroed_stretch"]
    assert begin - 8 <= tail.offset <= begin
    assert f"tensor {NAMES[3]} ends in them, and 2 tensors behind that place have nothing else" in tail.message
    assert [status for *_, status in verdict.tensors[-3:]] == ["warning"] * 3


def test_nothing_is_added_of_a_file_of_which_it_is_told(tmp_path):
    verdict, _ = said(tmp_path, FILES["gguf"][: -3 * BYTES] + bytes(3 * BYTES))
    found = [one for one in verdict.findings if one.code == "all_zero"]
    with weightmap.open(tmp_path / "model") as model:
        layout, sources = model.opened.layout, model.opened.sources
        assert [one.code for one in zero_tails(layout, sources, found)] == ["zeroed_stretch", "all_zero"]
        assert zero_tails(layout, sources, found, told={str(tmp_path / "model")}) == tuple(found)


def test_one_tensor_of_zeros_at_the_end_is_only_that(tmp_path):
    _, found = said(tmp_path, FILES["safetensors"][:-BYTES] + bytes(BYTES))
    assert found == [("all_zero", NAMES[5])]


def test_a_few_zeros_before_it_are_no_end_of_another(tmp_path):
    _, found = said(tmp_path, FILES["safetensors"][: -BYTES - 4000] + bytes(BYTES + 4000))
    assert found == [("all_zero", NAMES[5])]
    _, found = said(tmp_path, FILES["safetensors"][: -BYTES - 4100] + bytes(BYTES + 4100))
    assert found[0] == ("zeroed_stretch", NAMES[4])


def test_zeros_elsewhere_are_told_of_each_tensor(tmp_path):
    begin = len(FILES["safetensors"]) - 3 * BYTES
    data = FILES["safetensors"][:begin] + bytes(2 * BYTES) + ROWS
    assert said(tmp_path, data)[1] == [("all_zero", NAMES[3]), ("all_zero", NAMES[4])]


def test_biases_at_the_end_are_zero_by_nature(tmp_path):
    zeros = [(f"blk.{n}.ffn_up.bias", "F32", (2048,), bytes(8192)) for n in range(3)]
    data = safetensors([(NAMES[0], "F32", (64, 128), ROWS), *zeros])
    assert said(tmp_path, data)[1] == []
    zeros = [(f"blk.{n}.ffn_up.bias", "F32", (16_384,), bytes(65_536)) for n in range(3)]
    (tmp_path / "model").write_bytes(safetensors([(NAMES[0], "F32", (64, 128), ROWS), *zeros]))
    assert weightmap.validate(tmp_path / "model").findings == ()


def test_few_bytes_are_no_tail(tmp_path):
    data = safetensors(
        [(NAMES[0], "F32", (64, 128), ROWS), ("a", "F32", (4,), bytes(16)), ("b", "F32", (4,), bytes(16))]
    )
    assert said(tmp_path, data)[1] == [("all_zero", "a"), ("all_zero", "b")]


@pytest.mark.parametrize("format", FILES)
def test_a_long_tail_is_told_of_who_asks_for_no_values(tmp_path, format):
    begin = len(FILES[format]) - 3 * BYTES - 8192
    path = tmp_path / "model"
    path.write_bytes(FILES[format][:begin] + bytes(3 * BYTES + 8192))
    [tail] = [one for one in weightmap.validate(path).findings if one.severity == "warning"]
    assert (tail.code, tail.tensor) == ("zeroed_stretch", NAMES[2])
    assert begin - 8 <= tail.offset <= begin
    looked = [one for one in weightmap.validate(path, values=True).findings if one.severity == "warning"]
    assert [(one.code, one.tensor) for one in looked] == [("zeroed_stretch", NAMES[2]), ("all_zero", NAMES[3])]


def test_a_short_tail_or_one_of_a_single_tensor_is_left_to_a_look_at_values(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(FILES["gguf"][: -BYTES - 9000] + bytes(BYTES + 9000))
    assert [one.code for one in weightmap.validate(path).findings if one.severity == "warning"] == []
    half = ROWS * 4
    data = safetensors([("a", "F32", (64, 128), ROWS), ("b", "F32", (512, 128), half + bytes(len(half)))])
    path.write_bytes(data)
    assert weightmap.validate(path).findings == ()


def test_a_file_that_shrinks_while_its_end_is_looked_at_is_an_error(tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(FILES["gguf"][: -2 * BYTES] + bytes(2 * BYTES))
    scan = weightmap.validation._scan

    def shrinking(*arguments):
        late = scan(*arguments)
        path.write_bytes(FILES["gguf"][:-100])
        return late

    monkeypatch.setattr(weightmap.validation, "_scan", shrinking)
    assert [one.code for one in weightmap.validate(path, values=True).findings][-1] == "file_changed"
