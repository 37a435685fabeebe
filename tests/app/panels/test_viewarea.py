"""What stands where a view would be: why it cannot show a tensor, or why it failed, with its cause and Retry."""

from __future__ import annotations

from support.build import safetensors

import weightmap
from tensorloupe.panels.subject import Subject
from tensorloupe.views import VIEWS
from tensorloupe.views.values import ValuesView

KEYS = [kind.key for kind in VIEWS]


def test_a_view_that_fails_leaves_the_others_alone_and_can_be_tried_again(qtbot, opened, model_file, monkeypatch):
    window = opened(model_file)
    area = window.explorer.area
    with monkeypatch.context() as broken:
        broken.setattr(ValuesView, "show_tensor", lambda *_: [][0])
        window.explorer.tree.select(window.contents.outline.tensors[0])
        area.open_tab(KEYS.index("values"))
        notice = area._stack.currentWidget()
        assert area.view is None
        assert notice.what.text() == "This view failed: IndexError: list index out of range"
        assert notice.advice.text() == "Try again, or report the cause."
        assert window.status.said.whole == ""
        assert notice.cause.isHidden()
        notice.cause_button.click()
        assert notice.cause.isVisible() and "test_viewarea.py" in notice.cause.toPlainText()
        area.open_tab(KEYS.index("heatmap"))
        assert area.view is not None and area.view.slot == "heatmap"
        area.open_tab(KEYS.index("values"))
        assert area.view is None and notice.cause.isHidden()
    notice.again_button.click()
    assert area.view is not None and area.view.slot == "values"
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=10_000)


def test_a_view_of_a_file_that_changed_can_have_it_read_anew(qtbot, opened, model_file):
    window = opened(model_file)
    window.explorer.tree.select(window.contents.outline.tensors[0])
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    before, notice = window.document.model, window.explorer.area.view.stage.notice
    changed = weightmap.Finding(severity=weightmap.Severity.ERROR, code="file_changed", message="The file changed.")
    notice.fail(weightmap.WeightFileError(changed))
    notice.again_button.click()
    qtbot.waitUntil(lambda: window.document.model is not before and window.tasks.idle, timeout=20_000)
    assert window.explorer.area.view.stage.state == "picture"


def test_a_view_that_cannot_show_a_tensor_says_why(opened, other_file):
    window = opened(other_file)
    area = window.explorer.area
    window.explorer.tree.select(window.contents.outline.tensors[0])
    area.open_tab(KEYS.index("blocks"))
    notice = area._stack.currentWidget()
    assert area.view is None
    assert notice.what.text().startswith("F32 has no blocks")
    assert notice.again_button.isHidden() and notice.cause_button.isHidden()
    assert window.status.said.whole == ""


def test_bits_are_never_shown_without_their_unit(opened, model_file, theme):
    tensor = opened(model_file).contents.outline.tensors[0]
    subject = Subject(theme)
    units = []
    subject.show_tensor(tensor)
    subject.show()
    for width in range(1200, 260, -20):
        subject.resize(width, subject.height())
        assert subject._unit.isHidden() is subject._bits.isHidden()
        units += [] if subject._unit.isHidden() else [subject._unit.text()]
    assert units == sorted(units, key=["bits per weight", "bpw"].index) and set(units) == {"bits per weight", "bpw"}
    subject.close()


def test_beside_a_tensor_that_cannot_be_read_no_values_are_in_view(opened, settled, tmp_path):
    path = tmp_path / "short.safetensors"
    path.write_bytes(safetensors([("a.w", "F32", (64, 64), bytes(100)), ("b.w", "F32", (8, 8), bytes(256))]))
    window = opened(path)
    area = window.explorer.area
    area.open_tab(KEYS.index("heatmap"))
    for name, seen in (("b.w", True), ("a.w", False), ("b.w", True)):
        window.select_named(name)
        settled()
        copy, status = window.actions_.by_name["copy_values"], window.status
        assert area.copy.isEnabled() is seen and copy.isEnabled() is seen
        if seen:
            assert area.view.stage.state == "picture" and area.view.side.view.sections
        else:  # nothing that would do nothing stands beside the reason
            assert area.view is None and area._notice.what.text() == window.document.selected.problem.message
            assert status.hint._parts == ["F8 next finding"]
