"""Tensors of two files that carry one name, but for what a wrapper put around it.

Trainers and runtimes put words in front of all names (`module.`, `model.diffusion_model.`) or into them (`.base_layer.`).
That is no other name: such tensors belong together whatever their values are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

WRAPPERS = ("module.", "_orig_mod.", "base_model.model.", "model.diffusion_model.", "diffusion_model.")
INSIDE = (".base_layer.", "._orig_mod.", "._fsdp_wrapped_module.", "._checkpoint_wrapped_module.")
DEEPEST = 4  # words that may stand in front of all names of a file


def aliases(targets: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """For names of `targets` that `others` lacks, the one name of `others` that is the same without wrappers.

    A prefix that is in no list is taken for one where it makes names of at least half of those that are left.
    """
    wanted, given = dict.fromkeys(targets), dict.fromkeys(others)
    rest = [name for name in wanted if name not in given]
    by_plain: dict[str, list[str]] = defaultdict(list)
    for name in given:
        if name not in wanted:
            by_plain[plain(name)].append(name)
    if not rest or not by_plain:
        return {}
    added, dropped = _prefixes([plain(name) for name in rest], by_plain)
    found: dict[str, str] = {}
    for name in rest:
        own = plain(name)
        for spelling in (own, *(prefix + own for prefix in added), *_without(own, dropped)):
            if len(same := by_plain.get(spelling, [])) == 1:
                found[name] = same[0]
                break
    uses = Counter(found.values())
    return {name: other for name, other in found.items() if uses[other] == 1}


def plain(name: str) -> str:
    """A name without what wrappers put around it."""
    for word in INSIDE:
        name = name.replace(word, ".")
    while prefix := next((prefix for prefix in WRAPPERS if name.startswith(prefix)), None):
        name = name[len(prefix) :]
    return name


def _prefixes(names: list[str], given: Iterable[str]) -> tuple[list[str], list[str]]:
    """(what is missing in front of most names, what stands in front of most that the others lack): one of both, or none."""
    known = set(given)
    shorter = {rest: prefix for name in known for prefix, rest in _cuts(name)}
    added = Counter(shorter[name] for name in names if name in shorter)
    dropped = Counter(prefix for name in names for prefix, rest in _cuts(name) if rest in known)
    least = max(2, len(names) / 2)
    return _frequent(added, least), _frequent(dropped, least)


def _frequent(prefixes: Counter[str], least: float) -> list[str]:
    return [prefix for prefix, count in prefixes.most_common(1) if count >= least]


def _cuts(name: str) -> list[tuple[str, str]]:
    """(prefix, rest) at the first dots of a name."""
    cuts: list[tuple[str, str]] = []
    at = name.find(".")
    while at >= 0 and len(cuts) < DEEPEST:
        cuts.append((name[: at + 1], name[at + 1 :]))
        at = name.find(".", at + 1)
    return cuts


def _without(name: str, prefixes: list[str]) -> list[str]:
    return [name[len(prefix) :] for prefix in prefixes if name.startswith(prefix)]
