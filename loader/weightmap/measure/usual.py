"""How large an error of a stored type usually is, and from where on it is worse than it should be.

Relative rmse, measured with libgguf 0.2.2 (default weights; numpy and ml_dtypes for the plain types, the quantizers of
`whatif` for Q8_1 and Q8_K) on three kinds of weights: Gaussian and Laplace values with a standard deviation of 0.02, 32 rows
of 4,096, and the largest over the 2-D weights of blocks 0, 3 and 5 and the embeddings of all-MiniLM-L6-v2. Types with one
scale for all or for a row depend on the shape as well: the numbers of I8 are for a scale per row, those of F8 for a largest
value of 240.
"""

from __future__ import annotations

import math
from typing import Literal

from weightmap.measure.usual_schemes import SCHEMES, Usual

Verdict = Literal["normal", "worse", "wrong"]


ROUNDING = Usual(6e-8, 6e-8, 6e-8)  # of a float32 operation

USUAL: dict[str, Usual] = {
    "F64": ROUNDING,
    "F32": ROUNDING,
    "F16": Usual(0.000208, 0.000207, 0.000208),
    "BF16": Usual(0.001663, 0.001665, 0.001669),
    "F8_E4M3": Usual(0.02643, 0.02633, 0.02766),
    "F8_E5M2": Usual(0.05270, 0.05271, 0.05292),
    "I8": Usual(0.00866, 0.01492, 0.02118),
    "Q8_0": Usual(0.00535, 0.00676, 0.00621),
    "Q8_1": Usual(0.00535, 0.00676, 0.00621),
    "Q8_K": Usual(0.00699, 0.01006, 0.01119),
    "Q6_K": Usual(0.01773, 0.02165, 0.01964),
    "Q5_K": Usual(0.03610, 0.04278, 0.03935),
    "Q5_1": Usual(0.03778, 0.04443, 0.04095),
    "Q5_0": Usual(0.04258, 0.05348, 0.04837),
    "Q4_K": Usual(0.07121, 0.08488, 0.07762),
    "IQ4_NL": Usual(0.07603, 0.08804, 0.08264),
    "IQ4_XS": Usual(0.07660, 0.08870, 0.08334),
    "Q4_1": Usual(0.07811, 0.09186, 0.08467),
    "Q4_0": Usual(0.08564, 0.10679, 0.09703),
    "NVFP4": Usual(0.10306, 0.09667, 0.09966),
    "MXFP4": Usual(0.11424, 0.12555, 0.12921),
    "Q3_K": Usual(0.15064, 0.17565, 0.16450),
    "IQ3_S": Usual(0.16595, 0.19682, 0.19283),
    "IQ3_XXS": Usual(0.21292, 0.24763, 0.23847),
    "IQ2_S": Usual(0.26501, 0.32437, 0.32782),
    "Q2_K": Usual(0.29522, 0.34393, 0.31825),
    "IQ2_XS": Usual(0.29876, 0.32893, 0.34776),
    "IQ2_XXS": Usual(0.34377, 0.38468, 0.42077),
    "IQ1_S": Usual(0.48460, 0.54469, 0.53742),
    "IQ1_M": Usual(0.58328, 0.58445, 0.59903),
    "Q1_0": Usual(0.59980, 0.70417, 0.65198),
    "TQ1_0": Usual(0.80961, 0.83147, 0.84523),
    "TQ2_0": Usual(0.80961, 0.83147, 0.84523),
}


def usual_error(quantized: str, reference: str) -> float | None:
    """The usual relative rmse between tensors of these types, both errors taken together; None for a type not measured."""
    return _together(quantized, reference, "gaussian")


def border(quantized: str, reference: str) -> float | None:
    """The largest relative rmse between tensors of these types that is normal; None for a type that was not measured."""
    return _together(quantized, reference, "border")


def verdict(
    quantized: str, reference: str, relative_rmse: float | None, *, disagreeing: int = 0, differs: bool = True
) -> Verdict | None:
    """How an error is to be judged: wrong from 1 on, or where finite and non-finite values disagree; worse above the border.

    None where there is nothing to go by: no relative error (a reference of zeros, which only a difference makes wrong), or
    a type whose usual error was not measured.
    """
    if disagreeing:
        return "wrong"
    if not differs:
        return "normal"
    if relative_rmse is None or relative_rmse >= 1:
        return "wrong"
    limit = border(quantized, reference)
    if limit is None:
        return None
    return "worse" if relative_rmse > limit else "normal"


def _together(quantized: str, reference: str, which: str) -> float | None:
    first, second = _known(quantized), _known(reference)
    if first is None or second is None:
        return None
    return math.hypot(getattr(first, which), getattr(second, which))


def _known(name: str) -> Usual | None:
    """What is known of a type or scheme; of one whose scales are shared in a way that was not measured, that of its codes."""
    return USUAL.get(name) or SCHEMES.get(name) or USUAL.get(name.partition(":")[0])
