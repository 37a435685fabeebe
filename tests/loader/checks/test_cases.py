"""Every faulty, odd or good file of the collection gets the code that its description asks for, and a good file none."""

from __future__ import annotations

import json
import shutil

import pytest
from support.shared import SHARED, needs_shared

from weightmap.checks import check
from weightmap.errors import WeightFileError
from weightmap.findings import worst
from weightmap.formats.sets import open_layout

LIST = SHARED / "cases" / "cases.json"
CASES = json.loads(LIST.read_text())["cases"] if LIST.is_file() else []
BY_VALUES = {"non_finite", "all_zero"}  # found by a scan of values only
# one cause, told by another code: the file ends inside the tensor, and nothing says which of the two is wrong
OTHER = {"g_dims_too_big": "truncated"}


@needs_shared
@pytest.mark.parametrize("case", [case for case in CASES if not case.get("steps")], ids=lambda case: case["id"])
def test_says_what_the_case_asks_for(case, tmp_path):
    expect = case["expect"]
    folder = shutil.copytree(SHARED / "cases" / case["dir"], tmp_path / "model")
    try:
        layout, sources = open_layout(str(folder / case["file"]))
    except WeightFileError as error:
        assert expect["inspect"] == "none"
        assert error.code == expect["code"]
        return
    findings = check(layout, sources=sources)
    errors = check(layout, errors_only=True, sources=sources)
    for source in sources:
        if source is not None:
            source.close()
    if expect["inspect"] == "none":
        assert not layout.records
    status = worst(findings)
    assert worst(errors) == status or status != "error"
    if case["kind"] in BY_VALUES or expect["severity"] in ("ok", "info"):
        assert status in ("ok", "info")
    elif expect["opens"] == "either":
        assert status in ("warning", "error")
    else:
        assert status == expect["severity"]
    if case["kind"] not in BY_VALUES and expect["code"] != "ok":
        assert OTHER.get(case["id"], expect["code"]) in {finding.code for finding in findings}
    for name, value in expect.get("values", {}).items():
        record = next(record for record in layout.records if record.name == name)
        assert (list(record.shape), record.type.name) == (value["shape"], value["dtype"])
