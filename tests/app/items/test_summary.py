from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.build import gguf, safetensors

import weightmap
from tensorloupe.items.arrangement import NAME, SIZE
from tensorloupe.items.bytemap import GAP, HEADER, MISSING, TENSOR
from tensorloupe.items.findings import told
from tensorloupe.items.summary import updated
from tensorloupe.items.treecells import tensor_looks
from tensorloupe.opening.contents import Contents, read
from weightmap.findings import finding


@pytest.fixture
def contents(tmp_path: Path):
    held: list[Contents] = []

    def make(data: bytes, name: str = "m.gguf") -> Contents:
        path = tmp_path / name
        path.write_bytes(data)
        fresh = read(str(path), lambda done, total: True)
        held.append(fresh)
        findings = fresh.model.findings
        return fresh._replace(findings=findings, summary=updated(fresh.summary, fresh.model, findings, "off"))

    yield make
    for each in held:
        each.close()


def kinds(contents: Contents) -> list[int]:
    return contents.stretches.kind.tolist()


def test_a_sound_file_is_whole_in_all_four_parts(contents):
    made = contents(gguf(tensors=[("a", (8,), 0, bytes(32)), ("b", (64,), 0, bytes(256))]))
    summary = made.summary
    assert summary.status in ("ok", "info") and summary.parts[3].status == "ok"
    assert summary.parts[0].said == "GGUF v3, little-endian"
    assert summary.parts[2].said == "2 entries, all complete"
    assert summary.parts[3].said == "288 B, all there"
    assert summary.trouble is None
    assert (summary.form, summary.architecture, summary.totals.values) == ("GGUF v3", "llama", 72)
    assert [(row.name, row.tensors, row.nbytes, row.of_largest) for row in summary.types] == [("F32", 2, 288, 1.0)]
    assert kinds(made) == [HEADER, TENSOR, TENSOR]
    assert made.stretches.length == summary.size
    assert made.stretches.at(summary.size - 1) == 2
    assert made.stretches.at(float(summary.size)) is None


def test_a_cut_file_says_how_early_it_ends_and_how_much_can_be_read(contents):
    data = gguf(tensors=[(name, (64,), 0, bytes(256)) for name in "abcd"])
    made = contents(data[:-400])
    summary = made.summary
    assert summary.trouble.sentence == "The file ends 400 B early."
    assert summary.trouble.consequence == "2 of 4 tensors are whole and can be read. 2 are cut or missing."
    assert (summary.size, summary.promised) == (len(data) - 400, len(data))
    least = contents(data[:-700]).summary.trouble
    assert least.consequence == "1 of 4 tensors is whole and can be read. 3 are cut or missing."
    assert summary.parts[3].status == "error"
    assert summary.parts[3].said == "60.9 % of 1.0 kB is there"
    assert kinds(made) == [HEADER, TENSOR, TENSOR, TENSOR, MISSING, MISSING]
    assert made.stretches.ends == ((len(data) - 400, len(data) - 400, "the file ends here"),)
    assert np.allclose(made.outline.share, [1, 1, 112 / 256, 0])
    looks = [tensor_looks(made.outline, number, inside=False, mark="") for number in range(4)]
    assert [row[SIZE].tone for row in looks] == ["text", "text", "error", "error"]
    assert [row[NAME].tone for row in looks] == ["text", "text", "text", "secondary"]
    assert made.summary.types[0].whole == 2


def test_an_offset_past_the_end_is_no_file_that_ends_early(contents):
    made = contents(gguf(tensors=[("a", (8,), 0, bytes(32)), ("b", (8,), 0, bytes(32))], offsets=[0, 4096]))
    assert made.summary.trouble.sentence.startswith("Tensor b needs 32 bytes at offset 4,096 of the data")


@pytest.mark.parametrize(
    ("tensor", "message", "said"),
    [
        ("n", "1 NaN among 6 values.", "n: 1 NaN among 6 values."),
        ("blk.0.w", "Tensor blk.0.w is short.", "Tensor blk.0.w is short."),
        ("blk.0.w", "Not so blk.0.w.bias.", "blk.0.w: Not so blk.0.w.bias."),
        (None, "The end.", "The end."),
    ],
)
def test_a_tensor_is_named_where_its_message_does_not_name_it(tensor, message, said):
    assert told(finding("non_finite", message, tensor=tensor)) == said


def test_bytes_that_belong_to_nothing_are_gaps(contents):
    made = contents(gguf(tensors=[("a", (8,), 0, bytes(32)), ("b", (8,), 0, bytes(32))], offsets=[0, 96]) + bytes(64))
    assert kinds(made) == [HEADER, TENSOR, GAP, TENSOR] or kinds(made) == [HEADER, TENSOR, GAP, TENSOR, GAP]


def test_a_hostile_extent_does_not_stretch_the_map(contents):
    made = contents(gguf(tensors=[("a", (2**40,), 0, bytes(32))]))
    assert made.stretches.length <= 2 * made.summary.size
    assert made.summary.status == "error"


def test_safetensors_have_no_version_and_no_architecture(contents):
    made = contents(safetensors([("a", "F32", (2,), bytes(8))], {"format": "pt"}), "m.safetensors")
    assert (made.summary.form, made.summary.architecture) == ("safetensors", "")
    assert [entry.key for entry in made.metadata] == ["format"]


def test_an_opening_that_nobody_wants_closes_its_file(tmp_path, model_file):
    with pytest.raises(weightmap.Cancelled):
        read(str(model_file), lambda done, total: False)


def test_what_is_no_model_raises(tmp_path):
    path = tmp_path / "page.gguf"
    path.write_text("<!DOCTYPE html><html></html>")
    with pytest.raises(weightmap.UnsupportedFormatError):
        read(str(path), lambda done, total: True)


def test_the_strip_names_the_tensor_that_the_message_does_not(contents):
    made = contents(gguf(tensors=[("blk.0.w", (8,), 0, np.full(8, np.nan, np.float32).tobytes())]))
    found = weightmap.validate(made.model, values=True).findings
    strip = updated(made.summary, made.model, found, "done").trouble
    worst = next(finding for finding in found if finding.code == "non_finite")
    assert worst.message.startswith("8 NaN") and strip.sentence == told(worst) == f"blk.0.w: {worst.message}"
    named = replace(worst, tensor="\u202ew", message="The tensor \\u202ew is odd.")  # escaped, as messages are
    assert told(named) == named.message
