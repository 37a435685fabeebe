"""The pages of the library and of the program: every example runs as it stands, and gives what it says."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.examples import Example, examples, run
from support.shared import ROOT

import weightmap
from weightmap.cli import main
from weightmap.cli.program import COMMANDS

PAGE = ROOT / "loader" / "README.md"
ALL = [*examples(PAGE), *examples(ROOT / "README.md")]
HERE = {None, "remote", "cache"}  # extras that `make test` installs; what needs another is run by `make test-extras`


@pytest.mark.parametrize("example", [one for one in ALL if one.extra in HERE], ids=str)
def test_the_example_runs(example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIGHTMAP_CACHE", str(tmp_path / "cache"))
    run(example, tmp_path, "-W", "error")


def test_every_section_that_speaks_of_the_library_has_an_example() -> None:
    sections = re.findall(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    without = {"Install", "Command line", "How the formats really work"}
    assert without < set(sections)
    assert {one.heading for one in examples(PAGE)} >= set(sections) - without


@pytest.mark.parametrize("page", [PAGE, ROOT / "README.md"], ids=["loader", "whole"])
def test_every_command_is_named(page: Path) -> None:
    rows = re.findall(r"^\| `weightmap (\w+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(rows) == {command.__name__.rpartition(".")[2] for command in COMMANDS}


def test_the_shown_statistics_are_those_of_the_sample(capsys: pytest.CaptureFixture[str]) -> None:
    shown = (ROOT / "README.md").read_text(encoding="utf-8").partition("$ weightmap stats ")[2].partition("\n```")[0]
    line, _, table = shown.partition("\n")
    name, *options = line.split()
    assert main(["stats", str(ROOT / name), *options]) == 0
    assert capsys.readouterr().out == table + "\n"


def test_a_program_of_this_repository_writes_the_files_that_examples_open(tmp_path: Path) -> None:
    [program, folder] = re.findall(r"`python (\S+)` writes .* examples open into\n`(\S+)/`", PAGE.read_text("utf-8"))[0]
    done = subprocess.run([sys.executable, ROOT / program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"The examples run in {folder}.\n"
    assert [*weightmap.load_weights(tmp_path / folder / "fp8")] == ["model.layers.0.mlp.down_proj.weight"]
    named = {name for one in examples(PAGE) for name in re.findall(r'(?:\w\(|, )"([\w.]+)"', one.source)}
    files = {name for name in named if name.endswith((".gguf", ".safetensors")) or name in ("models", "fp8")}
    assert files == {path.name for path in (tmp_path / folder).iterdir()}


def test_every_extra_is_named() -> None:
    project = tomllib.loads((ROOT / "loader" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    install = PAGE.read_text(encoding="utf-8").partition("## Install")[2].partition("\n## ")[0]
    named = {word for row in re.findall(r"^\|([^|]*)\|", install, re.MULTILINE) for word in re.findall(r"`(\w+)`", row)}
    assert set(project["optional-dependencies"]) == named
