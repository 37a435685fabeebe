"""Views are made before their tabs are opened, one at a time, while nothing else runs."""

from __future__ import annotations

from tensorloupe.views import VIEWS


def test_views_are_made_before_they_are_opened(qtbot, opened, model_file):
    window = opened(model_file)
    area = window.explorer.area
    area.maker._pause.setInterval(10)
    qtbot.waitUntil(lambda: len(list(area.maker)) == len(VIEWS), timeout=20_000)
    assert not next(view for view in area.maker if view.slot == "overview")._loads  # the plot library can wait
    assert not any(view.isVisible() for view in area.maker)
    prepared = {view.slot: view for view in area.maker}
    window.explorer.tree.select(window.contents.outline.tensors[0])
    for position, kind in enumerate(VIEWS):
        area.open_tab(position)
        if kind.supports(window.document.selected):
            assert area.view is prepared.get(area.view.slot, area.view)
    assert len(list(area.maker)) == len(VIEWS)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_no_view_is_made_while_other_work_runs(qtbot, opened, model_file):
    window = opened(model_file)
    area = window.explorer.area
    made = len(list(area.maker))
    area.maker._pause.setInterval(1)
    gone = []
    window.tasks.start(
        "other", "", lambda go: [None for _ in iter(lambda: not gone and go(0, 1), False)], lambda _: None
    )
    area.maker.prepare()
    for _ in range(5):
        qtbot.waitSignal(area.maker._pause.timeout).wait()
    assert len(list(area.maker)) == made
    gone.append(True)
    qtbot.waitUntil(lambda: len(list(area.maker)) == len(VIEWS), timeout=20_000)


def test_a_view_that_was_being_made_is_not_lost_when_another_is_opened(qtbot, opened, model_file):
    window = opened(model_file)
    area = window.explorer.area
    tensor = window.contents.outline.tensors[0]
    window.explorer.tree.select(tensor)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    area.maker._pause.stop()
    supporting = {kind.key for kind in VIEWS if kind.supports(tensor)}
    half = None
    while half is None or half.slot not in supporting:
        area.maker._put_loose()
        area.maker._prepare_one()
        half = area.maker._loose[1]
    area.open_tab(area.all_views().index("values"))
    assert all(area.isAncestorOf(view) for view in area.maker)
    area.open_tab(area.all_views().index(half.slot))
    assert area.view is half
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_large_views_are_made_in_steps_where_nobody_waits(qtbot, opened, model_file):
    window = opened(model_file)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    context = window.explorer.area._context
    makers = {kind.key: kind.make for kind in VIEWS}
    for key in ("blocks", "error"):
        context.unhurried = True
        half = makers[key](context)
        context.unhurried = False
        qtbot.addWidget(half)
        assert not hasattr(half, "stage")
        steps = 0
        while half.build_on():
            steps += 1
        assert steps >= 3 and half.stage is not None
        whole = makers[key](context)
        qtbot.addWidget(whole)
        assert whole.stage is not None and not whole.build_on()
