from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QComboBox, QPushButton, QVBoxLayout, QWidget

from tensorloupe.style.colors import DARK, LIGHT
from tensorloupe.style.theme import Theme


class Sample(QWidget):
    """A window with what the sheet draws and what it leaves to Fusion."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.button, self.box = QPushButton(), QComboBox()
        column = QVBoxLayout(self)
        column.addWidget(self.button)
        column.addWidget(self.box)
        self.told: list[bool] = []
        theme.changed.connect(lambda: self.told.append(theme.dark))
        theme.dress(self)

    def ground(self, widget: QWidget) -> str:
        picture: QImage = widget.grab().toImage()
        return picture.pixelColor(6, picture.height() // 2).name()


def shown(qtbot, theme):
    sample = Sample(theme)
    qtbot.addWidget(sample)
    with qtbot.waitExposed(sample):
        sample.show()
    return sample


def test_a_switch_reaches_sheet_and_palette(qtbot, theme):
    sample = shown(qtbot, theme)
    assert sample.ground(sample.button) == LIGHT.button.lower()
    theme.set_mode("dark")
    qtbot.waitUntil(lambda: sample.updatesEnabled())
    assert sample.told == [True]
    assert sample.ground(sample.button) == DARK.button.lower()
    assert sample.box.palette().base().color().name() == DARK.base.lower()


def test_the_window_keeps_its_picture_until_all_is_switched(qtbot, theme):
    sample = shown(qtbot, theme)
    theme.set_mode("dark")
    assert not sample.updatesEnabled() and sample.told == []
    qtbot.waitUntil(lambda: sample.updatesEnabled())
    assert sample.told == [True]


def test_a_second_switch_meanwhile_wins(qtbot, theme):
    sample = shown(qtbot, theme)
    theme.set_mode("dark")
    theme.set_mode("light")
    qtbot.waitUntil(lambda: sample.updatesEnabled())
    assert sample.told == [False]
    assert sample.ground(sample.button) == LIGHT.button.lower()


def test_a_widget_that_goes_meanwhile_is_left_out(qtbot, theme):
    sample = shown(qtbot, theme)
    theme.set_mode("dark")
    sample.box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    sample.box.close()
    qtbot.waitUntil(lambda: sample.updatesEnabled())
    assert sample.ground(sample.button) == DARK.button.lower()


def test_what_is_drawn_in_the_background_begins_once_all_windows_are_painted(qtbot, theme):
    first, second = shown(qtbot, theme), shown(qtbot, theme)
    order: list[str] = []
    for name, sample in (("first", first), ("second", second)):
        sample.paintEvent = lambda _, name=name: order.append(name)
    theme.changed.connect(lambda: order.append("changed"))
    theme.painted.connect(lambda: order.append("painted"))
    theme.set_mode("dark")
    with qtbot.waitSignal(theme.painted):
        pass
    assert order[0] == "changed" and order[-1] == "painted"
    assert sorted(order[1:-1]) == ["first", "second"]  # each once


def test_a_window_that_is_gone_meanwhile_is_not_waited_for(qtbot, theme):
    first, second = shown(qtbot, theme), Sample(theme)
    second.show()
    theme.changed.connect(second.deleteLater)
    theme.set_mode("dark")
    with qtbot.waitSignal(theme.painted):
        pass
    assert first.updatesEnabled()
