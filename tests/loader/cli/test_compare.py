from __future__ import annotations

from pathlib import Path

import libgguf
import numpy as np
import pytest
from support.build import gguf, safetensors
from support.command import Weightmap

KEYS = {
    "tensor", "reference", "transform", "guessed", "type", "reference_type", "count", "nonfinite", "rmse",
    "relative_rmse", "sqnr_db", "identical", "max_abs_error", "p99", "cosine", "bias", "verdict",
}  # fmt: skip
NAMES = {"token_embd.weight": "model.embed_tokens.weight", "blk.0.ffn_up.weight": "model.layers.0.mlp.up_proj.weight"}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A Q8_0 file, one tensor of which is scaled, and its checkpoint with a tensor more."""
    random = np.random.default_rng(1)
    values = {name: random.standard_normal((40, 64)).astype(np.float32) for name in NAMES}
    scaled = {"token_embd.weight": np.float32(1), "blk.0.ffn_up.weight": np.float32(2)}
    tensors = [(n, v.shape, 8, libgguf.quantize_rows(v * scaled[n], 8).tobytes()) for n, v in values.items()]
    tensors.append(("output_norm.weight", (64,), 0, np.ones(64, "<f4").tobytes()))
    tensors.append(("rope_freqs.weight", (8,), 0, np.ones(8, "<f4").tobytes()))
    stored = [(NAMES[n], "F32", v.shape, v.tobytes()) for n, v in values.items()]
    stored.append(("model.norm.weight", "F32", (64,), np.ones(64, "<f4").tobytes()))
    stored.append(("model.layers.0.self_attn.rotary_emb.inv_freq", "F32", (4,), bytes(16)))
    paths = tmp_path / "q.gguf", tmp_path / "r.safetensors"
    paths[0].write_bytes(gguf(tensors=tensors))
    paths[1].write_bytes(safetensors(stored))
    return paths


def test_the_document(weightmap: Weightmap, files: tuple[Path, Path]) -> None:
    ran = weightmap("compare", *files, "--json")
    assert ran.status == 0
    pairs = {pair["tensor"]: pair for pair in ran.json["pairs"]}
    assert list(pairs) == ["token_embd.weight", "blk.0.ffn_up.weight", "output_norm.weight"]
    assert all(set(pair) >= KEYS for pair in pairs.values())
    good, scaled, norm = pairs.values()
    assert (good["reference"], good["transform"], good["type"], good["verdict"]) == (
        ["model.embed_tokens.weight"], "=", "Q8_0", "normal",
    )  # fmt: skip
    assert 0.004 < good["relative_rmse"] < 0.007
    assert good["sqnr_db"] == pytest.approx(-20 * np.log10(good["relative_rmse"]))
    assert scaled["verdict"] == "wrong"
    assert scaled["scale"] == pytest.approx(2, rel=0.01)
    assert (norm["identical"], norm["sqnr_db"], norm["rmse"]) == (True, None, 0.0)
    unpaired = ran.json["unpaired"]
    assert [entry["tensor"] for entry in unpaired["quantized"]] == ["rope_freqs.weight"]
    assert [entry["tensor"] for entry in unpaired["reference"]] == ["model.layers.0.self_attn.rotary_emb.inv_freq"]
    assert all(entry["reason"] for side in unpaired.values() for entry in side)


def test_the_table_begins_with_the_largest_damage(weightmap: Weightmap, files: tuple[Path, Path]) -> None:
    ran = weightmap("compare", *files)
    lines = ran.out.splitlines()
    assert lines[1] == (
        "3 pairs: 1 identical, 1 normal, 1 wrong; "
        "without a counterpart: 1 in the quantized model and 1 in the reference model"
    )
    assert lines[2] == "5.7 kB, 8.83 bits per weight, against 20.8 kB, 32.00"
    assert lines[4].split()[:3] == ["tensor", "type", "bytes"]
    assert [line.split()[:2] for line in lines[5:8]] == [
        ["✕", "blk.0.ffn_up.weight"], ["✓", "token_embd.weight"], ["=", "output_norm.weight"],
    ]  # fmt: skip
    assert "blk.0.ffn_up.weight: The values are those of the reference times 2" in ran.out
    assert "  rope_freqs.weight: The converter works it out" in ran.out


def test_a_file_against_itself(weightmap: Weightmap, files: tuple[Path, Path]) -> None:
    assert (
        weightmap("compare", files[0], files[0]).out.splitlines()[1] == "4 pairs: 4 identical; no tensor is left over"
    )
    document = weightmap("compare", files[0], files[0], "--json").json
    assert len(document["pairs"]) == 4
    assert all(pair["identical"] and pair["rmse"] == 0 for pair in document["pairs"])


def test_parts_of_a_weight_that_has_its_counterpart_are_not_said_to_have_none(
    weightmap: Weightmap, tmp_path: Path
) -> None:
    codes, plain = np.arange(8, dtype=np.int8), np.arange(8, dtype="<f4") / 2
    quantized, reference = tmp_path / "q.safetensors", tmp_path / "r.safetensors"
    scale = ("w.scale", "F32", (), np.float32(0.5).tobytes())
    quantized.write_bytes(safetensors([("w.qweight", "I8", (2, 4), codes.tobytes()), scale]))
    reference.write_bytes(safetensors([("w", "F32", (2, 4), plain.tobytes())]))
    said = weightmap("compare", quantized, reference).out
    assert "no tensor is left over" in said
    assert "counterpart" not in said
    weightmap("compare", quantized, reference, "--report", tmp_path / "page.md")
    weightmap("compare", quantized, reference, "--report", tmp_path / "page.html")
    for page in ("page.md", "page.html"):
        assert "Without a counterpart" not in (tmp_path / page).read_text()


def test_what_is_hardly_meant_is_said_in_one_line(
    weightmap: Weightmap, files: tuple[Path, Path], tmp_path: Path
) -> None:
    link = tmp_path / "link.gguf"
    link.symlink_to(files[0])
    assert "Both are the same file, so nothing can differ." in weightmap("compare", files[0], link).out
    other = tmp_path / "other.safetensors"
    other.write_bytes(safetensors([("x", "F32", (3,), bytes(12))]))
    ran = weightmap("compare", files[0], other)
    assert "These two have nothing in common" in ran.out
    assert "nothing in common" not in weightmap("compare", *files).out
    assert "exchange the two" not in weightmap("compare", *files).out
    assert "fewer bits per weight than what is compared with it" in weightmap("compare", *reversed(files)).out


def test_norms_in_floats_do_not_make_a_model_of_16_bits_the_reference(weightmap: Weightmap, tmp_path: Path) -> None:
    words = np.random.default_rng(2).integers(0x3000, 0x3800, (40, 64), np.uint16)  # too small for half precision
    plain = (words.astype("<u4") << 16).view("<f4")
    halves = ("token_embd.weight", plain.shape, 1, plain.astype("<f2").tobytes())
    norm = ("output_norm.weight", (64,), 0, np.ones(64, "<f4").tobytes())
    (tmp_path / "q.gguf").write_bytes(gguf(tensors=[halves, norm]))
    ones = ("model.norm.weight", "BF16", (64,), np.full(64, 0x3F80, "<u2").tobytes())
    stored = safetensors([("model.embed_tokens.weight", "BF16", words.shape, words.tobytes()), ones])
    (tmp_path / "r.safetensors").write_bytes(stored)
    said = weightmap("compare", tmp_path / "q.gguf", tmp_path / "r.safetensors").out
    assert "16.39 bits per weight, against 5.2 kB, 16.00" in said
    assert "exchange the two" not in said


def test_guesses_can_be_switched_off(weightmap: Weightmap, tmp_path: Path) -> None:
    values = np.random.default_rng(2).standard_normal(64).astype("<f4").tobytes()
    (tmp_path / "a.gguf").write_bytes(gguf(tensors=[("x", (64,), 0, values)]))
    (tmp_path / "b.safetensors").write_bytes(safetensors([("y", "F32", (64,), values)]))
    paths = tmp_path / "a.gguf", tmp_path / "b.safetensors"
    [pair] = weightmap("compare", *paths, "--json").json["pairs"]
    assert pair["guessed"] is True
    assert "= (guessed)" in weightmap("compare", *paths).out
    assert weightmap("compare", *paths, "--no-guesses", "--json").json["pairs"] == []


def test_an_unreadable_file(weightmap: Weightmap, files: tuple[Path, Path], tmp_path: Path) -> None:
    ran = weightmap("compare", files[0], tmp_path / "missing.gguf", "--json")
    assert ran.status == 1
    assert ran.json["error"]["code"] == "not_found"


def test_a_tensor_that_cannot_be_read_is_listed_and_the_status_says_so(
    weightmap: Weightmap, files: tuple[Path, Path], tmp_path: Path
) -> None:
    cut = tmp_path / "cut.safetensors"
    cut.write_bytes(files[1].read_bytes()[:-200])
    ran = weightmap("compare", cut, files[1], "--json")
    assert ran.status == 1
    left = {entry["tensor"]: entry["reason"] for entry in ran.json["unpaired"]["quantized"]}
    assert "model.norm.weight" in left
    assert len(ran.json["pairs"]) == 2


def test_long_tables_are_cut_and_shown_whole_on_demand(weightmap: Weightmap, tmp_path: Path) -> None:
    path = tmp_path / "many.safetensors"
    path.write_bytes(safetensors([(f"t{i:02}", "F32", (1,), np.float32(i).tobytes()) for i in range(60)]))
    assert "… and 20 more; --all shows them" in weightmap("compare", path, path).out
    assert "t59" in weightmap("compare", path, path, "--all").out


def test_text_from_files_is_escaped(weightmap: Weightmap, tmp_path: Path) -> None:
    path = tmp_path / "odd.safetensors"
    path.write_bytes(safetensors([("a\x1b[31m\n", "F32", (1,), bytes(4))]))
    assert "\x1b" not in weightmap("compare", path, path).out


def test_a_report_that_cannot_be_written_is_the_error_and_no_model(
    weightmap: Weightmap, files: tuple[Path, Path], tmp_path: Path
) -> None:
    report = tmp_path / f"{'r' * 300}.html"  # longer than file systems allow
    ran = weightmap("compare", *files, "--report", report, "--json")
    assert ran.status == 1
    assert ran.json["error"]["code"] == "write_error"
    assert ran.json["error"]["path"] == str(report)


def test_a_folder_with_both_stands_for_the_side_that_can_be_meant(
    weightmap: Weightmap, files: tuple[Path, Path]
) -> None:
    quantized, reference = files
    folder = quantized.parent
    named = weightmap("compare", quantized, reference, "--json").json
    assert weightmap("compare", quantized, folder, "--json").json == named
    assert weightmap("compare", folder, reference, "--json").json == named
    (folder / "mmproj-r.gguf").write_bytes(quantized.read_bytes())
    (folder / "adapter_model.safetensors").write_bytes(reference.read_bytes())
    (folder / "other.gguf").write_bytes(quantized.read_bytes())
    head = weightmap("compare", quantized, folder).out.splitlines()[0]
    assert head == f"{quantized} against {reference}"


def test_a_folder_in_which_several_can_be_meant_is_refused(weightmap: Weightmap, files: tuple[Path, Path]) -> None:
    quantized, reference = files
    folder = quantized.parent
    (folder / "s.safetensors").write_bytes(reference.read_bytes())
    for given in ((quantized, folder), (folder, folder)):
        ran = weightmap("compare", *given)
        assert (ran.status, ran.out) == (1, "")
        assert "holds 3 models: q.gguf, r.safetensors, s.safetensors." in ran.err
        assert f"Open one of them by its own path, such as {quantized}" in ran.err
