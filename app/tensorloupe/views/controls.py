"""The row of controls above a picture: controls with their labels, and a menu for those that find no room."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QMenu, QPushButton, QToolButton, QWidget

from tensorloupe.widgets.choice import Choice

MARGIN, GAP = 16, 8


class ControlRow(QWidget):
    """Controls from left to right. What has no room moves into a menu at the end, or hides where a menu makes no sense.

    Each control is added with a rank: the higher, the sooner it goes; rank 0 stays.
    """

    def __init__(self) -> None:
        super().__init__()
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(MARGIN, GAP, MARGIN, GAP)
        self._layout.setSpacing(GAP)
        self._layout.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)  # what does not fit goes
        self._groups: list[tuple[int, str, list[QWidget]]] = []
        self._widths: dict[QWidget, int] = {}
        self._out: set[QWidget] = set()
        self._more = QToolButton()
        self._more.setText("More")
        self._more.setAccessibleName("More controls")
        self._more.setProperty("chip", True)
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self._more)
        self._submenus: list[QMenu] = []
        self._menu.aboutToShow.connect(self._fill_menu)
        self._more.setMenu(self._menu)
        self._more.hide()
        self._stretched = False

    def add(self, control: QWidget, label: str = "", *, rank: int = 0, label_rank: int | None = None) -> None:
        """Add a control, with its label before it; `label_rank` is one of its own for the label."""
        widgets: list[QWidget] = []
        if label:
            name = QLabel(label)
            name.setTextFormat(Qt.TextFormat.PlainText)
            name.setForegroundRole(self.palette().ColorRole.PlaceholderText)
            name.setBuddy(control)
            if label_rank is None:
                widgets.append(name)
            else:
                self._layout.addWidget(name)
                self._groups.append((label_rank, "", [name]))
        widgets.append(control)
        for widget in widgets:
            self._layout.addWidget(widget)
        self._groups.append((rank, label, widgets))

    def stretch(self) -> None:
        """Push what follows to the right; the menu of what had no room stands here."""
        self._layout.addWidget(self._more)
        self._layout.addStretch(1)
        self._stretched = True

    def leave_out(self, control: QWidget, out: bool) -> None:
        """Whether a control is not wanted at all just now, room or not."""
        if out is not (control in self._out):
            self._out ^= {control}
            self.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep what fits."""
        super().resizeEvent(event)
        self.fit()

    def fit(self, changed: QWidget | None = None) -> None:
        """Show as many controls as have room; `changed` has another text than before."""
        if changed is not None:
            self._widths.pop(changed, None)
        room = self.width() - 2 * MARGIN
        wanted = [group for group in self._groups if group[2][-1] not in self._out]
        needed = [(rank, sum(self._width(widget) for widget in widgets)) for rank, _, widgets in wanted]
        ranks = sorted({rank for rank, _ in needed})
        worst = ranks[-1] if ranks else 0
        for worst in reversed(ranks):
            more = self._width(self._more) if worst < ranks[-1] else 0
            if worst == 0 or sum(width for rank, width in needed if rank <= worst) + more + 2 * GAP <= room:
                break
        hidden = False
        for rank, _, widgets in self._groups:
            out = widgets[-1] in self._out
            for widget in widgets:
                hidden |= rank > worst and not out and isinstance(widget, (QComboBox, QCheckBox, QPushButton))
                if widget.isHidden() is (shown := rank <= worst and not out):
                    widget.setVisible(shown)
        if self._more.isHidden() is hidden:
            self._more.setVisible(hidden and self._stretched)

    def _width(self, widget: QWidget) -> int:
        """What a widget takes. Remembered: asking styled widgets for their size costs more than all else here."""
        if widget not in self._widths:
            wanted = min(max(widget.sizeHint().width(), widget.minimumWidth()), widget.maximumWidth())
            self._widths[widget] = wanted + GAP
        return self._widths[widget]

    def changeEvent(self, event: QEvent) -> None:
        """Another font or style: other sizes."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._widths.clear()
            self.fit()

    def _fill_menu(self) -> None:
        self._menu.clear()
        for menu in self._submenus:  # clear() lets go of their actions alone
            menu.deleteLater()
        self._submenus = []
        for _, label, widgets in self._groups:
            control = widgets[-1]
            if not control.isHidden() or control in self._out:
                continue
            if isinstance(control, Choice):
                menu = QMenu(label, self._menu)
                self._add_choices(menu, control)
                self._menu.addMenu(menu)
                self._submenus.append(menu)
            elif isinstance(control, QCheckBox):
                action = self._menu.addAction(control.text())
                action.setCheckable(True)
                action.setChecked(control.isChecked())
                action.setEnabled(control.isEnabled())
                action.toggled.connect(control.setChecked)
            elif isinstance(control, QPushButton):
                self._menu.addAction(control.text(), control.click)

    def _add_choices(self, menu: QMenu, choice: Choice) -> None:
        for index in range(choice.count()):
            action = QAction(choice.itemText(index).replace("&", "&&"), menu)
            action.setCheckable(True)
            action.setChecked(index == choice.currentIndex())
            action.triggered.connect(lambda _=False, index=index: choice.choose(index))
            menu.addAction(action)

    def minimumSizeHint(self) -> QSize:
        """Narrow: what does not fit moves away."""
        return QSize(200, super().sizeHint().height())

    def sizeHint(self) -> QSize:
        """As narrow as it may get, so that no window is made wider by its controls."""
        return self.minimumSizeHint()
