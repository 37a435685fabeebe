"""A selection is followed: by the tree, the views, the map, a value to its block, a finding to where it is."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton
from support.gestures import press

from tensorloupe.files import ours
from tensorloupe.views.numbers import Numbers


def test_selecting_a_tensor_shows_its_numbers(qtbot, opened, model_file):
    window = opened(model_file)
    tree = window.explorer.tree
    index = tree.model.index_of(next(n for n, name in enumerate(tree.model.outline.names) if "blk.2.ffn_up" in name))
    tree.view.setCurrentIndex(index)
    qtbot.waitUntil(lambda: window.document.selected is not None)
    assert window.document.selected.name == "blk.2.ffn_up.weight"
    assert window.explorer.area.subject.name.text() == "blk.2.ffn_up.weight"
    assert window.explorer.area.subject.shape.text() == "4 × 4"
    qtbot.waitUntil(lambda: "16 values" in window.status.said.whole, timeout=20_000)
    said = "\n".join(numbers.text() for numbers in window.explorer.area.findChildren(Numbers))
    assert "7.5" in said and "15" in said  # mean and maximum of 0 ... 15
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_the_view_follows_after_the_cursor_rests(qtbot, opened, model_file):
    window = opened(model_file)
    view = window.explorer.tree.view
    view.setFocus()
    for _ in range(4):  # past token_embd and blk.0 into it
        qtbot.keyClick(view, Qt.Key.Key_Down)
    assert window.document.selected is None
    qtbot.waitUntil(lambda: window.document.selected is not None)
    assert window.document.selected.name == "blk.0.ffn_up.weight"
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_a_click_on_the_map_selects_the_tensor(qtbot, opened, model_file):
    window = opened(model_file)
    map_ = window.explorer.area.file_page.map
    qtbot.mouseClick(map_, Qt.MouseButton.LeftButton, pos=QPoint(map_.width() - 2, 10))
    assert window.document.selected.name == window.contents.outline.names[map_.tensor_at(map_.width() - 2)]
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_a_value_of_the_heatmap_leads_to_its_block_and_back(qtbot, opened):
    window = opened(ours.SAMPLE)
    tensor = window.document.model.tensors["blk.0.ffn_down.weight"]
    window.explorer.tree.select(tensor)
    press(window, "Ctrl+2")
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    heatmap = window.explorer.area.view
    heatmap.go_to_element((5, 40))
    qtbot.keyClick(heatmap.picture, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    blocks = window.explorer.area.view
    assert blocks is not heatmap and blocks.at.index == (5, 40)
    assert blocks.page.block.index == tensor.locate((5, 40))[0]
    blocks.page.grid.setFocus()
    qtbot.keyClick(blocks.page.grid, Qt.Key.Key_Right)
    qtbot.keyClick(blocks.page.grid, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    assert window.explorer.area.view is heatmap and heatmap.picture.frame.pointer == (5, 41)


def test_a_finding_of_broken_scales_leads_to_the_block(qtbot, opened, tmp_path):
    import numpy as np
    from support.build import gguf

    blocks = np.zeros((64, 34), np.uint8)
    blocks[:, :2] = np.float16(0.01).reshape(1).view(np.uint8)
    blocks[41, :2] = np.float16(np.nan).reshape(1).view(np.uint8)
    path = tmp_path / "broken.gguf"
    path.write_bytes(
        gguf(tensors=[("blk.0.w", (16, 128), 8, blocks.tobytes()), ("other", (1, 32), 8, blocks[0].tobytes())])
    )
    window = opened(path)
    window.explorer.tree.select(window.document.model.tensors["other"])
    press(window, "Ctrl+3")
    press(window, "F7")
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    finding = next(found for found in window.document.model.findings if found.code == "non_finite")
    window.explorer.dock.finding_chosen.emit(finding)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    assert window.document.selected.name == "blk.0.w"
    assert window.explorer.area.view.page.block.index == 41


def test_five_thousand_selections_lose_nothing(qtbot, opened, model_file):
    window = opened(model_file)
    heard = []
    tensors = window.contents.outline.tensors
    window.document.blockSignals(False)
    window.explorer.area.blockSignals(True)
    window.document.selected_changed.disconnect(window.explorer.area.show_current)
    window.document.selected_changed.connect(heard.append)
    for n in range(5_000):
        window.document.select(tensors[n % len(tensors)])
    assert len(heard) == 5_000 and heard[-1] is tensors[4_999 % len(tensors)]
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_another_theme_draws_nothing_before_the_window_is_painted(qtbot, opened, model_file, settled):
    window = opened(model_file)
    window.select_named("blk.2.ffn_up.weight")
    settled()
    assert window.explorer.area.view.has_picture
    seen = []
    window.theme.changed.connect(lambda: seen.append(window.tasks.idle))
    window.theme.painted.connect(lambda: seen.append(window.tasks.running("overview.plot")))  # after the area's own
    window.theme.set_mode("dark")
    with qtbot.waitSignal(window.theme.painted):
        pass
    assert seen == [True, True]
    settled()
    assert window.explorer.area.view.picture.images.look.colors is window.theme.colors


def test_a_tensor_that_is_not_there_is_answered_with_the_name_that_is_near(qtbot, opened, model_file):
    window = opened(model_file)
    window.select_named("blk.2.ffn_up.wieght")
    assert window.strip.sentence.whole == "No tensor is called blk.2.ffn_up.wieght."
    assert window.strip.consequence.whole == "Is blk.2.ffn_up.weight meant?"
    window.strip.findChildren(QPushButton)[-1].click()
    assert window.document.selected.name == "blk.2.ffn_up.weight" and window.strip.isHidden()
    window.select_named("qqqqqq")
    assert window.strip.consequence.whole == "Pick one in the tree."
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
