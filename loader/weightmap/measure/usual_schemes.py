"""How large the errors of weights are that lie in several tensors: codes, and scales of some number of values.

Measured as those of the stored types, on 128 rows of 4,096 with encoders in numpy that round to the nearest code: scales of
floats reach from the largest value to the largest code (powers of two of MX from its exponent alone), those of integers
likewise, symmetric for 8 bits. One scale for all is at the mercy of outliers, as the embeddings of a real model show.
Names are of codes and of what shares a scale.
"""

from __future__ import annotations

from typing import NamedTuple


class Usual(NamedTuple):
    """Relative rmse on Gaussian weights, on Laplace weights, and the worst on real ones."""

    gaussian: float
    laplace: float
    real: float

    @property
    def border(self) -> float:
        """The largest error that is still normal: a quarter above the Gaussian one, or what sound weights gave."""
        return max(1.25 * self.gaussian, 1.03 * self.laplace, 1.03 * self.real)


SCHEMES: dict[str, Usual] = {
    "F8_E4M3:tensor": Usual(0.02642, 0.02644, 0.02668),
    "F8_E4M3:channel": Usual(0.02651, 0.02638, 0.02640),
    "F8_E4M3:block": Usual(0.02651, 0.02649, 0.02662),
    "F8_E4M3:group": Usual(0.02572, 0.02483, 0.02573),
    "F8_E5M2:tensor": Usual(0.05261, 0.05270, 0.05285),
    "F8_E5M2:channel": Usual(0.05264, 0.05237, 0.05227),
    "F8_E5M2:block": Usual(0.05254, 0.05270, 0.05278),
    "MXFP8": Usual(0.02932, 0.03189, 0.03998),
    "MXFP6": Usual(0.02803, 0.03059, 0.03079),
    "I8:tensor": Usual(0.01074, 0.02451, 0.39529),
    "I8:channel": Usual(0.00869, 0.01408, 0.02118),
    "I8:block": Usual(0.00948, 0.01633, 0.06974),
    "I8:group": Usual(0.00649, 0.00888, 0.00899),
    "I4:channel": Usual(0.14928, 0.23328, 0.20470),
    "I4:group": Usual(0.11099, 0.15074, 0.13573),
}
"""By the type of the codes and what has a scale of its own; a group is of 128 values."""
