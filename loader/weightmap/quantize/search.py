"""The searches behind the K-quants: scales, or scales and minima, with the smallest weighted error over a group's values.

Each tries some slightly different first guesses; the codes that a guess gives decide the best scale by least squares. All
work on lanes (group, groups) and change nothing of what they are given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.quantize.base import nearest, peak, settled, total
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace

TINY = np.float32(1e-15)  # groups below it are taken for zeros


class Plan(NamedTuple):
    """How scales and minima are searched: codes 0 to `most`; the range of a guess is most + first + step * try.

    magnitude   errors count by their magnitude, not by their square
    """

    most: int
    first: float
    step: float
    tries: int
    magnitude: bool = False


def scales_and_minima(
    x: Floats, weights: Floats, plan: Plan, work: Workspace, codes: Floats | None = None
) -> tuple[Floats, Floats]:
    """(scale, how far the lowest value lies below zero) of each column: float32 (groups,), neither is negative.

    `codes`, float32 in the shape of `x`, gets the codes of the best try; who derives them anew leaves it out.
    """
    shape = x.shape
    code, term, weighted = (work.array(f"encode {n}", shape, np.float32) for n in ("code", "term", "weighted"))
    highest, lowest = x.max(axis=0), np.minimum(x.min(axis=0), np.float32(0))
    flat = highest == lowest
    highest[flat] = lowest[flat] + 1
    weight, weight_x = total(weights), total(np.multiply(weights, x, out=term))

    def codes_for(span: np.float32) -> None:
        np.subtract(x, lowest, out=code)
        factor = span / (highest - lowest)
        np.multiply(code, factor, out=code)
        nearest(settled(code, factor), 0, plan.most)

    def error(scale: Floats, minimum: Floats) -> Floats:
        np.multiply(code, scale, out=term)
        np.add(term, minimum, out=term)
        np.subtract(term, x, out=term)
        np.abs(term, out=term) if plan.magnitude else np.multiply(term, term, out=term)
        return total(np.multiply(weights, term, out=term))

    codes_for(np.float32(plan.most))
    scale = np.float32(1) / (np.float32(plan.most) / (highest - lowest))
    least = error(scale, lowest)
    if codes is not None:
        np.copyto(codes, code)
    for at in range(plan.tries + 1):
        codes_for(np.float32(plan.first) + np.float32(plan.step) * np.float32(at) + np.float32(plan.most))
        sum_l = total(np.multiply(weights, code, out=weighted))
        sum_ll = total(np.multiply(weighted, code, out=term))
        sum_xl = total(np.multiply(weighted, x, out=term))
        new_scale, new_lowest, solved = _solved(weight, weight_x, sum_l, sum_ll, sum_xl)
        found = error(new_scale, new_lowest)
        better = solved & (found < least)
        if codes is not None:
            np.copyto(codes, code, where=better)
        least, scale, lowest = (
            np.where(better, new, old) for new, old in ((found, least), (new_scale, scale), (new_lowest, lowest))
        )
    scale[flat] = 0
    if codes is not None:
        codes[:, flat] = 0
    return scale, -np.where(flat, np.minimum(x[0], np.float32(0)), lowest)


def _solved(
    weight: Floats, sum_x: Floats, sum_l: Floats, sum_ll: Floats, sum_xl: Floats
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """(scale, minimum, whether there is one) of the least squares for given codes; the minimum is at most 0."""
    determinant = weight * sum_ll - sum_l * sum_l
    scale = (weight * sum_xl - sum_x * sum_l) / determinant
    minimum = (sum_ll * sum_x - sum_l * sum_xl) / determinant
    above = minimum > 0
    return np.where(above, sum_xl / sum_ll, scale), np.where(above, np.float32(0), minimum), determinant > 0


def scales(x: Floats, most: int, tries: int, work: Workspace, codes: Floats | None = None) -> Floats:
    """The scale of each column for codes -most to most - 1, values weighted with their squares: float32 (groups,).

    `codes`, float32 in the shape of `x`, gets the codes of the best try.
    """
    code, term, weights, weighted = (
        work.array(f"encode {name}", x.shape, np.float32) for name in ("code", "term", "weights", "weighted")
    )
    largest = peak(x)
    empty = np.abs(largest) < TINY
    largest[empty] = 1
    np.multiply(x, x, out=weights)
    np.multiply(weights, x, out=weighted)

    def sums(factor: Floats) -> tuple[Floats, Floats]:
        nearest(np.multiply(x, factor, out=code), -most, most - 1)
        lx = total(np.multiply(weighted, code, out=term))
        np.multiply(weights, code, out=term)
        return lx, total(np.multiply(term, code, out=term))

    lx, ll = sums(np.float32(-most) / largest)
    scale = np.divide(lx, ll, out=np.zeros_like(lx), where=ll != 0)
    best = scale * lx
    if codes is not None:
        np.copyto(codes, code)
    for at in range(-tries, tries + 1):
        if not at:
            continue
        lx, ll = sums(-(np.float32(most) + np.float32(0.1) * np.float32(at)) / largest)
        better = (ll > 0) & (lx * lx > best * ll)
        if codes is not None:
            np.copyto(codes, code, where=better)
        scale = np.where(better, lx / ll, scale)
        best = np.where(better, scale * lx, best)
    scale[empty] = 0
    if codes is not None:
        codes[:, empty] = -most
    return scale


def refined(x: Floats, most: int, rounds: int, work: Workspace) -> tuple[Floats, Floats]:
    """(scale, codes) of each column for codes -most to most - 1, where code after code is changed for a smaller error.

    For each element in turn the scale follows from the others; where the code nearest with it lowers the error of all, it
    is taken. Codes are float32 in lanes, in the workspace.
    """
    codes, weights = (work.array(f"encode {name}", x.shape, np.float32) for name in ("code", "weights"))
    term = work.array("encode term", x.shape, np.float32)
    largest = peak(x)
    empty = np.abs(largest) < TINY
    largest[empty] = 1
    nearest(np.multiply(x, np.float32(-most) / largest, out=codes), -most, most - 1)
    np.multiply(x, x, out=weights)
    np.multiply(weights, x, out=term)
    lx = total(np.multiply(term, codes, out=term))
    np.multiply(weights, codes, out=term)
    ll = total(np.multiply(term, codes, out=term))
    for _ in range(rounds):
        changed = False
        for value, weight, code in zip(x, weights, codes, strict=True):
            other_lx, other_ll = lx - weight * value * code, ll - weight * code * code
            new = nearest(value * other_ll / other_lx, -most, most - 1)
            new_lx, new_ll = other_lx + weight * value * new, other_ll + weight * new * new
            better = (other_lx > 0) & (new != code) & (new_ll > 0) & (new_lx * new_lx * ll > lx * lx * new_ll)
            if better.any():
                changed = True
                np.copyto(code, new, where=better)
                np.copyto(lx, new_lx, where=better)
                np.copyto(ll, new_ll, where=better)
        if not changed:
            break
    scale = np.divide(lx, ll, out=np.zeros_like(lx), where=ll > 0)
    scale[empty] = 0
    codes[:, empty] = -most
    return scale, codes
