"""Files of real models give no reason for a word above info: a check that cries at good files is worth nothing."""

from __future__ import annotations

import pytest
from support.shared import SHARED, needs_shared

from weightmap.checks import check
from weightmap.formats.sets import open_layout

MODELS = SHARED / "models"
FOLDERS = ("may-be-committed", "stay-in-shared/safetensors", "converted", "composed")
GOOD = sorted(
    path
    for folder in FOLDERS
    for path in (MODELS / folder).rglob("*")
    if path.name.endswith((".gguf", ".safetensors", ".index.json"))
)


@needs_shared
@pytest.mark.parametrize("path", GOOD, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_nothing_above_info(path):
    layout, sources = open_layout(str(path))
    found = check(layout, sources=sources)
    for source in sources:
        source.close()
    assert [finding for finding in found if finding.severity not in ("ok", "info")] == []
