"""Every scheme that is known, in one list. The first that knows a tensor has it, so the order is part of what they say.

To read a new scheme: write its class beside its kin, and put it where nothing before it takes its tensors.
"""

from __future__ import annotations

from weightmap.companions.base import Scheme
from weightmap.companions.float8 import EightBits

SCHEMES: tuple[Scheme, ...] = (EightBits(),)
