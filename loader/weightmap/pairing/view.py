"""Elements on their way through transforms: what they look like to the next step, and numpy's ways to reorder them, lazily."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from weightmap.pairing.lazy import Columns, Indices, Joined, Part, Reordered, Shape
from weightmap.reading.elements import Elements


@dataclass(frozen=True, slots=True)
class View:
    """Elements on their way through the steps. They know their shape; a step may see them in another one."""

    elements: Elements
    shape: Shape


def joined(views: list[View], shape: Shape) -> View:
    """Views one after the other: experts stacked, or rows joined."""
    return View(Joined([view.elements for view in views], shape), shape)


def reshaped(view: View, shape: Shape) -> View:
    """The same elements in another shape."""
    return view if view.shape == shape else View(Part(view.elements, shape), shape)


def reordered(view: View, rows: Indices) -> View:
    """Rows of the first axis in another order, or some of them."""
    return taken(view, 0, rows)


def taken(view: View, axis: int, index: Indices) -> View:
    """Numpy's take along an axis, lazily."""
    shape = (*view.shape[:axis], len(index), *view.shape[axis + 1 :])
    width, size = prod(view.shape[axis + 1 :]), view.shape[axis]
    if axis and axis == len(view.shape) - 1:
        return View(Columns(view.elements, size, index, shape), shape)
    before = np.arange(prod(view.shape[:axis]), dtype=np.int64)
    return View(Reordered(view.elements, width, (before[:, None] * size + index).reshape(-1), shape), shape)
