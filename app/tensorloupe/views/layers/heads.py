"""Heads of the grid: names of rows, and of columns, turned by a quarter where these are too narrow for them."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from tensorloupe.style.text import forth
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.viewport import viewport_of

LEAST, LONGEST = 56, 150  # px of turned names, at the usual font
MOST_NAMED = 60  # names that are measured: more have no room to stand upright


class TurningHeader(QHeaderView):
    """A horizontal header that paints its names itself."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self._turned, self._height = False, 0
        self._ground = viewport_of(self)
        self.setSectionsClickable(False)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(12)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setAccessibleName("Roles")
        self.setStyleSheet("QHeaderView { background: palette(base); }")

    def fit(self, most: int) -> None:
        """Turn the names where a column is too narrow for its own; `most` px are theirs then."""
        metrics = QFontMetrics(self.font())
        shown = [at for at in range(self.count()) if not self.isSectionHidden(at)][:MOST_NAMED]
        turned = most >= self._theme.scaled(LEAST) and any(
            metrics.horizontalAdvance(self._name(at)) + 6 > self.sectionSize(at) for at in shown
        )
        longest = max((metrics.horizontalAdvance(self._name(at)) for at in shown), default=0)
        height = max(min(longest + 10, self._theme.scaled(LONGEST), most), metrics.height() + 8)
        if turned != self._turned or height != self._height:
            self._turned, self._height = turned, height
            self.updateGeometry()
            self.headerDataChanged(Qt.Orientation.Horizontal, 0, max(self.count() - 1, 0))
        self._ground.update()

    def sizeHint(self) -> QSize:
        return QSize(100, self._height if self._turned else QFontMetrics(self.font()).height() + 8)

    def paintSection(self, painter: QPainter, rect: QRect, logical: int) -> None:
        painter.save()
        painter.fillRect(rect, self._theme.color("base"))
        painter.setPen(self._theme.color("secondary"))
        painter.setFont(self.font())
        metrics, name = QFontMetrics(self.font()), self._name(logical)
        if self._turned:
            painter.translate(rect.center().x() + metrics.ascent() / 2 - 1, rect.bottom() - 4)
            painter.rotate(-90)
            painter.drawText(0, 0, forth(metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, rect.height() - 6)))
        else:
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, rect.width() - 4)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, forth(shown))
        painter.restore()

    def _name(self, section: int) -> str:
        return str(self.model().headerData(section, Qt.Orientation.Horizontal) or "")


class NameHeader(QHeaderView):
    """A vertical header on the ground of the view: the names of layers."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._theme = theme
        self.setSectionsClickable(False)
        self.setHighlightSections(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setAccessibleName("Layers")
        self.setStyleSheet("QHeaderView { background: palette(base); }")

    def sizeHint(self) -> QSize:
        """The width that the view fixed: Qt would ask for hundreds of names at each resize."""
        return QSize(self.minimumWidth(), 0)

    def paintSection(self, painter: QPainter, rect: QRect, logical: int) -> None:
        painter.save()
        painter.fillRect(rect, self._theme.color("base"))
        painter.setPen(self._theme.color("secondary"))
        painter.setFont(self.font())
        name = str(self.model().headerData(logical, Qt.Orientation.Vertical) or "")
        room = rect.adjusted(0, 0, -8, 0)
        shown = QFontMetrics(self.font()).elidedText(name, Qt.TextElideMode.ElideMiddle, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, forth(shown))
        painter.restore()
