"""The reference is what the docstrings say, on every version of Python: after changing one, run scripts/document_api.py."""

from __future__ import annotations

import re
from runpy import run_path

from support.shared import ROOT

import weightmap

PAGE = ROOT / "docs" / "api.md"


def test_the_reference_is_what_the_docstrings_say() -> None:
    made = run_path(str(ROOT / "scripts" / "document_api.py"))["page"]()
    assert PAGE.read_text(encoding="utf-8") == made, "run: python scripts/document_api.py"


def test_every_public_name_is_in_it() -> None:
    headings = re.findall(r"^### (\w+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(headings) == sorted(name for name in weightmap.__all__ if not name.startswith("__"))


def test_nothing_in_it_depends_on_the_process() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert " at 0x" not in text
    assert str(ROOT) not in text
