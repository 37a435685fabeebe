"""Every stored type that is known, in one list; and the door through which plug-ins add theirs.

To read a new type: write its class beside its kin and add it to `BUILT_IN`. A package of its own brings a type by naming
it under the entry point group `weightmap.types`, or a script by calling `register`.
"""

from __future__ import annotations

import threading
from importlib.metadata import entry_points

from weightmap.types import (
    bits,
    eights,
    float8,
    fp4,
    iq1,
    iq2,
    iq3,
    iq4,
    k_quants,
    k_quants_16,
    nibbles,
    packed,
    plain,
    ternary,
)
from weightmap.types.base import StoredType
from weightmap.types.byteorder import big_endian
from weightmap.types.unknown import unknown

__all__ = [
    "BUILT_IN",
    "GROUP",
    "all_types",
    "big_endian",
    "by_dtype",
    "by_id",
    "by_name",
    "plugin_problems",
    "register",
]

GROUP = "weightmap.types"

BUILT_IN: tuple[StoredType, ...] = (
    # ggml, by number
    plain.F32(),
    plain.F16(),
    nibbles.Q4_0(),
    nibbles.Q4_1(),
    nibbles.Q5_0(),
    nibbles.Q5_1(),
    eights.Q8_0(),
    eights.Q8_1(),
    k_quants_16.Q2_K(),
    k_quants_16.Q3_K(),
    k_quants.Q4_K(),
    k_quants.Q5_K(),
    k_quants_16.Q6_K(),
    eights.Q8_K(),
    iq2.IQ2_XXS(),
    iq2.IQ2_XS(),
    iq3.IQ3_XXS(),
    iq1.IQ1_S(),
    iq4.IQ4_NL(),
    iq3.IQ3_S(),
    iq2.IQ2_S(),
    iq4.IQ4_XS(),
    plain.I8(),
    plain.I16(),
    plain.I32(),
    plain.I64(),
    plain.F64(),
    iq1.IQ1_M(),
    plain.BF16(),
    ternary.TQ1_0(),
    ternary.TQ2_0(),
    fp4.MXFP4(),
    fp4.NVFP4(),
    bits.Q1_0(),
    bits.Q2_0(),
    # dtypes of safetensors that ggml does not have
    plain.Bool(),
    plain.U8(),
    plain.U16(),
    plain.U32(),
    plain.U64(),
    plain.C64(),
    float8.F8_E4M3(),
    float8.F8_E5M2(),
    float8.F8_E4M3FNUZ(),
    float8.F8_E5M2FNUZ(),
    float8.F8_E8M0(),
    packed.F6_E2M3(),
    packed.F6_E3M2(),
    packed.F4(),
)

_lock = threading.RLock()
_names: dict[str, StoredType] = {}
_ids: dict[int, StoredType] = {}
_problems: list[str] = []
_plugins_loaded = False


def by_id(id: int) -> StoredType:
    """The type of a ggml number; one with `known` False, a telling name and a reason where its values cannot be given."""
    found = _ids.get(id)
    if found is None:
        _load_plugins()
        found = _ids.get(id)
    return unknown(id, *_problems) if found is None else found


def by_name(name: str) -> StoredType | None:
    """The type of this name, in ggml or safetensors; None where there is none. Names are case-sensitive."""
    found = _names.get(name)
    if found is None:
        _load_plugins()
        found = _names.get(name)
    return found


def by_dtype(name: str) -> StoredType | None:
    """The type that safetensors calls by this dtype; None for any other string, be it the name of a ggml type."""
    found = by_name(name)
    return found if found is not None and found.safetensors else None


def all_types() -> tuple[StoredType, ...]:
    """Every type with a decoder: the built-in ones in the order of BUILT_IN, then what was registered."""
    return tuple(_names.values())


def register(type: StoredType) -> None:
    """Add a type from outside. From now on files that use its number or name are decoded with it.

    Raises TypeError for anything but a StoredType, ValueError where its number or name is taken already or its attributes
    make no sense. A number that ggml removed or that is foreign to it may be given a decoder.
    """
    _check(type)
    with _lock:
        for key, taken in ((type.name, _names.get(type.name)), (type.id, _ids.get(-1 if type.id is None else type.id))):
            if taken is not None:
                what = f"The name {key}" if isinstance(key, str) else f"The number {key}"
                raise ValueError(f"{what} of {_described(type)} is taken by {_described(taken)}.")
        _names[type.name] = type
        if type.id is not None:
            _ids[type.id] = type


def plugin_problems() -> tuple[str, ...]:
    """One sentence for each plug-in that could not be loaded; empty before a plug-in was looked for."""
    return tuple(_problems)


def _check(type: StoredType) -> None:
    if not isinstance(type, StoredType):
        raise TypeError(f"A stored type must be an instance of weightmap.StoredType; got {type!r}.")
    if not isinstance(getattr(type, "name", None), str) or not type.name:
        raise ValueError(f"{type.__class__.__qualname__} has no name.")
    if type.elements < 1 or getattr(type, "bytes", 0) < 1:
        raise ValueError(f"{_described(type)} must have at least one element and one byte per block.")
    if any(offset < 0 or width < 1 or offset + width > type.bytes for offset, width in type.fields):
        raise ValueError(f"{_described(type)} has a field that lies outside of its block of {type.bytes:,} bytes.")


def _described(type: StoredType) -> str:
    number = "" if type.id is None else f", number {type.id}"
    return f"{type.name}{number} ({type.__class__.__module__}.{type.__class__.__qualname__})"


def _load_plugins() -> None:
    """Load the entry points once. A plug-in that fails is noted and left out: a file must open all the same."""
    global _plugins_loaded
    with _lock:
        if _plugins_loaded:
            return
        _plugins_loaded = True
        for entry in entry_points(group=GROUP):
            try:
                loaded = entry.load()
                register(loaded() if isinstance(loaded, type) else loaded)
            except Exception as problem:
                _problems.append(
                    f"The plug-in {entry.name} ({entry.value}) could not be loaded: {problem.__class__.__name__}: {problem}."
                )


for _type in BUILT_IN:
    register(_type)
