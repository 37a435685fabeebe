"""Answers that no web server should give: each is one error in our words, soon, whatever its bytes are."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest

import weightmap
from weightmap.source import http

PART = b"HTTP/1.1 206 Partial Content\r\n"
ANSWERS = {
    "no HTTP": b"\x00\x01\x02 nonsense\r\n\r\n",
    "nothing": b"",
    "no total": PART + b"Content-Range: bytes 0-65535/*\r\nContent-Length: 4\r\n\r\nGGUF",
    "a total beyond all files": PART + b"Content-Range: bytes 0-3/" + b"9" * 50 + b"\r\nContent-Length: 4\r\n\r\nGGUF",
    "a header without end": PART + b"X: " + b"a" * 200_000 + b"\r\n\r\n",
    "a range backwards": PART + b"Content-Range: bytes 9-3/100\r\nContent-Length: 4\r\n\r\nGGUF",
    "more than the range": PART + b"Content-Range: bytes 0-3/4\r\nContent-Length: 400\r\n\r\n" + b"G" * 400,
    "packed": PART + b"Content-Range: bytes 0-3/4\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nGGUF",
    "packed and whole": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nGGUF",
    "a negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\nGGUF",
    "a length beyond all numbers": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nGGUF",
    "chunks that are none": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nGGUF\r\n",
    "a redirect to a file": b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
    "a redirect to no address": b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\nContent-Length: 0\r\n\r\n",
    "a redirect to nowhere": b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
    "not modified": b"HTTP/1.1 304 Not Modified\r\n\r\n",
    "go on, go on": b"HTTP/1.1 100 Continue\r\n\r\n" * 50,
    "no such range": b"HTTP/1.1 416 No\r\nContent-Range: bytes */77\r\nContent-Length: 0\r\n\r\n",
}
WORDS = {
    "a redirect to a file": "it redirects to file:///etc/passwd, which is no address on the web",
    "no HTTP": "its answer cannot be understood",
    "packed": "gzip instead of the bytes as they are",
    "no total": "does not tell which range",
}


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """A server that answers everything with `says["answer"]`, and hangs up; its address is `says["address"]`."""
    monkeypatch.setattr(http, "PAUSES", (0.0, 0.0))
    listener, told = socket.create_server(("127.0.0.1", 0)), {"answer": b""}

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                connection.settimeout(5)
                if not connection.recv(1 << 16):
                    continue
                connection.sendall(told["answer"])
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 16):
                    pass

    thread = threading.Thread(target=serve)
    thread.start()
    told["address"] = f"http://127.0.0.1:{listener.getsockname()[1]}/model.gguf".encode()
    yield told
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_that_makes_no_sense(says: dict[str, bytes], name: str) -> None:
    says["answer"] = ANSWERS[name]
    with pytest.raises(
        weightmap.UnreadableFileError, match=WORDS.get(name, "Reading from the server failed: ")
    ) as caught:
        weightmap.open(says["address"].decode())
    assert caught.value.code == "remote_error"
    assert "\n" not in caught.value.finding.message


@pytest.mark.parametrize("address", ["http://", "https://host:99999/x", "http://[/x", "https://" + "a" * 300 + "/x"])
def test_an_address_that_makes_no_sense(address: str) -> None:
    with pytest.raises(weightmap.UnreadableFileError, match="the address cannot be used") as caught:
        weightmap.open(address)
    assert caught.value.code == "remote_error"
