"""Finding a tensor by the name that was typed, or saying which name is near."""

from __future__ import annotations

from difflib import get_close_matches

import weightmap
from weightmap.cli.output import Refusal
from weightmap.errors import printable


def named(model: weightmap.WeightFile, name: str) -> weightmap.Tensor:
    """The tensor of this name. Raises Refusal, exit status 2, where the model has none."""
    try:
        return model.tensors[name]
    except KeyError:
        near = get_close_matches(name, model.tensors, n=1)
        hint = f" Is {printable(near[0])} meant?" if near else " weightmap info lists the names."
        message = f"There is no tensor called {printable(name)} in this model.{hint}"
        raise Refusal("unknown_tensor", message, path=model.path, tensor=name, status=2) from None
