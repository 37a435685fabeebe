"""What an open model and its tensors share: the layout, the open files, and what was found out so far.

Tensors hold this object instead of the model, so that a tensor keeps its files open after the model object is gone, and
nothing refers in circles: the descriptors go with the last reference, not with a later garbage collection.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from weightmap import telemetry
from weightmap.checks import check
from weightmap.checks.extent import source_of
from weightmap.checks.reach import READ, WIDE, is_behind, reaches
from weightmap.companions.gate import NOTHING, Found, may_be_composed
from weightmap.errors import WeightFileError, error
from weightmap.findings import Finding, Severity, finding, worst
from weightmap.formats.layout import TensorRecord
from weightmap.formats.sets import open_layout
from weightmap.source.address import absolute, shown
from weightmap.source.byte_source import ByteSource

if TYPE_CHECKING:
    from weightmap.cache.store import Store
    from weightmap.cache.structure import Headers


class Opened:
    """The files of one model, opened once. Thread-safe. Raises what `open_layout` raises.

    With a `store` headers are looked up there first; `remember` keeps them.
    """

    def __init__(self, path: str, store: Store | None = None) -> None:
        self.path = shown(path)
        self.store = store
        self.closed = False
        self.sound = False  # set once a check has found no error: then every tensor can be read
        self._headers = None if store is None else _headers(store)
        self.layout, self.sources = open_layout(path, self._headers)
        self._place = absolute(path)
        for number, source in enumerate(self.sources):
            if source is not None and not source.mapped:
                _mark(source, (r.offset + r.nbytes for r in self.layout.of_part(number)))
        self._lock = threading.RLock()
        self._structure: tuple[Finding, ...] | None = None
        self._by_tensor: Mapping[str | None, Severity] = {}
        self._wide: tuple[int, ...] = ()  # where in the structure those are that are about many tensors
        self._findings: tuple[Finding, ...] | None = None  # all of them, until a scan finds more
        self._places: dict[str | None, list[int]] = {}  # where those are that name a tensor
        self._values: dict[int | str, tuple[Finding, ...]] = {}  # by index of a record, or name of a composed weight
        self._companions: Found | None = None

    @property
    def place(self) -> str:
        """The path, or address, from the root."""
        return self._place

    def again(self) -> Opened:
        """The same path opened once more, also where the process has gone to another folder since."""
        return Opened(self.path if absolute(self.path) == self._place else self._place, self.store)

    @property
    def proven(self) -> bool:
        """Whether exactly this content was checked before, by this version, and no error was found in its structure."""
        return self._headers is not None and self._headers.sound

    def remember(self) -> None:
        """Keep in the cache what was parsed, and whether it is sound. Does nothing without one, or where it cannot."""
        if self._headers is not None:
            self._headers.keep(sound=self.sound)

    def source(self, record: TensorRecord) -> ByteSource:
        """The open file that holds this tensor. Raises what makes its values unreadable, or code `closed`."""
        self.require_open()
        source = self.sources[record.part]
        return source if self.sound and source is not None else source_of(self.layout, self.sources, record)

    def view(self, record: TensorRecord) -> NDArray[Any] | None:
        """A plainly stored tensor as a view of its file, the quickest way; None where this is no way. Raises as `source`."""
        stored = record.type.view_dtype()
        if stored is None or telemetry.active is not None:
            return None
        source = self.sources[record.part] if self.sound and not self.closed else None
        if source is None:
            source = self.source(record)
        return source.array(record.offset, record.shape, stored) if source.mapped else None

    def require_open(self) -> None:
        """Raise ClosedError after `close`."""
        if self.closed:
            raise error(finding("closed", "This model was closed before the read.", path=self.path))

    def structure(self) -> tuple[Finding, ...]:
        """What is said about headers and metadata; worked out when first asked for, then kept."""
        with self._lock:
            if self._structure is None:
                said = check(self.layout, sources=self.sources)
                composed = (
                    one for one in self._composed_findings() if one.code not in READ or not is_behind(one, said)
                )
                self._structure = (*said, *composed)
                status: dict[str | None, Severity] = {}
                for found in self._structure:
                    status[found.tensor] = max(status.get(found.tensor, Severity.OK), found.severity, key=_rank)
                self._by_tensor = status
                self._wide = tuple(place for place, found in enumerate(self._structure) if found.code in WIDE)
            return self._structure

    def findings(self) -> tuple[Finding, ...]:
        """Structure first, then what scans of values found, in file order of the tensors."""
        structure = self.structure()
        with self._lock:
            if self._findings is None:
                loud = [item for item in self._values.items() if item[1]]
                loud.sort(key=lambda item: (isinstance(item[0], str), item[0]))
                self._findings = structure + tuple(found for _, group in loud for found in group)
                self._places = {}
                for place, found in enumerate(self._findings):
                    self._places.setdefault(found.tensor, []).append(place)
            return self._findings

    def status(self, index: int) -> Severity:
        """The worst of what is said about one record."""
        structure = self.structure()
        with self._lock:
            record = self.layout.records[index]
            named = self._by_tensor.get(record.name, Severity.OK)
            shared = worst(structure[place] for place in self._wide if self._reaches(structure[place], record))
            return max(named, shared, worst(self._values.get(index, ())), key=_rank)

    def about(self, *records: TensorRecord, name: str | None = None) -> tuple[Finding, ...]:
        """What is said about any of these records, alone or together with others, or about a weight of this name."""
        with self._lock:
            said, names = self.findings(), [record.name for record in records] + ([] if name is None else [name])
            places = {place for each in names for place in self._places.get(each, ())}
            places.update(p for p in self._wide if any(self._reaches(said[p], record) for record in records))
        return tuple(said[place] for place in sorted(places))

    def _reaches(self, found: Finding, record: TensorRecord) -> bool:
        return reaches(found, record, self.layout.parts[record.part].path)

    def composed(self) -> Found:
        """The weights that lie in several tensors; worked out when first asked for, then kept.

        Raises FileChangedError and the like where small companions cannot be read any more.
        """
        with self._lock:
            if self._companions is None:
                if may_be_composed(self.layout):
                    from weightmap.companions.find import find  # its schemes are not for who opens plain files

                    self._companions = find(self.layout, self.sources)
                else:
                    self._companions = NOTHING
            return self._companions

    def _composed_findings(self) -> tuple[Finding, ...]:
        try:
            return self.composed().findings
        except WeightFileError:  # the file changed, or was closed: what its header says stands
            return ()

    def holds_bytes(self, index: int) -> bool:
        """Whether a record of floats is only where the codes of a composed weight are kept: its numbers mean nothing."""
        record = self.layout.records[index]
        if record.type.value.kind != "f" or record.type.bytes < 2:
            return False
        found = self.composed()
        owner = found.entries.get(found.owner.get(record.name, ""))
        return owner is not None and owner.sources[0] is record

    def values_checked(self, index: int | str) -> bool:
        """Whether every value of this record or composed weight was looked at since opening."""
        return index in self._values

    def value_findings(self, index: int | str) -> tuple[Finding, ...]:
        """What the last scan of this record's values found; empty before one."""
        with self._lock:
            return self._values.get(index, ())

    def keep_value_findings(self, index: int | str, findings: Iterable[Finding]) -> None:
        """Remember what a scan of every value of one record found, be it nothing."""
        with self._lock:
            before, now = self._values.get(index, ()), tuple(findings)
            self._values[index] = now
            if now != before:
                self._findings = None

    def changed(self) -> Finding | None:
        """The first finding of how a file on disk is no longer the one opened."""
        self.require_open()
        for source in self.sources:
            if source is not None and (changed := source.changed()) is not None:
                return changed
        return None

    def close(self) -> int:
        """Close all files; how many views of them are alive."""
        self.closed = True
        return sum(source.close() for source in self.sources if source is not None)


def _headers(store: Store) -> Headers:
    from weightmap.cache.structure import Headers  # not for who has no cache

    return Headers(store)


def _mark(source: ByteSource, ends: Iterable[int]) -> None:
    from weightmap.source.remote import RemoteSource

    if isinstance(source, RemoteSource):
        source.mark(ends)


def _rank(severity: Severity) -> int:
    return severity.rank
