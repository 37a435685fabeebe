"""What a checkpoint says about its quantization, wherever it says it. It may be absent, stale or lie: tensors go before it.

Every value comes from a file that anyone can write, so each is looked at for its kind before it is used.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from weightmap.checks.architecture.config import BadConfig, read_object
from weightmap.companions.patterns import fits
from weightmap.findings import Finding, finding
from weightmap.formats.layout import Layout
from weightmap.source.address import basename, beside

PARTS = 32  # of a path of a module at the most
LONGEST = 1 << 23  # characters of a config in a header
_LEFT_OUT = ("ignore", "modules_to_not_convert", "ignored_layers", "exclude_modules", "llm_int8_skip_modules")
_OTHERS = {"quantize_config.json": "gptq", "hf_quant_config.json": "modelopt", "quant_config.json": "awq"}


class _Known:
    """What is worked out once, as a model has ten thousands of modules, and a config lists hundreds.

    paths     modules that are left out, and `first` the first parts of their paths
    patterns  patterns of such, and paths of more parts than a module has
    whole     what is said of all modules
    last      the module that was asked for last, and what is said of its weights
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        listed = [entry for key in _LEFT_OUT for entry in _texts(values.get(key))]
        self.patterns = [
            entry for entry in listed if entry.startswith("re:") or "*" in entry or entry.count(".") >= PARTS
        ]
        self.paths = set(listed).difference(self.patterns)
        self.first = {path.partition(".")[0] for path in self.paths}
        self.whole: dict[str, Any] = {key: value for key, value in values.items() if not isinstance(value, dict)}
        self.last: tuple[str | None, Mapping[str, Any]] = None, {}


@dataclass(frozen=True, slots=True)
class QuantConfig:
    """The quantization of a model in the words of its config.

    method    "fp8", "compressed-tensors", "gptq", "awq", "bitsandbytes", "modelopt", "mlx", "mxfp4", ...; "" where nothing says it
    values    the whole object: `quantization_config` of config.json, or what stands for it elsewhere
    model     config.json as a whole, that of its text model on top; empty where there is none
    path      the file that says it
    findings  what is to be said about the files themselves
    """

    method: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)
    path: str | None = None
    findings: tuple[Finding, ...] = ()
    _known: _Known = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", _Known(self.values))

    def leaves_out(self, module: str) -> bool:
        """Whether the config says that this module (its path, without ".weight") is not quantized."""
        known = self._known
        if known.paths and any(path in known.paths for path in _within(module, known.first)):
            return True
        if any(_meant(entry, module) for entry in known.patterns):
            return True
        if self.values.get(module) is False:  # MLX
            return True
        return self._pattern(module).startswith("-:")

    def _pattern(self, module: str) -> str:
        """The first key of GPTQModel's `dynamic` that fits a module: a pattern, behind "-:" where it leaves modules out."""
        dynamic = _mapping(self.values.get("dynamic"))
        return next((key for key in dynamic if fits(key.removeprefix("+:").removeprefix("-:"), module)), "")

    def weights(self, module: str) -> Mapping[str, Any]:
        """How the config says that the weights of a module are quantized; the whole where it makes no difference.

        Of compressed-tensors: `weights` of the group whose targets fit, and its `format`; of ModelOpt the entry of
        `quantized_layers`; of MLX the module's own entry; of GPTQModel that of `dynamic`, of AutoRound that of `extra_config`.
        Keys that only the whole has are there as well.
        """
        known = self._known
        if known.last[0] != module:
            known.last = module, known.whole if len(known.whole) == len(self.values) else self._weights(module)
        return known.last[1]

    def _weights(self, module: str) -> Mapping[str, Any]:
        found = dict(self._known.whole)
        for group in _mapping(self.values.get("config_groups")).values():
            targets = _texts(_mapping(group).get("targets"))
            if any(_meant(target, module) for target in targets) or any(
                "." not in t and t[:3] != "re:" for t in targets
            ):
                found |= _mapping(_mapping(group).get("weights"))
                form = _mapping(group).get("format")
                found |= {"format": form} if isinstance(form, str) else {}
                if any(_meant(target, module) for target in targets):
                    break
        dynamic = _mapping(self.values.get("dynamic")).get(self._pattern(module))
        extra = _mapping(self.values.get("extra_config")).get(module)  # of AutoRound
        for own in (dynamic, extra, _mapping(self.values.get("quantized_layers")).get(module), self.values.get(module)):
            found |= _mapping(own)
        return found

    def number(self, key: str, module: str = "") -> int | None:
        """A whole number of the module's weights; None where it is not said, or is none."""
        value = self.weights(module).get(key)
        return value if type(value) is int and 0 < value < 1 << 31 else None

    def group(self, module: str, columns: int) -> int | None:
        """Columns of a row that share a scale, all of them where it says -1; None where it is not said."""
        return columns if self.weights(module).get("group_size") == -1 else self.number("group_size", module)

    def word(self, key: str, module: str = "") -> str:
        """A word of the module's weights in small letters; "" where it is not said."""
        value = self.weights(module).get(key)
        return value.lower() if isinstance(value, str) else ""

    def block(self, module: str) -> tuple[int, int] | None:
        """(rows, columns) of the blocks that share a scale; None where that is not said."""
        found = self.weights(module)
        for key in ("weight_block_size", "block_structure"):
            sizes = found.get(key)
            if isinstance(sizes, list) and len(sizes) == 2 and all(type(n) is int and 0 < n < 1 << 31 for n in sizes):
                return sizes[0], sizes[1]
        return None


def read_quant_config(layout: Layout) -> QuantConfig:
    """The quantization config beside a model's files; an empty one where there is none."""
    first = layout.parts[0].path
    said: list[Finding] = []
    whole = _object(beside(first, "config.json"), [])  # where it is no JSON the checks of shapes say so
    text = _mapping(whole.get("text_config"))
    model = whole | text
    for place in (whole, text):
        for key in ("quantization_config", "compression_config", "quantization"):
            if values := _mapping(place.get(key)):
                twice = "quant_method" not in values and values == place.get("quantization")  # as MLX writes it
                mlx = key == "quantization" or "mode" in values or twice
                method = _method(values, "mlx" if mlx else "")
                return QuantConfig(method, values, model, beside(first, "config.json"), tuple(said))
    for name, method in _OTHERS.items():
        path = beside(first, name)
        if values := _object(path, said):
            inner = _mapping(values.get("quantization")) or values
            return QuantConfig(_method(inner, method), inner, model, path, tuple(said))
    if values := _header(layout):
        return QuantConfig(_method(values, ""), values, model, first, tuple(said))
    return QuantConfig(model=model, findings=tuple(said))


def _header(layout: Layout) -> dict[str, Any]:
    """The config in the header of the file itself."""
    text = layout.metadata.get("quantization_config")
    try:
        return _mapping(json.loads(text)) if isinstance(text, str) and len(text) <= LONGEST else {}
    except (ValueError, RecursionError):
        return {}


def _method(values: Mapping[str, Any], otherwise: str) -> str:
    for key in ("quant_method", "quant_type"):
        if isinstance(found := values.get(key), str):
            return found.lower()
    return "modelopt" if "quant_algo" in values else otherwise


def _object(path: str, said: list[Finding]) -> dict[str, Any]:
    try:
        return read_object(path) or {}
    except BadConfig as problem:
        name = basename(path)
        said.append(finding("bad_config", f"{name} beside the file {problem}; it was not used.", path=path))
        return {}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _within(module: str, first: set[str]) -> Iterator[str]:
    """All paths that a path is made of and that begin with one of these parts: of a.b.c and b these are b.c and b."""
    parts = module.split(".", PARTS)[:PARTS]
    for start, part in enumerate(parts):
        if part in first:
            yield from (".".join(parts[start:stop]) for stop in range(len(parts), start, -1))


def _meant(entry: str, module: str) -> bool:
    """Whether an entry of a list of modules means this one: itself, a module that it lies in, the last part of its path."""
    if entry.startswith("re:"):
        return fits(entry[3:], module)
    if "*" in entry:
        return fits(entry.replace(".", r"\.").replace("*", ".*"), module)
    return entry == module or module.startswith(f"{entry}.") or f".{module}.".find(f".{entry}.") >= 0
