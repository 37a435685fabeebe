"""Where types stand on the curve, which ticks and names it shows, and that it is drawn."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from tensorloupe.plots.curve import Curve, Point, axes_of, bit_ticks, error_ticks, labels
from tensorloupe.plots.scene import Look
from tensorloupe.plots.tradeoff import draw, save
from tensorloupe.style.colors import LIGHT

LOOK = Look(500, 360, 1.0, "DejaVu Sans", 12, LIGHT)
POINTS = (
    Point("F32", 32, 0.0, front=True),
    Point("F16", 16, 2e-4, front=True),
    Point("Q8_0", 8.5, 5e-3),
    Point("Q6_K", 6.5625, 2.5e-4, front=True, stored=True),
    Point("Q4_K", 4.5, 0.0712, front=True),
    Point("Q4_0", 4.5, 0.0856),
    Point("IQ4_NL", 4.5, 0.0760),
)
CURVE = Curve(POINTS, "relative error (log)", ("Q6_K", 6.5625))


def test_more_bits_stand_to_the_right_and_larger_errors_higher() -> None:
    axes = axes_of(CURVE, LOOK)
    xs = [axes.x(p.bits) for p in sorted(POINTS, key=lambda p: p.bits)]
    assert xs == sorted(xs) and axes.at.left < xs[0] and xs[-1] < axes.at.right
    ys = [axes.y(p.error) for p in sorted(POINTS, key=lambda p: p.error)]
    assert ys == sorted(ys, reverse=True) and axes.at.top < ys[-1]
    assert axes.at.bottom - axes.floor < axes.y(0.0) < axes.at.bottom
    assert axes.y(2e-4) < axes.at.bottom - axes.floor  # a small error is not among those without any


def test_ticks_read_as_numbers_and_do_not_meet() -> None:
    axes = axes_of(CURVE, LOOK)
    shown = bit_ticks(axes, LOOK)
    places = [axes.x(bits) for bits, _ in shown]
    assert {"8", "16", "32"} <= {label for _, label in shown} and np.diff(places).min() > 14
    assert [label for _, label in error_ticks(axes, 12)] == ["0.001", "0.01", "0.1"]
    assert [label for _, label in error_ticks(axes, 12, percent=True)] == ["0.1 %", "1 %", "10 %"]
    near = axes_of(Curve((Point("a", 4, 0.05), Point("b", 5, 0.06)), "", ("F16", 16)), LOOK)
    assert len(error_ticks(near, 12)) >= 1
    assert error_ticks(axes_of(Curve((), "", ("F16", 16)), LOOK), 12)[0][1] == "1e\u221204"


def test_names_lie_on_no_point_and_not_on_each_other() -> None:
    axes = axes_of(CURVE, LOOK)
    placed = labels(CURVE, axes, LOOK)
    assert {"F32", "F16", "Q6_K", "Q4_K"} <= {label.name for label in placed}
    boxes = [(n.x, n.y - 7, n.x + len(n.name) * 7.2, n.y + 7) for n in placed]
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        for p in POINTS:
            assert not (a[0] < axes.x(p.bits) < a[2] and a[1] < axes.y(p.error) < a[3])


def test_no_line_to_a_point_crosses_another_name() -> None:
    crowd = tuple(Point(f"T{n}_{n}", 4.25 + n / 20, 0.07 + n / 300) for n in range(9))
    curve = Curve(
        (Point("Q1_0", 1.1, 0.6, front=True), Point("Q8_0", 8.5, 5e-3, front=True), *crowd), "", ("T0_0", 4.25)
    )
    placed = labels(curve, axes_of(curve, LOOK), LOOK)
    led = [label for label in placed if label.to is not None]
    assert led
    for label in led:
        ends = np.array([[label.x if label.to[0] < label.x else label.x + len(label.name) * 7.2, label.y], label.to])
        steps = ends[0] + (ends[1] - ends[0]) * np.linspace(0, 1, 50)[:, None]
        for other in placed:
            if other is not label:
                across = (other.x < steps[:, 0]) & (steps[:, 0] < other.x + len(other.name) * 7.2)
                assert not (across & (abs(steps[:, 1] - other.y) < 7)).any(), (label.name, other.name)


def test_what_loses_nothing_is_named_beside_its_line(qapp: QApplication) -> None:
    curve = Curve((Point("F32", 32, 0.0), Point("F16", 16, 0.0), Point("BF16", 16, 0.0, front=True)), "", ("F32", 32))
    axes = axes_of(curve, LOOK)
    image = draw(curve, LOOK).image
    middle = round(axes.at.bottom - axes.floor / 2)
    left = [image.pixelColor(x, y) for y in range(middle - 6, middle + 6) for x in range(5, round(axes.at.left) - 8)]
    assert (
        QColor(LIGHT.base) in left and len(set(map(QColor.name, left))) > 2
    )  # its words stand where the errors are named
    assert {label.name for label in labels(curve, axes, LOOK)} == {"F32", "F16", "BF16"}


def test_the_curve_is_drawn_where_it_says(qapp: QApplication) -> None:
    drawn = draw(CURVE, LOOK)
    assert drawn.image.width() == 500 and len(drawn.spots) == len(POINTS)
    colors = {name: drawn.image.pixelColor(round(x), round(y)) for name, x, y in drawn.spots}
    assert colors["Q6_K"] == QColor(LIGHT.second) and colors["F16"] == QColor(LIGHT.series)
    assert colors["Q8_0"] == QColor(LIGHT.base)  # a ring: another type beats it


def test_a_saved_curve_has_its_names_letter_by_letter(qapp: QApplication, tmp_path) -> None:
    path = tmp_path / "curve.svg"
    save(CURVE, "blk.$0$", "Q6_K", Look(800, 500, 1.0, "DejaVu Sans", 12, LIGHT), str(path))
    text = path.read_text()
    assert "blk.$0$" in text and "IQ4_NL" in text and "now Q6_K" in text
