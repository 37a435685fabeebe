"""Which grid the shape of scales says. Shapes go before the config; what fits nothing is refused, never stretched to fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from weightmap.companions.base import shown
from weightmap.companions.config import QuantConfig
from weightmap.companions.grids.grid import (
    USUAL_BLOCKS,
    Grid,
    Shape,
    expected_blocks,
    in_blocks,
    in_groups,
    one_for_all,
    per_leading,
    without_ones,
)
from weightmap.companions.integers.order import plausible


@dataclass(frozen=True, slots=True)
class Fit:
    """How scales lie.

    kind           "tensor", "expert", "channel", "block", "group"
    words          the same for a sentence, with {} for the type of the scales
    assumed        what the shapes leave open, in a sentence
    contradiction  what the config says instead, as the end of a sentence
    others         (name, grid) of the other readings that the shapes leave open
    """

    kind: str
    grid: Grid
    words: str
    assumed: str | None = None
    contradiction: str | None = None
    others: tuple[tuple[str, Grid], ...] = ()


def fit(shape: Shape, scales: Shape, type: str, config: QuantConfig, module: str) -> Fit | str:
    """The grid of `scales` over a weight of `shape`, or what they should be, as the end of a sentence after "but "."""
    found = _fit(shape, scales, type, config, module)
    if isinstance(found, str) or found.contradiction is not None:
        return found
    other = other_strategy(shape, prod(scales), config, module)
    return found if other is None else replace(found, contradiction=other)


def other_strategy(shape: Shape, scales: int, config: QuantConfig, module: str) -> str | None:
    """What the config says instead about so many scales of a weight of `shape`, as Fit has it; None where it agrees."""
    told, size, block = config.word("strategy", module), config.number("group_size", module), config.block(module)
    if not told and block is not None and config.method == "fp8" and "embed" not in module:
        told = "block"
    counts = {"tensor": max(prod(shape[:-2]), 1), "channel": prod(shape[:-1])}
    if size is not None and shape:
        counts["group"] = prod(shape[:-1]) * -(-shape[-1] // size)
    if block is not None and len(shape) > 1:
        counts["block"] = prod(expected_blocks(shape, *block))
    wanted = counts.get(told)
    if wanted is None or scales == wanted or (told == "tensor" and scales < wanted):
        return None
    return f"one scale per {told}, {wanted:,} of them, but there {'is 1' if scales == 1 else f'are {scales:,}'}"


def _fit(shape: Shape, scales: Shape, type: str, config: QuantConfig, module: str) -> Fit | str:
    if prod(scales) == 1:
        return Fit("tensor", one_for_all(shape), "one {} scale")
    if not shape:
        return "one number has one scale."
    if (axes := _leading(shape, scales)) is not None:
        whole = axes == len(shape) - 1
        kind = "channel" if whole else "expert"
        columns = len(shape) == 3 and scales == (shape[0], shape[2]) and shape[1] == shape[2]
        assumed = (
            "The scales could be those of rows or of columns, for both are equally many; rows are assumed."
            if columns
            else None
        )
        others = (("scales of columns", _by_columns(shape)),) if columns else ()
        words = "one {} scale per " + ("row" if whole else "matrix")
        return Fit(kind, per_leading(shape, axes), words, assumed, None, others)
    if len(shape) >= 2 and len(scales) == len(shape) and scales[:-2] == shape[:-2]:
        return _blocks(shape, scales, type, config, module)
    if len(shape) == 3 and scales in ((shape[0], shape[2]), (shape[0], 1, shape[2])):
        return Fit("column", _by_columns(shape), "one {} scale per column of each matrix")
    rows = f"{shape[-2]:,} scales (one per row)" if len(shape) > 1 else f"{shape[0]:,} scales"
    grid = f", or {shown(expected_blocks(shape, 128, 128))} for blocks of 128 × 128" if len(shape) > 1 else ""
    return f"a weight of {shown(shape)} has one scale, {rows}{grid}."


def _by_columns(shape: Shape) -> Grid:
    return Grid(shape[1], shape[1], shape[2], 1)


def _leading(shape: Shape, scales: Shape) -> int | None:
    """Over how many leading axes the scales run, where that is what their shape says."""
    bare = without_ones(scales)
    if len(scales) > len(shape) or not bare or bare != shape[: len(bare)] or len(bare) > max(len(shape) - 1, 1):
        return None
    return len(bare)


def _blocks(shape: Shape, scales: Shape, type: str, config: QuantConfig, module: str) -> Fit | str:
    told = config.block(module)
    if told is None and (size := config.number("group_size", module)) is not None:
        told = 1, size
    if type in ("U8", "F8_E8M0") and scales == expected_blocks(shape, 1, 32):
        return _group(shape, 32)
    for tall, wide in dict.fromkeys([told or (128, 128), *USUAL_BLOCKS]):
        if scales == expected_blocks(shape, tall, wide):
            contradiction = None
            if told is not None and (tall, wide) != told:
                contradiction = f"blocks of {told[0]:,} × {told[1]:,}, but the scales are those of {tall:,} × {wide:,}"
            if tall == 1:
                return _group(shape, wide, contradiction)
            words = f"one {{}} scale per block of {tall:,} × {wide:,}"
            return Fit("block", in_blocks(shape, tall, wide), words, None, contradiction)
    if scales[-2] == shape[-2] and plausible(shape[-1], scales[-1]) and type not in ("U8", "F8_E8M0"):
        wide = shape[-1] // scales[-1]
        other = f"blocks of {told[0]:,} × {told[1]:,}, but the scales are one per {wide:,} values" if told else None
        return _group(shape, wide, other)
    return _misfit(shape, scales, (1, 32) if told is None and type == "U8" else told)


def _group(shape: Shape, wide: int, contradiction: str | None = None) -> Fit:
    return Fit("group", in_groups(shape, wide), f"one {{}} scale per {wide:,} values of a row", None, contradiction)


def _misfit(shape: Shape, scales: Shape, told: tuple[int, int] | None) -> str:
    tall, wide = told or (128, 128)
    wanted, shared, rows = expected_blocks(shape, tall, wide), f"in blocks of {tall:,} × {wide:,}", shape[-2]
    turned = scales[-2:] == (1, rows)
    if told is None and (turned or (scales[-1] == 1 and abs(scales[-2] - rows) < abs(scales[-2] - wanted[-2]))):
        wanted, shared = (*shape[:-1], 1), "with a scale for each row"
    why = ""
    if scales[-2:] == wanted[:-3:-1]:
        why = " The grid is transposed."
    elif scales[-2] == wanted[-2] or scales[-1] == wanted[-1]:
        axis = "columns" if scales[-2] == wanted[-2] else "rows"
        more = (scales[-1] - wanted[-1]) or (scales[-2] - wanted[-2])
        many = f"is 1 {axis[:-1]}" if abs(more) == 1 else f"are {abs(more):,} {axis}"
        why = f" There {many} of scales too {'many' if more > 0 else 'few'}."
    return f"a weight of {shown(shape)} {shared} has {shown(wanted)} scales.{why}"
