"""The desktop entry: written where desktops look, valid by their own tools where they are installed, and taken away again."""

import configparser
import shlex
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from tensorloupe import desktop
from tensorloupe.files import ours

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux desktops")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def entry(home):
    parser = configparser.RawConfigParser(strict=True)
    parser.optionxform = str
    parser.read(home / "applications" / "tensorloupe.desktop", "utf-8")
    return dict(parser["Desktop Entry"])


def test_installing_and_removing(home, capsys):
    assert desktop.run("install") == 0
    written = capsys.readouterr().out
    assert [line.split()[0] for line in written.splitlines()] == ["wrote"] * 3
    said = entry(home)
    assert said["MimeType"] == "application/x-gguf;application/x-safetensors;"
    assert said["Exec"].endswith(" %F")
    program = shlex.split(said["Exec"])[0]
    assert shutil.which(program) == program
    globs = {
        glob.get("pattern")
        for glob in ElementTree.parse(home / "mime/packages/tensorloupe.xml").iter()
        if glob.get("pattern")
    }
    assert globs == {"*.gguf", "*.safetensors"}
    assert (home / "icons/hicolor/scalable/apps/tensorloupe.svg").read_bytes() == ours.ICON.read_bytes()
    assert desktop.run("remove") == 0
    assert not [path for path in home.rglob("tensorloupe*") if path.is_file()]
    assert desktop.run("remove") == 0


@pytest.mark.parametrize("name", ["/opt/a b/x", '/opt/"q"/$x`y', "/opt/100%/x", "/opt/back\\slash"])
def test_a_program_in_a_folder_of_any_name(name):
    line = desktop.quoted(name)
    # the reader's way: the file's escapes, then the quotes, then the field codes
    unescaped = line.replace("\\\\", "\\")
    inner, at = "", 1
    while at < len(unescaped) - 1:
        at += unescaped[at] == "\\"
        inner += unescaped[at]
        at += 1
    assert inner.replace("%%", "%") == name


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch, capsys):
    (tmp_path / "data").write_text("a file")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert desktop.run("install") == 1
    assert capsys.readouterr().err.startswith("tensorloupe: ")


def test_a_relative_data_home_does_not_count(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", "somewhere")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert desktop.data_home() == tmp_path / ".local" / "share"


def test_the_entry_has_what_desktops_ask_for(home):
    desktop.install()
    path = home / "applications" / "tensorloupe.desktop"
    assert entry(home).keys() >= {"Type", "Name", "Exec", "Icon", "MimeType", "Categories"}
    assert all(line.isascii() for line in path.read_text("utf-8").splitlines())
    if tool := shutil.which("desktop-file-validate"):
        assert subprocess.run([tool, "--no-hints", path], capture_output=True, text=True).stdout == ""
