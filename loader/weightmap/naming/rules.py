"""One tensor of an architecture: its name, its dimensions as formulas, and whether a whole model has it."""

from __future__ import annotations

from dataclasses import dataclass

from weightmap.naming.formula import Formula, formula

BLOCK, EXPERT = "{i}", "{x}"


@dataclass(frozen=True, slots=True)
class TensorRule:
    """What a tensor of this name must look like.

    name      with {i} for the block's number and {x} for the expert's
    dims      in the order of a GGUF: the row length first, the reverse of a numpy shape
    required  a whole model has it, or one of the tensors that take its place
    """

    name: str
    dims: tuple[Formula, ...]
    required: bool

    @property
    def blocks(self) -> str:
        """Letter of the number of blocks that this tensor counts along, "" where there is one for the whole model."""
        return "" if BLOCK not in self.name else "BD" if self.name.startswith(("dec.", "decoder.")) else "B"

    @property
    def symbols(self) -> tuple[str, ...]:
        """The letters in the dimensions, each once."""
        return tuple(dict.fromkeys(symbol for dim in self.dims for symbol in dim.symbols))


def parse_rules(table: str) -> tuple[TensorRule, ...]:
    """The rules of a table with one tensor a line: its name, then its dimensions, separated by spaces.

    A name that begins with a dot belongs to a block (`.ffn_up.weight` is `blk.{i}.ffn_up.weight`); one that ends with a
    question mark may be absent. A name that comes twice is as its last line says.
    """
    rules: dict[str, TensorRule] = {}
    for line in table.split("\n"):
        if not (words := line.split()):
            continue
        name = words[0].removesuffix("?")
        if name.startswith("."):
            name = f"blk.{BLOCK}{name}"
        rules[name] = TensorRule(name, tuple(map(formula, words[1:])), not words[0].endswith("?"))
    return tuple(rules.values())
