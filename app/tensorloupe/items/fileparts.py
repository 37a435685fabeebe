"""The four parts of a file, each with its state: header, metadata, tensor table, tensor data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import weightmap
from tensorloupe.items.arrangement import Totals
from tensorloupe.items.standing import standing
from tensorloupe.style import text

HEADER, METADATA, TABLE, DATA = "Header", "Metadata", "Tensor table", "Tensor data"
_OF_METADATA = {"unknown_kv_type", "nested_array", "nesting_too_deep", "duplicate_key", "bad_metadata", "missing_arch"}
_OF_METADATA |= {"unknown_arch", "wrong_kv_type", "bad_bool", "chat_template", "hyperparameter"}
_OF_DATA = {"truncated", "out_of_bounds", "overlap", "gap", "tensor_order", "unaligned_offset", "trailing_bytes"}
_OF_DATA |= {"nonzero_padding", "missing_shard", "non_finite", "all_zero", "zeroed_stretch"}
_OF_DATA |= {"text_mode", "begun_again", "repeated_piece", "unfinished_download", "emptied"}
_OF_HEADER = {"bad_header", "header_start", "bad_count", "bad_alignment", "unsupported_version", "old_version"}
_OF_HEADER |= {"big_endian", "byte_swapped_magic", "extension_mismatch", "shard_mismatch", "lone_shard"}
_OF_HEADER |= {"index_mismatch", "missing_index", "stale_index", "directory"}


Break = dict[weightmap.Finding, str]


class PartState(NamedTuple):
    """The state of header, metadata, tensor table or tensor data."""

    title: str
    status: str
    said: str


def located(model: weightmap.WeightFile) -> bool:
    """Whether it is known where all tensors lie: every header was read to its end, and makes sense."""
    return all(part.located for part in model.parts)


def part_states(
    model: weightmap.WeightFile,
    form: str,
    findings: Sequence[weightmap.Finding] | None,
    whole: Totals,
    keys: int,
    counted: int,
) -> tuple[PartState, ...]:
    """The states in the order of the file, by the findings (None: they are being worked out).

    `form` is the format in words, `counted` how many tensors the file speaks of.
    """
    said = {
        HEADER: f"{form}, {model.byte_order}-endian",
        METADATA: text.counted(keys, "key"),
        TABLE: text.counted(counted, "entry", "entries"),
        DATA: text.size(whole.nbytes),
    }
    if findings is None:
        return tuple(PartState(title, "unchecked", words) for title, words in said.items())
    healthy = {
        HEADER: "",
        METADATA: ", all complete" if keys else "",
        TABLE: ", all complete" if whole.tensors else "",
        DATA: ", all there" if whole.nbytes else "",
    }
    if counted > whole.tensors:
        said[TABLE] = f"{text.count(whole.tensors)} of {said[TABLE]}"
    broke = _broke_off(model, findings)
    own: dict[str, list[weightmap.Finding]] = {title: [] for title in said}
    for finding in findings:
        own[_place(finding, broke)].append(finding)
    states = {title: _judged(title, words, healthy[title], own[title], broke) for title, words in said.items()}
    if not located(model):
        unknown = (
            PartState(DATA, "error", "not located") if whole.tensors else PartState(DATA, "unchecked", "not reached")
        )
        states[DATA] = unknown
        if not whole.tensors and states[TABLE].status != "error":
            states[TABLE] = PartState(TABLE, "unchecked", "not reached")
    elif whole.share < 1:
        there = f"{text.percent(whole.share, 1)} of {text.size(whole.nbytes)} is there"
        states[DATA] = PartState(DATA, "error", there)
    return tuple(states.values())


def _judged(title: str, words: str, healthy: str, own: Sequence[weightmap.Finding], broke: Break) -> PartState:
    """One part by the findings that belong to it. The part in which the header breaks off says no more than that."""
    if broke and any(finding in broke for finding in own):
        return PartState(title, "error", f"{words}, then it breaks off")
    status = str(max({finding.severity for finding in own}, key=lambda severity: severity.rank, default="ok"))
    return PartState(title, status, words + (healthy if status in ("ok", "info") else f", {standing(own).verdict}"))


def _broke_off(model: weightmap.WeightFile, findings: Sequence[weightmap.Finding]) -> Break:
    """What is said of the places where headers break off, and the part of the file that each is in."""
    found: Break = {}
    for part in model.parts:
        own = (one for one in findings if one.path == part.path and one.severity == "error")
        cause = next((one for one in own if one.code not in _OF_HEADER), None)
        if part.breaks_in is not None and cause is not None:
            found[cause] = METADATA if part.breaks_in == "metadata" else TABLE
    return found


def _place(finding: weightmap.Finding, broke: Break) -> str:
    """The part of the file that a finding is about."""
    if broke and finding in broke:  # a finding is hashed by all that it says, and there may be one for each tensor
        return broke[finding]
    if finding.code in _OF_HEADER:
        return HEADER
    if finding.code in _OF_DATA:
        return DATA
    return METADATA if finding.code in _OF_METADATA or finding.key is not None else TABLE
