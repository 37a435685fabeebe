"""Reports as files: what they say of good, poor and broken quantizations; progress, cancelling, and the command."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from support.build import safetensors
from support.command import Ran, Weightmap
from support.imatrix import imatrix
from support.pages import Page, report
from support.quantized import original, write

import weightmap
from weightmap.cli import main


@pytest.fixture
def command(capsys) -> Weightmap:
    """Runs the command line in this process."""

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        return Ran(status, *capsys.readouterr())

    return run


@pytest.fixture
def reference(tmp_path):
    return write(tmp_path / "reference.gguf", original())


def noised(name, array):
    rng = np.random.default_rng(1)
    if name == "blk.1.attn_k.weight":
        return array[rng.permutation(len(array))]
    return array + rng.normal(size=array.shape) * array.std() * 0.2 if name == "blk.2.ffn_down.weight" else array


def test_a_good_quantization(tmp_path, reference):
    page, plain = report(tmp_path, write(tmp_path / "good.gguf", original(), "Q8_0"), reference)
    for said in (page.text, plain):
        assert "A sound quantization: every tensor has the error that its type usually leaves." in said
        assert "3 tensors of 13 are identical." in said
        assert "10 normal" in said
        assert "3 identical" in said
    assert "good.gguf" in page.text
    assert "measured against reference.gguf" in page.text
    assert "Q8\\_0: 10 tensors" in plain
    assert page.text.count("one pixel:") == 3  # sound tensors: some are looked at, not all
    assert "Identical in all layers: attn_norm." in page.text
    assert float(re.search(r"with ([\d,]+) values, ([\d.]+) bits", page.text)[2]) == pytest.approx(8.5, abs=0.2)


def test_a_coarse_one(tmp_path, reference):
    page, plain = report(tmp_path, write(tmp_path / "poor.gguf", original(), "Q2_K"), reference)
    for said in (page.text, plain):
        assert re.search(r"Done right, but coarse: each tensor has the error of its type, (29|30)(\.\d)? % taken", said)


def test_a_tensor_in_another_order_and_one_that_lost_more(tmp_path, reference):
    page, plain = report(tmp_path, write(tmp_path / "bad.gguf", original(), "Q4_0", noised), reference)
    for said in (page.text, plain):
        assert "1 of 13 tensors does not hold what the reference holds." in said
        assert "1 worse than expected" in said
        assert "Rows or columns are in another order than in the reference" in said
        assert re.search(r"A fresh Q4\\?_0 of the reference leaves 8\.\d\d %\.", said)
    assert "Wrong: blk.1.attn_k.weight. Worse than expected: blk.2.ffn_down.weight." in page.text
    closely = page.text[page.text.index("Looked at closely") :]
    assert closely.index("blk.1.attn_k.weight") < closely.index("blk.2.ffn_down.weight")
    lines = [line for line in plain.splitlines() if line.startswith("| `blk.")]
    assert re.match(r"\| `blk.1` \|( [\d.]+ \|)*? ✕ \*\*1[56]\.\d\*\* \|", lines[1])


def test_nan_is_said_to_be_nan_and_where(tmp_path, reference):
    path = write(tmp_path / "nan.gguf", original(), "Q8_0")
    with weightmap.open(path) as model:
        at = model.tensors["blk.0.attn_q.weight"].offset + 17 * 34
    data = bytearray(path.read_bytes())
    data[at : at + 2] = np.float16(np.nan).tobytes()
    path.write_bytes(data)
    page, plain = report(tmp_path, path, reference)
    for said in (page.text, plain):
        assert "1 of 13 tensors holds NaN or Inf where numbers belong." in said
        assert "32 values are NaN or Inf on one side, and something else on the other." in said
        assert f"{at:,}" in said  # the byte, from the model's own findings
    assert "NaN or Inf" in page.text[page.text.index("Where the error is") :]
    assert "✕ **NaN**" in plain


def test_equal_files_and_files_without_anything_in_common(tmp_path, reference):
    page, plain = report(tmp_path, reference, reference)
    assert "Both files hold the same values." in page.text
    assert "Looked at closely" not in page.text
    assert "13 identical" in plain
    (tmp_path / "other.safetensors").write_bytes(safetensors([("x", "F32", (3,), bytes(12))]))
    page, plain = report(tmp_path, tmp_path / "other.safetensors", reference)
    for said in (page.text, plain):
        assert "nothing was compared" in said
        assert "Without a counterpart" in said


def test_a_file_that_changed_meanwhile_gets_no_report(tmp_path, reference):
    path = write(tmp_path / "q.gguf", original(), "Q4_0")
    found = weightmap.compare(path, reference)
    with weightmap.pair_models(path, reference) as pairs:
        path.write_bytes(path.read_bytes()[:-100])
        with pytest.raises(weightmap.FileChangedError):
            weightmap.write_report(found, tmp_path / "out.html", pairs=pairs)
    assert not (tmp_path / "out.html").exists()


def test_weights_of_inputs_have_a_column(tmp_path, reference):
    path = write(tmp_path / "q.gguf", original(), "Q4_0")
    (tmp_path / "i.dat").write_bytes(imatrix([("blk.0.attn_q.weight", 1, np.arange(1.0, 257))]))
    found = weightmap.compare(path, reference, imatrix=tmp_path / "i.dat")
    weightmap.write_report(found, tmp_path / "out.html")
    weightmap.write_report(found, tmp_path / "out.md")
    text = Page((tmp_path / "out.html").read_text(encoding="utf-8")).text
    assert "Weighted × expected" in text
    assert "importance matrix tells" in text
    assert "| Relative error | Weighted |" in (tmp_path / "out.md").read_text(encoding="utf-8")


def test_progress_and_cancelling(tmp_path, reference):
    path = write(tmp_path / "q.gguf", original(), "Q4_0")
    found, seen = weightmap.compare(path, reference), []
    weightmap.write_report(found, tmp_path / "a.html", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    assert seen == sorted(seen)
    with pytest.raises(weightmap.Cancelled):
        weightmap.write_report(found, tmp_path / "b.html", progress=lambda done, total: done < total // 2)
    assert not (tmp_path / "b.html").exists()


def test_the_command(command: Weightmap, tmp_path: Path, reference: Path) -> None:
    path = write(tmp_path / "q.gguf", original(), "Q4_0")
    out = tmp_path / "out.HTML"
    ran = command("compare", path, reference, "--report", out)
    assert ran.status == 0
    assert ran.out.endswith(f"\nReport: {out}\n")
    assert "</html>" in out.read_text(encoding="utf-8")
    ran = command("compare", path, reference, "--report", tmp_path / "out.md", "--json")
    assert len(ran.json["pairs"]) == 13
    assert (tmp_path / "out.md").read_text(encoding="utf-8").startswith("# What the quantization cost: q.gguf\n")
    ran = command("compare", path, reference, "--report", tmp_path / "out.pdf", "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "report_format")
    ran = command("compare", path, reference, "--report", tmp_path / "nowhere" / "out.md", "--json")
    assert (ran.status, ran.json["error"]["code"]) == (1, "write_error")
    assert str(tmp_path / "nowhere") in ran.json["error"]["message"]
