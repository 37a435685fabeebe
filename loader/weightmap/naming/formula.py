"""Dimensions as arithmetic over hyperparameters: `K*H+2*K*HK` is parsed once and evaluated for as many files as come."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

Lookup = Callable[[str], int | None]


@dataclass(frozen=True, slots=True)
class Formula:
    """One dimension. `symbols` are the letters of `weightmap.naming.symbols` in it, in the order of the text."""

    text: str
    symbols: tuple[str, ...]
    _tree: ast.expr

    def __call__(self, lookup: Lookup) -> int | None:
        """The value, or None where a symbol has none or is divided by zero. Python integers: nothing overflows."""
        return _value(self._tree, lookup)


@cache
def formula(text: str) -> Formula:
    """The formula that the text spells: whole numbers, symbols, + - * / and parentheses. Raises ValueError for others."""
    tree = ast.parse(text, mode="eval").body
    names = sorted((node for node in ast.walk(tree) if isinstance(node, ast.Name)), key=lambda node: node.col_offset)
    parsed = Formula(text, tuple(dict.fromkeys(node.id for node in names)), tree)
    parsed(lambda symbol: 1)
    return parsed


def _value(node: ast.expr, lookup: Lookup) -> int | None:
    match node:
        case ast.Constant(value=int() as number):
            return number
        case ast.Name(id=symbol):
            return lookup(symbol)
        case ast.BinOp(left=left, op=operator, right=right):
            a, b = _value(left, lookup), _value(right, lookup)
            return None if a is None or b is None else _apply(operator, a, b)
    raise ValueError(f"no formula of a dimension: {ast.unparse(node)}")


def _apply(operator: ast.operator, a: int, b: int) -> int | None:
    match operator:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
        case ast.Div():
            return None if b == 0 else a // b  # what is left over is dropped, as loaders do
    raise ValueError(f"no operator of a dimension: {operator}")
