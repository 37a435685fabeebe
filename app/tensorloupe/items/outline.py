"""A model's tensors laid out for the tree: names, groups, sizes and states as arrays, made once in the background.

Everything that the tree sorts or filters by is a column of numbers here, so that 20,000 tensors are arranged anew within
a few milliseconds on the window's thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

import weightmap
from tensorloupe.items.naming import groups_of, natural_key, natural_order, top_order
from tensorloupe.weights import kind_name

if TYPE_CHECKING:
    from tensorloupe.weights import Weight

STATUSES = ("ok", "unchecked", "info", "warning", "error")  # unfinished beats ok, whatever was found beats unfinished
RANKS = {status: rank for rank, status in enumerate(STATUSES)}

Ints = NDArray[np.int64]


class Outline(NamedTuple):
    """The tensors of one model as columns; position in them is the tensor's number in the file. Behind the tensors stand
    the weights that lie in several of them.

    names, labels  shown text: the whole name, and what is left of it inside its group; escaped
    group          number of the group that each tensor belongs to, -1 for none
    place          position of each tensor's top row (its group's, or its own) in the order of the first level
    stored         how many are tensors of the file; those from there on are weights made of some of them
    under          number of the weight that each tensor is a part of, -1 for none
    parts          numbers of the tensors that a weight is made of, its codes first
    readable       whether each tensor's values can be given
    share          part of each tensor's bytes that the file holds, 0 to 1; 0 where it is not known where they lie
    located        whether that is known
    """

    tensors: tuple[Weight, ...]
    stored: int
    under: Ints
    names: tuple[str, ...]
    labels: tuple[str, ...]
    lowered: tuple[str, ...]
    types: tuple[str, ...]
    groups: tuple[str, ...]
    group: Ints
    place: Ints
    nbytes: Ints
    counts: NDArray[np.float64]
    share: NDArray[np.float64]
    located: NDArray[np.bool_]
    readable: NDArray[np.bool_]
    rank: Ints
    by_name: Ints
    by_type: Ints
    numbers: Mapping[int, int]
    parts: Mapping[int, tuple[int, ...]]

    def status(self, number: int) -> str:
        """Status of one tensor, as a word."""
        return STATUSES[int(self.rank[number])]

    @property
    def listed(self) -> Ints:
        """The numbers of what the tree lists: whatever is no part of a weight."""
        return np.flatnonzero(self.under < 0)

    def number_of(self, tensor: Weight | None) -> int | None:
        """The tensor's number, or None where it is none of this model."""
        return self.numbers.get(id(tensor)) if tensor is not None else None


def build_outline(
    records: Sequence[weightmap.Tensor],
    sizes: Mapping[str, int | None],
    composed: Sequence[weightmap.Composed] = (),
    judged: bool = True,
) -> Outline:
    """Lay out the tensors of a model and the weights that lie in several of them. `sizes` gives the bytes of each of its
    files, None for one that is not there. Unless `judged`, no status is asked for: whatever can be read is unchecked.
    """
    tensors: list[Weight] = [*records, *composed]
    raw = [tensor.name for tensor in tensors]
    under = _under(records, composed)
    groups, order = _grouped(raw, under)
    group_names = sorted({g for g in groups if g is not None}, key=lambda g: order[g])
    group_number = {name: number for number, name in enumerate(group_names)}
    names = tuple(weightmap.printable(name) for name in raw)
    kinds = tuple(kind_name(tensor) for tensor in tensors)
    readable = [tensor.problem is None for tensor in tensors]
    states = [
        status_of(one) if judged or not whole else "unchecked" for one, whole in zip(tensors, readable, strict=True)
    ]
    return Outline(
        tensors=tuple(tensors),
        stored=len(records),
        under=under,
        names=names,
        labels=tuple(
            weightmap.printable(_label(name, raw[owner].rpartition(".")[0] if owner >= 0 else group))
            for name, owner, group in zip(raw, under.tolist(), groups, strict=True)
        ),
        lowered=tuple(name.lower() for name in names),
        types=kinds,
        groups=tuple(weightmap.printable(name) for name in group_names),
        group=np.array([-1 if g is None else group_number[g] for g in groups], dtype=np.int64),
        place=np.array([order[r if g is None else g] for r, g in zip(raw, groups, strict=True)], dtype=np.int64),
        nbytes=np.array([min(tensor.nbytes, 2**62) for tensor in tensors], dtype=np.int64),
        counts=np.array([float(tensor.count) for tensor in tensors], dtype=np.float64),
        share=_shares(records, under, len(composed), sizes),
        located=_located(records, under, len(composed)),
        readable=np.array(readable, dtype=bool),
        rank=ranks(states),
        by_name=_positions(natural_order(raw)),
        by_type=_type_positions(kinds),
        numbers={id(tensor): number for number, tensor in enumerate(tensors)},
        parts=_parts(raw, under, composed),
    )


def ranks(states: Iterable[str]) -> Ints:
    """States in words as numbers that are the higher the louder they are."""
    return np.array([RANKS[state] for state in states], dtype=np.int64)


def _under(records: Sequence[weightmap.Tensor], composed: Sequence[weightmap.Composed]) -> Ints:
    """The number of the weight that each tensor is a part of; a tensor that serves several stays by itself."""
    under = np.full(len(records) + len(composed), -1, dtype=np.int64)
    if not composed:
        return under
    first = {record.name: number for number, record in reversed(list(enumerate(records)))}
    served = Counter(name for weight in composed for name in weight.sources)
    for number, weight in enumerate(composed, len(records)):
        for name in weight.sources:
            if served[name] == 1 and name in first:
                under[first[name]] = number
    return under


def _label(name: str, inside: str | None) -> str:
    """What is left of a name in a group, or under a weight."""
    return name.removeprefix(f"{inside}.") if inside else name


def _parts(raw: Sequence[str], under: Ints, composed: Sequence[weightmap.Composed]) -> dict[int, tuple[int, ...]]:
    """What each weight is made of, its codes first."""
    found: dict[int, tuple[int, ...]] = {}
    owned = np.flatnonzero(under >= 0)
    inside = {(int(under[number]), raw[number]): int(number) for number in owned.tolist()}
    for number, weight in enumerate(composed, len(raw) - len(composed)):
        found[number] = tuple(inside[number, name] for name in weight.sources if (number, name) in inside)
    return found


def _grouped(raw: Sequence[str], under: Ints) -> tuple[list[str | None], dict[str, int]]:
    """The group of each, that of its weight for a part, and the order of the first level: a weight stands where its codes do."""
    first = {int(weight): number for number, weight in reversed(list(enumerate(under.tolist()))) if weight >= 0}
    listed = sorted(np.flatnonzero(under < 0).tolist(), key=lambda number: first.get(number, number))
    shown = [raw[number] for number in listed]
    found = groups_of(shown)
    order = {row: position for position, row in enumerate(top_order(shown, found))}
    of_number = dict(zip(listed, found, strict=True))
    owners = [number if weight < 0 else int(weight) for number, weight in enumerate(under.tolist())]
    groups = [of_number[owner] for owner in owners]
    for number, owner in enumerate(owners):  # a part of a lone weight has its place
        if groups[number] is None:
            order.setdefault(raw[number], order[raw[owner]])
    return groups, order


def _shares(
    records: Sequence[weightmap.Tensor], under: Ints, composed: int, sizes: Mapping[str, int | None]
) -> NDArray[np.float64]:
    """The part of each tensor's bytes that the files hold; of a weight that of its tensors together."""
    own = np.array([_share(record, sizes) for record in records], dtype=np.float64)
    nbytes = np.array([max(record.nbytes, 1) for record in records], dtype=np.float64)
    parts = under[: len(records)] >= 0
    at = under[: len(records)][parts] - len(records)
    held, whole = (np.bincount(at, weights, composed) for weights in ((own * nbytes)[parts], nbytes[parts]))
    of_weights = np.divide(held, whole, out=np.ones(composed), where=whole > 0)
    return np.concatenate([own, of_weights])


def _located(records: Sequence[weightmap.Tensor], under: Ints, composed: int) -> NDArray[np.bool_]:
    """Whether it is known where each tensor lies; of a weight, where all its tensors do."""
    own = np.array([record.located for record in records], dtype=np.bool_)
    lost = under[: len(records)][~own & (under[: len(records)] >= 0)] - len(records)
    of_weights = np.ones(composed, dtype=np.bool_)
    of_weights[lost] = False
    return np.concatenate([own, of_weights])


def status_of(tensor: Weight) -> str:
    """The status to show: that of the findings, and error where the values cannot be given.

    Of many tensors past the end of a file one finding speaks for all, so that their own status alone is not enough.
    """
    return "error" if tensor.problem is not None else str(tensor.status)


def mark_of(tensor: Weight, scanning: bool) -> str:
    """The status to show in a row: while values are looked at, what seems well is unfinished until its turn has come."""
    status = status_of(tensor)
    return "unchecked" if scanning and status == "ok" and not tensor.values_checked else status


def _share(tensor: weightmap.Tensor, sizes: Mapping[str, int | None]) -> float:
    held = sizes.get(tensor.path)
    if held is None:
        return 0.0 if tensor.path in sizes else 1.0
    if not tensor.located:
        return 0.0
    if tensor.nbytes <= 0:
        return 1.0
    return min(1.0, max(0.0, (held - tensor.offset) / tensor.nbytes))


def _positions(order: Sequence[int]) -> Ints:
    positions = np.empty(len(order), dtype=np.int64)
    positions[np.array(order, dtype=np.int64)] = np.arange(len(order))
    return positions


def _type_positions(kinds: Sequence[str]) -> Ints:
    number = {kind: position for position, kind in enumerate(sorted(set(kinds), key=natural_key))}
    return np.array([number[kind] for kind in kinds], dtype=np.int64)
