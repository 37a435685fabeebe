"""What is said about values: where, and only where a good file would not be like that."""

from __future__ import annotations

import numpy as np
import pytest
from support.build import gguf, safetensors

import weightmap
from weightmap.types.registry import by_name

Q4_0, Q8_0 = 2, 8


def said(path, data, *, statistics=False):
    """(code, tensor, message) of every finding about values, which a scan and statistics agree on."""
    path.write_bytes(data)
    with weightmap.open(path) as model:
        scanned = [one for tensor in model.records for one in tensor.check_values()]
        for tensor in model.records:
            tensor.statistics(4)
        assert [one for one in model.findings if one.code in CODES] == scanned
        return [(one.code, one.tensor, one.message) for one in scanned]


CODES = ("non_finite", "all_zero", "zeroed_stretch", "saturated")


def f32(name, values):
    values = np.asarray(values, "<f4")
    return name, "F32", values.shape, values.tobytes()


def test_a_scale_is_named_with_expert_row_and_block(tmp_path):
    blocks = np.ones((2 * 3 * 4, 34), np.uint8)
    blocks[17, :2] = np.array([np.nan], "<f2").view(np.uint8)
    data = gguf(tensors=[("blk.0.ffn_up_exps.weight", (2, 3, 128), Q8_0, blocks.tobytes())])
    [(code, name, message)] = said(tmp_path / "x.gguf", data)
    at = len(data) - 2 * 3 * 4 * 34 - (-len(blocks.tobytes()) % 32) + 17 * 34
    assert (code, name) == ("non_finite", "blk.0.ffn_up_exps.weight")
    assert message == (
        "32 NaN among 768 values, from 1 block: its scale is no number. "
        f"Scale d is NaN at byte {at:,} (block 17, in expert 1, row 1)."
    )


def test_many_places_are_counted(tmp_path):
    values = np.ones((4, 8), np.float32)
    values[1, 2:] = np.inf
    data = safetensors([f32("w", values)])
    [(_, _, message)] = said(tmp_path / "x.safetensors", data)
    at = len(data) - 128 + 40
    places = "; ".join(f"Inf at byte {at + 4 * n:,} (row 1, column {2 + n})" for n in range(4))
    assert message == f"6 Inf among 32 values. {places}; and in 2 more places."


def test_zeros_by_nature_are_not_mentioned(tmp_path):
    quiet = ["a.bias", "ln.beta", "x.zero_point", "x.qzeros", "x.weight_format", "blk.0.ffn.in_sum2", "scaled_fp8"]
    data = safetensors([f32(name, np.zeros(8)) for name in [*quiet, "w"]])
    assert said(tmp_path / "x.safetensors", data) == [("all_zero", "w", "Every one of the 8 values is zero.")]


def test_a_lost_piece_of_a_download(tmp_path):
    values = np.full((300, 100), np.pi, "<f4")
    data = bytearray(safetensors([f32("w", values)]))
    begin = len(data) - 120_000
    data[8192:12_288] = bytes(4096)
    first, last = (8192 - begin) // 4, (12_287 - begin) // 4
    [(code, name, message)] = said(tmp_path / "x.safetensors", bytes(data))
    assert (code, name) == ("zeroed_stretch", "w")
    assert message.startswith("4,096 bytes in a row are zero, from byte 8,192 (row")
    assert f"(row {first // 100}, column {first % 100} to row {last // 100}, column {last % 100})" in message


@pytest.mark.parametrize(
    ("name", "rows", "loud"),
    [
        ("token_embd.weight", slice(280, 300), False),  # padding of the vocabulary
        ("token_embd.weight", slice(100, 130), False),  # tokens that nothing uses
        ("token_embd.weight", slice(20, 300), True),  # nearly everything
        ("model.embed_tokens.weight", slice(0, 40), False),
        ("ffn_up.weight", slice(280, 300), False),  # padding to a multiple
        ("ffn_up.weight", slice(250, 300), True),  # more than that: what a download did not bring
        ("roberta.embeddings.token_type_embeddings.weight", slice(0, 300), False),  # RoBERTa does not use them
        ("model_ema.num_updates", slice(0, 300), False),
        ("ffn_up.weight", slice(100, 130), True),
        ("ffn_up.bias", slice(100, 130), False),
    ],
)
def test_rows_of_zeros(tmp_path, name, rows, loud):
    values = np.ones((300, 100), np.float32)
    values[rows] = 0
    found = said(tmp_path / "x.safetensors", safetensors([f32(name, values)]))
    assert [code for code, *_ in found] == (["zeroed_stretch"] if loud else [])


def test_integers_are_not_looked_through_for_zeros(tmp_path):
    mask = np.zeros((300, 100), np.int32)
    mask[0] = 1
    assert said(tmp_path / "x.safetensors", safetensors([("m", "I32", mask.shape, mask.tobytes())])) == []


def test_clipped_halfs_are_worth_a_note(tmp_path):
    values = np.array([1, 65504, -65504], "<f2")
    path = tmp_path / "x.safetensors"
    [(code, _, message)] = said(path, safetensors([("w", "F16", (3,), values.tobytes())]))
    assert (code, message[:26]) == ("saturated", "2 values are ±65,504, the ")
    with weightmap.open(path) as model:
        [found] = model.tensors["w"].check_values()
        assert found.severity == "info"


def test_a_scan_may_be_cancelled_after_its_statistics(tmp_path):
    path = tmp_path / "x.safetensors"
    path.write_bytes(safetensors([f32("w", np.full(8, np.nan))]))
    calls = []

    def progress(done, total):
        calls.append((done, total))
        return len(calls) < 4

    with weightmap.open(path) as model, pytest.raises(weightmap.Cancelled):
        while True:
            model.tensors["w"].statistics(progress=progress)


def test_single_integers_notes_of_kernels_and_means_of_no_batch_may_be_zero(tmp_path):
    quiet = [f32("bn.running_mean", np.zeros(8)), ("q.workspace", "I32", (8,), bytes(32)), ("n", "I64", (1,), bytes(8))]
    data = safetensors([*quiet, ("codes", "I64", (2,), bytes(16)), f32("one", np.zeros(1))])
    assert [name for _, name, _ in said(tmp_path / "x.safetensors", data)] == ["codes", "one"]


def test_minus_infinity_is_normal_in_masks(tmp_path):
    mask = np.triu(np.full((8, 8), -np.inf), 1)
    path = tmp_path / "x.safetensors"
    path.write_bytes(safetensors([f32("attn_mask", mask)]))
    assert [(one.code, one.severity) for one in weightmap.validate(path, values=True).findings] == [
        ("non_finite", "info")
    ]
    path.write_bytes(safetensors([f32("ffw.input_max", [np.inf]), f32("ffw.output_min", [-np.inf])]))
    assert weightmap.validate(path, values=True).status == "info"
    mask[0, 0] = np.nan
    path.write_bytes(safetensors([f32("attn_mask", mask)]))
    assert weightmap.validate(path, values=True).status == "warning"


@pytest.mark.parametrize(
    "name", ["a.zero_points", "zeropoint", "b_idx", "c.running_mean", "x.token_type.weight", "d.bias"]
)
def test_zeros_by_nature_are_told_by_the_name(tmp_path, name):
    assert said(tmp_path / "a", safetensors([f32(name, np.zeros((64, 64)))])) == []
    told = said(tmp_path / "b", safetensors([f32(f"{name}s.other", np.zeros((64, 64)))]))
    assert [code for code, *_ in told] == ([] if "token_type" in name else ["all_zero"])


@pytest.mark.parametrize("kind", ["Q4_K", "Q6_K", "Q8_0", "Q4_0", "F32", "F64"])
def test_statistics_see_zeros_across_the_pieces_that_they_read(tmp_path, kind, monkeypatch):
    """In the pass that adds up and counts: nothing is read again for them."""
    type = by_name(kind)
    count = 1 << 22
    data = np.random.default_rng(1).integers(1, 60, type.nbytes(count), dtype=np.uint8)  # far from NaN
    edge = type.nbytes(1 << 19)  # pieces have half a million values
    for begin, end in ((edge - 3000, edge + 1200), (2 * edge - 1, 2 * edge + 4095), (5 * edge - 4095, 5 * edge + 1)):
        data[begin:end] = 0
    path = tmp_path / "x.gguf"
    path.write_bytes(gguf(tensors=[("ffn_up.weight", (count // 4096, 4096), type.id, data.tobytes())]))
    with monkeypatch.context() as patched, weightmap.open(path) as model:
        patched.setattr("weightmap.checks.values.soundness", lambda *_, **__: pytest.fail("all was read again"))
        model.tensors["ffn_up.weight"].statistics(4)
        [found] = [one.message for one in model.findings if one.code == "zeroed_stretch"]
    assert "3 such stretches have 12,392 bytes" in found
    assert [message for *_, message in said(path, path.read_bytes())] == [found]
