"""Generated files are sound models, and hold values that can be measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import weightmap
from weightmap.bench import samples
from weightmap.types.base import StoredType


@pytest.mark.parametrize("kind", samples.types(), ids=lambda kind: kind.name)
def test_a_file_per_type(kind: StoredType, tmp_path: Path) -> None:
    with weightmap.open(samples.per_type(str(tmp_path), kind, 4)) as model:
        tensor = model.records[0]
        assert tensor.check_values() == ()
        assert [found for found in model.findings if found.severity in ("warning", "error")] == []
        assert (tensor.type.name, tensor.shape) == (kind.name, (4, samples.COLUMNS))
        values = tensor.array(np.float32)
        assert np.isfinite(values).all()
        assert len(np.unique(values)) > 1


def test_a_large_vocabulary(tmp_path: Path) -> None:
    with weightmap.open(samples.vocabulary(str(tmp_path), 500)) as model:
        tokens = model.metadata["tokenizer.ggml.tokens"]
        assert (len(tokens), len(model.records)) == (500, 300)
        assert tokens[0].isalpha() and 2 <= len(tokens[499]) < 12


def test_many_tensors(tmp_path: Path) -> None:
    weights = weightmap.load_weights(samples.many_tensors(str(tmp_path), 20))
    assert len(weights) == 20
    assert weights["layers.2.experts.3.weight"].shape == (64, 64)
