"""What the heatmap says of itself in the status bar and above a saved picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import weightmap
from tensorloupe.readable import block_of, bordered, name_of, words_of
from tensorloupe.style.text import count, counted, shape
from tensorloupe.views.heat.cells import Picture, rule_words

if TYPE_CHECKING:
    from tensorloupe.readable import Readable


def status_line(picture: Picture) -> str:
    """How sure it is, how many values are in view, what a pixel stands for."""
    (r0, r1), (c0, c1) = picture.rows, picture.columns
    sure = "exact" if picture.sampled is None else f"sample: {picture.sampled}"
    words = rule_words(picture)
    return f"{sure} · {counted((r1 - r0) * (c1 - c0), 'value')} in view" + (f", one pixel: {words}" if words else "")


def border_word(tensor: Readable | None) -> str:
    """What borders part: stored tensors have blocks, weights in several tensors groups that share a scale, and so have pairs."""
    if tensor is None:
        return "block"
    return "group" if not hasattr(tensor, "type") or getattr(tensor, "group_shape", None) else "block"


def hint_of(tensor: Readable | None) -> str:
    """What mouse and keys do, for the status bar."""
    what = border_word(tensor)
    opens = "opens the block" if what == "block" else "shows how the value is made"
    return f"Wheel zooms · drag pans · Shift+arrows move by one {what} · Enter or double click {opens} · N next NaN"


def without_borders(tensor: Readable, group: tuple[int, int] | None) -> str:
    """Why no borders of blocks, or of the `group` that shares a scale, are drawn, in a sentence; empty where they are."""
    if bordered(tensor):
        return ""
    if border_word(tensor) == "group":
        return "" if group is None else _without_groups(group, *(1, 1, *tensor.shape)[-2:])
    if block_of(tensor) > 1:
        return f"Rows of {count(tensor.shape[-1])} values are no whole number of blocks of {count(block_of(tensor))}."
    if isinstance(tensor, weightmap.Tensor):
        return f"{tensor.type.name} has no blocks: each value is stored by itself."
    assert isinstance(tensor, weightmap.PairValues)  # others have groups
    return f"{weightmap.printable(tensor.pair.type)} has no blocks along the rows."


def _without_groups(group: tuple[int, int], rows: int, columns: int) -> str:
    tall, wide = group
    if not wide:
        return "Values that share a scale do not lie side by side here: no lines would part them."
    if 1 < tall < rows or 1 < wide < columns:
        return ""
    if tall >= rows:
        return "One scale is for all of these values." if wide >= columns else "Each column has a scale of its own."
    return "Each row has a scale of its own." if wide >= columns else "Each value has a scale of its own."


def title_lines(picture: Picture) -> tuple[str, str]:
    """The name, and a line of what is shown of it."""
    request, tensor = picture.request, picture.request.tensor
    (r0, r1), (c0, c1) = picture.rows, picture.columns
    kind = "" if isinstance(tensor, weightmap.PairValues) else words_of(tensor)
    words = [kind, shape(tensor.shape)]
    if request.index:
        words.append(f"slice {', '.join(count(i) for i in request.index)}")
    words.append(f"rows {count(r0)} – {count(r1 - 1)}, columns {count(c0)} – {count(c1 - 1)}")
    words += [rule_words(picture), picture.sampled or ""]
    return name_of(tensor), " · ".join(word for word in words if word)
