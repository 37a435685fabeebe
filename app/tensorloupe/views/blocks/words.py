"""A block in words: its formula with numbers in it, codes and values as text, where it lies."""

from __future__ import annotations

import re

import numpy as np

import weightmap
from tensorloupe.style import text
from tensorloupe.views.exact import copied

_WORD = re.compile(r"[a-z]+")


def formula(block: weightmap.Block, element: int) -> str:
    """How one value comes about, with the numbers in place of the words: "1.2243e−04 × 51 × 3 − 1.2236e−03 × 48"."""
    terms = block.terms(element)
    return _WORD.sub(lambda word: _term(terms[word.group()]), block.formula)


def _term(value: float) -> str:
    shown = str(value) if isinstance(value, int) else significant(value, 5)
    shown = shown.replace("-", text.MINUS)
    return f"({shown})" if shown.startswith(text.MINUS) else shown


def significant(value: float, digits: int) -> str:
    """A float with so many significant digits, none of them dropped where it is zero: −0.04000, 1.2243e−04."""
    if not np.isfinite(value) or value == 0:
        return text.number(float(value))
    if 1e-3 <= abs(value) < 1e5:
        decimals = max(digits - 1 - int(np.floor(np.log10(abs(value)))), 0)
        return f"{value:.{min(decimals, digits + 2)}f}".replace("-", text.MINUS)
    return f"{value:.{digits - 1}e}".replace("-", text.MINUS)


def code_texts(block: weightmap.Block) -> tuple[list[str], str]:
    """Every code as text, and in which notation: signed ones in decimals, all others in hexadecimal digits."""
    if block.type.first_code < 0:
        return [str(code).replace("-", text.MINUS) for code in block.codes.tolist()], "signed, decimal"
    digits = len(f"{len(block.type.level_values()) - 1 + block.type.first_code:x}")
    return [f"{code:0{digits}X}" for code in block.codes.tolist()], "hexadecimal"


def place(block: weightmap.Block) -> str:
    """Where a block lies: "row 212, columns 256 – 511", with the slice before it where there is one."""
    *leading, first = block.position
    last = first + block.type.elements - 1
    columns = f"columns {text.count(first)} – {text.count(last)}"
    if not leading:
        return columns
    row = f"row {text.count(leading[-1])}, {columns}"
    return f"slice {', '.join(text.count(i) for i in leading[:-1])}, {row}" if leading[:-1] else row


def title_words(tensor: weightmap.Tensor, block: weightmap.Block, blocks: int) -> str:
    """What is shown of a tensor: "Q4_K · 640 × 1,024 · block 849 of 2,560 · row 212, columns 256 – 511"."""
    number = f"block {text.count(block.index)} of {text.count(blocks)}"
    return " · ".join((tensor.type.name, text.shape(tensor.shape), number, place(block)))


def element_place(block: weightmap.Block, element: int) -> str:
    """Where an element lies: "row 212, column 263"."""
    column = block.position[-1] + element
    if len(block.position) < 2:
        return f"index {text.count(column)}"
    return f"row {text.count(block.position[-2])}, column {text.count(column)}"


def value_range(values: np.ndarray) -> str:
    """The least and the largest of some values."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return "none finite"
    shown = " to ".join(text.number(float(value), 3, zeros=True) for value in (finite.min(), finite.max()))
    return shown if len(finite) == len(values) else f"{shown}, {len(values) - len(finite)} not finite"


def elements_text(block: weightmap.Block) -> str:
    """Every element as a line of tab-separated text: its number, code, level and value."""
    rows = ["element\tcode\tlevel\tvalue"]
    for element, (level, value) in enumerate(zip(block.levels, block.values, strict=True)):
        code = block.codes[element // block.type.code_elements]
        rows.append(f"{element}\t{code}\t{copied(level)}\t{copied(value)}")
    return "\n".join(rows)


def health_line(health: weightmap.BlockHealth | None) -> str:
    """The line of the status bar, empty as long as not all blocks were looked at."""
    blocks = "" if health is None else text.counted(health.blocks, "block")
    return f"exact · {blocks}, every code and scale looked at" if blocks else ""
