"""What became of a comparison with checksums: records, the document of the command, and findings that can be raised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weightmap.errors import printable
from weightmap.findings import Finding, Severity, finding


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Bytes that are not the ones stated.

    kind       "file", "tensor", "data" (all behind the header), "tensors" (those of all tensors, in the table's order)
    name       of the tensor, else of the file
    path       the file that holds the bytes, which begin at `offset`; there are `nbytes`
    algorithm  "sha256" ..., or "size" where the number of bytes is another
    source     where the expected value is stated
    """

    kind: str
    name: str
    path: str
    offset: int
    nbytes: int
    algorithm: str
    expected: str
    found: str
    source: str


@dataclass(frozen=True, slots=True)
class Missing:
    """What a manifest names and is not there, or what is there and nothing states a checksum of; `reason` says which."""

    kind: str
    name: str
    path: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What became of comparing a model with its checksums. `checked` counts what was compared, `sources` state it.

    `passed_over` counts what they state of other files: lists often name everything in a folder.
    """

    mismatched: tuple[Mismatch, ...]
    missing: tuple[Missing, ...]
    checked: int
    sources: tuple[str, ...]
    passed_over: int = 0

    @property
    def status(self) -> Severity:
        """The status "ok" where everything is there and as stated, else "error"."""
        return Severity.ERROR if self.mismatched or self.missing else Severity.OK

    @property
    def findings(self) -> tuple[Finding, ...]:
        """One error-level finding for each difference, tensors first: they say where."""
        tensors_first = sorted(self.mismatched, key=lambda one: one.kind != "tensor")
        return (*map(_finding, tensors_first), *map(_missing_finding, self.missing))

    def entry(self) -> dict[str, Any]:
        """The document of `weightmap verify --json`."""
        return {
            "status": str(self.status),
            "mismatched": [_entry(one) | _where(one) for one in self.mismatched],
            "missing": [_entry(one) | {"path": one.path, "reason": one.reason} for one in self.missing],
            "checked": self.checked,
            "manifests": list(self.sources),
            "passed_over": self.passed_over,
        }


def _entry(one: Mismatch | Missing) -> dict[str, Any]:
    tensor = one.kind == "tensor"
    return {
        "name": one.name,
        "kind": one.kind,
        "tensor": one.name if tensor else None,
        "file": None if tensor else one.name,
    }


def _where(one: Mismatch) -> dict[str, Any]:
    names = ("path", "offset", "nbytes", "algorithm", "expected", "found", "source")
    return {name: getattr(one, name) for name in names}


def _finding(one: Mismatch) -> Finding:
    what = {
        "file": f"The file {printable(one.name)}",
        "tensor": f"Tensor {printable(one.name)}",
        "data": f"What follows the header of {printable(one.name)}",
        "tensors": f"The whole of the tensors of {printable(one.name)}",
    }[one.kind]
    place = f"{what}, bytes {one.offset:,} to {one.offset + one.nbytes:,} of the file,"
    kind = "size" if one.algorithm == "size" else f"{one.algorithm} checksum"
    text = f"{place} has another {kind} than {printable(one.source)} states: {one.expected} was expected, {one.found} was found."
    tensor = one.name if one.kind == "tensor" else None
    return finding(
        "checksum_mismatch",
        text,
        path=one.path,
        tensor=tensor,
        offset=one.offset,
        expected=one.expected,
        found=one.found,
    )


def _missing_finding(one: Missing) -> Finding:
    tensor = one.name if one.kind == "tensor" else None
    text = f"{'Tensor' if tensor else 'File'} {printable(one.name)} cannot be compared: {one.reason}"
    return finding("checksum_missing", text, path=one.path, tensor=tensor)
