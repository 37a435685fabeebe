"""The sliders of leading axes: as many as the tensor that is shown has."""

from PySide6.QtWidgets import QApplication, QLabel

from tensorloupe.views.heat.slices import Slices


def test_the_axes_of_the_tensor_before_are_gone_at_once(qtbot):
    slices = Slices()
    qtbot.addWidget(slices)
    slices.show()

    def shown() -> list[str]:
        QApplication.processEvents()  # which deletes nothing yet
        return [label.text() for label in slices.findChildren(QLabel) if label.isVisible()]

    slices.set_shape((2, 3, 4, 5, 6), (0, 0, 0))
    assert shown() == ["Axis 0", "of 2", "Axis 1", "of 3", "Axis 2", "of 4"]
    slices.set_shape((8, 32, 64), (1,))
    assert shown() == ["Axis 0", "of 8"]
    assert [spin.value() for spin in slices.spins] == [1]
