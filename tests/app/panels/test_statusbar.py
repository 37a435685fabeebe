from PySide6.QtWidgets import QApplication

from tensorloupe.panels.statusbar import StatusBar
from tensorloupe.tasks import TaskRunner


def test_the_last_result_is_whole_before_there_is_room_for_hints(qtbot, theme):
    status = StatusBar(theme, TaskRunner())
    qtbot.addWidget(status)
    status.show()
    status.resize(1000, status.height())
    status.say("exact · 65,536 values in 5 ms", None)
    status.set_hint("Wheel zooms · drag pans · N next NaN")
    QApplication.processEvents()
    assert status.hint.text() == "Wheel zooms · drag pans · N next NaN"
    metrics = status.hint.fontMetrics()
    status.resize(
        status.said.sizeHint().width() + metrics.horizontalAdvance("Wheel zooms · drag pans") + 40, status.height()
    )
    QApplication.processEvents()
    assert status.said.text() == "exact · 65,536 values in 5 ms"
    assert status.hint.text() == "Wheel zooms · drag pans"
    status.resize(status.said.sizeHint().width() + 60, status.height())
    QApplication.processEvents()
    assert (status.said.text(), status.hint.text()) == ("exact · 65,536 values in 5 ms", "")
