"""A Hugging Face checkpoint in safetensors against the config.json beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from weightmap.checks import emptied
from weightmap.checks.architecture.adapters import check_adapter
from weightmap.checks.architecture.book import checkpoint_book
from weightmap.checks.architecture.census import take_census
from weightmap.checks.architecture.config import BadConfig, config_keys, config_value, read_config
from weightmap.checks.architecture.hyperparameters import Hyperparameters
from weightmap.checks.architecture.presence import (
    beyond_findings,
    count_findings,
    missing_findings,
    unexpected_findings,
)
from weightmap.checks.architecture.relations import numbers_findings
from weightmap.checks.architecture.shapes import compare_shapes
from weightmap.checks.architecture.vocabulary import row_findings
from weightmap.errors import printable
from weightmap.findings import Finding, finding, limited
from weightmap.formats.layout import Layout
from weightmap.naming.checkpoints import MODEL_TYPES
from weightmap.naming.names import LEFTOVERS
from weightmap.naming.symbols import symbols
from weightmap.source.address import beside

PLAIN = frozenset({"F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2"})
"""Types whose tensors have the model's own shape; others hold buffers, or weights packed by schemes that change it."""

FLOATS = frozenset({"F64", "F32", "F16", "BF16"})

DRAFT = "draft_vocab_size"
"""A model that drafts for a larger one may have rows for its own few tokens, and a table of which of all they are."""

WITH_CODES = ("gptq", "awq", "compressed-tensors", "modelopt", "fp8", "fbgemm_fp8")
"""Methods of quantization whose checkpoints always hold codes."""


def check_checkpoint(layout: Layout) -> Iterator[Finding]:
    """Findings about a safetensors file or set that has a config.json in its folder."""
    yield from limited(check_adapter(layout))
    path = beside(layout.parts[0].path, "config.json")
    try:
        config = read_config(path)
    except BadConfig as problem:
        text = f"config.json beside the file {problem}; shapes were not checked."
        yield finding("bad_config", text, path=path)
        return
    if config is not None:
        yield from _stale_quantization(layout, config)
    model_type = None if config is None else config.get("model_type")
    if config is None or not isinstance(model_type, str) or not layout.records:
        return
    architecture = MODEL_TYPES.get(model_type, "")
    book = checkpoint_book(architecture)
    if book is None:
        name = printable(model_type[:64])
        text = f"The model type {name} of config.json is not known here: shapes were not checked against it."
        yield finding("unknown_arch", text, path=layout.path, key="model_type", found=name)
        return
    if _is_packed(layout, config) or emptied.check(layout):
        return
    paths = [part.path for part in layout.parts]
    numbers = config_numbers(config, architecture)
    census = take_census([r for r in layout.records if r.type.name in PLAIN], book, numbers)
    yield from numbers_findings(compare_shapes(census.groups.values(), numbers), numbers, "", paths, path)
    if DRAFT not in config:
        yield from row_findings(census.groups, numbers, paths)
    yield from count_findings(census, numbers, layout.path)
    yield from beyond_findings(census, numbers, paths)
    known = sum(len(group.records) for group in census.groups.values())
    if 2 * known < len(layout.records) or any(part.size is None for part in layout.parts):
        return
    if all(problem.code != "lone_shard" for problem in layout.problems):
        what = f"the model type {model_type}"
        yield from missing_findings(census, book, numbers, what, layout.path, complete=False)
        # a quantized checkpoint has scales beside its weights, one with several towers has the others' tensors
        if not _quantized(config) and "text_config" not in config:
            yield from unexpected_findings([r for r in census.strangers if not r.name.endswith(LEFTOVERS)], what, paths)


def _stale_quantization(layout: Layout, config: dict[str, Any]) -> Iterator[Finding]:
    """A finding where config.json names a quantization whose tensors hold codes, and every tensor holds plain floats.

    Runtimes that quantize while they load leave floats as they are; their methods are not among those asked for here.
    """
    values = config.get("quantization_config")
    method = values.get("quant_method") if isinstance(values, dict) else None
    if not isinstance(values, dict) or method not in WITH_CODES or not layout.records:
        return
    if layout.partial or values.get("quantization_status") not in (None, "compressed"):
        return
    if all(record.type.name in FLOATS for record in layout.records):
        text = f"config.json says that the model is quantized by {method}, but every tensor holds plain floats."
        yield finding(
            "quant_config", text, path=layout.path, key="quantization_config", expected=method, found="plain floats"
        )


def _is_packed(layout: Layout, config: dict[str, Any]) -> bool:
    """Whether weights are stored in a way that changes their shapes, by what the config says and the types show."""
    return _quantized(config) and any(record.type.name not in PLAIN for record in layout.records)


def _quantized(config: dict[str, Any]) -> bool:
    return "quantization_config" in config or "quantization" in config


def config_numbers(config: dict[str, Any], architecture: str) -> Hyperparameters:
    """The hyperparameters as config.json gives them."""
    known = symbols(architecture)
    default = {letter: symbol.config_default for letter, symbol in known.items()}
    return Hyperparameters(known, config_keys(architecture), lambda key: config_value(config, key), default)
