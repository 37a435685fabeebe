"""Remote files of any store that fsspec knows, read by the ranges that it offers; its errors in our words."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from weightmap.errors import WeightFileError, error, missing_package
from weightmap.findings import Finding, finding
from weightmap.source.address import scheme, shown
from weightmap.source.transport import Span, State, absent, changed, failed, refused, short

T = TypeVar("T")

EXTRAS = {"s3": "s3", "s3a": "s3"}  # beside `remote`
TAGS = ("ETag", "etag", "mtime", "LastModified", "last_modified", "updated", "created", "modified", "generation")
MORE_TAGS = ("md5", "md5Hash", "checksum", "blob_id", "sha", "VersionId", "version_id", "modification_time")


class FilesystemTransport:
    """Any file system that fsspec knows: S3, Google's and Azure's stores, SSH, memory, chains of them.

    Those answer a range with its bytes and nothing else; so the state is asked for after each fetch.
    """

    def __init__(self, url: str, first: int) -> None:
        self._url = shown(url)
        self.notes: tuple[Finding, ...] = ()
        self._whole_url, self._process = url, os.getpid()
        self._system, self._path = _file_system(url)
        self.state = self.now()
        self.head = self.fetch([(0, min(first, self.state.size))])[0] if self.state.size else b""

    def fetch(self, spans: Sequence[Span]) -> list[bytes]:
        starts, stops = [start for start, _ in spans], [stop for _, stop in spans]
        paths = [self._path] * len(spans)
        got = self._asked(lambda: self._system.cat_ranges(paths, starts, stops, on_error="raise"))
        if (now := self.now()) != self.state:
            raise error(changed(self._url, self.state, now))
        for (start, stop), body in zip(spans, got, strict=True):
            if len(body) != stop - start:
                raise short(self._url, start, stop, len(body))
        return [bytes(body) for body in got]

    def begin(self, spans: Sequence[Span], done: Callable[[list[bytes] | None], None]) -> bool:
        return False

    def now(self) -> State:
        self._system.invalidate_cache()
        told = self._asked(lambda: self._system.info(self._path))
        if told.get("type") == "directory":
            text = "The address is that of a folder; one file was expected."
            advice = "Give the address of a file in it, or end it with a slash for what the folder holds."
            raise error(finding("not_regular_file", text, path=self._url, advice=advice))
        size = told.get("size")
        if type(size) is not int or size < 0:
            raise failed(self._url, "the store does not tell how large the file is")
        tags = [f"{key}={told[key]}" for key in (*TAGS, *MORE_TAGS) if told.get(key) is not None]
        return State(size, "; ".join(tags) or None)

    def close(self) -> None:
        return None

    def _asked(self, question: Callable[[], T]) -> T:
        if self._process != os.getpid():  # file systems with connections do not outlive a fork
            self._system, self._process = _file_system(self._whole_url)[0], os.getpid()
        return _asked(self._url, question)


def found_in(url: str) -> list[str]:
    """The files beneath a folder of a store, by their way from there."""
    system, path = _file_system(url)
    names = _asked(shown(url), lambda: list(system.find(path)))
    if not names:
        raise absent(shown(url))
    start = str(system._strip_protocol(path)).rstrip("/") + "/"
    return [name.removeprefix(start) for name in names]


def _asked(url: str, question: Callable[[], T]) -> T:
    """The answer to something that is asked of a store; any error of its packages in our words."""
    try:
        return question()
    except WeightFileError:
        raise
    except FileNotFoundError as problem:
        raise absent(url) from problem
    except PermissionError as problem:
        raise refused(url, str(problem)) from problem
    except ImportError as problem:
        raise _no_package(url, problem) from problem
    except Exception as problem:  # each store has errors of its own
        raise failed(url, f"{type(problem).__name__}: {problem}") from problem


def _file_system(url: str) -> tuple[Any, str]:
    """The file system of fsspec that an address belongs to, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as problem:
        extra = EXTRAS.get(scheme(url), "remote")
        raise missing_package("An address is opened", "fsspec", extra, path=shown(url)) from problem
    try:
        system, path = url_to_fs(url)
    except ImportError as problem:
        raise _no_package(url, problem) from problem
    except ValueError as problem:  # fsspec's word for a scheme that it does not know
        text = f"Addresses that begin with {scheme(url)}:// cannot be opened: {problem}."
        raise error(finding("unknown_address", text, path=shown(url), found=scheme(url))) from problem
    except Exception as problem:  # credentials that are missing, options that are wrong
        raise failed(shown(url), f"{type(problem).__name__}: {problem}") from problem
    return system, path


def _no_package(url: str, problem: ImportError) -> WeightFileError:
    kind = scheme(url)
    package = getattr(problem.__cause__, "name", None)  # fsspec says what to do, and raises it from what was missing
    reason = package or str(problem).rstrip(".") or f"a package for {kind}:// is not installed"
    return missing_package(f"Addresses with {kind}:// are opened", reason, EXTRAS.get(kind), path=shown(url))
