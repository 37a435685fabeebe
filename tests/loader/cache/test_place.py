"""Where the cache lies: switched off, by keyword and environment, the user's own folder, or nowhere."""

import os
import subprocess
import sys

import pytest

from weightmap.cache import place
from weightmap.cache.place import store


@pytest.mark.parametrize("said", ["0", "off", " No ", "FALSE"])
def test_switched_off_whatever_is_asked_for(monkeypatch, tmp_path, said):
    monkeypatch.setenv("WEIGHTMAP_CACHE", said)
    assert store() is store(True) is store(tmp_path) is None


def test_a_folder_by_the_environment_or_by_keyword(monkeypatch, tmp_path):
    monkeypatch.setenv("WEIGHTMAP_CACHE", str(tmp_path / "e"))
    assert store().place == store(True).place == str(tmp_path / "e")
    assert store(tmp_path / "k").place == str(tmp_path / "k")
    assert store(False) is None


def test_the_users_folder_is_that_of_platformdirs(tmp_path):
    code = "from weightmap.cache.place import store; print(store().place)"
    environment = {name: value for name, value in os.environ.items() if name != "WEIGHTMAP_CACHE"}
    environment |= {"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    from platformdirs import user_cache_dir

    assert done.stdout.strip().startswith(str(tmp_path))
    assert os.path.basename(user_cache_dir("weightmap", appauthor=False)) == os.path.basename(done.stdout.strip())


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs is asked")
@pytest.mark.parametrize(
    ("said", "known"),
    [(None, True), ("", True), ("/some where", True), ("/a/", True), ("relative", False), (" ", False)],
)
def test_on_linux_what_platformdirs_would_say_is_known_without_it(monkeypatch, said, known):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if said is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", said)
    from platformdirs import user_cache_dir

    expected = user_cache_dir("weightmap", appauthor=False)
    assert place._on_linux() is None  # it is loaded, and asked
    monkeypatch.delitem(sys.modules, "platformdirs")
    assert place._on_linux() == (expected if known else None)


def test_a_user_without_a_home_has_none():
    code = (
        "import sys, types; sys.modules['platformdirs'] = m = types.ModuleType('platformdirs');"
        "m.user_cache_dir = lambda *a, **k: '~/.cache/weightmap';"
        "from weightmap.cache.place import store; print(store())"
    )
    environment = {name: value for name, value in os.environ.items() if name != "WEIGHTMAP_CACHE"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None"


def test_without_platformdirs_there_is_none(tmp_path):
    code = "import sys; sys.modules['platformdirs'] = None; from weightmap.cache.place import store; print(store())"
    environment = {name: value for name, value in os.environ.items() if name != "WEIGHTMAP_CACHE"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None"
