"""The examples of the READMEs, to be run as they stand: the blocks of Python of a page, and the files that they speak of.

A line that ends in `# -> TEXT` is compared with what its expression gives. A block whose first line is
`# pip install 'weightmap[EXTRA]'` needs that extra. `https://example.org/models` is a server of these files.
"""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from support.shared import ROOT
from support.web import serving

SAMPLE = ROOT / "app" / "tensorloupe" / "sample"
SERVED = "https://example.org/models"
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NEEDS = re.compile(r"# pip install '.*weightmap\[(\w+)\]'")
_GIVES_LINE = (
    "def _gives(value, expected): assert expected in (repr(value), str(value)), "
    "f'{expected} was promised, {value!r} came'"
)
_GIVES = re.compile(r"^(\s*)(.+?)\s+# -> (.+)$")


@dataclass(frozen=True)
class Example:
    """A block of a page: the heading above it, the extra that it needs, its lines."""

    page: str
    line: int
    heading: str
    extra: str | None
    source: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def examples(page: Path) -> list[Example]:
    """All blocks of Python of a page, in order."""
    text, found = page.read_text(encoding="utf-8"), []
    for block in _BLOCK.finditer(text):
        before = text[: block.start()]
        headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", before, flags=re.DOTALL), re.MULTILINE)
        needs = _NEEDS.match(block[1])
        name = str(page.relative_to(ROOT))
        found.append(Example(name, before.count("\n") + 1, headings[-1], needs[1] if needs else None, block[1]))
    return found


def script(example: Example, served: str = SERVED) -> str:
    """A block as a program of its own, which fails where a marked line gives something else."""
    lines = [_GIVES_LINE]
    for line in example.source.replace(SERVED, served).splitlines():
        marked = _GIVES.match(line)
        lines.append(f"{marked[1]}_gives(({marked[2]}), {marked[3]!r})" if marked else line)
    return "\n".join(lines) + "\n"


def run(example: Example, folder: Path, *options: str) -> list[str]:
    """Run a block as a script in a folder with its files; the lines that it prints. AssertionError where it fails."""
    write_files(folder)
    with serving(folder) as web:
        (folder / "example.py").write_text(script(example, web.root), encoding="utf-8")
        command = [sys.executable, *options, "example.py"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def write_files(folder: Path) -> None:
    """The files that the examples open: as the script writes them that the page names, and the sample in its place."""
    make = runpy.run_path(str(ROOT / "loader" / "examples" / "files.py"))["write_files"]
    make(folder)
    shutil.copytree(SAMPLE, folder / SAMPLE.relative_to(ROOT))
