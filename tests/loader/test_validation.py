"""One verdict per model, whatever way it is given."""

import json
import struct

import pytest
from support.build import safetensors

import weightmap


def model(tmp_path, *values: float):
    path = tmp_path / "m.safetensors"
    path.write_bytes(safetensors([("w", "F32", (2, len(values) // 2), struct.pack(f"<{len(values)}f", *values))]))
    return path


def test_a_sound_model_has_nothing_said_about_it(tmp_path):
    path = model(tmp_path, 1, 2, 3, 4)
    verdict = weightmap.validate(path, values=True)
    assert (verdict.path, verdict.format, verdict.status, verdict.findings) == (str(path), "safetensors", "ok", ())
    assert verdict.tensors == (("w", "F32", (2, 2), "ok"),) and verdict.nbytes == path.stat().st_size


def test_values_are_looked_at_where_asked_for(tmp_path):
    path = model(tmp_path, 1, float("nan"), 3, float("inf"))
    assert weightmap.validate(path).status == "ok"
    verdict = weightmap.validate(path, values=True)
    assert [finding.code for finding in verdict.findings] == ["non_finite"]
    assert verdict.tensors[0][3] == verdict.status == "warning"


def test_an_open_model_is_judged_as_it_is_and_stays_open(tmp_path):
    seen = []
    with weightmap.open(model(tmp_path, 1, 2, 3, 4)) as opened:
        verdict = weightmap.validate(opened, values=True, progress=lambda done, total: seen.append((done, total)))
        assert verdict.status == "ok" and opened.tensors["w"].values_checked and not opened.closed
    assert seen[-1] == (16, 16)


def test_what_cannot_be_opened_is_a_verdict_that_json_can_hold(tmp_path):
    path = tmp_path / "page.gguf"
    path.write_text("<!DOCTYPE html><html><body>404</body></html>")
    entry = weightmap.validate(path).entry()
    assert entry["format"] is None and entry["status"] == "error" and entry["tensors"] == []
    assert "web page" in entry["findings"][0]["message"]
    json.dumps(entry, allow_nan=False)


def test_the_scan_can_be_given_up(tmp_path):
    with pytest.raises(weightmap.Cancelled):
        weightmap.validate(model(tmp_path, 1, 2, 3, 4), values=True, progress=lambda done, total: False)
