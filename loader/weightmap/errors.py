"""The errors that an input file can cause. Each carries the finding that says what is wrong, where, and what to do.

Whoever meets trouble raises `error(finding(...))`: the kind of error follows from the finding's code, so that no caller
chooses a class by hand and a code never comes as two kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import category

from weightmap import telemetry
from weightmap.codes import CODES
from weightmap.findings import Finding, finding

_LONGEST_NAME = 200  # characters of a name in an error's text; .tensor and .key have all of it


class WeightFileError(ValueError):
    """Something is wrong with a weight file. `.finding` has the whole story; the other attributes are its parts."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        where = ", ".join(
            part
            for part in (
                finding.path,
                None if finding.tensor is None else f"tensor {_name(finding.tensor)}",
                None if finding.key is None else f"key {_name(finding.key)}",
                None if finding.offset is None else f"byte {finding.offset:,}",
            )
            if part
        )
        super().__init__(" ".join(part for part in (finding.message, where and f"[{where}]", finding.advice) if part))

    def __reduce__(self) -> tuple[object, ...]:
        # the default would pass the rendered text instead of the finding when a worker process sends it home
        return type(self), (self.finding,)

    @property
    def path(self) -> str | None:
        """The file (of a set: the part) that is at fault."""
        return self.finding.path

    @property
    def offset(self) -> int | None:
        """Absolute byte position in `path`, where one is known."""
        return self.finding.offset

    @property
    def tensor(self) -> str | None:
        """Name of the tensor that is at fault, if it is one."""
        return self.finding.tensor

    @property
    def key(self) -> str | None:
        """Metadata key that is at fault, if it is one."""
        return self.finding.key

    @property
    def code(self) -> str:
        """The finding's code: one of `weightmap.codes.CODES`."""
        return self.finding.code


class CorruptWeightError(WeightFileError):
    """The file contradicts itself or its checksums: values would be wrong, missing or ambiguous."""


class TruncatedFileError(CorruptWeightError):
    """The file ends before what its header promises."""


class UnsupportedFormatError(WeightFileError):
    """The file, or one tensor of it, is of a kind that is not read here."""


class FileChangedError(WeightFileError):
    """The file on disk is no longer the one that was opened."""


class ClosedError(WeightFileError):
    """The model was closed before this read."""


class MissingFileError(WeightFileError, FileNotFoundError):
    """There is no such file."""


class UnreadableFileError(WeightFileError, OSError):
    """The file is there but the system, or the server that has it, does not let it be read."""


class MissingPackageError(WeightFileError, ImportError):  # type: ignore[override]
    """What was asked for needs an optional package that is not installed; the message names the extra that brings it."""


class SeveralModelsError(WeightFileError):
    """A folder holds several models; `.choices` are the paths to open one by one."""

    def __init__(self, finding: Finding, choices: Sequence[str] = ()) -> None:
        super().__init__(finding)
        self.choices = tuple(choices)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.finding, self.choices)


class Cancelled(Exception):  # noqa: N818 - the public name says what happened; nothing went wrong
    """A long pass ended because its progress callback returned False."""


_KINDS: dict[str, type[WeightFileError]] = {
    "corrupt": CorruptWeightError,
    "truncated": TruncatedFileError,
    "unsupported": UnsupportedFormatError,
    "changed": FileChangedError,
    "closed": ClosedError,
    "missing": MissingFileError,
    "unreadable": UnreadableFileError,
    "several": SeveralModelsError,
    "package": MissingPackageError,
    "": WeightFileError,
}


def error(finding: Finding) -> WeightFileError:
    """The error of the kind that belongs to the finding's code, ready to be raised."""
    telemetry.error_made(finding.code)
    return _KINDS[CODES[finding.code].kind](finding)


def missing_package(purpose: str, package: str, extra: str | None, *, path: str | None = None) -> WeightFileError:
    """The error for an optional package that is not there. `purpose`: how a sentence begins that goes on "with the package"."""
    advice = None if extra is None else f"Install it: pip install 'weightmap[{extra}]'"
    text = f"{purpose} with a package that is not installed: {package}."
    return error(finding("missing_package", text, path=path, found=package, advice=advice))


def printable(text: str) -> str:
    """Text from a file as one line: control, bidi and undecodable characters come out as backslash escapes."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_SHOWN)


def _name(name: str) -> str:
    """A name as part of a sentence: where a file is damaged, what is taken for one may be thousands of bytes of anything."""
    return printable(name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…")


class _Shown(dict[int, str]):
    """What each character is shown as, worked out when it first occurs: texts from files can be long."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        plain = character.isprintable() or category(character) == "Zs"
        shown = self[code] = character if plain else _escaped(character)
        return shown


_SHOWN = _Shown()


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # an undecodable byte, as surrogateescape keeps it
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
