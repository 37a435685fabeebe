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
MOST_LINES = 250


Tree = dict[str, ast.Module]


def trees(folder: Path) -> Tree:
    """The syntax tree of every module, by its path from the root."""
    paths = sorted(folder.rglob("*.py"))
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@pytest.fixture(scope="module")
def app() -> Tree:
    return trees(APP)


@pytest.fixture(scope="module")
def loader() -> Tree:
    return trees(LOADER)


def imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Every import as (module, name); the name is empty for a plain `import module`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.module, alias.name) for alias in node.names)


def test_the_app_uses_public_names_of_weightmap_only(app: Tree) -> None:
    used = set()
    for path, tree in app.items():
        for module, name in imports(tree):
            inside = [*module.split(".")[1:], name]  # ["errors", "X"] of `from weightmap.errors import X`
            if module.split(".")[0] == "weightmap" and any(inside):
                used.add((path, ".".join(inside)))
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "weightmap":
                used.add((path, node.attr))
    assert len(used) > 10
    assert sorted((path, name) for path, name in used if name not in weightmap.__all__) == []


def test_only_the_task_runner_makes_threads(app: Tree) -> None:
    threaded = {
        path
        for path, tree in app.items()
        for module, name in imports(tree)
        if module.split(".")[0] in THREADS or name in THREAD_CLASSES
    }
    without_a_window = {"app/tensorloupe/desktop.py"}  # a command that runs the desktop's own tools, and ends
    assert threaded - without_a_window == {"app/tensorloupe/tasks.py"}


def test_every_public_name_is_there() -> None:
    assert len(set(weightmap.__all__)) == len(weightmap.__all__)
    assert [name for name in weightmap.__all__ if not hasattr(weightmap, name)] == []


def test_every_module_says_why_it_exists_and_stays_small(app: Tree, loader: Tree) -> None:
    both = app | loader
    assert [path for path, tree in both.items() if not ast.get_docstring(tree)] == []
    beside = {str(path.relative_to(ROOT)) for folder in ("tests", "scripts") for path in (ROOT / folder).rglob("*.py")}
    long = {path for path in both.keys() | beside if (ROOT / path).read_text(encoding="utf-8").count("\n") > MOST_LINES}
    assert long == set()


def test_findings_are_made_with_listed_codes(loader: Tree) -> None:
    named = {
        (path, node.args[0].value)
        for path, tree in loader.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "finding" and node.args
        if isinstance(node.args[0], ast.Constant)
    }
    assert len(named) > 30
    assert sorted((path, code) for path, code in named if code not in CODES) == []


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


@pytest.mark.parametrize("command", ["info", "validate --values", "stats", "export", "digest"])
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
    assert loader["dependencies"] == ["numpy>=2.0"]
    assert (ROOT / "loader" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert f"## {loader['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("project", "home"), [("", "app"), ("loader", "loader")])
def test_every_file_of_a_package_is_shipped(project: str, home: str) -> None:
    """Data files need a pattern in package-data: without one they are there in a checkout and missing after an install."""
    settings = tomllib.loads((ROOT / project / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    shipped = {
        file
        for package, patterns in settings["package-data"].items()
        for pattern in patterns
        for file in (ROOT / home / package.replace(".", "/")).glob(pattern)
    }
    package = APP if home == "app" else LOADER
    data = {file for file in package.rglob("*") if file.is_file() and file.suffix not in {".py", ".pyc"}}
    assert data - shipped == set()


def test_the_readmes_name_what_is_there() -> None:
    goals = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "loader" / "README.md"):
        text = page.read_text(encoding="utf-8")
        named = re.findall(r"(?m)(?:^|`)make (\w+)", text)
        assert set(named) <= goals
        for link in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (page.parent / link).exists(), f"{page.name} names {link}"
