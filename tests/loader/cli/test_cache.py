from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.command import Weightmap

from weightmap.cache import place
from weightmap.cache.store import Store


def test_what_is_remembered_and_how_it_is_dropped(
    weightmap: Weightmap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = str(tmp_path / "c")
    monkeypatch.setenv("WEIGHTMAP_CACHE", place)
    assert weightmap("cache", "--json").json == {"path": place, "entries": 0, "bytes": 0, "room": 512 << 20}
    Store(place).save("k", "thing", 1, {"s": bytes(2000)})
    ran = weightmap("cache", "--json")
    assert (ran.status, ran.json["entries"]) == (0, 1)
    assert 2000 < ran.json["bytes"] < 2500
    assert weightmap("cache").out.startswith(f"{place}: 1 entry, ")
    assert weightmap("cache", "--clear", "--json").json["entries"] == 0
    assert Store(place).load("k", "thing") is None


def test_there_is_none(weightmap: Weightmap) -> None:
    assert weightmap("cache", "--json").json == {"path": None, "entries": 0, "bytes": 0, "room": 0}
    assert weightmap("cache").out == "There is no cache: WEIGHTMAP_CACHE=0 switches it off.\n"


def test_there_is_none_where_the_usual_folder_is_not_known(
    weightmap: Weightmap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WEIGHTMAP_CACHE")
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    place._usual.cache_clear()
    said = weightmap("cache").out
    place._usual.cache_clear()
    assert said.startswith("There is no cache: WEIGHTMAP_CACHE names no folder, and the package platformdirs")
