"""How large the errors of weights are that lie in several tensors: codes, and scales of some number of values.

Measured as those of the stored types, on 128 rows of 4,096 with encoders in numpy that round to the nearest code: scales of
floats reach from the largest value to the largest code (powers of two of MX from its exponent alone), those of integers
likewise, symmetric. Of 2 to 4 bits in groups the worst on real weights is that of GPTQ with inputs that hang together, which
takes a larger error of the weights for a smaller one of the outputs. One scale for all is at the mercy of outliers, as the
embeddings of a real model show. NF4 and FP4 have blocks of 64.
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
    "I2:group": Usual(0.55187, 0.63241, 0.71239),
    "I3:group": Usual(0.23819, 0.31582, 0.31019),
    "I4:group": Usual(0.11099, 0.15074, 0.14728),
    "I5:group": Usual(0.05379, 0.07435, 0.06578),
    "I6:group": Usual(0.02645, 0.03658, 0.03298),
    "I2:channel": Usual(0.71170, 0.82815, 0.79424),
    "I3:channel": Usual(0.31525, 0.47678, 0.40893),
    "I4:channel": Usual(0.14928, 0.23328, 0.20470),
    "I5:channel": Usual(0.07123, 0.11758, 0.10319),
    "I6:channel": Usual(0.03500, 0.05813, 0.05589),
    "I7:group": Usual(0.01313, 0.01796, 0.01664),
    "I7:channel": Usual(0.01763, 0.02847, 0.03327),
    "NF4": Usual(0.09189, 0.10383, 0.09797),
    "FP4": Usual(0.12203, 0.15095, 0.13694),
    "ternary:tensor": Usual(0.51321, 0.62806, 0.60662),
}
"""By the type of the codes and what has a scale of its own; a group is of 128 values."""
