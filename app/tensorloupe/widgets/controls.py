"""Small controls that the panels share: labels that take no rich text, buttons that follow the theme, rules, chips."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from tensorloupe.style import icons
from tensorloupe.style.theme import SECONDARY, Theme


class PlainLabel(QLabel):
    """A label for text that may come from a file: letter by letter, never markup; elides where it may not grow."""

    def __init__(
        self, theme: Theme, color: str = "text", ratio: float = 1.0, bold: bool = False, elide: bool = False
    ) -> None:
        super().__init__()
        self._theme, self._color, self._ratio, self._bold = theme, color, ratio, bold
        self._whole, self._elide = "", elide
        self.setTextFormat(Qt.TextFormat.PlainText)
        if elide:
            self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._dress()
        theme.changed.connect(self._dress)

    def set_text(self, shown: str) -> None:
        """Show a text, escaped by the caller where it comes from a file."""
        self._whole = shown
        self.setAccessibleName(shown)
        if self._elide:
            self.updateGeometry()
            self._fit()
        else:
            self.setText(shown)

    def set_color(self, color: str) -> None:
        """Another colour of the palette, by name."""
        self._color = color
        self._dress()

    @property
    def whole(self) -> str:
        """The text as given, elided or not."""
        return self._whole

    def sizeHint(self) -> QSize:
        if not self._elide:
            return super().sizeHint()
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._whole) + 2, metrics.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(24, self.fontMetrics().height()) if self._elide else super().minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._elide:
            self._fit()

    def _fit(self) -> None:
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideMiddle, max(self.width(), 0))
        if shown != self.text():
            self.setText(shown)

    def _dress(self) -> None:
        self.setFont(self._theme.font(self._ratio, self._bold))
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.color(self._color))
        self.setPalette(palette)


class IconButton(QToolButton):
    """A flat button with a line icon, and a word beside it where there is one. The name is what a screen reader says."""

    def __init__(self, theme: Theme, name: str, accessible: str, word: str = "") -> None:
        super().__init__()
        self._theme, self._name = theme, name
        self.setText(f" {word}" if word else "")  # the space keeps it from the icon
        beside, alone = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly
        self.setToolButtonStyle(beside if word else alone)
        self.setAccessibleName(accessible)
        if not word:
            self.setToolTip(accessible)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._dress()
        theme.changed.connect(self._dress)

    def set_icon(self, name: str, accessible: str) -> None:
        """Another icon, by name, and what the button does now."""
        self._name = name
        self.setAccessibleName(accessible)
        self.setToolTip(accessible)
        self._dress()

    def _dress(self) -> None:
        side = self._theme.scaled(icons.SIDE)
        self.setIconSize(QSize(side, side))
        self.setIcon(icons.icon(self._name, self._theme.color("text"), side))


def without_spaces(button: QToolButton, hint: QSize) -> QSize:
    """The size without the two spaces that Qt adds to a word beside an icon: they would all stand behind the word."""
    return hint - QSize(button.fontMetrics().horizontalAdvance("  "), 0)


class Chip(QToolButton):
    """A small outlined button in a row of chips: a term of a filter, a choice, a count with its status shape."""

    def __init__(self, theme: Theme, word: str, accessible: str, icon: str = "", status: str = "") -> None:
        super().__init__()
        self._theme, self._icon, self._status = theme, icon, status
        self.setProperty("chip", True)
        self.setText(word.replace("&", "&&"))
        self.setAccessibleName(accessible)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        if icon:
            self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the icon stands after the word
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._dress()
        theme.changed.connect(self._dress)

    def setMenu(self, menu: QMenu) -> None:
        """Take a menu, which reads as all others do, wherever the icon stands."""
        menu.setLayoutDirection(QGuiApplication.layoutDirection())
        super().setMenu(menu)

    def sizeHint(self) -> QSize:
        return without_spaces(self, super().sizeHint()) if self._status else super().sizeHint()

    def _dress(self) -> None:
        self.setFont(self._theme.font(SECONDARY))
        side = self._theme.scaled(12)
        self.setIconSize(QSize(side, side))
        if self._status:
            self.setIcon(self._theme.status_icon(self._status, side))
        elif self._icon:
            self.setIcon(icons.icon(self._icon, self._theme.color("text"), side))


class StatusMark(QWidget):
    """A status shape in a layout. What it means stands beside it as a word."""

    def __init__(self, theme: Theme, size: int = 14) -> None:
        super().__init__()
        self._theme, self.status, self._size = theme, "ok", size
        self._dress()
        theme.changed.connect(self._dress)

    def set_status(self, status: str) -> None:
        """Show another status."""
        self.status = status
        self.update()

    def _dress(self) -> None:
        side = self._theme.scaled(self._size)
        self.setFixedSize(side, side)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground = self.palette().color(QPalette.ColorRole.Base).name()
        self._theme.paint_status(painter, QRectF(self.rect()), self.status, ground)


class Rule(QFrame):
    """A line of one pixel: thin between things that belong together, strong between regions."""

    def __init__(self, theme: Theme, vertical: bool = False, strong: bool = False) -> None:
        super().__init__()
        self._theme, self._strong = theme, strong
        if vertical:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._theme.color("strong" if self._strong else "thin"))


class Ground(QWidget):
    """A widget that fills itself with a colour of the palette, whatever stands around it."""

    def __init__(self, theme: Theme, color: str = "base") -> None:
        super().__init__()
        self._theme, self._color = theme, color
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Window)  # views hand down another role
        self._dress()
        theme.changed.connect(self._dress)

    def set_color(self, color: str) -> None:
        """Another colour of the palette, by name."""
        self._color = color
        self._dress()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.update()

    def _dress(self) -> None:
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, self._theme.color(self._color))
        self.setPalette(palette)
