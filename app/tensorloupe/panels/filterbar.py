"""The filter above the tree: a field, the terms that hold as chips, chips to add some by mouse, and how many are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from tensorloupe.items.filter import Term, is_open, parse
from tensorloupe.items.outline import STATUSES, Outline
from tensorloupe.style import text
from tensorloupe.style.status import WORDS
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.widgets.controls import Chip, PlainLabel
from tensorloupe.widgets.field import SearchField
from tensorloupe.widgets.flow import FlowLayout

_SIZES = ("> 1 kB", "> 100 kB", "> 1 MB", "> 10 MB", "> 100 MB")
_REST = 120  # milliseconds of rest after a key before a large tree is filtered
_CHIPS_FROM = 320  # width of the panel from which the chips for type, status and size are always there


class FilterBar(QWidget):
    """Says which terms hold. Typed words count as they are typed; a finished type:, status: or size term becomes a chip."""

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._kept: list[Term] = []
        self._chips: list[Chip] = []
        self._outline: Outline | None = None
        self.field = SearchField(theme, "Filter by name, type:, status:, size", "Ctrl+F")
        self.field.setAccessibleName("Filter tensors")
        self.field.installEventFilter(self)
        self._count = PlainLabel(theme, "secondary", SECONDARY)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST)
        self._rest.timeout.connect(self.changed)
        self.field.textChanged.connect(self._typed)
        self._flow_holder = QWidget()
        self._flow = FlowLayout(self._flow_holder, gap=6)
        self._flow.setContentsMargins(0, 0, 0, 0)
        self._adders = [self._adder(word) for word in ("size", "type", "status")]
        for adder in self._adders:
            self._flow.addWidget(adder)
        self._row = QWidget()
        row = QHBoxLayout(self._row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._flow_holder, 1)
        row.addWidget(self._count)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(8)
        column.addWidget(self.field)
        column.addWidget(self._row)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms that hold: those kept as chips and those being typed."""
        return (*self._kept, *parse(self.field.text()))

    def set_outline(self, outline: Outline | None) -> None:
        """Offer the types and states of another file. The filter stays."""
        self._outline = outline
        self._arrange()

    def set_counts(self, shown: int, total: int) -> None:
        """Say how many tensors are shown."""
        said = f"{text.count(total)} shown" if shown == total else f"{text.count(shown)} of {text.count(total)} shown"
        self._count.set_text(said)

    def clear(self) -> bool:
        """Take all terms away; says whether there were any."""
        had = bool(self.terms) or bool(self.field.text())
        self._kept.clear()
        self.field.clear()
        self._rest.stop()
        if had:
            self._arrange()
            self.changed.emit()
        return had

    def add(self, typed: str) -> None:
        """Keep a term as a chip, as if it had been typed. Of one kind only the last size holds."""
        for term in parse(typed):
            if term.kind == "size":
                self._kept = [kept for kept in self._kept if kept.kind != "size" or kept.sign != term.sign]
            if term not in self._kept:
                self._kept.append(term)
        self._arrange()
        self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and watched is self.field:
            if event.text() in (" ", "\r", "\n"):
                return self._keep_typed(event.text() == " ")
            if event.text() == "\b" and not self.field.text() and self._kept:
                self._remove(self._kept[-1])
                return True
        return super().eventFilter(watched, event)

    def fit(self, width: int) -> None:
        """Hide the chips where there is no room for them, unless a filter holds."""
        self._row.setVisible(width >= _CHIPS_FROM or bool(self.terms))

    def _typed(self, typed: str) -> None:
        self.fit(self.width())
        if self._outline is not None and len(self._outline.tensors) > 5000:
            self._rest.start()
        else:
            self.changed.emit()

    def _keep_typed(self, space: bool) -> bool:
        """Turn what stands in the field into chips where it is a finished term; says whether the key is used up."""
        typed = parse(self.field.text())
        done = [term for term in typed if term.kind != "text"]
        if not done or (space and (len(done) < len(typed) or is_open(self.field.text()))):
            return False
        words = [term for term in typed if term.kind == "text"]
        self._kept += [term for term in done if term not in self._kept]
        self.field.setText(" ".join(term.text for term in words))
        self._arrange()
        self.changed.emit()
        return True

    def _remove(self, term: Term) -> None:
        self._kept.remove(term)
        self._arrange()
        self.changed.emit()

    def _arrange(self) -> None:
        for chip in self._chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = [self._kept_chip(term) for term in self._kept]
        if self._outline is not None:
            self._chips += self._status_chips(self._outline)
        for position, chip in enumerate(self._chips):
            self._flow.insertWidget(position, chip)
        self.fit(self.width())

    def _kept_chip(self, term: Term) -> Chip:
        chip = Chip(self._theme, term.text, f"Remove the filter {term.text}", icon="cross")
        chip.setCheckable(True)
        chip.setChecked(True)
        chip.clicked.connect(lambda: self._remove(term))
        return chip

    def _status_chips(self, outline: Outline) -> list[Chip]:
        """How many tensors have which state, where that is worth a look: one chip each, to filter by it."""
        counts = Counter(outline.rank[outline.listed].tolist())
        if not any(STATUSES[rank] in ("warning", "error") for rank in counts):
            return []
        chips = []
        for rank in sorted(counts, reverse=True):
            status = STATUSES[rank]
            if any(term.kind == "status" and status in term.values for term in self._kept):
                continue
            chip = Chip(self._theme, f" {text.count(counts[rank])}", f"Show only: {WORDS[status]}", status=status)
            chip.clicked.connect(lambda _=False, status=status: self.add(f"status:{status}"))
            chips.append(chip)
        return chips

    def _adder(self, word: str) -> Chip:
        chip = Chip(self._theme, word, f"Filter by {word}", icon="down")
        menu = QMenu(chip)
        menu.aboutToShow.connect(lambda: self._fill(menu, word))
        chip.setMenu(menu)
        chip.setPopupMode(Chip.ToolButtonPopupMode.InstantPopup)
        return chip

    def _fill(self, menu: QMenu, word: str) -> None:
        menu.clear()
        for shown, typed in self._choices(word):
            menu.addAction(shown.replace("&", "&&")).triggered.connect(lambda _=False, typed=typed: self.add(typed))

    def _choices(self, word: str) -> Sequence[tuple[str, str]]:
        if word == "size":
            return [(size, f"size {size}") for size in _SIZES]
        if self._outline is None:
            return []
        if word == "type":
            counts = Counter(self._outline.types)
            return [(f"{name}\t{text.count(n)}", f"type:{name}") for name, n in counts.most_common()]
        present = Counter(self._outline.rank[self._outline.listed].tolist())
        return [(f"{WORDS[STATUSES[r]]}\t{text.count(n)}", f"status:{STATUSES[r]}") for r, n in sorted(present.items())]
