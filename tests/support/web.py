"""A web server on the loopback device that serves the files of a folder, with ranges or in any of the ways servers fail."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Web:
    """A running server. What it does with a file is set by name in `ways`; what it was asked and what it sent is counted.

    ways: "" ranges; "whole" no ranges; "endless" no ranges and no length; "short" half of each answer, then the line breaks;
          "wrong" another range than was asked for; "vast" as if zeros without end came behind the file; "silent" no answer;
          "loop" a redirect to itself; an int: that status
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ways: dict[str, str | int] = {}
        self.moved: dict[str, str] = {}
        self.tags = True
        self.asked: list[tuple[str, str]] = []  # (path with query, Range)
        self.headers: list[dict[str, str]] = []
        self.sent = 0
        self.delay = 0.0
        self.released = threading.Event()  # lets "silent" answers end
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.web = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="web", daemon=True)
        self._thread.start()

    @property
    def root(self) -> str:
        """Address of the folder."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def url(self, name: str) -> str:
        """Address of a file in it."""
        return f"{self.root}/{name}"

    def note(self, path: str, span: str, headers: dict[str, str]) -> None:
        """Remember a request."""
        with self._lock:
            self.asked.append((path, span))
            self.headers.append(headers)

    def count(self, nbytes: int) -> None:
        """Remember bytes of a body."""
        with self._lock:
            self.sent += nbytes

    def forget(self) -> None:
        """Begin to count anew."""
        with self._lock:
            self.asked, self.headers, self.sent = [], [], 0

    def hold(self, connection: socket.socket) -> None:
        """Remember a connection that is open."""
        with self._lock:
            self._open.append(connection)

    def close(self) -> None:
        """End the server with all of its threads and connections."""
        self.released.set()
        self._server.shutdown()
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._server.server_close()
        self._thread.join()


@contextmanager
def serving(folder: Path) -> Iterator[Web]:
    """A server of a folder, for the length of a with."""
    web = Web(folder)
    try:
        yield web
    finally:
        web.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # each is waited for at the end
    web: Web

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no news here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.web.hold(self.connection)

    def log_message(self, format: str, *args: object) -> None:
        return

    def do_HEAD(self) -> None:
        """What stores are asked for the size of an object."""
        self.do_GET()

    def do_GET(self) -> None:
        web = self.server.web
        name = unquote(urlsplit(self.path).path.lstrip("/"))
        span = self.headers.get("Range", "")
        web.note(self.path, span, dict(self.headers))
        way = web.ways.get(name, "")
        if web.delay:
            time.sleep(web.delay)
        if name in web.moved:
            return self._bare(302, Location=web.moved[name])
        if way == "loop":
            return self._bare(302, Location=self.path)
        if way == "silent":
            web.released.wait(20)
            self.close_connection = True
            return None
        if isinstance(way, int):
            return self._bare(way)
        file = web.folder / name
        if not file.is_file():
            return self._bare(404)
        return self._file(file, span, way)

    def _bare(self, status: int, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()

    def _file(self, file: Path, span: str, way: str) -> None:
        size, changed = file.stat().st_size, file.stat().st_mtime_ns
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", span)
        start, stop = (int(asked[1]), min(int(asked[2]) + 1, size)) if asked else (0, size)
        if way in ("whole", "endless"):
            start, stop, asked = 0, size, None
        if way == "vast" and asked:
            self._vast(file, start, int(asked[2]) + 1)
            return
        if asked and start >= size:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{size}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if asked else 200)
        if self.server.web.tags:
            self.send_header("ETag", f'"{changed:x}-{size:x}"')
        if asked:
            begin = start + 1 if way == "wrong" else start
            self.send_header("Content-Range", f"bytes {begin}-{stop - 1}/{size}")
        if way == "endless":
            self.close_connection = True
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(stop - start))
        self.end_headers()
        if self.command == "HEAD":
            return
        with contextlib.suppress(OSError):
            self._body(file, start, start + (stop - start) // 2 if way == "short" else stop)
        if way == "short":
            self.close_connection = True
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

    def _vast(self, file: Path, start: int, stop: int) -> None:
        body = file.read_bytes()[start:stop].ljust(stop - start, b"\0")
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{1 << 50}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)
            self.server.web.count(len(body))

    def _body(self, file: Path, start: int, stop: int) -> None:
        with file.open("rb") as opened:
            opened.seek(start)
            while start < stop and (piece := opened.read(min(1 << 16, stop - start))):
                self.wfile.write(piece)
                self.server.web.count(len(piece))
                start += len(piece)
