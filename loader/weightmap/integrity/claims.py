"""What somebody states of bytes: a checksum, for which name, and where it is written. No form of manifest knows the model."""

from __future__ import annotations

from dataclasses import dataclass

from weightmap.errors import WeightFileError, error, printable
from weightmap.findings import finding


@dataclass(frozen=True, slots=True)
class Claim:
    """One checksum as it is stated.

    source     path of the manifest, or the file or link whose name states it
    kind       "file"; "tensor"; "named": either; "data": all behind the header of a safetensors file; "listed": a line of
               gguf-hash, whose name is that of a file with a tensor's behind a colon, or of a file and means all its tensors
    name       what it is stated of, as written; None where that is left to the place (a Git LFS pointer, a blob's name)
    algorithm  one of `hashes.ALGORITHMS`
    value      hexadecimal digits, lower case
    nbytes     the size that is stated beside it, or None
    line       line of the manifest, from 1; None where it has none
    """

    source: str
    kind: str
    name: str | None
    algorithm: str
    value: str
    nbytes: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """All claims of one manifest. `whole` where it is meant to name everything in the model: our own manifest."""

    source: str
    claims: tuple[Claim, ...]
    whole: bool = False


def bad(
    path: str, text: str, *, key: str | None = None, expected: object = None, found: object = None
) -> WeightFileError:
    """The error for a manifest that cannot be used, with a sentence that says why."""
    return error(finding("bad_checksums", text, path=path, key=key, expected=expected, found=found))


def distinct(path: str, claims: list[Claim]) -> tuple[Claim, ...]:
    """The claims without repetitions. Raises CorruptWeightError where a name has two different checksums of a kind."""
    met: dict[tuple[str, str | None, str], Claim] = {}
    for claim in claims:
        before = met.setdefault((claim.kind, claim.name, claim.algorithm), claim)
        if (before.value, before.nbytes) != (claim.value, claim.nbytes):
            name = "it" if claim.name is None else printable(claim.name)
            places = f" (lines {before.line:,} and {claim.line:,})" if before.line and claim.line else ""
            text = f"The manifest states two different checksums for {name}{places}."
            raise bad(path, text, key=claim.name, expected=before.value, found=claim.value)
    return tuple(met.values())
