"""Light and dark: which palette holds, the Qt palette, who is told.

Follows the system until told otherwise. The colour scheme that Qt reports is not enough by itself (some platforms ignore
a request for another one), so palette roles are always set.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from tensorloupe.style.colors import DARK, LIGHT, Colors
from tensorloupe.style.dressing import Dressing
from tensorloupe.style.status import paint_status, status_icon, status_pixmap
from tensorloupe.style.stylesheet import SHEET

MODES = ("system", "light", "dark")

_USUAL_LINE = 18  # px, the height of a line that sizes in px were chosen for
# sizes relative to the interface font, which is the system's own
SECONDARY, SUBJECT, READOUT, TITLE = 0.92, 1.3, 1.85, 2.0


class Theme(QObject):
    """The palette in force.

    changed  the application has its new palette: set colours of one's own, paint again
    painted  after that the windows were painted in it: draw anew what is drawn in the background, which would have made each
             call to Qt wait while they were
    """

    changed = Signal()
    painted = Signal()

    def __init__(self, mode: str = "system", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.mode = mode if mode in MODES else "system"
        self._app: QApplication | None = None
        self._dressing = Dressing(self)
        self._dressing.done.connect(self.changed)
        self._dressing.painted.connect(self.painted)
        self._made: dict[tuple[bool, str], QColor] = {}
        self._marks: dict[tuple[bool, str, int, float], QPixmap] = {}
        self._scale = 0.0  # worked out when it is first asked for
        self.dark = self._wants_dark()

    @property
    def colors(self) -> Colors:
        """The colours by name, as "#rrggbb"."""
        return DARK if self.dark else LIGHT

    def color(self, name: str) -> QColor:
        """A colour of `colors` as QColor."""
        key = (self.dark, name)
        if key not in self._made:
            self._made[key] = QColor(getattr(self.colors, name))
        return self._made[key]

    def set_mode(self, mode: str) -> None:
        """Light, dark, or as the system has it."""
        self.mode = mode
        self._follow()

    def apply(self, app: QApplication) -> None:
        """Give the application, whose style is Fusion, these colours, and keep it in step with the system."""
        self._app = app
        self.dark = self._wants_dark()
        app.setPalette(palette(self.colors))
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow)
        app.fontChanged.connect(self._dress_anew)

    def dress(self, window: QWidget) -> None:
        """Give a finished window the style sheet, and after each change of the palette its colours.

        A sheet on the application would be matched against every widget each time that it is put into another: building
        the window takes three times as long. Set once all are in place, it costs a tenth of that.
        """
        window.setStyleSheet(SHEET)
        self._dressing.add(window)

    def font(self, ratio: float = 1.0, bold: bool = False) -> QFont:
        """The interface font at a ratio of its own size (SECONDARY, SUBJECT, READOUT, TITLE)."""
        font = QFont(QApplication.font())
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() * ratio)
        else:
            font.setPixelSize(round(font.pixelSize() * ratio))
        font.setBold(bold)
        return font

    def scaled(self, size: int) -> int:
        """A size in px that was chosen for the usual font, as large as the interface font asks for: never smaller."""
        if not self._scale:
            self._scale = max(QFontMetrics(QApplication.font()).height() / _USUAL_LINE, 1.0)
        return round(size * self._scale)

    def paint_status(self, painter: QPainter, rect: QRectF, status: str, ground: str | None = None) -> None:
        """Draw a status shape in the colours in force: ok, info, warning, error, unchecked, running, identical."""
        paint_status(painter, rect, status, self.colors, ground)

    def status_icon(self, status: str, size: int = 14) -> QIcon:
        """A status shape as an icon in the colours in force."""
        return status_icon(status, self.colors, size)

    def status_mark(self, status: str, size: int, ratio: float) -> QPixmap:
        """A status shape as a picture, made once per size and palette: for rows, of which many are painted at a time."""
        key = (self.dark, status, size, ratio)
        if key not in self._marks:
            self._marks[key] = status_pixmap(status, self.colors, size, ratio)
        return self._marks[key]

    def _wants_dark(self) -> bool:
        if self.mode != "system":
            return self.mode == "dark"
        return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark

    def _dress_anew(self, _: QFont) -> None:
        """The system has another font: all text follows, as colours do."""
        self._scale = 0.0
        self._dressing.start()

    def _follow(self, *_: object) -> None:
        dark = self._wants_dark()
        if dark != self.dark:
            self.dark = dark
            if self._app is not None:
                self._app.setPalette(palette(self.colors))
            self._dressing.start()


def palette(colors: Colors) -> QPalette:
    """The Qt palette of these colours, disabled text included."""
    role = QPalette.ColorRole
    roles = {
        role.Window: colors.window,
        role.WindowText: colors.text,
        role.Base: colors.base,
        role.AlternateBase: colors.alternate,
        role.Text: colors.text,
        role.PlaceholderText: colors.secondary,
        role.Button: colors.button,
        role.ButtonText: colors.text,
        role.BrightText: colors.error,
        role.Highlight: colors.highlight,
        role.HighlightedText: colors.text,
        role.Accent: colors.accent,
        role.Link: colors.accent,
        role.LinkVisited: colors.unchecked,  # no link is shown: the sheet takes it for what is disabled
        role.ToolTipBase: colors.base,
        role.ToolTipText: colors.text,
        role.Light: colors.base,
        role.Midlight: colors.thin,
        role.Mid: colors.strong,
        role.Dark: colors.strong,
        role.Shadow: colors.strong,
    }
    made = QPalette()
    for which, color in roles.items():
        made.setColor(which, QColor(color))
    for which in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        made.setColor(QPalette.ColorGroup.Disabled, which, QColor(colors.unchecked))
    return made
