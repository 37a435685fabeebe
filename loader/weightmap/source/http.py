"""A file on a web server, by range requests: nothing but the ranges asked for is ever loaded, whatever the server does.

The session, its event loop and the user's options for it (`fsspec.config.conf["https"]`) are those of fsspec; what is asked
stands here and what is made of the answer in `answer`, for one that has the whole file must be refused before it is read.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from weightmap.errors import WeightFileError, error, missing_package
from weightmap.findings import Finding, Severity, finding
from weightmap.source import waiting
from weightmap.source.address import shown
from weightmap.source.answer import Answer, Passing, Question, read
from weightmap.source.hub import Place, web_address
from weightmap.source.transport import Span, State, changed, failed

AT_ONCE = 6  # requests
PAUSES = (0.25, 1.0)  # seconds before each further try
REDIRECTS = 10
CONNECT, READ, TOTAL = 15.0, 30.0, 300.0  # seconds: to be connected, between two bytes, for one request

T = TypeVar("T")


class HttpTransport:
    """One file at an http, https or hf address. Raises what `connect` raises. `place` is where it lies, if not at its address."""

    def __init__(self, url: str, first: int, place: Place | None = None) -> None:
        self._url = shown(url)
        self._address, self._headers = place or web_address(url)
        self._system, self._process = _web(self._url, self._address), os.getpid()
        self._waiting: set[concurrent.futures.Future[Any]] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._met: State | None = None
        self._body: bytes | None = None
        self.notes: tuple[Finding, ...] = ()
        answer = self._run(self._ask(0, first))
        self._met = self.state = answer.state
        self.head = answer.body
        if answer.whole:
            self._body = answer.body
            text = f"The server does not give ranges of this file; its {len(answer.body):,} bytes were read whole."
            self.notes = (finding("no_ranges", text, severity=Severity.INFO, path=self._url),)

    def fetch(self, spans: Sequence[Span]) -> list[bytes]:
        if (body := self._body) is not None:
            return [body[start:stop] for start, stop in spans]
        return self._run(self._all(spans))

    def begin(self, spans: Sequence[Span], done: Callable[[list[bytes] | None], None]) -> bool:
        with self._lock:
            if self._closed or self._body is not None or self._process != os.getpid():
                return False
            future = asyncio.run_coroutine_threadsafe(self._all(spans), self._system.loop)
            self._waiting.add(future)

        def arrived(future: concurrent.futures.Future[list[bytes]]) -> None:
            with self._lock:
                self._waiting.discard(future)
            done(None if future.cancelled() or future.exception() is not None else future.result())

        future.add_done_callback(arrived)
        return True

    def now(self) -> State:
        return self._run(self._ask(0, 1)).state

    def close(self) -> None:
        with self._lock:
            self._closed = True
            pending = list(self._waiting)
        for future in pending:
            future.cancel()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait on this thread for work on fsspec's event loop."""
        with self._lock:
            if self._closed:
                work.close()
                raise _closed(self._url)
            if self._process != os.getpid():  # a fork has neither the event loop's thread nor connections of its own
                self._system, self._process = _web(self._url, self._address), os.getpid()
            future = asyncio.run_coroutine_threadsafe(work, self._system.loop)
            self._waiting.add(future)
        try:
            while waiting.asked() and not concurrent.futures.wait([future], waiting.EVERY).done:
                waiting.go_on()
            return future.result()
        except (concurrent.futures.CancelledError, asyncio.CancelledError):
            raise _closed(self._url) from None
        finally:
            future.cancel()  # where this thread was interrupted instead
            with self._lock:
                self._waiting.discard(future)

    async def _all(self, spans: Sequence[Span]) -> list[bytes]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(start: int, stop: int) -> bytes:
            async with gate:
                answer = await self._ask(start, stop)
            if answer.state != self.state:
                raise error(changed(self._url, self.state, answer.state))
            return answer.body

        tasks = [asyncio.ensure_future(one(*span)) for span in spans]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, start: int, stop: int) -> Answer:
        """One range, asked for again where the server or the line failed."""
        asked = Question(self._url, start, stop, self._met, self._body is None)
        for pause in (*PAUSES, None):
            try:
                return await self._once(asked)
            except Passing as problem:
                if pause is None:
                    raise failed(self._url, problem.why, start) from problem.__cause__
            await asyncio.sleep(pause)
        raise AssertionError("the last try returns or raises")

    async def _once(self, asked: Question) -> Answer:
        import aiohttp

        options = dict(self._system.kwargs)
        span = {"Range": f"bytes={asked.start}-{asked.stop - 1}", "Accept-Encoding": "identity"}
        headers = {**options.pop("headers", {}), **self._headers, **span}
        try:
            session = await self._system.set_session()
            address = self._system.encode_url(self._address)
            async with session.get(address, headers=headers, max_redirects=REDIRECTS, **options) as answer:
                return await read(asked, answer)
        except aiohttp.TooManyRedirects as problem:
            why = f"the address redirects more than {REDIRECTS} times, or in a circle"
            raise failed(self._url, why) from problem
        except WeightFileError:
            raise
        except (aiohttp.InvalidURL, ValueError) as problem:
            raise failed(self._url, f"the address cannot be used: {problem}") from problem
        except TimeoutError as problem:
            raise failed(self._url, "the server does not answer in time", asked.start) from problem
        except aiohttp.ClientPayloadError as problem:
            raise Passing("the connection broke off in the middle of the answer") from problem
        except aiohttp.ClientResponseError as problem:
            first = (problem.message.splitlines() or ["no HTTP"])[0].rstrip(":")
            raise Passing(f"its answer cannot be understood ({first[:120]})") from problem
        except aiohttp.ClientError as problem:
            if "Redirect" in type(problem).__name__:
                why = f"it redirects to {str(problem)[:200]}, which is no address on the web"
                raise failed(self._url, why) from problem
            raise Passing(str(problem) or type(problem).__name__) from problem
        except OSError as problem:
            raise Passing(problem.strerror or str(problem)) from problem


def _closed(url: str) -> WeightFileError:
    return error(finding("closed", "This file was closed before the read.", path=url))


def _web(url: str, address: str) -> Any:
    """The file system of the web, with limits of time and the system's proxies unless the user set others."""
    try:
        import aiohttp
        import fsspec
        from fsspec.config import conf
    except ImportError as problem:
        raise missing_package("An address is opened", "fsspec and aiohttp", "remote", path=url) from problem
    scheme = address.partition(":")[0].lower()
    client = {
        "trust_env": True,
        "timeout": aiohttp.ClientTimeout(total=TOTAL, sock_connect=CONNECT, sock_read=READ),
        **conf.get("http", {}).get("client_kwargs", {}),
        **conf.get("https", {}).get("client_kwargs", {}),
    }
    return fsspec.filesystem(scheme, client_kwargs=client)
