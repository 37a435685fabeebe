from pytestqt.qtbot import QtBot

from tensorloupe.style.theme import Theme
from tensorloupe.views.numbers import Numbers
from tensorloupe.views.rows import Number, Section


def test_numbers_are_there_as_text_in_full(qtbot: QtBot) -> None:
    numbers = Numbers(Theme("light"))
    qtbot.addWidget(numbers)
    numbers.show_sections(
        [Section("Values", (Number("mean", "1.5e−05", short="mean", exact="1.5123e-05"), Number("NaN", "0")))]
    )
    assert numbers.text() == "mean\t1.5123e-05\nNaN\t0"
    assert numbers.accessibleDescription() == numbers.text()
    column = numbers.heightForWidth(250)
    numbers.flow = True
    assert 0 < numbers.heightForWidth(600) < column
    assert numbers.heightForWidth(40) >= numbers.heightForWidth(600)
