from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from support.build import gguf

import weightmap
from tensorloupe.items import roles
from tensorloupe.items.arrangement import NAME, SHAPE, SIZE, STATE, TYPE, group_totals, totals
from tensorloupe.items.filter import matches, parse
from tensorloupe.items.outline import Outline, build_outline
from tensorloupe.items.tree import TreeModel


def outline_of(path: Path) -> Outline:
    with weightmap.open(path) as model:
        return build_outline(model.records, {part.path: part.size for part in model.parts})


@pytest.fixture
def model(qapp, model_file) -> TreeModel:
    tree = TreeModel()
    tester = QAbstractItemModelTester(tree, QAbstractItemModelTester.FailureReportingMode.Fatal)
    tree.show_outline(outline_of(model_file), "ok", model_file.stat().st_size)
    tree.tester = tester  # as long as the model lives
    return tree


def rows(model: TreeModel, parent: QModelIndex | None = None) -> list[str]:
    parent = parent or QModelIndex()
    return [model.index(row, 0, parent).data() for row in range(model.rowCount(parent))]


def test_the_first_level_is_in_natural_order_with_the_whole_file_first(model):
    layers = [f"blk.{n}" for n in range(12)]
    assert rows(model) == ["Whole file", "token_embd.weight", *layers, "output_norm"]
    assert rows(model, model.index(2, 0)) == ["attn_q.weight", "ffn_up.weight"]


def test_groups_carry_count_size_bits_and_the_worst_status(model):
    index = model.index(2, 0)
    cells = [index.siblingAtColumn(column).data() for column in range(5)]
    assert cells == ["blk.0", "32.00 bpw", "2 tensors", "128 B", None]
    assert index.siblingAtColumn(STATE).data(roles.STATUS) == "ok"
    number = model.number_at(model.index(0, 0, index))
    model.outline.rank[number] = 4
    model.refresh_status("error")
    assert index.siblingAtColumn(STATE).data(roles.STATUS) == "error"
    assert model.index(0, STATE).data(roles.STATUS) == "error"


def test_totals_of_all_groups_are_those_of_each(model):
    outline = model.outline
    rng = np.random.default_rng(3)
    outline.share[:] = rng.choice([0.25, 1.0], len(outline.share))
    outline.rank[:] = rng.integers(0, 5, len(outline.rank))
    outline.nbytes[outline.group == 3] = 2**62 - 1  # not exact as a float
    groups = [outline.listed[outline.group[outline.listed] == group] for group in range(len(outline.groups))]
    assert group_totals(outline) == tuple(totals(outline, members) for members in groups)
    assert max(held.nbytes for held in group_totals(outline)) == 2**63 - 2


def test_a_tensor_row_says_name_type_shape_size(model):
    index = model.index(0, 0, model.index(3, 0))
    assert [index.siblingAtColumn(c).data() for c in (NAME, TYPE, SHAPE, SIZE)] == [
        "attn_q.weight",
        "F32",
        "4 × 4",
        "64 B",
    ]
    assert index.data(roles.RAW) == "blk.1.attn_q.weight"
    assert index.data(roles.TENSOR).name == "blk.1.attn_q.weight"
    assert index.data(Qt.ItemDataRole.ToolTipRole).startswith("blk.1.attn_q.weight\nggml 4 × 4")


def test_every_tensor_is_found_where_it_is_shown(model):
    parents = {"blk": lambda name: ".".join(name.split(".")[:2]), "output_norm": lambda name: "output_norm"}
    for number, tensor in enumerate(model.outline.tensors):
        index = model.index_of(number)
        assert model.number_at(index) == number
        assert index.data(roles.TENSOR) is tensor
        parent = parents.get(tensor.name.split(".")[0], lambda name: None)(tensor.name)
        assert index.parent().data() == parent


def test_a_filter_leaves_groups_with_what_is_left_of_them(model):
    model.rearrange(matches(model.outline, parse("attn")))
    assert model.shown == 12
    assert rows(model) == ["Whole file", *[f"blk.{n}" for n in range(12)]]
    assert model.index(1, SHAPE).data() == "1 of 2"
    assert not model.index_of(0).isValid()
    model.rearrange(np.zeros(len(model.outline.tensors), bool))
    assert rows(model) == ["Whole file"]
    model.rearrange(None)
    assert model.shown == 27


def test_sorting_goes_by_groups_and_inside_them(model):
    model.sort(SIZE, Qt.SortOrder.DescendingOrder)
    assert rows(model)[1:3] == ["token_embd.weight", "blk.0"]  # 128 B each: a tie keeps the order of the model
    assert rows(model)[-2:] == ["blk.11", "output_norm"]
    model.sort(NAME, Qt.SortOrder.DescendingOrder)
    assert rows(model)[1:4] == ["token_embd.weight", "output_norm", "blk.11"]
    assert rows(model, model.index(3, 0)) == ["ffn_up.weight", "attn_q.weight"]
    for column in (TYPE, SHAPE, STATE):
        model.sort(column)
        assert model.shown == 27
    model.sort(-1)
    assert rows(model)[1:3] == ["token_embd.weight", "blk.0"]


def test_what_a_cut_file_lacks_is_an_error_of_each_tensor(qapp, cut_file):
    tree = TreeModel()
    tree.show_outline(outline_of(cut_file), "error")
    outline = tree.outline
    lost = [n for n in range(len(outline.tensors)) if outline.share[n] < 1]
    assert lost and all(outline.status(n) == "error" for n in lost)
    assert tree.index_of(lost[-1]).siblingAtColumn(SIZE).data() == "missing"
    assert tree.index(0, SIZE).data().endswith("% left")
    assert tree.index(0, SIZE).data(roles.WRONG)


def test_names_from_the_file_are_escaped(qapp, tmp_path):
    path = tmp_path / "odd.gguf"
    path.write_bytes(gguf(tensors=[("a\u202eb\n<b>", (1,), 0, bytes(4)), ("x" * 300, (1,), 0, bytes(4))]))
    tree = TreeModel()
    tree.show_outline(outline_of(path), "warning")
    assert tree.index(1, 0).data() == "a\\u202eb\\n<b>"
    assert tree.index(1, 0).data(roles.RAW) == "a\u202eb\n<b>"
    assert tree.index(2, 0).data() == "x" * 300


def test_twenty_thousand_tensors_are_arranged_in_no_time(qapp, tmp_path):
    import time

    path = tmp_path / "many.gguf"
    tensors = [(f"blk.{n // 40}.experts.{n % 40}.weight", (1,), 0, bytes(4)) for n in range(20_000)]
    path.write_bytes(gguf(tensors=tensors, alignment=4, metadata=[("general.alignment", "u32", 4)]))
    tree = TreeModel()
    tree.show_outline(outline_of(path), "ok")
    started = time.thread_time()
    tree.rearrange(matches(tree.outline, parse("experts.3 >1 type:f32")))
    tree.sort(SIZE)
    assert tree.shown == 500 * 11
    assert tree.rowCount() == 501
    assert time.thread_time() - started < 0.2


def test_five_thousand_resets_lose_nothing(qapp, model_file):
    model, outline = TreeModel(), outline_of(model_file)
    resets = []
    model.modelReset.connect(lambda: resets.append(1))
    for _ in range(2_500):
        model.show_outline(None)
        model.show_outline(outline)
    assert len(resets) == 5_000
    assert model.rowCount() == 15
