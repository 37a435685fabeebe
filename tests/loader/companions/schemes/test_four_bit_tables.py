"""Tables of 4-bit codes that are not those of their kind: read, and said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.composed import checkpoint

import weightmap
from weightmap.companions.schemes.four_bit_tables import TABLES

CODES = np.random.default_rng(1).integers(0, 16, 512, np.uint8)


def stored_as(kind: str, table: np.ndarray) -> dict[str, np.ndarray]:
    state = f'{{"quant_type": "{kind}", "blocksize": 64, "dtype": "bfloat16", "shape": [8, 64]}}'
    return {
        "a.weight": (CODES[0::2] << 4 | CODES[1::2]).reshape(-1, 1),
        "a.weight.quant_map": table,
        "a.weight.absmax": np.full(8, 0.25, np.float32),
        f"a.weight.quant_state.bitsandbytes__{kind}": np.frombuffer(state.encode(), np.uint8),
    }


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("type", [np.float32, np.float16])
@pytest.mark.parametrize("stored", [*TABLES, "of one's own"])
def test_a_table_is_read_whatever_it_holds(tmp_path: Path, kind: str, type: np.dtype, stored: str) -> None:
    table = np.array(TABLES.get(stored, np.linspace(-1, 1, 16)), type)
    with weightmap.open(checkpoint(tmp_path / "m", stored_as(kind, table))) as model:
        weight = model.composed["a.weight"]
        assert np.array_equal(weight.array().reshape(-1), table[CODES].astype(np.float32) * np.float32(0.25))
        said = [(found.code, str(found.severity)) for found in weight.findings]
        expected = [] if stored == kind else [("quant_metadata", "warning" if stored in TABLES else "info")]
        assert said == expected


def test_a_table_with_what_is_no_number_is_said_once(tmp_path: Path) -> None:
    table = np.float32(TABLES["nf4"])
    table[3] = np.nan
    with weightmap.open(checkpoint(tmp_path / "m", stored_as("nf4", table))) as model:
        assert [found.code for found in model.composed["a.weight"].findings] == ["odd_scale"]
