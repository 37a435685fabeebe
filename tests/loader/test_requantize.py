"""What a tensor would lose: measured on values that were really encoded, whatever it is stored as."""

from __future__ import annotations

from dataclasses import replace

import libgguf
import numpy as np
import pytest
from support.build import gguf, safetensors

import weightmap
from weightmap.measure.usual import USUAL
from weightmap.quantize.registry import ENCODERS
from weightmap.types.registry import by_name

GAUSSIAN = (np.random.default_rng(5).standard_normal((64, 512)) * 0.02).astype(np.float32)


@pytest.fixture
def stored(tmp_path):
    """Writes one tensor, stored in a type, and gives it opened."""
    opened = []

    def store(data: bytes, shape, kind="F32"):
        path = tmp_path / f"{len(opened)}.gguf"
        path.write_bytes(gguf(tensors=[("w", shape, by_name(kind).id, data)]))
        opened.append(weightmap.open(path))
        return opened[-1].tensors["w"]

    yield store
    for model in opened:
        model.close()


def by_type(rows):
    return {row.type: row for row in rows}


def test_every_type_with_an_encoder_loses_what_it_usually_does(stored):
    rows = by_type(weightmap.whatif(stored(GAUSSIAN.tobytes(), GAUSSIAN.shape)))
    for kind in ENCODERS:
        row = rows[kind.name]
        assert row.problem is None
        assert row.bits_per_weight == kind.bits_per_weight
        if kind.name != "F32":
            assert row.relative_rmse == pytest.approx(USUAL[kind.name].gaussian, rel=0.03)
    assert rows["F32"] == weightmap.WhatIf(
        "F32", 32, 0.0, 0.0, None, 0.0, identical=True, nonfinite=0, stored=True, problem=None
    )


def test_the_measures_are_those_of_the_reference_quantizer(stored):
    row = weightmap.whatif(stored(GAUSSIAN.tobytes(), GAUSSIAN.shape), "Q4_K")[0]
    blocks = libgguf.quantize_rows(GAUSSIAN, by_name("Q4_K").id)
    decoded = libgguf.dequantize_rows(blocks, by_name("Q4_K").id).reshape(GAUSSIAN.shape).astype(np.float64)
    error, r = decoded - GAUSSIAN, GAUSSIAN.astype(np.float64)
    rmse = np.sqrt(np.mean(error**2))
    assert row.rmse == pytest.approx(rmse, rel=1e-6)
    assert row.relative_rmse == pytest.approx(rmse / np.sqrt(np.mean(r**2)), rel=1e-6)
    assert row.sqnr_db == pytest.approx(10 * np.log10(np.sum(r**2) / np.sum(error**2)), rel=1e-6)
    assert row.max_abs_error == pytest.approx(np.abs(error).max(), rel=1e-6)


def test_the_most_bits_come_first_and_what_cannot_be_written_is_named(stored):
    rows = weightmap.whatif(stored(GAUSSIAN.tobytes(), GAUSSIAN.shape))
    bits = [row.bits_per_weight for row in rows]
    assert bits == sorted(bits, reverse=True)
    assert by_type(rows)["Q2_0"].problem == "There is no quantizer for Q2_0 here."
    assert by_type(rows)["Q2_0"].rmse is None
    assert "I32" not in by_type(rows)


def test_rows_that_are_no_whole_blocks_are_said_to_be(stored):
    values = GAUSSIAN.reshape(-1)[: 8 * 96]
    rows = by_type(weightmap.whatif(stored(values.tobytes(), (8, 96)), ["Q8_0", "Q6_K", "IQ4_XS", "IQ3_S", "Q2_K"]))
    assert rows["Q8_0"].problem is None
    text = "Blocks of 256 do not fit rows of 96; llama.cpp would take Q8_0 instead."
    assert rows["Q6_K"].problem == text
    assert all("IQ4_NL instead" in rows[name].problem for name in ("IQ4_XS", "IQ3_S", "Q2_K"))


def test_quantizing_again(stored):
    kind = by_name("Q4_0")
    blocks = np.asarray(libgguf.quantize_rows(GAUSSIAN, kind.id))
    rows = by_type(weightmap.whatif(stored(blocks.tobytes(), GAUSSIAN.shape, "Q4_0"), ["Q4_0", "Q8_0", "Q5_1"]))
    assert rows["Q4_0"].stored
    assert rows["Q4_0"].relative_rmse < 1e-3  # the codes come out again
    assert 0 < rows["Q8_0"].relative_rmse < 0.01 < rows["Q5_1"].relative_rmse


def test_nan_and_inf_have_no_place_in_blocks(stored):
    values = GAUSSIAN.copy()
    values[3, 7], values[5, 0] = np.nan, np.inf
    seen = []
    rows = weightmap.whatif(
        stored(values.tobytes(), values.shape), ["F16", "Q8_0", "Q4_K"], progress=lambda *now: seen.append(now)
    )
    found = by_type(rows)
    assert (found["F16"].nonfinite, found["F16"].problem) == (2, None)
    assert found["F16"].relative_rmse == pytest.approx(0.0002, rel=0.1)
    for name in ("Q8_0", "Q4_K"):
        assert found[name].problem == f"The tensor holds NaN or Inf, for which {name} has no place."
    assert seen[-1] == (3 * values.size, 3 * values.size)


def test_what_overflows_is_counted(stored):
    values = np.array([[1e6, -1e6, 65504, 1]], np.float32)
    row = weightmap.whatif(stored(values.tobytes(), values.shape), "F16")[0]
    assert (row.nonfinite, row.rmse) == (2, 0.0)


@pytest.mark.parametrize("shape", [(0, 32), (), (32,)])
def test_odd_shapes(stored, shape):
    values = np.ones(shape, np.float32)
    rows = by_type(weightmap.whatif(stored(values.tobytes(), shape)))
    assert rows["BF16"].identical
    assert (rows["Q8_0"].problem is None) == (shape != ())
    assert (rows["Q8_0"].rmse is None) == (0 in shape or shape == ())


def test_double_precision_is_measured_as_it_is(stored):
    values = GAUSSIAN.astype(np.float64) * (1 + 1e-9)
    row = weightmap.whatif(stored(values.tobytes(), values.shape, "F64"), "F32")[0]
    assert row.relative_rmse == pytest.approx(
        np.sqrt(np.mean((values.astype(np.float32) - values) ** 2)) / 0.02, rel=0.1
    )
    assert not row.identical


def test_integers_are_refused(tmp_path):
    path = tmp_path / "i.safetensors"
    path.write_bytes(safetensors([("i", "I32", (32,), bytes(128)), ("c", "C64", (2,), bytes(16))]))
    with weightmap.open(path) as model:
        for name in ("i", "c"):
            with pytest.raises(TypeError, match="only floats can be quantized"):
                weightmap.whatif(model.tensors[name])


def test_unknown_types(stored):
    with pytest.raises(KeyError, match="no stored type is called 'Q4_Z'; is 'Q4_K' meant"):
        weightmap.whatif(stored(GAUSSIAN.tobytes(), GAUSSIAN.shape), ["Q8_0", "Q4_Z"])


def test_cancelling(stored):
    with pytest.raises(weightmap.Cancelled):
        weightmap.whatif(stored(GAUSSIAN.tobytes(), GAUSSIAN.shape), progress=lambda done, total: done == 0)


def test_threads_change_nothing(stored):
    values = np.tile(GAUSSIAN, (40, 1))  # several chunks
    tensor = stored(values.tobytes(), values.shape)
    assert weightmap.whatif(tensor, "Q6_K", threads=1) == weightmap.whatif(tensor, "Q6_K", threads=3)


def test_rows_come_as_soon_as_they_are_there(stored):
    told = []
    rows = weightmap.whatif(stored(GAUSSIAN.tobytes(), GAUSSIAN.shape), ["Q4_K", "Q2_0", "F16"], each=told.append)
    assert tuple(told) == rows and [row.type for row in rows] == ["F16", "Q4_K", "Q2_0"]


def test_what_takes_long_holds_up_nothing(stored):
    told = []
    names = ["IQ3_S", "Q2_K", "IQ2_S", "Q4_K"]
    rows = weightmap.whatif(stored(GAUSSIAN.tobytes(), GAUSSIAN.shape), names, each=told.append)
    assert [row.type for row in told] == ["Q4_K", "Q2_K", "IQ3_S", "IQ2_S"]
    assert [row.type for row in rows] == ["Q4_K", "IQ3_S", "Q2_K", "IQ2_S"]
    assert set(told) == set(rows)


def test_the_types_in_question_are_those_that_are_answered_for(stored):
    rows = weightmap.whatif(stored(GAUSSIAN.tobytes(), GAUSSIAN.shape))
    assert [kind.name for kind in weightmap.whatif_types()] == [row.type for row in rows]
    writable = [kind.name for kind in weightmap.whatif_types(writable=True)]
    assert writable == [row.type for row in rows if row.problem is None] and len(writable) == len(ENCODERS)


@pytest.mark.parametrize("kind", ["Q8_0", "Q4_K", "IQ4_NL"])
def test_a_sample_is_what_its_rows_alone_would_give(stored, kind):
    whole = np.stack([GAUSSIAN, GAUSSIAN * 3])
    part = np.ascontiguousarray(whole[:, ::5])
    row = weightmap.whatif(stored(whole.tobytes(), whole.shape), kind, sample=5)[0]
    alone = weightmap.whatif(stored(part.tobytes(), part.shape), kind)[0]
    assert row.sampled == "1 of every 5 rows" and alone.sampled is None
    assert row == replace(alone, sampled=row.sampled)
    assert row.to_json()["sampled"] == "1 of every 5 rows"


def test_a_sample_of_few_values_or_of_one_row_is_everything(stored):
    tensor = stored(GAUSSIAN.tobytes(), GAUSSIAN.shape)
    assert weightmap.whatif(tensor, "Q8_0", sample="fast") == weightmap.whatif(tensor, "Q8_0")
    line = stored(GAUSSIAN.tobytes(), (GAUSSIAN.size,))
    assert weightmap.whatif(line, "Q8_0", sample=4) == weightmap.whatif(line, "Q8_0")
    with pytest.raises(ValueError, match="sample must be at least 1"):
        weightmap.whatif(tensor, "Q8_0", sample=0)
