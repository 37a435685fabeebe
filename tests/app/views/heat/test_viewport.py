from __future__ import annotations

import pytest

from tensorloupe.views.heat.viewport import Axis, Viewport, closer, farther


def zoomed_in(view: Viewport, steps: int, x: float = 350, y: float = 300) -> Viewport:
    for _ in range(steps):
        view = view.zoomed(closer(view.zoom), x, y)
    return view


@pytest.mark.parametrize(
    ("rows", "columns"), [(640, 2048), (262_144, 640), (1, 640), (3, 3), (4, 100_000), (1, 1), (2048, 1), (50, 60)]
)
def test_a_fitted_matrix_is_wholly_in_view_and_zooming_out_comes_back_to_it(rows: int, columns: int) -> None:
    view = Viewport.fitted(rows, columns, 600, 700)
    assert view.is_fitted
    assert (view.rows.window, view.columns.window) == ((0, rows), (0, columns))
    assert view.rows.shown <= 600 and view.columns.shown <= 700
    near = zoomed_in(view, 50)
    assert near.elements
    for _ in range(60):
        near = near.zoomed(farther(near.zoom), 100, 100)
    assert near == view


def test_values_have_whole_pixels_and_are_square_from_one_pixel_on() -> None:
    view = Viewport.fitted(640, 2048, 600, 700)
    scales = []
    for _ in range(30):
        view = view.zoomed(closer(view.zoom), 10, 10)
        scales.append((view.rows.scale, view.columns.scale))
    large = [pair for pair in scales if min(pair) >= 1]
    assert large[0] == (1.0, 1.0) and large[-1] == (64, 64)
    assert all(rows == columns == int(rows) for rows, columns in large)


def test_the_value_under_the_pointer_stays_there() -> None:
    view = zoomed_in(Viewport.fitted(640, 2048, 600, 700), 9)
    row, column = view.rows.value_at(301), view.columns.value_at(402)
    for _ in range(6):
        view = view.zoomed(closer(view.zoom), 402, 301)
        assert (view.rows.value_at(301), view.columns.value_at(402)) == (row, column)


def test_moving_stops_at_the_borders() -> None:
    view = zoomed_in(Viewport.fitted(640, 2048, 600, 700), 12)
    assert view.moved(-(10**6), -(10**6)).rows.window[0] == 0
    far = view.moved(10**6, 10**6)
    assert (far.rows.window[1], far.columns.window[1]) == (640, 2048)


def test_positions_and_pixels_answer_each_other() -> None:
    axis = Axis(values=640, room=600, scale=15, first=100)
    assert axis.window == (6, 47)
    assert axis.at(10) == 50
    assert axis.value_at(50) == 10 and axis.value_at(49) == 9
    assert axis.value_at(600) is None and axis.value_at(-1) is None
    assert axis.cells == 41
    reduced = Axis(values=640, room=200, scale=0.3125)
    assert (reduced.extent, reduced.cells, reduced.window) == (200, 200, (0, 640))


def test_a_value_is_brought_into_view() -> None:
    view = zoomed_in(Viewport.fitted(640, 2048, 600, 700), 12).showing(600, 2000, centre=True)
    (r0, r1), (c0, c1) = view.rows.window, view.columns.window
    assert r0 <= 600 < r1 and c0 <= 2000 < c1
    assert view.showing(600, 2000) == view


def test_another_room_keeps_the_place() -> None:
    view = zoomed_in(Viewport.fitted(640, 2048, 600, 700), 12).showing(100, 1000, centre=True)
    small = view.resized(300, 400, 1.0)
    assert (small.rows.scale, small.rows.room, small.columns.room) == (view.rows.scale, 300, 400)
    assert small.rows.window[0] == view.rows.window[0]
    assert Viewport.fitted(640, 2048, 600, 700).resized(300, 400, 1.0) == Viewport.fitted(640, 2048, 300, 400)
