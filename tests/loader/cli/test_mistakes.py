"""Mistakes in a program: whose they are, of weightmap or of a plug-in."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.build import gguf, safetensors
from support.command import Weightmap

from weightmap.types.base import StoredType
from weightmap.types.plain import F32


def test_a_mistake_of_a_plug_in_is_not_ours(
    weightmap: Weightmap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Odd(StoredType):
        """A type whose decoder fails."""

        name, safetensors, elements, bytes = "ODD", True, 2, 1

        def decode(self, blocks: object, out: object, work: object) -> None:
            raise RuntimeError("a fault of its own")

    monkeypatch.setattr("weightmap.types.registry._registry._names", {"F32": F32(), "ODD": Odd()})
    path = tmp_path / "odd.safetensors"
    path.write_bytes(safetensors([("w", "ODD", (4,), bytes(2))]))
    ran = weightmap("stats", path)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == f"weightmap: This is a mistake of the plug-in {__name__}: RuntimeError: a fault of its own\n"


def test_a_mistake_of_a_type_of_ours_is_ours(
    weightmap: Weightmap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr("weightmap.types.k_quants_16.products", mistaken)
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf(tensors=[("w", (256,), 10, bytes(84))]))
    ran = weightmap("export", path, "w", tmp_path / "out.npy")
    assert ran.status == 1
    assert "This is a mistake of weightmap, not of the file. Please report it: RuntimeError: a fault of ours" in ran.err


def test_who_asks_for_help_is_told_where_there_is_more(weightmap: Weightmap) -> None:
    out = " ".join(weightmap("--help").out.split())
    assert "weightmap COMMAND --help tells what a command takes." in out
    assert "0 done and no error-level finding, 1 an error-level finding or an unreadable file, 2 wrong usage" in out
