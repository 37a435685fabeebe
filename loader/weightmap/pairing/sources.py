"""Which tensors of the other file may together hold what a tensor holds: alone, stacked, or joined, by the roles of names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from weightmap.pairing.chains import candidates, place
from weightmap.pairing.facts import Facts
from weightmap.pairing.lazy import Shape
from weightmap.pairing.side import Side, Weight
from weightmap.pairing.steps import RowRange
from weightmap.pairing.view import View, joined

_TIED = {"output": "token_embd", "token_embd": "output"}
_ROWS_MAY_DIFFER = ("token_embd", "output", "position_embd", "per_layer_token_embd")


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a target may hold.

    label  the transform's name: "=" for the same values
    view   the sources as the target should hold them, lazily
    rows   how many leading rows of the target that is; None for all
    parts  where the sources lie one after the other in the target: each as a view, in the order of `sources`
    """

    sources: tuple[Weight, ...]
    label: str
    view: View
    rows: int | None = None
    parts: tuple[View, ...] = ()

    def part(self, target: View) -> View:
        """The rows of the target that the candidate has something for: all of them, or the leading ones."""
        if self.rows is None:
            return target
        return RowRange(0, self.rows).apply(target) or target


def sources_of(target: Weight, others: Side, facts: Facts) -> Iterator[Candidate]:
    """Every candidate, the likeliest first: the same name, then names of the same role, then roles that hold it as a part."""
    if (same := others.named(target.name)) is not None:
        if same.shape == target.shape:
            yield Candidate((same,), "=", same.view)
        name = target.roles[0].target if target.roles else target.name
        yield from _single(name, target.shape, same, facts)
    for role in target.roles:
        found = [(expert, weight) for expert, weight in others.of_role(role.target) if weight is not same]
        for expert, weight in found:
            if expert == role.expert:
                yield from _single(role.target, target.shape, weight, facts)
            elif expert is None and role.expert is not None:
                yield from _slice(role.expert, role.target, target.shape, weight, facts)
        if role.expert is None:
            yield from _stack(role.target, target.shape, found, facts)
            yield from _related(role.target, target.shape, others, facts)


def _single(name: str, shape: Shape, weight: Weight, facts: Facts) -> Iterator[Candidate]:
    for label, view in candidates(name, shape, weight.view, facts):
        yield Candidate((weight,), label, view)
    rows = weight.shape[0] if weight.shape else 0
    if place(name).base in _ROWS_MAY_DIFFER and 0 < rows < (shape or (0,))[0] and weight.shape[1:] == shape[1:]:
        yield Candidate((weight,), f"rows 0:{rows}", weight.view, rows)


def _slice(expert: int, name: str, shape: Shape, weight: Weight, facts: Facts) -> Iterator[Candidate]:
    """One expert out of a stack."""
    if (piece := RowRange(expert, 1).apply(weight.view)) is not None and len(weight.shape) > 1:
        inner = View(piece.elements, weight.shape[1:])
        for label, view in candidates(name, shape, inner, facts):
            yield Candidate((weight,), f"S[{expert}]" + ("" if label == "=" else f",{label}"), view)


def _stack(name: str, shape: Shape, found: list[tuple[int | None, Weight]], facts: Facts) -> Iterator[Candidate]:
    """All experts along a new first axis."""
    stack = _experts(found)
    if stack is not None:
        for label, view in candidates(name, shape, _stacked(stack), facts):
            parts = tuple(weight.view for weight in stack) if label == "=" else ()
            yield Candidate(tuple(stack), "S" if label == "=" else f"S,{label}", view, None, parts)


def _related(name: str, shape: Shape, others: Side, facts: Facts) -> Iterator[Candidate]:
    """Roles whose tensors hold this one, or that this one holds."""
    at = place(name)
    if at.base == "attn_qkv":
        yield from _three(name, shape, others, facts)
    elif at.base in ("attn_q", "attn_k", "attn_v"):
        yield from _parts(name.replace(at.base, "attn_qkv"), name, shape, others, facts)
    elif found := re.fullmatch(r"ffn_(gate|up)((?:_ch)?(?:_exps|_shexp))?", at.base):
        rest = found[2] or ""
        for whole in dict.fromkeys((f"ffn_gate_up{rest}", f"ffn_up{rest}")):
            if whole != at.base:
                yield from _parts(name.replace(at.base, whole, 1), name, shape, others, facts)
    if found := re.fullmatch(r"ffn_(?:gate_)?up((?:_exps|_shexp)?)", at.base):
        yield from _gate_and_up(name, name.replace(at.base, f"ffn_gate{found[1]}"), shape, others)
    if at.base in _TIED and at.block is None and not others.of_role(name):
        for _, weight in others.of_role(name.replace(at.base, _TIED[at.base], 1)):
            yield from _single(name, shape, weight, facts)


def _parts(whole: str, name: str, shape: Shape, others: Side, facts: Facts) -> Iterator[Candidate]:
    """Out of a larger tensor: one of the same size holds something else, as ffn_up does beside ffn_gate."""
    for expert, weight in others.of_role(whole):
        if expert is None and weight.elements.count > prod(shape):
            yield from _single(name, shape, weight, facts)


def _three(name: str, shape: Shape, others: Side, facts: Facts) -> Iterator[Candidate]:
    """Queries, keys and values joined, the rows of the first two in either order."""
    names = [name.replace("attn_qkv", f"attn_{letter}", 1) for letter in "qkv"]
    chosen = [next((w for expert, w in others.of_role(n) if expert is None), None) for n in names]
    weights = [weight for weight in chosen if weight is not None]
    if len(weights) < 3 or sum(w.shape[0] if w.shape else 0 for w in weights) != (shape or (0,))[0]:
        return
    ways = [list(candidates(n, w.shape, w.view, facts)) for n, w in zip(names, weights, strict=True)]
    plain = [way[0] for way in ways]
    queries = [way for way in ways[0] if "P(" in way[0]]
    keys = [way for way in ways[1] if "P(" in way[0]]
    for q, k in [
        (plain[0], plain[1]),
        *((q, k) for q in queries for k in keys if ("undo" in q[0]) == ("undo" in k[0])),
    ]:
        label = f"QKV {q[0]};{k[0]};="
        parts = (q[1], k[1], plain[2][1])
        yield Candidate(tuple(weights), label, joined(list(parts), shape), None, parts)


def _gate_and_up(name: str, gate: str, shape: Shape, others: Side) -> Iterator[Candidate]:
    """Gate rows, then up rows: of one feed-forward, or of each expert."""
    up = name.replace("ffn_gate_up", "ffn_up", 1)
    gates, ups = _experts(others.of_role(gate)), _experts(others.of_role(up))
    if gates and ups and len(gates) == len(ups):
        order = [weight for both in zip(gates, ups, strict=True) for weight in both]
        each = (gates[0].shape[0] + ups[0].shape[0], *gates[0].shape[1:]) if gates[0].shape else ()
        if shape == (len(gates), *each) and _alike(gates) and _alike(ups):
            yield _joined(order, "S gate;up", shape)
        return
    single = [next((w for e, w in others.of_role(n) if e is None), None) for n in (gate, up)]
    both = [weight for weight in single if weight is not None]
    if len(both) < 2 or not all(weight.shape for weight in both) or not shape:
        return
    if both[0].shape[1:] == both[1].shape[1:] == shape[1:] and both[0].shape[0] + both[1].shape[0] == shape[0]:
        yield _joined(both, "gate;up", shape)


def _joined(weights: list[Weight], label: str, shape: Shape) -> Candidate:
    views = [weight.view for weight in weights]
    return Candidate(tuple(weights), label, joined(views, shape), None, tuple(views))


def _experts(found: list[tuple[int | None, Weight]]) -> list[Weight] | None:
    """The weights of experts 0, 1, 2 ... in order, or None where there are none or some are missing."""
    by_number = {expert: weight for expert, weight in found if expert is not None}
    if not by_number or max(by_number) != len(by_number) - 1:
        return None
    return [by_number[number] for number in range(len(by_number))]


def _alike(weights: list[Weight]) -> bool:
    return all(weight.shape == weights[0].shape for weight in weights)


def _stacked(weights: list[Weight]) -> View:
    shape = (len(weights), *weights[0].shape) if _alike(weights) else (sum(w.elements.count for w in weights),)
    return joined([weight.view for weight in weights], shape)
