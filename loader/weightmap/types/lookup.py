"""How numbers and names lead to types, and the door through which plug-ins add theirs."""

from __future__ import annotations

import threading
from collections.abc import Iterable

import numpy as np

from weightmap.types.base import StoredType
from weightmap.types.coded import CodedType
from weightmap.types.unknown import unknown

GROUP = "weightmap.types"


class Registry:
    """Types by number and by name. A plug-in's entry point is loaded only when a number or name is not there. Thread-safe."""

    def __init__(self, types: Iterable[StoredType]) -> None:
        self._lock = threading.RLock()
        self._names: dict[str, StoredType] = {}
        self._ids: dict[int, StoredType] = {}
        self._problems: tuple[str, ...] = ()
        self._plugins_loaded = False
        for type in types:
            self.register(type)

    def by_id(self, id: int) -> StoredType:
        """The type of a ggml number; one with `known` False, a telling name and a reason where it cannot be decoded."""
        found = self._ids.get(id)
        if found is None:
            self._load_plugins()
            found = self._ids.get(id)
        return unknown(id, *self._problems) if found is None else found

    def by_name(self, name: str) -> StoredType | None:
        """The type of this name, in ggml or safetensors; None where there is none. Names are case-sensitive."""
        found = self._names.get(name)
        if found is None:
            self._load_plugins()
            found = self._names.get(name)
        return found

    def by_dtype(self, name: str) -> StoredType | None:
        """The type that safetensors calls by this dtype; None for any other string, be it the name of a ggml type."""
        found = self.by_name(name)
        return found if found is not None and found.safetensors else None

    def all_types(self) -> tuple[StoredType, ...]:
        """Every type with a decoder: the built-in ones in their order, then what was registered."""
        with self._lock:
            return tuple(self._names.values())

    def register(self, type: StoredType) -> None:
        """Add a type. From then on files that use its number or name are decoded with it.

        Raises TypeError for anything but a StoredType, ValueError where its number or name is taken already or its
        attributes make no sense. A number that ggml removed, or never had, may be given a decoder.
        """
        _check(type)
        with self._lock:
            if taken := self._names.get(type.name):
                raise ValueError(f"The name of {_described(type)} is taken by {_described(taken)}.")
            if type.id is not None:
                if taken := self._ids.get(type.id):
                    raise ValueError(f"The number of {_described(type)} is taken by {_described(taken)}.")
                self._ids[type.id] = type
            self._names[type.name] = type

    def plugin_problems(self) -> tuple[str, ...]:
        """One sentence for each plug-in that could not be loaded; empty as long as none was needed."""
        return self._problems

    def _load_plugins(self) -> None:
        """Load the entry points, once. A plug-in that fails is noted and left out: a file must open all the same."""
        with self._lock:
            if self._plugins_loaded:
                return
            self._plugins_loaded = True
            from importlib.metadata import entry_points  # slow to import, and rarely needed

            try:
                found = tuple(entry_points(group=GROUP))
            except Exception as problem:
                self._problems += (f"The list of plug-ins could not be read: {_said(problem)}.",)
                return
            for entry in found:
                try:
                    loaded = entry.load()
                    self.register(loaded() if isinstance(loaded, type) else loaded)
                except (Exception, SystemExit) as problem:
                    what = f"The plug-in {entry.name} ({entry.value}) could not be loaded"
                    self._problems += (f"{what}: {_said(problem)}.",)


def _said(problem: BaseException) -> str:
    return f"{problem.__class__.__name__}: {problem}".rstrip(".")


def _check(type: StoredType) -> None:
    if not isinstance(type, StoredType):
        raise TypeError(f"A stored type must be an instance of weightmap.StoredType; got {type!r}.")
    if not isinstance(getattr(type, "name", None), str) or not type.name:
        raise ValueError(f"{type.__class__.__qualname__} has no name; a str was expected.")
    numbers = {"elements": type.elements, "bytes": getattr(type, "bytes", 0)} | (
        {} if type.id is None else {"id": type.id}
    )
    for what, number in numbers.items():
        if not isinstance(number, int):
            raise ValueError(f"{type.name} must have an int as {what}; got {number!r}.")
    if min(type.elements, numbers["bytes"]) < 1:
        raise ValueError(f"{_described(type)} must have at least one element and one byte per block.")
    if type.anatomy:
        share = type.code_elements if isinstance(type, CodedType) else 1
        if type.groups < 1 or type.elements % type.groups or type.elements % share:
            raise ValueError(f"{_described(type)} cannot be shared out into {type.groups} sub-blocks of whole codes.")
    if bool(type.anatomy) != type.coded:
        raise ValueError(f"{_described(type)} must be a weightmap.CodedType with an anatomy, or have none.")
    if not isinstance(type.value, np.dtype):
        raise ValueError(f"{_described(type)} must have a numpy dtype as value; got {type.value!r}.")
    if type.dtype is not None and (type.elements, type.bytes) != (1, type.dtype.itemsize):
        raise ValueError(f"{_described(type)} has the dtype {type.dtype}, but its blocks are no single elements of it.")
    if any(offset < 0 or width < 1 or offset + width > type.bytes for offset, width in type.fields):
        raise ValueError(f"{_described(type)} has a field outside of its block of {type.bytes:,} bytes.")


def _described(type: StoredType) -> str:
    number = "" if type.id is None else f", number {type.id}"
    return f"{type.name}{number} ({type.__class__.__module__}.{type.__class__.__qualname__})"
