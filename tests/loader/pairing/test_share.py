"""Names alone make a pair only in files nearly all of whose other tensors were proved to be the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.build import gguf, safetensors

import weightmap

NAMES = {
    "token_embd.weight": "model.embed_tokens.weight",
    "blk.0.ffn_up.weight": "model.layers.0.mlp.up_proj.weight",
    "blk.0.ffn_gate.weight": "model.layers.0.mlp.gate_proj.weight",
    "blk.0.ffn_down.weight": "model.layers.0.mlp.down_proj.weight",
    "output.weight": "lm_head.weight",
}


@pytest.mark.parametrize(("changed", "paired"), [(0, 5), (1, 5), (2, 3), (3, 2), (4, 1)])
def test_tensors_of_other_values(tmp_path: Path, changed: int, paired: int) -> None:
    random = np.random.default_rng(1)
    values = {name: random.standard_normal((40, 64)).astype("<f4") for name in NAMES}
    stored = dict(values)
    for name in [*NAMES][:changed]:
        stored[name] = random.standard_normal((40, 64)).astype("<f4")
    (tmp_path / "q.gguf").write_bytes(gguf(tensors=[(n, v.shape, 0, v.tobytes()) for n, v in values.items()]))
    entries = [(NAMES[name], "F32", array.shape, array.tobytes()) for name, array in stored.items()]
    (tmp_path / "r.safetensors").write_bytes(safetensors(entries))
    found = weightmap.compare(tmp_path / "q.gguf", tmp_path / "r.safetensors")
    assert len(found.pairs) == paired
    assert sum(pair.identical for pair in found.pairs) == 5 - changed
    assert [pair.verdict for pair in found.pairs if not pair.identical] == ["wrong"] * (paired + changed - 5)
    assert len(found.left_over[0]) == 5 - paired
