"""Schemes of integer codes on the shared collection: shapes, sources and values of every weight, and lies."""

from __future__ import annotations

import pytest
from support.composed import assert_truth
from support.shared import needs_shared

CASES = ["awq", "awq-gemv", "bitnet-autobitlinear", "bitnet-bitlinear", "bnb-4bit", "bnb-int8", "ct-8bit", "ct-pack"]
CASES += ["ct-pack-dense", "ct-pack-old", "gptq", "gptq_v2", "int8-channel", "mlx", "torchao"]
LIES = ["lying-gptq-v2", "lying-metadata", "lying-packed"]


@needs_shared
@pytest.mark.parametrize("case", [*CASES, *LIES])
def test_the_collection(case: str) -> None:
    assert_truth(case)
