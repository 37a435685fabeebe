from __future__ import annotations

from pathlib import Path

import pytest
from support.build import gguf, safetensors
from support.command import Weightmap


def test_the_document_has_what_the_contract_names(weightmap: Weightmap, model: Path) -> None:
    ran = weightmap("info", model, "--json")
    assert ran.status == 0
    assert ran.err == ""
    found = ran.json
    assert found["path"] == str(model)
    assert (found["format"], found["version"], found["byte_order"], found["alignment"]) == ("gguf", 3, "little", 32)
    size = model.stat().st_size
    assert found["files"] == [{"path": str(model), "bytes": size}]
    assert found["tensors"][1] == {
        "name": "output.weight",
        "type": "Q8_0",
        "shape": [1, 32],
        "offset": size - 96,
        "nbytes": 34,
        "bits_per_weight": 8.5,
    }
    assert found["composed"] == []
    assert found["totals"] == {
        "tensors": 3,
        "elements": 42,
        "data_bytes": 66,
        "file_bytes": size,
        "by_type": {
            "F32": {"tensors": 1, "elements": 6, "bytes": 24},
            "Q8_0": {"tensors": 1, "elements": 32, "bytes": 34},
            "F16": {"tensors": 1, "elements": 4, "bytes": 8},
        },
    }


def test_a_long_array_shows_its_head_unless_full(weightmap: Weightmap, model: Path) -> None:
    short = weightmap("info", model, "--json").json["metadata"]
    full = weightmap("info", model, "--json", "--full").json["metadata"]
    assert short["x.numbers"] == {"array": "i32", "length": 40, "head": list(range(32))}
    assert full["x.numbers"] == list(range(40))
    assert short["x.text"] == full["x.text"] == "long " * 200


def test_people_get_aligned_tables(weightmap: Weightmap, model: Path) -> None:
    lines = weightmap("info", model).out.splitlines()
    assert lines[0] == str(model)
    assert lines[1].split() == ["format", "gguf", "version", "3,", "little-endian,", "alignment", "32"]
    tensors = lines[lines.index("tensors") + 1 :]
    assert [line.split()[0] for line in tensors] == ["name", "token_embd.weight", "output.weight", "output_norm.weight"]
    assert len({len(line) for line in tensors}) == 1
    assert "2 × 3" in tensors[1]


def test_metadata_is_cut_only_where_it_says_so(weightmap: Weightmap, model: Path) -> None:
    short = weightmap("info", model).out
    full = weightmap("info", model, "--full").out
    assert "… (1,000 characters)" in short
    assert "[0, 1, 2, 3, 4, 5, 6, 7, …]" in short
    assert "1e-06" in short
    assert ("long " * 200).rstrip() in full
    assert "38, 39]" in full


def test_text_from_the_file_is_escaped(weightmap: Weightmap, tmp_path: Path) -> None:
    path = tmp_path / "spoof.gguf"
    metadata = (
        ("general.architecture", "str", "llama"),
        ("x.\x1b[31m", "str", "a\u202eb\nc"),
        ("x.raw", "str", b"\xff"),
    )
    path.write_bytes(gguf(metadata, (("t\u202e\x07", (1,), 0, bytes(4)),)))
    shown = weightmap("info", path).out
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\x07" not in shown
    assert "a\\u202eb\\nc" in shown
    document = weightmap("info", path, "--json")
    assert document.out.isascii()
    assert document.json["metadata"]["x.raw"] == "\\xff"
    assert document.json["tensors"][0]["name"] == "t\u202e\x07"


def test_a_damaged_file_shows_what_it_holds_and_ends_with_1(weightmap: Weightmap, cut: Path) -> None:
    ran = weightmap("info", cut)
    assert ran.status == 1
    assert "error" in ran.out
    assert "  a " in ran.out
    document = weightmap("info", cut, "--json")
    assert document.status == 1
    assert [tensor["name"] for tensor in document.json["tensors"]] == ["a", "b"]


@pytest.mark.parametrize("json", [False, True])
def test_a_missing_file_is_one_sentence(weightmap: Weightmap, tmp_path: Path, json: bool) -> None:
    path = tmp_path / "nowhere.gguf"
    ran = weightmap("info", path, *(["--json"] if json else []))
    assert ran.status == 1
    if json:
        assert set(ran.json["error"]) == {"path", "code", "message", "tensor", "key", "offset"}
        assert ran.json["error"]["code"] == "not_found"
        assert ran.json["error"]["path"] == str(path)
        assert ran.err == ""
    else:
        assert ran.out == ""
        assert ran.err.startswith("weightmap: There is no such file.")
        assert ran.err.count("\n") == 1


def test_a_monstrous_name_or_shape_does_not_widen_every_row(weightmap: Weightmap, tmp_path: Path) -> None:
    path = tmp_path / "wide.safetensors"
    many = [(f"t{i}", "F32", (1,), bytes(4)) for i in range(50)]
    odd = [("n" * 100_000, "F32", (1,), bytes(4)), ("s", "F32", (1,) * 100_000, bytes(4))]
    path.write_bytes(safetensors([*odd, *many]))
    shown = weightmap("info", path).out
    assert len(shown) < 400_000  # once in a finding, not once in every row
    assert "(100,000 characters)" in shown
    assert "1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × … (100,000 axes)" in shown


def test_where_a_header_breaks_off_no_tensor_has_a_place(weightmap: Weightmap, tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    data = gguf([], [(name, (4,), 0, bytes(16)) for name in ("aa", "bb", "cc")])
    path.write_bytes(data[: data.index(b"cc") + 6])
    shown = weightmap("info", path).out
    assert "tensors  2 of 3 with 8 elements" in shown
    assert [line.split()[-2:] for line in shown.splitlines() if line.startswith(("  aa ", "  bb "))] == [
        ["not", "known"],
        ["not", "known"],
    ]
    assert [tensor["offset"] for tensor in weightmap("info", path, "--json").json["tensors"]] == [None, None]
