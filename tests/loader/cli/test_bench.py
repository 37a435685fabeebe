"""`weightmap bench`."""

from __future__ import annotations

from support.command import Weightmap


def test_json_has_the_machine_and_a_row_per_figure(weightmap: Weightmap) -> None:
    ran = weightmap("bench", "--quick", "--types", "Q8_0", "--json")
    assert ran.status == 0
    assert set(ran.json) == {"machine", "rows", "absent"}
    assert {row["type"] for row in ran.json["rows"]} == {"Q8_0"}
    decode = ran.json["rows"][0]
    assert (decode["what"], decode["peer"], decode["unit"]) == ("decode", "gguf-py", "elements/s")
    assert decode["product"] > 0 and decode["ratio"] > 0
    assert ran.json["machine"]["cores"] >= 1


def test_table_says_what_is_not_installed(weightmap: Weightmap) -> None:
    ran = weightmap("bench", "--quick", "--types", "F16")
    assert (ran.status, ran.err) == (0, "")
    assert "generated files" in ran.out
    assert "matrix-vector, from stored" in ran.out
    assert ran.out.endswith("Not installed, so not compared with: torch, transformers.\n") or "torch" in ran.out


def test_unknown_types_are_wrong_usage(weightmap: Weightmap) -> None:
    ran = weightmap("bench", "--types", "Q9_9", "--json")
    assert ran.status == 2
    assert ran.json["error"]["code"] == "unknown_type"
