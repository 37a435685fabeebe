"""The parsed header of one file, remembered: a second opening reads some kilobytes instead of walking a vocabulary.

Only what a sound, ordinary file has is kept: known types, plain values, arrays that stay in the file. Where the strings of
an array lie is kept as bytes behind the document and read when somebody looks; if that fails, the array is walked again.
"""

from __future__ import annotations

from struct import calcsize
from typing import Any

import numpy as np

from weightmap.cache import findings
from weightmap.cache.container import Kept
from weightmap.cache.findings import Unkeepable
from weightmap.cache.store import Store
from weightmap.findings import Severity
from weightmap.formats.gguf_values import NestedArray, NumberArray, StringArray
from weightmap.formats.layout import Layout, Part, TensorRecord
from weightmap.formats.metadata import Entry, Metadata
from weightmap.source.byte_source import ByteSource
from weightmap.source.file import FileSource
from weightmap.source.fingerprint import key, settled
from weightmap.source.lengths import Positions
from weightmap.source.strings import walk
from weightmap.types import registry
from weightmap.types.base import StoredType

KIND = "structure"
LEAST = 1 << 12  # bytes of a header that is worth it
FORMATS = ("gguf", "safetensors")


class Headers:
    """The headers of one model's files: looked up when they are opened, kept once they were judged. Not thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._met: list[tuple[FileSource, str, Layout, bool]] = []  # the last: whether it is kept already
        self._sound: list[bool] = []

    @property
    def sound(self) -> bool:
        """Whether the model is one file, and a check of exactly this content by this version found no error in it."""
        return self._sound == [True]

    def recall(self, source: ByteSource) -> Layout | None:
        """The layout of this file as it was parsed before; None where it was not."""
        if not isinstance(source, FileSource):
            return None
        name = key(source)
        kept = self._store.load(name, KIND)
        if kept is not None:
            try:
                layout = restored(source, kept)
                self._sound.append(kept.body["sound"] is True)
                self._met.append((source, name, layout, True))
                return layout
            except (KeyError, TypeError, ValueError, IndexError, AttributeError):
                pass
        return None

    def parsed(self, source: ByteSource, layout: Layout) -> None:
        """Note a layout that was parsed just now."""
        self._sound.append(False)
        if isinstance(source, FileSource) and layout.parts[0].header_end >= LEAST and layout.format in FORMATS:
            self._met.append((source, key(source), layout, False))

    def keep(self, *, sound: bool) -> None:
        """Remember what was not remembered before; `sound` says that a check of the whole model found no error."""
        proven = sound and len(self._sound) == 1
        for source, name, layout, kept in self._met:
            if (not kept or (proven and not self.sound)) and settled(source):
                try:
                    body, segments = described(layout)
                except Unkeepable:
                    continue
                self._store.save(name, KIND, body | {"sound": proven}, segments)
        self._met.clear()


def described(layout: Layout) -> tuple[dict[str, Any], dict[str, bytes]]:
    """A layout of one file as a document and its segments. Raises Unkeepable."""
    [part] = layout.parts
    if not part.located or any(problem.severity is Severity.ERROR for problem in layout.problems):
        raise Unkeepable
    types = {type: number for number, type in enumerate(dict.fromkeys(record.type for record in layout.records))}
    segments: dict[str, bytes] = {}
    body = {
        "format": layout.format,
        "version": layout.version,
        "byte_order": layout.byte_order,
        "alignment": layout.alignment,
        "part": [part.data_start, part.header_end, part.alignment],
        "types": [_type(type, layout) for type in types],
        "records": [[r.name, list(r.shape), types[r.type], r.offset, r.nbytes, r.entry] for r in layout.records],
        "metadata": [[e.key, e.kind, _value(e.value, segments), e.offset, e.raw] for e in layout.metadata.entries],
        "problems": [findings.described(problem, layout.path) for problem in layout.problems],
    }
    return body, segments


def restored(source: FileSource, kept: Kept) -> Layout:
    """The layout that a document describes, of this open file. Raises KeyError, TypeError, ValueError for an odd one."""
    body = kept.body
    types = [_known(stated) for stated in body["types"]]
    data_start, header_end, alignment = body["part"]
    return Layout(
        format=body["format"],
        path=source.path,
        parts=(Part(source.path, source.size, data_start, header_end, alignment),),
        records=tuple(
            [
                TensorRecord(name, tuple(shape), types[type], 0, offset, nbytes, entry)
                for name, shape, type, offset, nbytes, entry in body["records"]
            ]
        ),
        metadata=Metadata(
            tuple(
                [
                    Entry(key, kind, _read(value, source, kept), at, raw)
                    for key, kind, value, at, raw in body["metadata"]
                ]
            )
        ),
        version=body["version"],
        byte_order=body["byte_order"],
        alignment=body["alignment"],
        problems=tuple(findings.restored(stated, source.path) for stated in body["problems"]),
    )


def _type(type: StoredType, layout: Layout) -> list[Any]:
    """A type as it is found again; only those that come with weightmap, whose meaning is that of the version."""
    plain = registry.by_name(type.name)
    if not type.known or plain is None or not any(plain is one for one in registry.BUILT_IN):
        raise Unkeepable
    if type is not plain and layout.byte_order != "big":
        raise Unkeepable
    return [type.name, type is not plain]


def _known(stated: list[Any]) -> StoredType:
    name, swapped = stated
    type = registry.by_name(name)
    if type is None:
        raise KeyError(name)
    return registry.big_endian(type) if swapped else type


def _value(value: Any, segments: dict[str, bytes]) -> Any:
    """A plain value as it is; an array as a list that says where it lies."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if type(value) is NumberArray:
        return ["numbers", value.kind, value.offset, value.count, value.dtype.str]
    if type(value) is StringArray:
        starts = value.starts
        name = f"strings {len(segments)}"
        places = starts.places
        segments[name] = places.tobytes()
        told = starts.base, len(value), starts.length, places.dtype.str, starts.end, starts.short, starts.proven
        return ["strings", name, *told]
    if type(value) is NestedArray:
        return ["nested", value.kind, [_value(item, segments) for item in value.items]]
    raise Unkeepable


def _read(value: Any, source: FileSource, kept: Kept) -> Any:
    if type(value) is not list:
        return value
    if value[0] == "numbers":
        _, kind, offset, count, dtype = value
        return NumberArray(kind, source, offset, count, np.dtype(dtype))
    if value[0] == "strings":
        return StringArray(source, KeptStarts(source, kept, *value[1:]))
    _, kind, items = value
    return NestedArray(kind, tuple(_read(item, source, kept) for item in items))


class KeptStarts:
    """Where strings lie, as `source.strings.Starts` has it, but not read before somebody asks for a string."""

    def __init__(
        self,
        source: FileSource,
        kept: Kept,
        name: str,
        base: int,
        count: int,
        length: str,
        dtype: str,
        end: int,
        short: bool,
        proven: int,
    ) -> None:
        self.base, self.count, self.length, self.end = base, count, length, end
        self.short, self.proven = short, proven
        self._source, self._kept, self._name, self._dtype = source, kept, name, np.dtype(dtype)
        self._places: Positions | None = None

    @property
    def places(self) -> Positions:
        """Of the length fields, counted from `base`, and of the end: from the cache, or walked once more."""
        if self._places is None:
            data = self._kept.segment(self._name)
            if data is None or len(data) != (self.count + 1) * self._dtype.itemsize:
                self._places = walk(self._source, self.base, self.count, self.length).places
            else:
                self._places = np.frombuffer(data, self._dtype)
        return self._places

    @property
    def width(self) -> int:
        """Bytes of a length field."""
        return calcsize(self.length)
