"""A report as a page: checked to be well formed and to fetch and run nothing, with its text as a reader sees it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import weightmap

VOID = {"meta", "br", "img", "source", "rect", "path", "use", "circle"}


class Page(HTMLParser):
    """Checks that tags are closed in order, and keeps what a browser could fetch or run, and the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.fetched: list[str] = []
        self.handlers: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        self.fetched += [value or "" for name, value in attrs if name in ("src", "srcset", "href", "action", "data")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).replace("\xa0", " ").split())


def report(tmp_path: Path, quantized: Path, reference: Path, **options) -> tuple[Page, str]:
    found = weightmap.compare(quantized, reference)
    weightmap.write_report(found, tmp_path / "out.html", **options)
    weightmap.write_report(found, tmp_path / "out.md", **options)
    page = Page((tmp_path / "out.html").read_text(encoding="utf-8"))
    assert not page.tags & {"script", "iframe", "object", "embed", "form", "link", "base", "animate", "set"}
    assert page.handlers == []
    assert all(re.match(r"#\w+$|data:image/png;base64,", target) for target in page.fetched)
    return page, (tmp_path / "out.md").read_text(encoding="utf-8")
