"""What the view of other types says in words: what errors are measured against, how far it is, one type read out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import weightmap
from tensorloupe.items.measures import share
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
    about, part = ("", "") if row.found.sampled is None else (f"{text.ABOUT} ", f" · {row.found.sampled}")
    return f"{row.type} · {text.bits(row.bits)} bits · relative error {about}{share(row.error)} · {about}{db}{part}"


def sample_of(rows: Iterable[Trial]) -> str:
    """What errors come from where not every value was tried, as in "sample: 1 of every 16 rows"; else empty."""
    measured = [row.found for row in rows if row.found is not None and row.error is not None]
    parts = {found.sampled for found in measured if found.sampled is not None}
    whole = any(found.sampled is None for found in measured)
    return f"{f'{text.ABOUT} ' if whole else ''}sample: {', '.join(sorted(parts))}" if parts else ""


def far(trying: Trying) -> str:
    """How many of the types were tried: on all values, where those are being tried after a sample."""
    of = f"{len(trying.kinds)} types"
    return f"{trying.exact} of {of}, all values" if trying.refining else f"{trying.known} of {of}"


def status_line(trying: Trying) -> str:
    """How sure it is, of how many values in how many types; empty while that is not known."""
    if trying.state == "cancelled":
        rest = "; of the others a sample is known" if trying.refining else ""
        return f"cancelled at {far(trying)}{rest}"
    if trying.state not in ("done", "sampled", "asking") or trying.tensor is None or not trying.known:
        return ""
    rows = [trying.found[kind.name] for kind in trying.kinds if kind.name in trying.found]
    tried = [row for row in rows if row.problem is None]
    rough = [row for row in tried if row.sampled is not None]
    whole = len(tried) - len(rough)
    took = f" in {duration(trying.seconds)}" if trying.seconds else ""
    exact = f"exact · {text.counted(trying.tensor.count, 'value')} in {text.counted(whole, 'type')}"
    if not rough:
        return f"{exact}{took}"
    sample = f"sample: {rough[0].sampled} in {text.counted(len(rough), 'type')}{took}"
    return f"{exact} · {sample}" if whole else sample
