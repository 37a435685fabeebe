"""What a tensor of a checkpoint is called in a GGUF, whatever the architecture: the union of all tables of names.

An architecture's own table says what its converter does. Most modules, though, carry the same few names everywhere, so
that a checkpoint of an unknown architecture can be paired by them too; a name may then stand for several tensors, and the
values decide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from weightmap.naming.more_names import MORE
from weightmap.naming.name_tables import TABLES
from weightmap.naming.names import PREFIXES

_TOWERS = {
    "v": re.compile(r"vision|visual|vit\b|image|vpm\b"),
    "a": re.compile(r"audio|speech|whisper"),
    "enc": re.compile(r"\bencoder\b"),
    "dec": re.compile(r"\bdecoder\b"),
}
_PREFIXES = (*PREFIXES, "backbone.", "gpt_neox.", "encoder.", "decoder.")
_OTHER_ENDS = {"gamma": "weight", "beta": "bias"}
_IN_TOWERS = {"attn_output": "attn_out", "attn_norm": "ln1", "ffn_norm": "ln2"}  # where a tower has names of its own
_EXPERT = re.compile(r"(experts|moe|altup_projections|altup_unembed_projections)\.(\d+)\.")
_OLD_EXPERT = re.compile(r"^(blk\.\d+\.ffn_(?:gate|up|down))\.(\d+)\.weight$")


@dataclass(frozen=True, slots=True)
class Role:
    """What a tensor answers in a GGUF: a tensor's name there, and which expert of it (None: all of it)."""

    target: str
    expert: int | None = None


def gguf_roles(name: str) -> tuple[Role, ...]:
    """The roles of a tensor of a GGUF: its own name, also with the ending that some converters leave out; old files have
    a tensor for each expert.
    """
    if old := _OLD_EXPERT.match(name):
        return (Role(f"{old[1]}_exps.weight", int(old[2])),)
    if name.endswith((".weight", ".bias")):
        return (Role(name),)
    return Role(name), Role(f"{name}.weight"), Role(f"{name}.bias")


@lru_cache(1 << 16)
def roles(source: str) -> tuple[Role, ...]:
    """What a tensor of this name in a checkpoint may be in a GGUF, the likeliest first; () where nothing is known."""
    expert = None
    if (found := _EXPERT.search(source)) is not None and len(found[2]) <= 6:
        expert = int(found[2])
        source = source[: found.start(2)] + "{x}" + source[found.end(2) :]
    stem, _, end = source.rpartition(".")
    spellings = [source]
    if end in _OTHER_ENDS:
        spellings.append(f"{stem}.{_OTHER_ENDS[end]}")
    for spelling in spellings:
        if targets := _targets(spelling):
            return tuple(Role(target, expert) for target in targets)
    return ()


def _targets(source: str) -> tuple[str, ...]:
    """GGUF names for a source name whose expert number is {x} already."""
    ends, blocks = _tables()
    for stem in _stems(source):
        if stem in ends:
            return ends[stem]
    if (number := re.search(r"\.(\d{1,6})\.", f".{source}")) is None:
        return ()
    head, path = source[: max(number.start() - 1, 0)], source[number.end() - 1 :]
    found = blocks.get(path, ())
    if not found and path.endswith(".bias"):  # most tables speak of weights alone
        found = tuple(
            t.removesuffix("weight") + "bias" for t in blocks.get(path[:-4] + "weight", ()) if t.endswith(".weight")
        )
    if _TOWERS["v"].search(head) or _TOWERS["a"].search(head):  # its modules often carry a language model's names
        found = tuple(dict.fromkeys((*found, *(_in_tower(target) for target in found if target.startswith("blk.")))))
    if _TOWERS["a"].search(head):  # an audio tower is built like one for pictures
        found = tuple(f"a{target[1:]}" if target.startswith("v.") else target for target in found)
    return tuple(target.replace("{i}", number[1]) for target in found if _fits(head, target))


def _in_tower(target: str) -> str:
    """What a tensor of a language model's block is called in a block of a tower."""
    base, dot, end = target.removeprefix("blk.{i}.").partition(".")
    return f"v.blk.{{i}}.{_IN_TOWERS.get(base, base)}{dot}{end}"


def _fits(head: str, target: str) -> bool:
    """Whether the part of the model that the source's name begins with is that of the target."""
    tower = target.partition(".")[0]
    if tower in ("v", "a", "mm"):
        towers = ("v", "a", "enc") if tower == "a" else ("v", "a")  # an encoder alone may be one of sound
        return any(_TOWERS[kind].search(head) for kind in towers)
    if _TOWERS["v"].search(head) or _TOWERS["a"].search(head):
        return False
    return tower not in ("enc", "dec") or _TOWERS[tower].search(head) is not None


def _stems(source: str) -> list[str]:
    """The name, and what is left of it when known prefixes are taken off, one after the other."""
    stems = [source]
    for stem in stems:
        stems += [stem[len(prefix) :] for prefix in _PREFIXES if stem.startswith(prefix)]
    return list(dict.fromkeys(stems))


@cache
def _tables() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """(names without a block, paths behind the block's number) to GGUF names with {i}, all tables joined."""
    ends: dict[str, dict[str, None]] = {}
    blocks: dict[str, dict[str, None]] = {}
    for layers, table in (*TABLES.values(), MORE):
        for line in table.split("\n"):
            if not (words := line.split()):
                continue
            source, target = words[0], words[1]
            target = f"blk.{{i}}{target}" if target.startswith(".") else target
            source = f"{layers or 'layers.{i}'}{source}" if source.startswith(".") else source
            head, block, path = source.partition("{i}.")
            if block:
                blocks.setdefault(path, {})[target] = None
                continue
            for stem in _stems(head):
                ends.setdefault(stem, {})[target] = None
    return {k: tuple(v) for k, v in ends.items()}, {k: tuple(v) for k, v in blocks.items()}
