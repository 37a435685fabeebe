"""The vocabulary: rows of the embedding against the number of tokens, arrays with one entry per token, ids of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from weightmap.checks.architecture.census import Group
from weightmap.checks.architecture.hyperparameters import Hyperparameters
from weightmap.checks.architecture.shapes import ROWS_OF_VOCABULARY
from weightmap.errors import printable
from weightmap.findings import Finding, Severity, finding
from weightmap.formats.layout import TensorRecord

PADDING = 1024
TOKENS = "tokenizer.ggml.tokens"
ENDS = ("tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id")
IDS = (
    *ENDS,
    *(f"tokenizer.ggml.{name}_token_id" for name in ("eot", "eom", "unknown", "padding", "mask", "seperator", "cls")),
    *(f"tokenizer.ggml.{name}_token_id" for name in ("prefix", "suffix", "middle")),
    *(f"tokenizer.ggml.fim_{name}_token_id" for name in ("pre", "suf", "mid", "pad", "rep", "sep")),
)
PER_TOKEN = ("tokenizer.ggml.scores", "tokenizer.ggml.token_type")


def row_findings(groups: dict[str, Group], numbers: Hyperparameters, paths: list[str]) -> Iterator[Finding]:
    """Rows that are one per token: fewer than tokens, and a loader stops or reads past the end; more are padding.

    Embedding and output mostly differ from the vocabulary together, which is one finding.
    """
    found: dict[tuple[int, int, str], list[TensorRecord]] = {}
    for group in groups.values():
        dims = group.entry.rule.dims
        at = next((at for at, dim in enumerate(dims) if dim.symbols == ROWS_OF_VOCABULARY), None)
        for record in group.records:
            if at is None or len(record.shape) < len(dims):
                break
            rows = record.shape[-1 - at]
            for symbol in ("NV", "VS"):
                tokens = numbers.value(symbol)
                if tokens is not None and tokens >= 0 and tokens != rows:
                    found.setdefault((rows, tokens, numbers.keys(symbol)[0]), []).append(record)
                    break
    for (rows, tokens, key), records in found.items():
        yield _rows(records, rows, tokens, key, paths)


def _rows(records: Sequence[TensorRecord], rows: int, tokens: int, key: str, paths: list[str]) -> Finding:
    names = " and ".join(printable(record.name) for record in records[:2])
    have = f"{names} has" if len(records) == 1 else f"{names} have"
    if len(records) > 2:
        have = f"{names} and {len(records) - 2:,} more have"
    padding = tokens < rows <= max(2 * tokens, tokens + PADDING)
    what = "rows beyond it are padding" if padding else "one row belongs to each token"
    return finding(
        "vocabulary_size",
        f"{have} {rows:,} rows for a vocabulary of {tokens:,} by {key}; {what}.",
        severity=Severity.INFO if padding else None,
        path=paths[records[0].part],
        tensor=records[0].name,
        key=key,
        expected=f"{tokens:,} rows",
        found=f"{rows:,} rows",
        advice="Nothing is wrong with it." if padding else None,
    )


def token_findings(length: Callable[[str], int | None], path: str) -> Iterator[Finding]:
    """Arrays of the tokenizer that are not as long as its list of tokens. `length` is None for what is no array."""
    tokens = length(TOKENS)
    if tokens is None:
        return
    for key in PER_TOKEN:
        entries = length(key)
        if entries is not None and entries != tokens:
            yield finding(
                "token_arrays",
                f"{key} has {entries:,} entries for the {tokens:,} tokens of {TOKENS}; it should have one for each.",
                path=path,
                key=key,
                expected=f"{tokens:,} entries",
                found=f"{entries:,} entries",
            )


def id_findings(metadata: Mapping[str, Any], tokens: int | None, path: str) -> Iterator[Finding]:
    """Special tokens that the vocabulary does not have: llama.cpp goes on with others of its own choice.

    A warning for those that begin and end each text; some healthy files count a token for padding that was never added.
    """
    if not tokens:
        return
    for key in IDS:
        value = metadata.get(key)
        if type(value) is int and not 0 <= value < tokens:
            yield finding(
                "token_id",
                f"{key} is {value:,}; the vocabulary has {tokens:,} tokens, counted from 0.",
                severity=None if key in ENDS else Severity.INFO,
                path=path,
                key=key,
                expected=f"0 to {tokens - 1:,}",
                found=f"{value:,}",
            )
