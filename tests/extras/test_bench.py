"""The bench beside torch and transformers, on a checkpoint that transformers itself wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from weightmap.bench import run
from weightmap.bench.race import Pace

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


def test_a_checkpoint_beside_load_file_and_from_pretrained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    config = transformers.BertConfig(vocab_size=100, max_position_embeddings=16, **sizes)
    transformers.BertModel(config).save_pretrained(tmp_path)
    monkeypatch.setattr(run, "QUICK", Pace(0, 1, 1, 60))
    report = run.bench([tmp_path / "model.safetensors"], quick=True)
    loads = {row.peer: row for row in report.rows if row.what == "load, as views"}
    assert set(loads) == {"safetensors.torch.load_file", "transformers from_pretrained"}
    products = [row for row in report.rows if row.what == "matrix-vector, loaded"]
    assert [row.peer for row in products] == ["torch"]
    assert all(row.note is None and row.ratio is not None for row in [*loads.values(), *products])
    assert report.machine["versions"].keys() >= {"torch", "transformers"}
