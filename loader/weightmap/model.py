"""An open model: what its header says, its tensors, and what is to be said about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from weightmap.asked import Named
from weightmap.findings import Finding, Severity, worst
from weightmap.formats.layout import Part
from weightmap.listing import listed, unknown_reading
from weightmap.opened import Opened
from weightmap.tensor import Tensor

if TYPE_CHECKING:
    from weightmap.composed import Composed
    from weightmap.sending import Ticket


class WeightFile:
    """An open model: one file, or a set of files that belong together. Made by `weightmap.open`. Thread-safe.

    Reading is on demand, and a context manager closes it. A tensor taken from it keeps the files open; only `close` or the
    end of `with` closes them.
    """

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._records = tuple(Tensor(opened, index) for index in range(len(opened.layout.records)))
        first = {tensor.name: tensor for tensor in reversed(self._records)}
        self._tensors = Named({tensor.name: first[tensor.name] for tensor in self._records})
        self._composed: Mapping[str, Composed] | None = None
        self._weights: Mapping[str, Tensor | Composed] | None = None

    @property
    def opened(self) -> Opened:
        """What the model and its tensors share: the layout and the open files, for weightmap's own rooms."""
        return self._opened

    @property
    def path(self) -> str:
        """The path that was opened, as given."""
        return self._opened.path

    @property
    def format(self) -> str:
        """The content's format, whatever the file is called: "gguf", "safetensors" or "imatrix"."""
        return self._opened.layout.holds

    @property
    def version(self) -> int | None:
        """Version of the container: 1 to 3 in GGUF, None where the format has none."""
        return self._opened.layout.version

    @property
    def byte_order(self) -> str:
        """Byte order of numbers: "little" or "big"."""
        return self._opened.layout.byte_order

    @property
    def alignment(self) -> int:
        """What tensor offsets are multiples of, in bytes; 1 where the format asks for nothing."""
        return self._opened.layout.alignment

    @property
    def parts(self) -> tuple[Part, ...]:
        """The files that the model consists of; a missing one has size None."""
        return self._opened.layout.parts

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Key to value in file order: plain Python scalars, numpy arrays of numbers, sequences of str; large ones on demand."""
        return self._opened.layout.metadata

    def metadata_type(self, key: str) -> str:
        """Type of a metadata value as the format calls it: "u32", "str", "f32[]". Raises KeyError where the key is missing."""
        return self._opened.layout.metadata.entry(key).kind

    @property
    def tensors(self) -> Mapping[str, Tensor]:
        """Tensors by name in file order; a name that stands twice gives the first of them."""
        return self._tensors

    @property
    def records(self) -> tuple[Tensor, ...]:
        """Every entry of the tensor table in file order, doubles too."""
        return self._records

    @property
    def composed(self) -> Mapping[str, Composed]:
        """Weights that lie in several tensors (codes, scales, zeros), by the name that the model gives them, in file order.

        The tensors that they are made of stay in `tensors`, as they are stored.
        """
        if self._composed is None:
            entries = self._opened.composed().entries
            found: dict[str, Composed] = {}
            if entries:
                from weightmap.composed import Composed  # not for who looks at plain tensors

                found = {name: Composed(self._opened, one) for name, one in entries.items()}
            self._composed = Named(found, "weight")
        return self._composed

    def read_as(self, reading: str, names: Iterable[str] | None = None) -> tuple[str, ...]:
        """Give composed weights in one of their other `readings` from now on, by its name or a part of it, to whoever asks
        this model: `composed`, `weights`, comparisons. All weights that have it, or those of these `names`.

        Returns the names of those that are read so. KeyError where none has such a reading, or there is no weight of a name.
        """
        chosen = self.composed if names is None else {name: self.composed[name] for name in names}
        found = {
            name: weight.with_reading(called)
            for name, weight in chosen.items()
            if (called := weight.reading_called(reading)) is not None
        }
        if not found:
            raise unknown_reading(reading, chosen.values())
        self._composed, self._weights = Named({**self.composed, **found}, "weight"), None
        return tuple(found)

    @property
    def weights(self) -> Mapping[str, Tensor | Composed]:
        """What the model is made of, each once: its composed weights in place of the tensors that these are made of, whose
        names are not among them, and all other tensors. In file order.
        """
        if self._weights is None:
            chosen = listed(self._opened)
            self._weights = Named(
                {
                    name: self._records[one] if isinstance(one, int) else self.composed[name]
                    for name, one in chosen.items()
                },
                "weight",
            )
        return self._weights

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is to be said about the model; worked out when first asked for. Scans of values add to it."""
        return self._opened.findings()

    @property
    def status(self) -> Severity:
        """The severity of the worst finding, "ok" where there is none."""
        return worst(self.findings)

    @property
    def closed(self) -> bool:
        """Whether the model was closed."""
        return self._opened.closed

    def changed(self) -> Finding | None:
        """None, or the finding that says how a file on disk is no longer the one opened."""
        return self._opened.changed()

    def reload(self) -> WeightFile:
        """A new model of the same path as it is on disk now; this one stays as it was until it is closed."""
        return WeightFile(self._opened.again())

    def close(self) -> int:
        """End reading: every later read raises code `closed`. Waits for reads under way.

        Returns how many zero-copy views are still in use; they stay valid, and the last one of them lets go of the file.
        """
        return self._opened.close()

    def __enter__(self) -> WeightFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[object, ...]:
        # by path and fingerprint: the files are opened anew where this arrives
        from weightmap.sending import ticket

        return _arrived, (ticket(self._opened),)

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{len(self._records):,} tensors"
        return f"<weightmap {self.format} model {self.path!r}: {state}>"


def _arrived(ticket: Ticket) -> WeightFile:
    return WeightFile(ticket.open())
