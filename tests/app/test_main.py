"""The command `tensorloupe` as a program: displays, pictures, exit statuses. Each run is a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.build import safetensors


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    command = [sys.executable, "-m", "tensorloupe", *arguments]
    return subprocess.run(command, env=kept | environment, capture_output=True, text=True, timeout=120)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a display")
def test_without_a_display_it_says_so_in_one_line():
    done = run("x.gguf")
    assert done.returncode == 2
    assert done.stderr.startswith("tensorloupe: there is no display") and done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_wrong_usage():
    assert run("--size", "12").returncode == 2
    assert run("--theme", "pink").returncode == 2
    assert run("--version").stdout.startswith("tensorloupe ")


def test_pictures_of_every_view_are_drawn_without_a_display(tmp_path: Path, model_file: Path):
    out = tmp_path / "new" / "pictures"
    done = run("--screenshot", str(out), "--theme", "dark", "--size", "1000x700", str(model_file))
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in out.iterdir())
    assert {"file-dark.png", "overview-dark.png", "heatmap-dark.png"} <= set(names)
    from PySide6.QtGui import QImage

    for name in names:
        image = QImage(str(out / name))
        assert (image.width(), image.height()) == (1000, 700)
        colors = {image.pixel(x, y) for x in range(0, 1000, 7) for y in range(0, 700, 7)}
        assert len(colors) > 20, f"{name} is blank"
    assert not (tmp_path / "config").exists()  # pictures leave no traces in the settings


def test_nothing_to_draw_is_an_error_in_one_line(tmp_path: Path):
    done = run("--screenshot", str(tmp_path / "out"), str(tmp_path / "missing.gguf"))
    assert done.returncode == 1
    assert "missing.gguf" in done.stderr and "Traceback" not in done.stderr


def test_after_the_first_paint_it_ends_by_itself(model_file: Path, tmp_path: Path):
    for arguments in ([str(model_file)], [], [str(tmp_path / "missing.gguf")]):
        done = run(*arguments, "--exit-after-first-paint", QT_QPA_PLATFORM="offscreen")
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr


# what the first picture of a file needs none of: other pages, views, checks and measures, and what those bring along
NOT_YET = ("matplotlib", "html", "http", "ssl", "PySide6.QtSvg", "PySide6.QtNetwork", "weightmap.checks.architecture")
NOT_YET += (
    "weightmap.checks.structure",
    "tensorloupe.views.summary",
    "weightmap.measure",
    "weightmap.pairing",
    "weightmap.naming",
    "weightmap.companions.find",
    "weightmap.source.remote",
)
NOT_YET += tuple(f"tensorloupe.views.{key}" for key in ("overview", "heatmap", "blocks", "values", "error", "whatif"))
NOT_YET += tuple(f"tensorloupe.panels.{page}" for page in ("welcome", "findings", "reader", "composed", "goto"))
NOT_YET += (
    "tensorloupe.comparing.comparing",
    "tensorloupe.views.notice",
    "tensorloupe.widgets.destination",
    "tensorloupe.panels.sheet.page",
    "tensorloupe.window.commands",
    "tensorloupe.window.dialogs",
    "numpy.ma",
)

# what begins some milliseconds after an opening begins before the first paint where the machine is busy
LATER = "from tensorloupe.window import arrivals, judging; arrivals._REST = judging._PAINT = 60_000"

DEAR = {"QStyle", "QWizard", "QPlainTextEdit"}  # classes of Qt, each of which brings many others


def loaded(code: str) -> tuple[set[str], set[str]]:
    """The modules that a program has loaded by its end, and the classes of QtWidgets."""
    code = f"import sys; {code}; print(*sys.modules); print(*vars(sys.modules['PySide6.QtWidgets']))"
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    modules, classes = done.stdout.splitlines()[-2:]
    return set(modules.split()), set(classes.split())


def test_nothing_is_loaded_that_the_first_paint_does_not_need(model_file: Path):
    plain, all_classes = loaded("import numpy; from PySide6.QtWidgets import QLabel")
    start = f"from tensorloupe.__main__ import main; main([{str(model_file)!r}, '--exit-after-first-paint'])"
    modules, classes = loaded(f"{LATER}; {start}")
    assert {"tensorloupe.panels.tree", "weightmap.formats.gguf"} <= modules and "QTreeView" in classes
    early = modules - plain
    assert not [name for name in early if any(name == not_yet or name.startswith(f"{not_yet}.") for not_yet in NOT_YET)]
    assert not classes & DEAR - all_classes  # a PySide that loads all of Qt at once has them anyway


def test_bfloat16_is_float32_in_the_window_whatever_else_is_installed(tmp_path: Path):
    path = tmp_path / "m.safetensors"
    path.write_bytes(safetensors([("a", "BF16", (2,), b"\x80\x3f\x00\xc0"), ("b", "F8_E4M3", (1,), b"\x38")]))
    code = (
        f"import sys; from tensorloupe.__main__ import main; main([{str(path)!r}, '--exit-after-first-paint']); "
        f"import weightmap; read = [t.read() for t in weightmap.open({str(path)!r}).tensors.values()]; "
        "print(*(values.dtype for values in read), read[0].tolist(), sys.modules['ml_dtypes'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1:] == ["float32 float32 [1.0, -2.0] None"], done.stderr


def test_a_folder_of_several_models_is_drawn_as_a_list(tmp_path, model_file, other_file):
    out = tmp_path / "pictures"
    done = run("--screenshot", str(out), "--theme", "light", "--size", "1000x700", str(model_file), str(other_file))
    assert done.returncode == 0 and done.stderr == ""
    assert {"sheet-light.png", "1-small-file-light.png", "2-other-file-light.png"} <= {p.name for p in out.iterdir()}
    assert (out / "sheet-light.png").stat().st_size > 10_000


@pytest.mark.skipif(sys.platform == "win32", reason="names of files are text there")
def test_a_name_that_is_no_text_opens_from_the_command_line(model_file: Path, tmp_path: Path):
    path = os.fsencode(tmp_path) + b"/\xff <b>&[*] \xe2\x80\xae.gguf"
    os.rename(model_file, path)
    done = run("--screenshot", str(tmp_path / "out"), "--theme", "light", os.fsdecode(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out" / "file-light.png").stat().st_size > 10_000
