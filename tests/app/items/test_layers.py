"""The grid of layers and roles without a reference: where each tensor stands, and what colours it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pytestqt.modeltest import ModelTester
from support.build import gguf

import weightmap
from tensorloupe.items import roles
from tensorloupe.items.layers import BY_KEY, MOST_LONE, LayersModel, layers_of
from tensorloupe.items.outline import build_outline
from tensorloupe.views.layers.cells import color_at
from tensorloupe.views.layers.legend import Legend


@pytest.fixture
def outline_of(tmp_path):
    models = []

    def made(names, sizes=None):
        path = tmp_path / f"{len(models)}.gguf"
        values = [np.arange(n, dtype="<f4") for n in sizes or [4] * len(names)]
        tensors = [(name, (len(v),), 0, v.tobytes()) for name, v in zip(names, values, strict=True)]
        path.write_bytes(gguf(tensors=tensors))
        models.append(weightmap.open(path))
        return build_outline(models[-1].records, {part.path: part.size for part in models[-1].parts})

    yield made
    for model in models:
        model.close()


def test_a_row_per_layer_a_column_per_role_and_a_row_for_each_other_tensor(outline_of, qtmodeltester: ModelTester):
    outline = outline_of(["output.weight", "blk.10.up.weight", "blk.2.up.weight", "blk.2.q.weight"], [1, 2, 4, 8])
    model = LayersModel(lambda number: "warning" if number == 3 else "ok")
    model.show_layers(layers_of(outline))
    qtmodeltester.check(model)
    assert model.grid.rows == ("blk.2", "blk.10", "output") and model.grid.columns == ("up", "q")
    model.show_colouring(BY_KEY["bytes"])
    cells = [[model.index(row, column).data() for column in range(2)] for row in range(3)]
    assert cells == [["16 B", "32 B"], ["8 B", None], ["4 B", None]]
    assert model.ends() == ("4 B", "32 B")
    depth = [model.depth[model.number_at(model.index(*place))] for place in ((2, 0), (1, 0), (0, 0), (0, 1))]
    assert depth == pytest.approx([0, 1 / 3, 2 / 3, 1])  # by the logarithm
    assert model.index(0, 1).data(roles.STATUS) == "warning" and model.index(0, 0).data(roles.STATUS) == "ok"


def test_values_are_shown_as_far_as_they_are_known(outline_of):
    outline = outline_of(["blk.0.up.weight", "blk.1.up.weight"], [3, 5])
    layers = layers_of(outline)
    model = LayersModel(lambda _: "ok")
    model.show_layers(layers)
    model.show_colouring(BY_KEY["largest"])
    assert [model.index(row, 0).data() for row in (0, 1)] == ["", ""] and np.isnan(model.depth).all()
    layers.found[1] = outline.tensors[1].statistics(1)
    model.show_colouring(BY_KEY["largest"])
    assert [model.index(row, 0).data() for row in (0, 1)] == ["", "4"]
    assert model.said(1) == "blk.1.up.weight: F32, 5, largest value, either sign 4"


def test_the_largest_value_may_be_a_negative_one(outline_of):
    outline = outline_of(["blk.0.up.weight"], [3])
    layers = layers_of(outline)
    layers.found[0] = replace(outline.tensors[0].statistics(1), min=-7.5)
    assert BY_KEY["largest"].values(layers).tolist() == [7.5]
    assert BY_KEY["zeros"].values(layers).tolist() == [1 / 3]


def test_a_model_without_layers_has_no_grid_and_many_others_get_no_rows(outline_of):
    assert layers_of(outline_of(["a", "b", "c"])) is None
    names = ["blk.0.up", "blk.1.up", *(f"other{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(MOST_LONE + 1))]
    assert layers_of(outline_of(names)).grid.rows == ("blk.0", "blk.1")


def test_a_tensor_without_values_takes_no_bits(outline_of):
    layers = layers_of(outline_of(["blk.0.up.weight", "blk.1.up.weight"], [0, 5]))
    model = LayersModel(lambda _: "ok")
    model.show_layers(layers)
    assert [model.index(row, 0).data() for row in (0, 1)] == ["", "32.00"] and model.ends() == ("32.00", "32.00")


def test_one_colour_stands_for_one_number(qtbot, theme):
    legend = Legend(theme)
    qtbot.addWidget(legend)
    legend.resize(300, 30)
    pictures = []
    for ends in (("1", "2"), ("2", "2"), ("", "")):
        legend.show_ends(ends)
        pictures.append((legend.accessibleName(), legend.grab().toImage()))
    assert [name for name, _ in pictures[:2]] == ["Colours from 1 to 2", "One colour: 2"]
    deepest = color_at(1.0, theme.dark).rgb()
    painted = [
        {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())} for _, image in pictures
    ]
    assert [deepest in colours for colours in painted] == [True, False, False] and len(painted[2]) == 1
