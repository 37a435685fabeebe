"""The stored types: one small class each, all in one visible registry."""

import numpy as np

if np.lib.NumpyVersion(np.__version__) < "2.0.0":
    # an installer may have left an older one in place; with it shifts would keep to the narrower of two dtypes
    raise ImportError(
        f"weightmap needs numpy 2.0 or newer, and this is numpy {np.__version__}, whose rules for mixed dtypes would make "
        "values wrong. Update it: python -m pip install --upgrade numpy"
    )
