"""The table of usual errors holds what quantizers give, and verdicts follow from it."""

import libgguf
import numpy as np
import pytest

from weightmap.measure.usual import USUAL, border, usual_error, verdict

IDS = {"Q4_0": 2, "Q5_1": 7, "Q8_0": 8, "Q2_K": 10, "Q4_K": 12, "Q6_K": 14, "IQ4_NL": 20, "MXFP4": 39}


@pytest.mark.parametrize("name", IDS)
def test_the_table_is_what_ggml_gives(name):
    x = (np.random.default_rng(1).standard_normal((16, 4096)) * 0.02).astype(np.float32)
    y = libgguf.dequantize_rows(libgguf.quantize_rows(x, IDS[name]), IDS[name])
    error = float(np.sqrt(((y - x).astype(np.float64) ** 2).sum() / (x.astype(np.float64) ** 2).sum()))
    assert error == pytest.approx(USUAL[name].gaussian, rel=0.02)
    assert verdict(name, "F32", error) == "normal"
    assert verdict(name, "F32", 1.5 * error) == ("worse" if 1.5 * error < 1 else "wrong")


def test_every_border_lies_above_what_sound_weights_gave():
    for name, usual in USUAL.items():
        assert usual.border > max(usual), name
        assert usual.border < 1.6 * usual.gaussian or name in ("I8", "Q8_K"), name  # many share a scale


def test_two_quantized_tensors_have_both_errors():
    assert usual_error("Q4_K", "Q8_0") == pytest.approx(np.hypot(USUAL["Q4_K"].gaussian, USUAL["Q8_0"].gaussian))
    assert usual_error("Q4_K", "I32") is None
    assert border("type 200", "F32") is None


def test_verdicts():
    assert verdict("Q4_K", "F32", 1.0) == "wrong"
    assert verdict("Q4_K", "F32", 0.01, disagreeing=1) == "wrong"
    assert verdict("Q4_K", "F32", None, differs=False) == "normal"
    assert verdict("Q4_K", "F32", None) == "wrong"
    assert verdict("U16", "F32", 0.3) is None
    assert verdict("F32", "F32", 1e-8) == "normal"
    assert verdict("F32", "F32", 1e-5) == "worse"
