"""A slider and a number for each leading axis of a tensor: which expert, which kernel is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QSpinBox, QWidget

from tensorloupe.style.text import count
from tensorloupe.views.controls import GAP, MARGIN


class _Slider(QSlider):
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Only with the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class _Spin(QSpinBox):
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Only with the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Slices(QWidget):
    """Hidden for tensors of up to two axes. `chosen` gives the place in the leading axes."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(MARGIN, 0, MARGIN, GAP)
        self._row.setSpacing(GAP)
        self._spins: list[QSpinBox] = []
        self.hide()

    def set_shape(self, shape: tuple[int, ...], index: tuple[int, ...]) -> None:
        """One pair for each axis before the last two."""
        self._clear()
        leading = shape[:-2] if len(shape) > 2 else ()
        for axis, (size, at) in enumerate(zip(leading, index, strict=False)):
            label = QLabel(f"Axis {axis}")
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setForegroundRole(label.palette().ColorRole.PlaceholderText)
            slider, spin = _Slider(Qt.Orientation.Horizontal), _Spin()
            for control in (slider, spin):
                control.setRange(0, max(size - 1, 0))
                control.setValue(at)
                control.setAccessibleName(f"Place on axis {axis}, 0 to {size - 1}")
            slider.setMaximumWidth(220)
            slider.setPageStep(max(1, size // 10))
            spin.setKeyboardTracking(False)
            spin.setMinimumWidth(spin.fontMetrics().horizontalAdvance(str(size)) + 32)
            of = QLabel(f"of {count(size)}")
            slider.valueChanged.connect(spin.setValue)
            spin.valueChanged.connect(slider.setValue)
            spin.valueChanged.connect(self._changed)
            for widget in (label, slider, spin, of):
                self._row.addWidget(widget)
            self._row.addSpacing(GAP)
            self._spins.append(spin)
        self._row.addStretch(1)
        self.setVisible(bool(leading))

    def _clear(self) -> None:
        self._spins = []
        while (item := self._row.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()  # at once: it is gone only when the event loop comes to it
                widget.deleteLater()

    @property
    def spins(self) -> tuple[QSpinBox, ...]:
        """The number fields, one for each leading axis."""
        return tuple(self._spins)

    def _changed(self, _: int) -> None:
        self.chosen.emit(tuple(spin.value() for spin in self._spins))
