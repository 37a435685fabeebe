"""The yardstick of a fresh quantization: for a file written by the same encoder it is what the file has."""

from __future__ import annotations

import numpy as np
import pytest
from support.quantized import original, write

import weightmap
from weightmap.comparing import measure_pair
from weightmap.report import fresh as module
from weightmap.report.fresh import fresh


@pytest.fixture
def pairs(tmp_path):
    reference = write(tmp_path / "r.gguf", original(1))
    with weightmap.pair_models(write(tmp_path / "q.gguf", original(1), "Q4_K"), reference) as pairs:
        yield pairs


@pytest.mark.parametrize("threads", [1, 2])
def test_a_file_of_the_same_encoder_has_that_error(pairs, threads, monkeypatch):
    monkeypatch.setattr("weightmap.measure.error_sums.CHUNK", 4096)
    pair = next(pair for pair in pairs if pair.tensor == "blk.0.ffn_down.weight")
    error = measure_pair(pairs, pair)
    counts = pair.histogram(51, (-0.004, 0.004))
    found = fresh(error, pair, counts.edges, threads=threads)
    assert found.relative_rmse == pytest.approx(error.relative_rmse, rel=1e-12)
    assert np.array_equal(found.histogram.counts, counts.counts)
    assert (found.histogram.below, found.histogram.above) == (counts.below, counts.above)
    assert counts.below > 0


def test_none_where_it_cannot_be_had(pairs, monkeypatch):
    edges = np.linspace(-1, 1, 4)
    by_name = {pair.tensor: pair for pair in pairs}
    norm, matrix = by_name["blk.0.attn_norm.weight"], by_name["blk.0.attn_q.weight"]
    assert fresh(measure_pair(pairs, norm), norm, edges) is None  # F32 is no type of blocks
    error = measure_pair(pairs, matrix)
    assert fresh(error, matrix, edges) is not None
    monkeypatch.setattr(module, "MOST", 1000)
    assert fresh(error, matrix, edges) is None
