"""The rules of the house that no type checker sees: which part may know which, and papers that say what the code does."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path

import pytest
from support.shared import ROOT

import weightmap
from weightmap.codes import CODES

APP = ROOT / "app" / "tensorloupe"
LOADER = ROOT / "loader" / "weightmap"
THREADS = {"threading", "_thread", "concurrent", "multiprocessing", "asyncio", "subprocess"}
THREAD_CLASSES = {"QThread", "QThreadPool", "QRunnable", "QProcess"}


def modules(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def label(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imports(path: Path) -> Iterator[tuple[str, str | None]]:
    """Every import of a module as (module, name); name is None for a plain `import module`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.module, alias.name) for alias in node.names)


@pytest.mark.parametrize("path", modules(APP), ids=label)
def test_the_app_uses_public_names_of_weightmap_only(path: Path) -> None:
    public = set(weightmap.__all__)
    for module, name in imports(path):
        assert not module.startswith("weightmap."), f"{module} is weightmap's own affair"
        if module == "weightmap" and name is not None:
            assert name in public
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "weightmap":
            assert node.attr in public, f"line {node.lineno}"


@pytest.mark.parametrize("path", [path for path in modules(APP) if path.name != "tasks.py"], ids=label)
def test_only_the_task_runner_makes_threads(path: Path) -> None:
    for module, name in imports(path):
        assert module.split(".")[0] not in THREADS
        assert name not in THREAD_CLASSES


def test_every_public_name_is_there() -> None:
    assert len(set(weightmap.__all__)) == len(weightmap.__all__)
    assert [name for name in weightmap.__all__ if not hasattr(weightmap, name)] == []


@pytest.mark.parametrize("path", [*modules(LOADER), *modules(APP)], ids=label)
def test_a_module_says_why_it_exists_and_stays_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text))
    assert text.count("\n") <= 300


@pytest.mark.parametrize("path", modules(LOADER), ids=label)
def test_findings_are_made_with_listed_codes(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "finding" and node.args:
            code = node.args[0]
            if isinstance(code, ast.Constant):
                assert code.value in CODES, f"line {node.lineno}"


NUMPY_ALONE = """
import sys
allowed = set(sys.stdlib_module_names) | {"numpy", "weightmap"}

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in allowed:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Nothing())
import weightmap
from weightmap.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("command", ["info", "validate --values", "stats", "export"])
@pytest.mark.parametrize("name", ["minilm-sample.gguf", "minilm-sample.safetensors"])
def test_every_command_works_with_numpy_alone(command: str, name: str, tmp_path: Path) -> None:
    words = command.split()
    sample = APP / "sample" / name
    tensor = "token_embd.weight" if name.endswith("gguf") else "embeddings.word_embeddings.weight"
    rest = [tensor, str(tmp_path / "out.npy")] if command == "export" else []
    whole = [sys.executable, "-c", NUMPY_ALONE, words[0], str(sample), *words[1:], *rest]
    process = subprocess.run(whole, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout


def test_the_page_of_findings_is_the_table_of_codes() -> None:
    made = run_path(str(ROOT / "scripts" / "document_findings.py"))["page"]()
    assert (ROOT / "docs" / "findings.md").read_text(encoding="utf-8") == made


def test_versions_and_licences_agree() -> None:
    app = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    loader = tomllib.loads((ROOT / "loader" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert app["version"] == loader["version"] == weightmap.__version__
    assert f"weightmap=={loader['version']}" in app["dependencies"]
    assert loader["dependencies"] == ["numpy>=1.26"]
    assert (ROOT / "loader" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert f"## {loader['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_readmes_name_what_is_there() -> None:
    goals = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "loader" / "README.md"):
        text = page.read_text(encoding="utf-8")
        named = re.findall(r"(?m)(?:^|`)make (\w+)", text)
        assert set(named) <= goals
        for link in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (page.parent / link).exists(), f"{page.name} names {link}"
