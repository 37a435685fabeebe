"""The list of files on the welcome page."""

from __future__ import annotations

from PySide6.QtGui import QColor

from tensorloupe.panels.pathlist import PathList, path_rows


def test_long_names_keep_their_ends_and_nothing_touches_the_edge(qtbot, theme):
    files = PathList(theme, "Recent files", removable=True)
    qtbot.addWidget(files)
    files.show_paths(path_rows(["/models/" + "a long name of a model " * 5 + "-00001-of-00042.gguf"]))
    files.resize(800, 60)
    files.show()
    looks = [files.paths.look(files.paths.index(0, column)) for column in range(4)]
    assert [look.middle for look in looks] == [True, True, False, False]
    image = files.viewport().grab().toImage()
    edge = [image.pixelColor(image.width() - x, y) for x in range(1, 10) for y in range(2, 28)]
    assert set(map(QColor.name, edge)) == {theme.color("base").name()}
