"""What may happen to any command: wrong usage, a reader who leaves, Ctrl-C, faults. The user never sees a traceback."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from support.build import safetensors
from support.command import Weightmap

from weightmap.cli import info, stats
from weightmap.cli.interrupt import asked, interruptible
from weightmap.cli.progress import ProgressLine

COMMAND = [sys.executable, "-c", "import sys; from weightmap.cli import main; sys.exit(main())"]


def test_help_lists_the_commands(weightmap: Weightmap) -> None:
    ran = weightmap("--help")
    assert ran.status == 0
    assert re.findall(r"^    (\w+) ", ran.out, re.MULTILINE) == [
        "info",
        "validate",
        "stats",
        "compare",
        "whatif",
        "export",
        "digest",
        "verify",
        "cache",
        "bench",
    ]


@pytest.mark.parametrize("words", [(), ("nonsense",), ("info",), ("info", "a", "--nope"), ("validate",)])
def test_wrong_usage_is_2(weightmap: Weightmap, words: tuple[str, ...]) -> None:
    ran = weightmap(*words)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("usage: weightmap")


def test_without_a_word_all_commands_are_listed(weightmap: Weightmap) -> None:
    shown = weightmap().err
    assert all(f"\n    {command} " in shown for command in ("info", "compare", "verify", "bench"))


def test_the_version(weightmap: Weightmap) -> None:
    assert re.fullmatch(r"weightmap \d+\.\d+\.\d+\n", weightmap("--version").out)


@pytest.mark.parametrize(
    "problem", [RuntimeError("odd"), MemoryError(), RecursionError("deep"), OSError(28, "No space left")]
)
def test_what_nobody_foresaw_is_one_line(
    weightmap: Weightmap, model: Path, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    def fail(*_: object) -> None:
        raise problem

    monkeypatch.setattr(info, "_page", fail)
    monkeypatch.setattr(info, "report", fail)
    ran = weightmap("info", model)
    assert (ran.status, ran.out) == (1, "")
    assert "Traceback" not in ran.err
    assert ran.err.count("\n") == 1
    failed = weightmap("info", model, "--json")
    assert failed.status == 1
    assert set(failed.json["error"]) == {"path", "code", "message", "tensor", "key", "offset"}


def test_ctrl_c_is_130_and_silent(weightmap: Weightmap, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(stats, "_measured", interrupt)
    ran = weightmap("stats", model)
    assert (ran.status, ran.out, ran.err) == (130, "", "")


def test_an_interrupt_that_was_swallowed_still_ends_long_work() -> None:
    with interruptible():
        assert ProgressLine("work")(0, 1)
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert not ProgressLine("work")(0, 1)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it stays off until the process ends


def test_an_interrupt_in_a_finalizer_is_remembered_and_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    class Late:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    with interruptible():
        late = Late()
        del late
        assert asked()
    assert capsys.readouterr().err == ""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_an_interrupt_that_importing_swallows_ends_the_command() -> None:
    # the first module that the commands need sends the signal from a finalizer, as the import system's own locks do
    program = """
import signal, sys
class Late:
    def __del__(self): signal.raise_signal(signal.SIGINT)
class Finder:
    def find_spec(self, name, *_):
        if name == "argparse": Late()
sys.meta_path.insert(0, Finder())
from weightmap.cli import main
sys.exit(main(["--version"]))
"""
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (process.returncode, process.stdout, process.stderr) == (130, b"", b"")


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Work for many seconds on any machine, in a file with holes: 16 GB of zeros."""
    path, count = tmp_path / "large.safetensors", 4 * 10**9
    header = json.dumps({"big": {"dtype": "F32", "shape": [count], "data_offsets": [0, 4 * count]}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    os.truncate(path, 8 + len(header) + 4 * count)
    return path


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal")
def test_a_terminal_gets_a_progress_line_and_ctrl_c_ends_the_work(large: Path) -> None:
    import pty  # POSIX has it, Windows does not

    ours, theirs = pty.openpty()
    environment = os.environ | {"WEIGHTMAP_THREADS": "1"}
    process = subprocess.Popen([*COMMAND, "stats", str(large)], env=environment, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = os.read(ours, 1000).decode()  # returns with the first progress line, a second into the work
    process.send_signal(signal.SIGINT)
    asked = time.monotonic()
    with contextlib.suppress(OSError):  # the end of a pseudo-terminal is an error on Linux
        while more := os.read(ours, 1000):
            shown += more.decode()
    out, _ = process.communicate(timeout=20)
    os.close(ours)
    assert time.monotonic() - asked < 8
    assert (process.returncode, out) == (130, b"")
    assert re.match(r"\r\x1b\[K *\d+ %  big", shown)
    assert shown.endswith("\r\x1b[K")


@pytest.mark.parametrize("words", [("info",), ("info", "--json"), ("validate",), ("stats", "--json")])
def test_a_reader_who_leaves_is_no_error(tmp_path: Path, words: tuple[str, ...]) -> None:
    path = tmp_path / "wide.safetensors"
    path.write_bytes(safetensors([(f"t{i:05}", "F32", (1,), bytes(4)) for i in range(3000)]))
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run(
        [*COMMAND, words[0], str(path), *words[1:]], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (process.returncode, process.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full")
@pytest.mark.parametrize(
    "words", [("info",), ("info", "--json"), ("stats", "--json"), ("stats", "--json", "--tensor", "x")]
)
def test_a_full_disk_is_one_line(model: Path, words: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        process = subprocess.run([*COMMAND, *words, "--", str(model)], stdout=full, stderr=subprocess.PIPE, check=False)
    assert process.returncode == 1
    assert process.stderr.decode().startswith("weightmap: The system refuses: No space left")
    assert process.stderr.count(b"\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="a shell that closes streams")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", ["info", "validate --json", "stats"])
def test_closed_streams_are_as_good_as_a_reader_who_left(model: Path, words: str, closed: str) -> None:
    line = f'"$0" -c "import sys; from weightmap.cli import main; sys.exit(main(sys.argv[1:]))" {words} "$1" {closed}'
    process = subprocess.run(["/bin/sh", "-c", line, sys.executable, str(model)], capture_output=True, check=False)
    assert (process.returncode, process.stderr) == (0, b"")
    assert bool(process.stdout) == (">&-" not in closed.split())


def test_a_terminal_that_knows_ascii_only(model: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    process = subprocess.run([*COMMAND, "info", str(model)], env=environment, capture_output=True, check=False)
    assert (process.returncode, process.stderr) == (0, b"")
    assert b"2 \\xd7 3" in process.stdout


def test_a_path_that_is_no_text(model: Path) -> None:
    odd = os.fsencode(model.parent) + b"/m\xff.gguf"
    status = 0
    try:
        os.rename(model, odd)
    except OSError:  # a file system that takes text only: then it is a file that is not there
        status = 1
    for words in (["info"], ["validate", "--format", "junit"], ["validate", "--format", "sarif"], ["stats", "--json"]):
        process = subprocess.run([*COMMAND, words[0], odd, *words[1:]], capture_output=True, check=False)
        assert process.returncode == status
        assert b"Traceback" not in process.stderr
        assert b"\xff" not in process.stdout
        assert status or process.stderr == b""


def test_values_that_are_not_finite_are_null(weightmap: Weightmap, tmp_path: Path) -> None:
    path = tmp_path / "inf.safetensors"
    path.write_bytes(safetensors((("t", "F64", (3,), np.array([np.inf, -np.inf, np.nan]).tobytes()),)))
    assert weightmap("stats", path, "--json").json[0]["mean"] is None


def test_the_package_runs_as_the_command() -> None:
    both = [[sys.executable, "-m", "weightmap"], COMMAND]
    said = [subprocess.run([*one, "--version"], capture_output=True, text=True, check=True).stdout for one in both]
    assert said[0] == said[1]
    assert re.fullmatch(r"weightmap [\d.]+\n", said[0])
