"""What a web server's answer to a range request is worth: judged by status and headers before any of its body is read.

Every answer says which version of the file it is of, so a change is noticed without asking for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from weightmap.errors import WeightFileError, error
from weightmap.findings import finding
from weightmap.source.transport import State, absent, changed, failed, refused

WHOLE = 16_000_000  # bytes: a file up to this is read whole from a server that gives no ranges
AGAIN = frozenset({429, 500, 502, 503, 504})  # answers that a server may take back
_RANGE = re.compile(r"bytes (?:(\d{1,18})-(\d{1,18})|\*)/(\d{1,18}|\*)")  # no file has 10^18 bytes


class Answer(NamedTuple):
    """What one request brought. `whole` is set where the server sent the file instead of the range."""

    state: State
    body: bytes
    whole: bool = False


class Passing(Exception):  # noqa: N818 - a failure that may pass: worth another try
    """Why a request failed, as the end of a sentence."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Question(NamedTuple):
    """A range of the file at `url`. `was` is its state when it was met, None before; `ranges` whether the server gave any."""

    url: str
    start: int
    stop: int
    was: State | None
    ranges: bool


async def read(asked: Question, answer: Any) -> Answer:
    """The body of aiohttp's `answer`, never more than what was asked for. Raises WeightFileError, or Passing."""
    status, headers, url = answer.status, answer.headers, asked.url
    named = f"status {status}{f', {answer.reason}' if answer.reason else ''}"
    if status in (404, 410):
        raise absent(url)
    if status in (401, 403, 407):
        raise refused(url, named)
    if status in AGAIN:
        raise Passing(f"it answers with {named}")
    if status == 416:
        return _outside(asked, headers)
    if status == 200:
        return await _whole(asked, answer)
    if status != 206:
        raise failed(url, f"it answers with {named}")
    return await _range(asked, answer)


async def _range(asked: Question, answer: Any) -> Answer:
    url, start, stop, headers = asked.url, asked.start, asked.stop, answer.headers
    if (encoding := headers.get("Content-Encoding", "identity")) != "identity":
        raise failed(url, f"it answers with {encoding} instead of the bytes as they are")
    told = _RANGE.fullmatch(headers.get("Content-Range", "").strip())
    if told is None or told[1] is None or told[3] == "*":
        what = headers.get("Content-Range", "nothing")
        raise failed(url, f"its answer does not tell which range of how many bytes it has, but {what[:80]!r}")
    begin, end, size = int(told[1]), int(told[2]) + 1, int(told[3])
    state = State(size, _tag(headers))
    if asked.was is not None and state != asked.was:
        return Answer(state, b"")
    if begin != start or end != min(stop, size):
        raise failed(url, f"bytes {start:,} to {stop:,} were asked for, and {begin:,} to {end:,} of {size:,} came")
    body = await _bounded(answer, end - begin)
    if len(body) != end - begin:
        raise Passing(f"{end - begin:,} bytes from byte {start:,} on were promised, {len(body):,} came")
    return Answer(state, body)


def _outside(asked: Question, headers: Mapping[str, str]) -> Answer:
    """The range begins behind the end: of an empty file, or of one that shrank."""
    told = _RANGE.fullmatch(headers.get("Content-Range", "").strip())
    size = int(told[3]) if told is not None and told[3] != "*" else 0
    if asked.start == 0 and size == 0:
        return Answer(State(0, _tag(headers)), b"")
    if asked.was is None:
        raise failed(asked.url, "it refuses the range that was asked for")
    raise error(changed(asked.url, asked.was, State(size, None)))


async def _whole(asked: Question, answer: Any) -> Answer:
    """The server sends everything: taken where the file is small and just being met, else refused before it is read."""
    length = answer.headers.get("Content-Length", "")
    size = int(length) if length.isdecimal() else None
    if (was := asked.was) is not None:
        now = State(was.size if size is None else size, _tag(answer.headers))
        answer.close()
        if asked.ranges and now == was:
            raise no_ranges(asked.url, size, " any more")
        return Answer(now, b"", whole=True)
    if size is None or size <= WHOLE:
        body = await _bounded(answer, WHOLE)
        if len(body) <= WHOLE:
            if size is not None and len(body) != size and "Content-Encoding" not in answer.headers:
                raise Passing(f"{size:,} bytes were promised, {len(body):,} came")
            return Answer(State(len(body), _tag(answer.headers)), body, whole=True)
    answer.close()
    raise no_ranges(asked.url, size)


async def _bounded(answer: Any, most: int) -> bytes:
    """The body, up to one byte more than `most`."""
    pieces, have = [], 0
    while have <= most and (piece := await answer.content.read(most + 1 - have)):
        pieces.append(piece)
        have += len(piece)
    return b"".join(pieces)


def no_ranges(url: str, size: int | None, still: str = "") -> WeightFileError:
    """For a server that would send the whole of a large file."""
    much = "the whole file, of unknown length" if size is None else f"all {size:,} bytes"
    text = f"The server does not give ranges of this file{still}: it would send {much}."
    advice = "Download the file and open it from the disk, or use a server that answers range requests."
    return error(finding("no_ranges", text, path=url, expected="status 206", found="status 200", advice=advice))


def _tag(headers: Mapping[str, str]) -> str | None:
    """The mark of a version: the entity tag, else the time of the last change."""
    tag: str | None = headers.get("ETag") or headers.get("Last-Modified")
    return None if tag is None else tag.removeprefix("W/")
