"""What travels instead of a model, and how arrays are cut."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest
from support.shared import ROOT

import weightmap
from weightmap.distributed import dask_array, handle, on_dask, on_ray
from weightmap.distributed.arrays import chunk_shape
from weightmap.distributed.handle import Place

GGUF = ROOT / "app" / "tensorloupe" / "sample" / "minilm-sample.gguf"


def test_a_handle_is_small_and_opens_one_model_for_a_process() -> None:
    sent = pickle.dumps(handle(GGUF))
    assert len(sent) < 1000
    one, other = pickle.loads(sent), pickle.loads(sent)
    assert one.model() is other.model()
    assert one.tensor("token_embd.weight").shape == (1024, 128)
    with pytest.raises(KeyError):
        one.tensor("none")


def test_a_place_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Place("/a/b", "/c").here() == "/a/b"
    assert Place("https://host/b", "/c").here() == "https://host/b"
    assert Place("b", "/c").here() == "/c/b"
    monkeypatch.chdir(tmp_path)
    assert Place("b", str(tmp_path)).here() == "b"


@pytest.mark.parametrize(
    ("shape", "grain", "most", "expected"),
    [
        ((), 1, 100, ()),
        ((7,), 1, 100, (7,)),
        ((1000,), 32, 100, (96,)),
        ((50, 64), 32, 640, (10, 64)),
        ((50, 64), 32, 40, (1, 32)),
        ((8, 50, 64), 32, 64 * 100, (2, 50, 64)),
        ((8, 50, 64), 32, 64 * 20, (1, 20, 64)),
        ((0, 64), 32, 100, (1, 64)),
        ((4, 256), 256, 100, (1, 256)),
    ],
)
def test_chunks_are_whole_rows_or_whole_blocks(
    shape: tuple[int, ...], grain: int, most: int, expected: tuple[int, ...]
) -> None:
    assert chunk_shape(shape, grain, most) == expected


@pytest.mark.parametrize(
    ("module", "extra", "call"),
    [
        ("distributed", "dask", lambda: on_dask("127.0.0.1:1")),
        ("dask", "dask", lambda: dask_array(GGUF, "token_embd.weight")),
        ("ray", "ray", lambda: on_ray("127.0.0.1:1")),
    ],
)
def test_a_missing_package_is_one_error_that_names_the_extra(
    module: str, extra: str, call: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (module, f"{module}.array"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(weightmap.WeightFileError, match=rf"pip install 'weightmap\[{extra}\]'") as caught:
        call()  # type: ignore[operator]
    assert caught.value.code == "missing_package"
