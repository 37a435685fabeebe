"""The package as it is imported: light, and with every public name in its place."""

import os
import subprocess
import sys

import pytest

import weightmap


@pytest.mark.parametrize("name", weightmap.__all__)
def test_every_public_name_is_there(name):
    assert getattr(weightmap, name) is not None
    assert name in dir(weightmap)


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        weightmap.nothing  # noqa: B018


def test_importing_loads_no_numpy_and_opening_loads_no_measures(tmp_path):
    file = tmp_path / "a.safetensors"
    file.write_bytes(b"\x02\0\0\0\0\0\0\0{}")
    code = (
        "import sys, weightmap; assert 'numpy' not in sys.modules; "
        f"weightmap.open({str(file)!r}); print([m for m in sys.modules if m.startswith('weightmap.measure')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_opening_waits_for_no_module_that_it_can_do_without(tmp_path):
    file = tmp_path / "a.safetensors"
    file.write_bytes(b"\x02\0\0\0\0\0\0\0{}")
    late = ["logging", "traceback", *(["platformdirs", "tempfile", "shutil"] if sys.platform == "linux" else [])]
    code = f"import sys, weightmap; weightmap.open({str(file)!r}); print([m for m in {late!r} if m in sys.modules])"
    environment = {
        name: value for name, value in os.environ.items() if name not in ("WEIGHTMAP_CACHE", "WEIGHTMAP_OTEL")
    }
    environment["XDG_CACHE_HOME"] = str(tmp_path)
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60, check=True, env=environment)
    assert done.stdout.strip() == "[]"


def test_an_older_numpy_is_refused_instead_of_giving_wrong_values():
    code = "import numpy; numpy.__version__ = '1.26.4'; import weightmap; weightmap.open"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "weightmap needs numpy 2.0 or newer, and this is numpy 1.26.4" in done.stderr
