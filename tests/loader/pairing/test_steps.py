"""Every transform against the converter's own recipe, a reshape of the whole array."""

import numpy as np
import pytest
from support.stored import stored

from weightmap.pairing.heads import GroupedQKV, InterleavedQKV, LatentPart, LinearQKVZ, ValueHeads
from weightmap.pairing.steps import (
    Chain,
    Experts,
    Frame,
    LastAxis,
    NegativeExp,
    NegativeLog,
    RopeRows,
    RowRange,
    Rows,
    Shift,
    Transpose,
)
from weightmap.pairing.view import View
from weightmap.types.workspace import Workspace


@pytest.fixture
def applied(tmp_path):
    def apply(step, values):
        view = step.apply(View(stored(tmp_path, "x", values), values.shape))
        if view is None:
            return None
        out = np.empty(view.elements.count, view.elements.value)
        view.elements.read(0, out.size, out, Workspace())
        return out.reshape(view.shape)

    return apply


def values(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("shape", [(64, 24), (64,)])
def test_rope_rows_and_back(applied, shape):
    w = values(*shape)
    turned = applied(RopeRows(4), w)
    assert np.array_equal(turned, w.reshape(4, 2, 8, -1).swapaxes(1, 2).reshape(shape))
    assert np.array_equal(applied(RopeRows(4, undo=True), turned), w)
    # row r of the GGUF is head h = r // 16, t = r % 16: row h * 16 + (t % 2) * 8 + t // 2 of the checkpoint
    assert all(np.array_equal(turned[r], w[r // 16 * 16 + r % 2 * 8 + r % 16 // 2]) for r in range(64))


def test_rope_rows_that_do_not_fit(applied):
    assert applied(RopeRows(3), values(64, 8)) is None
    assert applied(RopeRows(32), values(64, 8)) is None  # two rows a head: nothing would move
    assert applied(RopeRows(2), values(8, 8, 8)) is None


def test_halves_and_turns_of_stacked_experts(applied):
    w = values(3, 10, 8)
    assert np.array_equal(applied(Rows(1, 2), w), w[:, 5:])
    assert np.array_equal(applied(Rows(0, 2, True), w), w[:, 0::2])
    assert np.array_equal(applied(LastAxis(1, 2, True), w[:, 0]), w[:, 0, 1::2])
    assert np.array_equal(applied(Chain((Transpose(), Rows(0, 2))), w), w.swapaxes(1, 2)[:, :4])
    assert applied(Rows(0, 2), values(3, 9, 8)) is None


def test_experts_one_below_the_other(applied):
    w = values(12, 8)
    assert np.array_equal(applied(Experts(3), w), w.reshape(3, 4, 8))
    assert np.array_equal(applied(Chain((Experts(3), Transpose("T2"))), w), w.reshape(3, 4, 8).swapaxes(1, 2))
    assert applied(Experts(5), w) is None
    assert applied(Experts(0), w) is None
    assert applied(Experts(3), values(3, 10, 8)) is None


def test_cuts_and_frames(applied):
    w = values(9, 4)
    assert np.array_equal(applied(RowRange(2, 7), w), w[2:])
    assert applied(RowRange(5, 5), w) is None
    video = values(4, 3, 2, 5, 6)
    assert np.array_equal(applied(Frame(1), video), video[:, :, 1:2])


def test_arithmetic_is_float32(applied):
    w = values(40)
    assert np.array_equal(applied(Shift(1.0, "+1"), w), w + np.float32(1))
    assert np.array_equal(applied(NegativeExp(), w), -np.exp(w))
    assert np.allclose(applied(NegativeLog(), -np.exp(w)), w, atol=1e-6)


def test_grouped_queries_keys_and_values(applied):
    w = values(2 * 5 * 8, 6)  # 2 groups of 3 queries, a key and a value, 8 rows each
    g = w.reshape(2, 5, 8, 6)
    want = np.concatenate([g[:, :3].reshape(-1, 6), g[:, 3].reshape(-1, 6), g[:, 4].reshape(-1, 6)])
    assert np.array_equal(applied(GroupedQKV(6, 2), w), want)


@pytest.mark.parametrize("shape", [(3 * 4 * 8, 6), (3 * 4 * 8,)])
def test_interleaved_queries_keys_and_values(applied, shape):
    w = values(*shape)
    heads = w.reshape(4, 3, 8, -1)
    want = np.concatenate([heads[:, part].reshape(-1, w.size // len(w)) for part in range(3)]).reshape(shape)
    assert np.array_equal(applied(InterleavedQKV(4), w), want)


def test_latent_attention(applied):
    w = values(4 * 7, 9)
    heads = w.reshape(4, 7, 9)
    assert np.array_equal(applied(LatentPart(4, 5, 2, True), w), heads[:, :5].swapaxes(1, 2))
    assert np.array_equal(applied(LatentPart(4, 5, 2, False), w), heads[:, 5:])


def test_value_heads(applied):
    w = values(6 + 12, 10)
    tiled = w[6:].reshape(2, 2, 3, 10).swapaxes(0, 1).reshape(12, 10)
    assert np.array_equal(applied(ValueHeads(2, 4, 3, 6), w), np.concatenate([w[:6], tiled]))
    columns = values(5, 12)
    want = columns.reshape(5, 2, 2, 3).swapaxes(1, 2).reshape(5, 12)
    assert np.array_equal(applied(ValueHeads(2, 4, 3, columns=True), columns), want)


def test_linear_attention(applied):
    w = values(2 * (3 + 3 + 8 + 8), 5)
    q, k, v, z = np.split(w.reshape(2, 22, 5), [3, 6, 14], axis=1)
    want = np.concatenate([part.reshape(-1, 5) for part in (q, k, v)])
    assert np.array_equal(applied(LinearQKVZ(2, 3, 8, False), w), want)
    assert np.array_equal(applied(LinearQKVZ(2, 3, 8, True), w), z.reshape(-1, 5))


def test_a_name_of_several_lines_has_its_parts():
    from weightmap.pairing.chains import place

    assert place("blk.3.a\nb.weight").base == "a\nb"
