"""What the Error view says: of the selected tensor, of how far the whole comparison is, and of what halted it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorloupe.compared import Compared
from tensorloupe.comparing.wording import Told, nothing_pairs, told, told_unpaired
from tensorloupe.style import text
from tensorloupe.views.notice import explained

if TYPE_CHECKING:
    from tensorloupe.readable import Shown


def about(comparing: Compared, tensor: Shown | None) -> Told | None:
    """The selected tensor in a sentence; where nothing pairs at all, that."""
    errors = comparing.errors
    if errors is None:
        return None
    if not errors.pairs:
        return nothing_pairs(errors, comparing.name)
    row = comparing.row_of(tensor)
    if row is not None:
        return told(errors, row)
    return None if tensor is None else told_unpaired(errors, tensor.name, comparing.name)


def how_far(comparing: Compared) -> str:
    """One line for the status bar: what was compared, or how far it is."""
    errors = comparing.errors
    if errors is None:
        return ""
    total = len(errors.pairs)
    if not total:
        return f"nothing in {comparing.name} pairs with this file"
    if comparing.stage == "done":
        values = sum(error.count for error in errors.errors if error is not None)
        return f"exact · {text.counted(total, 'pair')}, {text.counted(values, 'value')} compared"
    word = {"cancelled": "cancelled at ", "failed": "stopped at "}.get(comparing.stage, "")
    return f"{word}{text.count(errors.measured)} of {text.counted(total, 'pair')}"


def halted(comparing: Compared) -> Told | None:
    """Measuring that ended before all was measured; None while it runs, or is done."""
    errors = comparing.errors
    if errors is None or comparing.stage not in ("cancelled", "failed"):
        return None
    if comparing.reason is None:
        at = f"{text.count(errors.measured)} of {text.counted(len(errors.pairs), 'pair')}"
        return Told("info", f"Cancelled at {at}.", "")
    return Told("error", *explained(comparing.reason))
