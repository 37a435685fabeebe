"""What a model has, in order: weights with the tensors that they are made of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from support.build import safetensors

import weightmap
from tensorloupe.items.outline import build_outline


def test_a_tensor_of_several_weights_stays_by_itself(tmp_path: Path) -> None:
    class Weight:
        problem, shape, count, nbytes, status, values_checked = None, (2,), 2, 8, "ok", False
        scheme, path = "scheme", "p"

        def __init__(self, name: str, *sources: str) -> None:
            self.name, self.sources = name, sources

    path = tmp_path / "m.safetensors"
    data = np.zeros(2, np.float32).tobytes()
    path.write_bytes(safetensors([(name, "F32", (2,), data) for name in ("a.codes", "b.codes", "shared")]))
    with weightmap.open(path) as model:
        weights = Weight("a.weight", "a.codes", "shared"), Weight("b.weight", "b.codes", "shared")
        outline = build_outline(model.records, {str(path): 1000}, weights)
        assert outline.under.tolist() == [3, 4, -1, -1, -1]
        assert outline.parts == {3: (0,), 4: (1,)} and outline.listed.tolist() == [2, 3, 4]
        assert outline.share.tolist() == [1] * 5
