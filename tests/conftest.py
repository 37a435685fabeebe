"""No test touches the cache of whoever runs it; those about the cache name a folder of their own."""

from __future__ import annotations

import os

os.environ["WEIGHTMAP_CACHE"] = "0"
