"""The table of views, in the order of their tabs. A view is made for the first opening of its tab, never at the start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import weightmap
from tensorloupe.views.view import View, ViewContext, ViewKind
from tensorloupe.weights import kind_name

if TYPE_CHECKING:
    from tensorloupe.weights import Weight

__all__ = ["VIEWS", "View", "ViewContext", "ViewKind"]


def _overview(context: ViewContext) -> View:
    from tensorloupe.views.overview import Overview

    return Overview(context)


def _heatmap(context: ViewContext) -> View:
    from tensorloupe.views.heatmap import HeatmapView

    return HeatmapView(context)


def _blocks(context: ViewContext) -> View:
    from tensorloupe.views.blocks.view import BlocksView

    return BlocksView(context)


def _values(context: ViewContext) -> View:
    from tensorloupe.views.values import ValuesView

    return ValuesView(context)


def _whatif(context: ViewContext) -> View:
    from tensorloupe.views.whatif.view import WhatIfView

    return WhatIfView(context)


def _error(context: ViewContext) -> View:
    from tensorloupe.views.error import ErrorView

    return ErrorView(context)


def _made(context: ViewContext) -> View:
    from tensorloupe.views.made.view import MadeView

    return MadeView(context)


def _any(weight: Weight) -> bool:
    return True


def _nothing(weight: Weight) -> str:
    return ""


def _coded(weight: Weight) -> bool:
    return not isinstance(weight, weightmap.Tensor) or not weight.type.known or weight.type.coded


def _not_coded(weight: Weight) -> str:
    if not isinstance(weight, weightmap.Tensor) or weight.type.elements > 1:
        return f"Blocks of {kind_name(weight)} hold no codes with scales. Values shows what is in them."
    return f"{weight.type.name} has no blocks: every value is stored by itself. Values shows them one by one."


def _floats(weight: Weight) -> bool:
    return not isinstance(weight, weightmap.Tensor) or not weight.type.known or weight.type.value.kind == "f"


def _no_floats(weight: Weight) -> str:
    return f"{kind_name(weight)} holds no floats. Only floats can be quantized, so there are no other types to try."


VIEWS: tuple[ViewKind, ...] = (
    ViewKind("overview", "Overview", _any, _nothing, _overview, layers=True),
    ViewKind("heatmap", "Heatmap", _any, _nothing, _heatmap, layers=True),
    ViewKind("blocks", "Blocks", _coded, _not_coded, _blocks, make_composed=_made),
    ViewKind("values", "Values", _any, _nothing, _values, layers=True),
    ViewKind("error", "Error", _any, _nothing, _error, needs="model"),
    ViewKind("whatif", "What if", _floats, _no_floats, _whatif),
)
