"""What a notebook shows of results: a line, whatever they hold."""

from __future__ import annotations

import pytest
from support.shared import ROOT

import weightmap

GGUF = ROOT / "app" / "tensorloupe" / "sample" / "minilm-sample.gguf"


@pytest.fixture(scope="module")
def model():
    with weightmap.open(GGUF) as model:
        yield model


def test_measures_are_a_line(model):
    tensor = model.tensors["blk.0.ffn_down.weight"]
    said = repr(tensor.statistics(64))
    assert said.startswith("Statistics(count=65536, min=-0.356201171875,")
    assert said.endswith("histogram=<histogram of 64 bins from -0.356201 to 0.646622: 65,536 values>)")
    assert repr(tensor.heatmap(4, 8)) == "<heatmap of 4 x 8 cells>"
    assert repr(tensor.heatmap(4, 8, sample=16)) == "<heatmap of 4 x 8 cells, 1 of every 16 rows>"
    health = repr(tensor.block_health())
    assert "blocks=256, elements=65536" in health and "array" not in health


def test_a_histogram_of_nothing_has_no_limits():
    empty = weightmap.Histogram(None, weightmap.load_weights(GGUF)["blk.0.attn_q.bias"][:0])
    assert repr(empty) == "<histogram of 0 bins: 0 values>"


def test_verdicts_and_comparisons_are_a_line():
    path = str(GGUF)
    assert repr(weightmap.validate(path)) == f"<verdict on {path!r}: ok, 0 findings>"
    assert repr(weightmap.digest(path)) == "<digest of 1 file and 37 tensors>"
    assert repr(weightmap.compare(path, path)) == f"<comparison of {path!r} with {path!r}: 37 pairs>"
    with weightmap.pair_models(path, path) as pairs:
        assert repr(pairs) == f"<37 pairs of {path!r} with {path!r}>"
        assert repr(weightmap.PairValues(pairs[0])) == "<error of 'token_embd.weight' (1024, 128)>"
