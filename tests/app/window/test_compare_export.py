"""A comparison written into a file: what the command would print, and its report."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QFileDialog

import weightmap


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_errors_are_exported_as_compare_prints_them(monkeypatch, compared, settled, bad, reference, tmp_path, ending):
    import csv
    import json

    window = compared(bad, reference).window()
    out = tmp_path / f"errors.{ending}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(out), ""))
    window.do("export_errors")
    settled()
    whole = weightmap.compare(bad, reference)
    if ending == "json":
        assert json.loads(out.read_text()) == whole.to_json()
    else:
        rows = list(csv.DictReader(out.read_text().splitlines()))
        assert [row["tensor"] for row in rows] == [pair.tensor for pair in whole.ranked()]
        assert [row["rmse"] for row in rows] == [str(pair.rmse) for pair in whole.ranked()]


@pytest.mark.parametrize("ending", ["html", "md"])
def test_the_report_is_that_of_the_command(monkeypatch, compared, settled, bad, reference, tmp_path, ending):
    window = compared(bad, reference).window()
    out, same = tmp_path / f"errors.{ending}", tmp_path / f"same.{ending}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(out), ""))
    window.do("export_errors")
    settled()
    weightmap.write_report(weightmap.compare(bad, reference), same)
    assert out.read_text("utf-8") == same.read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".part") == []
