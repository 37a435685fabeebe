"""Why a tensor has no counterpart, in a sentence for the person who compares."""

from __future__ import annotations

from weightmap.errors import WeightFileError
from weightmap.naming.names import LEFTOVERS
from weightmap.pairing import proof
from weightmap.pairing.match import Match
from weightmap.pairing.side import Side, Weight

_MADE = {
    "rope_freqs.weight": "The converter works it out from the configuration; a checkpoint has no such tensor.",
    "rope_factors_long.weight": "The converter copies it from the configuration; a checkpoint has no such tensor.",
    "rope_factors_short.weight": "The converter copies it from the configuration; a checkpoint has no such tensor.",
}
_DROPPED = (
    (
        "inv_freq",
        "Frequencies of the rotary embedding, which follow from the configuration: converters leave them out.",
    ),
    ("position_ids", "An index that counts positions, no weight: converters leave it out."),
    ("attn.bias", "A mask of the attention, no weight: converters leave it out."),
    ("masked_bias", "A constant of the attention's mask, no weight: converters leave it out."),
    ("attention.bias", "A mask of the attention, no weight: converters leave it out."),
)
_POOLERS = ("pooler.", "cls.predictions.", "cls.seq_relationship.", "lm_head.dense", "lm_head.layer_norm", "vocab_")
_COMPANIONS = (".input_scale", ".scale", "_scale", "_scale_inv", ".scales", ".zeros", ".g_idx", ".absmax", ".SCB")


def target_reason(target: Weight, closest: Match | None, others: Side) -> str:
    """Why a tensor of the side that was looked at from has no pair."""
    if (made := _MADE.get(target.name)) is not None and others.format != "gguf":
        return made
    if closest is not None:
        names = _list([source.name for source in closest.found.sources])
        if closest.error is None:
            return f"Its name leads to {names}, but there are no finite values to prove it by."
        return (
            f"Its name leads to {names}, but the values have little in common: the closest known transform "
            f"({closest.found.label}) leaves a relative error of {closest.error:.2g}. Its rows may be in an order that is "
            "not known here, or it is another tensor."
        )
    return _nothing(target, others)


def source_reason(source: Weight, targets: Side, others: Side) -> str:
    """Why a tensor of the other side has no pair."""
    if (tied := _tied(source, targets, others)) is not None:
        return tied
    return _nothing(source, targets)


def _nothing(weight: Weight, others: Side) -> str:
    name = weight.name
    if others.format == "gguf":
        for end, why in _DROPPED:
            if name.endswith(end):
                return why
        if any(part in name for part in _POOLERS) or name.endswith(LEFTOVERS):
            return "A head that the converter leaves out."
        if name.endswith(_COMPANIONS):
            return "Scales or other companions of a quantized weight, which have no tensor of their own in a GGUF."
    made = _MADE.get(name)
    if made is not None and others.format != "gguf":
        return made
    alike = [other for role in weight.roles for _, other in others.of_role(role.target)]
    if (same := others.named(name)) is not None:
        alike.insert(0, same)
    if alike:
        shapes = _list([f"{other.name} {list(other.shape)}" for other in alike])
        return f"Its name leads to {shapes}, which no known transform turns into {list(weight.shape)}."
    if weight.roles and others.format == "gguf":
        return f"The other file has no {_list([role.target for role in weight.roles])}."
    return "The other file has no tensor of this name, none that the name is known to stand for, and none with such values."


def _tied(source: Weight, targets: Side, others: Side) -> str | None:
    """An output matrix that is the embedding once more, where the GGUF keeps one of both."""
    if not any(role.target == "output.weight" for role in source.roles) or "output.weight" in targets.by_name:
        return None
    for _, embedding in others.of_role("token_embd.weight"):
        if embedding.shape == source.shape:
            places = proof.spots(source.shape)
            try:
                error = proof.difference(places.values(source.elements), places.values(embedding.elements))
            except WeightFileError:
                return None
            if error.relative == 0:
                return f"Tied: it holds the values of {embedding.name}, which is compared."
            return f"The GGUF has no output matrix, as if it were tied; but it is not equal to {embedding.name}."
    return None


def _list(names: list[str]) -> str:
    unique = list(dict.fromkeys(names))
    more = f" and {len(unique) - 3:,} more" if len(unique) > 3 else ""
    return ", ".join(unique[:3]) + more
