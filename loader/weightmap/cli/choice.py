"""Finding a weight or a type by the name that was typed, or saying which name is near."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import chain

import weightmap
from weightmap.asked import nearest_name
from weightmap.cli.output import Refusal
from weightmap.errors import printable


def named(model: weightmap.WeightFile, name: str, *, stored: bool = False) -> weightmap.Tensor | weightmap.Composed:
    """The weight of this name: a composed one before the tensor that is called so, unless tensors as `stored` are meant.

    Raises Refusal, exit status 2, where the model has neither.
    """
    composed = {} if stored else model.composed
    if (found := composed.get(name)) is not None:
        return found
    try:
        return model.tensors[name]
    except KeyError:
        close = nearest_name(name, chain(composed, model.tensors))
        hint = f" Is {printable(close)} meant?" if close else " weightmap info lists the names."
        message = f"There is no tensor called {printable(name)} in this model.{hint}"
        raise Refusal("unknown_tensor", message, path=model.path, tensor=name, status=2) from None


def matching(
    model: weightmap.WeightFile, names: Sequence[str], *, stored: bool = False
) -> list[weightmap.Tensor | weightmap.Composed]:
    """The weights of these names, and in file order those that patterns among them fit (`blk.7.attn*`), each once.

    Raises Refusal as `named` does.
    """
    every = list(model.records) if stored else list(model.weights.values())
    chosen: dict[str, weightmap.Tensor | weightmap.Composed] = {}
    for name in names:
        known = name in model.tensors or name in model.composed
        fitting = [weight for weight in every if fnmatchcase(weight.name, name)] if not known else []
        for weight in fitting or [named(model, name, stored=stored)]:
            chosen.setdefault(weight.name, weight)
    return list(chosen.values())


def types_named(typed: str | None, known: Sequence[str]) -> list[str] | None:
    """The types that are listed with commas, in capitals or not, as they are really called; None where none were asked for.

    Raises Refusal, exit status 2, for one that is not `known`.
    """
    if typed is None:
        return None
    names = {name.upper(): name for name in known}
    chosen = []
    for word in filter(None, map(str.strip, typed.split(","))):
        if word.upper() not in names:
            close = nearest_name(word, known)
            hint = f"Is {close} meant?" if close else f"There are {', '.join(known)}."
            message = f"There is no type to measure called {printable(word)}. {hint}"
            raise Refusal("unknown_type", message, path=None, status=2)
        chosen.append(names[word.upper()])
    if not chosen:
        raise Refusal("unknown_type", f"--types names none. There are {', '.join(known)}.", path=None, status=2)
    return chosen


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Declare the option that `read_as` follows."""
    parser.add_argument(
        "--reading",
        metavar="NAME",
        help="quantized weights in another reading that the file leaves open, by its name or a part of it (info lists them)",
    )


def read_as(reading: str | None, *models: weightmap.WeightFile) -> None:
    """Have the models give their composed weights in this reading. Raises Refusal, exit status 2, where no weight has it."""
    if reading is None:
        return
    refused = []
    for model in models:
        try:
            model.read_as(reading)
        except KeyError as problem:
            where = "this model" if len(models) == 1 else printable(model.path)
            refused.append(f"In {where} {printable(str(problem.args[0]))}.")
    if refused and len(refused) == len(models):
        raise Refusal("unknown_reading", " ".join(refused), path=models[0].path, status=2)


def kind(weight: weightmap.Tensor | weightmap.Composed) -> str:
    """The stored type of a tensor, the scheme of a composed weight."""
    return weight.type.name if isinstance(weight, weightmap.Tensor) else weight.scheme
