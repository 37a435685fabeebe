"""The map of a file's bytes: gaps, damage and what is missing, told apart, named, and selected by a click."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics
from support.build import gguf

import weightmap
from tensorloupe.items.bytemap import GAP, HEADER, MISSING, TENSOR, stretches
from tensorloupe.items.outline import RANKS, build_outline
from tensorloupe.items.types import TypesTable
from tensorloupe.panels.bytemap import BAR, ByteMap
from tensorloupe.panels.bytenames import layers
from tensorloupe.panels.typestable import types_view
from tensorloupe.style.theme import SECONDARY


@pytest.fixture
def mixed(tmp_path):
    """A NaN, a type that only a fork knows, a gap of 640 bytes, and bytes at the end that belong to nothing."""
    ramp = np.arange(256, dtype="<f4").tobytes()
    broken = np.arange(64, dtype="<f4")
    broken[3] = np.nan
    tensors = [
        ("token_embd.weight", (16, 16), 0, ramp),
        ("blk.0.a.weight", (8, 8), 0, broken.tobytes()),
        ("blk.1.b.weight", (8, 8), 139, ramp[:256]),
        ("blk.2.c.weight", (8, 8), 0, ramp[:256]),
        ("output.weight", (8, 8), 0, ramp[:256]),
    ]
    offsets = [0, 1024, 1280, 1536, 1792 + 640]
    path = tmp_path / "mixed.gguf"
    path.write_bytes(gguf([("general.architecture", "str", "toy")], tensors, offsets=offsets) + bytes(2048))
    return path


def shown(page):
    return {kind for kind, entry in page.legend.entries.items() if not entry.isHidden()}


def test_gaps_and_damage_are_told_apart(qtbot, opened, mixed):
    window = opened(mixed)
    page = window.explorer.area.file_page
    qtbot.waitUntil(lambda: window.scanning.scan.state == "done" and window.tasks.idle, timeout=10_000)
    assert shown(page) == {"header", "data", "gap", "unreadable", "warned"}
    map_ = page.map._map
    kinds = map_.kind.tolist()
    assert kinds[0] == HEADER and MISSING not in kinds and kinds.count(GAP) == 2
    gap = kinds.index(GAP)
    assert map_.end[gap] - map_.start[gap] == 640
    assert [number for number, kind in zip(map_.number.tolist(), kinds, strict=True) if kind == TENSOR] == [
        0,
        1,
        2,
        3,
        4,
    ]


def test_a_click_selects_what_is_damaged_and_a_gap_nothing(qtbot, opened, mixed):
    window = opened(mixed)
    page = window.explorer.area.file_page
    map_, bar = page.map._map, page.map

    def middle(row):
        return QPoint(int(bar._x((map_.start[row] + map_.end[row]) / 2)), 12)

    gap = map_.kind.tolist().index(GAP)
    assert bar._tip(middle(gap).x()).startswith("belongs to no tensor\n640 B from byte ")
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=middle(gap))
    assert window.document.selected is None
    broken = map_.number.tolist().index(2)
    assert bar._tip(middle(broken).x()).endswith("with an error")
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=middle(broken))
    assert window.document.selected.name == "blk.1.b.weight"
    window.do("whole_file")
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPoint(middle(broken).x(), BAR + 6))
    assert window.document.selected is None  # that is the axis
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=10_000)


def test_a_healthy_file_needs_two_words(qtbot, opened, model_file):
    window = opened(model_file)
    assert shown(window.explorer.area.file_page) == {"header", "data"}


def test_what_is_promised_and_missing_is_named(opened, cut_file):
    window = opened(cut_file)
    page = window.explorer.area.file_page
    assert shown(page) == {"header", "data", "gone"}
    assert "promised, not there" in page.map._tip(page.map.width() - 2)


def test_a_map_of_many_tensors_is_painted_with_few_calls(qtbot, theme, monkeypatch, tmp_path):
    values = np.zeros(8, np.float32).tobytes()
    path = tmp_path / "many.gguf"
    path.write_bytes(gguf([("general.architecture", "str", "toy")], [(f"t.{n}", (8,), 0, values) for n in range(3000)]))
    with weightmap.open(path) as model:
        outline = build_outline(model.records, {str(path): path.stat().st_size})
        map_ = stretches(model.parts, model.records)
    broken, warned = 1500, 2500
    outline.rank[broken], outline.rank[warned] = RANKS["error"], RANKS["warning"]
    bar = ByteMap(theme)
    qtbot.addWidget(bar)
    bar.resize(600, 64)
    bar.show_map(map_, outline)
    alone = []
    monkeypatch.setattr(bar, "_paint_stretch", lambda *of: alone.append(of[2]))
    picture = bar.grab().toImage()
    assert alone == [HEADER]
    row = map_.number.tolist().index(broken)
    assert QColor(picture.pixel(int(bar._x(map_.start[row])), 12)).name() == theme.colors.error.lower()
    assert QColor(picture.pixel(int(bar._x(map_.start[row])) - 1, 12)).name() != theme.colors.error.lower()
    row = map_.number.tolist().index(warned)
    x = int(bar._x(map_.start[row]))
    assert (
        QColor(picture.pixel(x, BAR - 1)).name() == theme.colors.warning.lower() != QColor(picture.pixel(x, 12)).name()
    )


def test_words_below_the_bars_have_room_at_any_size_of_the_font(qapp, theme):
    usual = qapp.font()
    larger = QFont(usual)
    larger.setPointSizeF(usual.pointSizeF() * 2)
    line = ByteMap(theme)
    before = line.sizeHint().height()
    try:
        qapp.setFont(larger)
        height = QFontMetrics(theme.font(SECONDARY)).height()
        assert line.sizeHint().height() - BAR >= 3 + height > before - BAR
    finally:
        qapp.setFont(usual)


def test_every_head_of_the_types_is_whole_at_twice_the_font(qtbot, qapp, theme):
    usual = qapp.font()
    larger = QFont(usual)
    larger.setPointSizeF(usual.pointSizeF() * 2)
    try:
        qapp.setFont(larger)
        view = types_view(theme, TypesTable())
        qtbot.addWidget(view)
        view.resize(940, 200)
        view.show()
        metrics = QFontMetrics(view.horizontalHeader().font())
        for column, head in enumerate(TypesTable.heads):
            assert view.columnWidth(column) >= metrics.horizontalAdvance(head) + 8, head
    finally:
        qapp.setFont(usual)


def test_the_word_for_a_state_tells_why_under_the_pointer(opened, mixed):
    window = opened(mixed)
    window.document.select(window.document.model.tensors["blk.1.b.weight"])
    subject = window.explorer.area.subject
    assert subject.word.text() == "error" and "blk.1.b.weight" in subject.word.toolTip()
    window.do("whole_file")
    assert subject.word.toolTip() == ""


def test_the_legend_has_what_is_drawn(tmp_path, opened):
    keys = [("general.architecture", "str", "none"), ("general.alignment", "u32", 48)]
    (tmp_path / "m.gguf").write_bytes(gguf(keys, [("a", (64,), 0, bytes(256))]))
    assert shown(opened(tmp_path / "m.gguf").explorer.area.file_page) == {"header", "unread"}


def test_a_line_stands_where_a_file_begins_anew_and_where_a_header_breaks_off(qtbot, opened, tmp_path):
    values = np.random.default_rng(1).normal(size=512).astype("<f4").tobytes()
    data = gguf([("general.architecture", "str", "toy")], [(name, (512,), 0, values) for name in "abc"])
    path = tmp_path / "anew.gguf"
    path.write_bytes(data[:4000] + data)
    window = opened(path)
    qtbot.waitUntil(lambda: window.scanning.scan.state == "done" and window.tasks.idle, timeout=10_000)
    bar = window.explorer.area.file_page.map
    x = round(bar._x(4000))
    assert QColor(bar.grab().toImage().pixel(x, BAR - 3)).name() == window.theme.colors.error.lower()
    assert bar._tip(x).splitlines()[0] == "the file begins anew here: 4,000"
    path.write_bytes(data[:112])
    window.open_paths([str(path)])
    qtbot.waitUntil(lambda: window.explorer.area.file_page.map._map.length == 112 and window.tasks.idle, timeout=10_000)
    (mark,) = bar._map.breaks
    assert bar._tip(bar._x(mark.position)).splitlines()[0] == f"the header breaks off here: {mark.byte}"
    assert bar._tip(bar.width() - 9).startswith("not read: what lies here cannot be told\n")
    assert shown(window.explorer.area.file_page) == {"header", "unread"}


def test_each_part_that_ends_early_is_marked_with_its_own_byte(tmp_path):
    ramp = np.arange(256, dtype="<f4").tobytes()
    parts = []
    for number, size in ((1, None), (2, -100)):
        keys = [("split.no", "u16", number - 1), ("split.count", "u16", 2), ("split.tensors.count", "i32", 2)]
        data = gguf([("general.architecture", "str", "toy"), *keys], [(f"t.{number}", (256,), 0, ramp)])
        parts.append(tmp_path / f"m-{number:05}-of-00002.gguf")
        parts[-1].write_bytes(data[:size])
    with weightmap.open(parts[0]) as model:
        first, second = (part.size for part in model.parts)
        assert stretches(model.parts, model.records).ends == ((first + second, second, "the file ends here"),)


def test_layers_are_named_where_their_tensors_are_too_narrow(opened, tmp_path):
    small = np.zeros(64, "<f4").tobytes()
    tensors = [("token_embd.weight", (64, 64), 0, bytes(64 * 64 * 4))]
    tensors += [(f"blk.{layer}.{part}.weight", (8, 8), 0, small) for layer in range(2) for part in "abcdefgh"]
    path = tmp_path / "layers.gguf"
    path.write_bytes(gguf([("general.architecture", "str", "toy")], tensors))
    window = opened(path)
    outline, map_ = window.contents.outline, window.explorer.area.file_page.map._map
    found = list(layers(map_, outline, {0}, 0.0))
    assert [(end - start, name) for start, end, name, _ in found] == [(2048.0, "blk.0"), (2048.0, "blk.1")]
    assert [name for *_, name, _ in layers(map_, outline, {0, 3}, 2047.0)] == ["blk.1"]  # one of whose tensors is named
    assert not list(layers(map_, outline, {0}, 2048.0))  # no room for a name
    image = window.explorer.area.file_page.map.grab().toImage()
    middle = round(image.width() * (found[0][0] + found[0][1]) / 2 / map_.length)
    colours = {image.pixelColor(x, BAR // 2).name() for x in range(middle - 15, middle + 15)}
    assert len(colours) > 2  # letters


def test_a_file_without_tensors_has_no_layers_to_name(tmp_path):
    path = tmp_path / "bare.gguf"
    path.write_bytes(gguf([("general.architecture", "str", "toy")], []))
    with weightmap.open(path) as model:
        map_ = stretches(model.parts, [])
    assert map_.runs(np.zeros(0, np.int64)) == [] == map_.runs(np.zeros(3, np.int64))
