"""The table of views, in the order of their tabs. A view is made when its tab is first opened, never before."""

from __future__ import annotations

import weightmap
from tensorloupe.views.view import View, ViewContext, ViewKind

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


def _any(tensor: weightmap.Tensor) -> bool:
    return True


def _nothing(tensor: weightmap.Tensor) -> str:
    return ""


def _coded(tensor: weightmap.Tensor) -> bool:
    return not tensor.type.known or tensor.type.coded


def _not_coded(tensor: weightmap.Tensor) -> str:
    if tensor.type.elements == 1:
        return f"{tensor.type.name} has no blocks: every value is stored by itself. Values shows them one by one."
    return f"Blocks of {tensor.type.name} hold no codes with scales. Values shows what is in them."


def _floats(tensor: weightmap.Tensor) -> bool:
    return not tensor.type.known or tensor.type.value.kind == "f"


def _no_floats(tensor: weightmap.Tensor) -> str:
    return f"{tensor.type.name} holds no floats. Only floats can be quantized, so there are no other types to try."


VIEWS: tuple[ViewKind, ...] = (
    ViewKind("overview", "Overview", _any, _nothing, _overview),
    ViewKind("heatmap", "Heatmap", _any, _nothing, _heatmap),
    ViewKind("blocks", "Blocks", _coded, _not_coded, _blocks),
    ViewKind("values", "Values", _any, _nothing, _values),
    ViewKind("error", "Error", _any, _nothing, _error, needs="model"),
    ViewKind("whatif", "What if", _floats, _no_floats, _whatif),
)
