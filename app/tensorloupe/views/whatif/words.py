"""What the view of other types says in words: what errors are measured against, how far it is, one type read out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import weightmap
from tensorloupe.items.trials import Trial
from tensorloupe.style import text
from tensorloupe.views.facts import duration
from tensorloupe.views.whatif.trying import Trying
from tensorloupe.weights import kind_name

if TYPE_CHECKING:
    from tensorloupe.weights import Weight


def against(tensor: Weight, reference: str = "", own: weightmap.PairError | None = None) -> str:
    """What the errors are measured against, in a sentence; `reference` is the name of one, `own` this file's own error."""
    if reference:
        known = "" if own is None or own.rmse is None else ", whose own error is marked by a diamond"
        return f"Errors against {reference}: what each type would leave of the original, beside this file{known}."
    name = kind_name(tensor)
    if isinstance(tensor, weightmap.Tensor) and tensor.type.elements == 1 and tensor.bits_per_weight >= 16:
        return f"Errors against the {name} values of this file."
    return (
        f"Errors against the values that this tensor holds now, as {name}: the loss of quantizing again, on top of what "
        "was lost before."
    )


def read_out(row: Trial) -> str:
    """A type in one line."""
    if row.found is None:
        return row.type
    if row.error is None:
        return f"{row.type} · {row.found.problem}"
    db = "no loss" if row.found.sqnr_db is None else f"{row.found.sqnr_db:.1f} dB"
    return f"{row.type} · {text.bits(row.bits)} bits · relative error {text.number(row.error, 3)} · {db}"


def status_line(trying: Trying) -> str:
    """How sure it is, of how many values in how many types; empty while that is not known."""
    if trying.state == "cancelled":
        return f"cancelled at {trying.known} of {len(trying.kinds)} types"
    if trying.state not in ("done", "waiting") or trying.tensor is None:
        return ""
    tried = sum(kind.name in trying.found and trying.found[kind.name].problem is None for kind in trying.kinds)
    took = f" in {duration(trying.seconds)}" if trying.seconds else ""
    values = text.counted(trying.tensor.count, "value")
    left = f" · {text.counted(len(trying.missing), 'slow type')} not tried" if trying.state == "waiting" else ""
    return f"exact · {values} in {text.counted(tried, 'type')}{took}{left}"
