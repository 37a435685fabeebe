"""Tests of weightmap beside optional packages: not part of `make test`, which needs none of them."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Other packages may warn; weightmap may not. The settings name plugins that are not installed here."""
    for line in ("default", "ignore::pytest.PytestConfigWarning", "error:::weightmap"):
        config.addinivalue_line("filterwarnings", line)
