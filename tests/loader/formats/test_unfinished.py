"""Downloads that are not finished have their full size already: names tell."""

from __future__ import annotations

import os

import pytest
from support.build import gguf

import weightmap
from weightmap.formats.unfinished import unfinished

SOUND = gguf(tensors=[("token_embd.weight", (2, 32), 0, b"\0\0\x80\x3f" * 64)])


@pytest.mark.parametrize(
    "name",
    ["m.gguf.crdownload", "m.gguf.part", "abc.incomplete", "m.gguf.!qB", "m.GGUF.PARTIAL", "sha256-0123-partial"],
)
def test_the_name_of_an_unfinished_download_is_said(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(SOUND)
    with weightmap.open(path) as model:
        [found] = [one for one in model.findings if one.severity == "warning"]
    assert (found.code, found.path, found.found) == ("unfinished_download", str(path), name)


def test_notes_of_aria2_beside_the_file_are_said(tmp_path):
    path = tmp_path / "m.gguf"
    path.write_bytes(SOUND)
    assert unfinished(str(path)) == []
    (tmp_path / "m.gguf.aria2").write_bytes(b"\0\1")
    with weightmap.open(path) as model:
        [found] = [one for one in model.findings if one.code == "unfinished_download"]
    assert (found.severity, found.found) == ("warning", "m.gguf.aria2")
    assert "missing pieces read as zeros" in found.message


@pytest.mark.parametrize(
    "name", ["m.gguf", "m.safetensors", "sha256-abc", "m.gguf.part1of2", "department.gguf", "m-partial.gguf"]
)
def test_other_names_say_nothing(tmp_path, name):
    assert unfinished(str(tmp_path / name)) == []


def test_a_search_finds_them_and_leaves_notes_beside_their_file_out(tmp_path):
    names = [
        "a.gguf",
        "a.gguf.aria2",
        "b.safetensors.crdownload",
        "c.GGUF.part",
        "d.gguf.aria2",
        "e.zip.part",
        "f.part",
    ]
    for name in names:
        (tmp_path / name).write_bytes(SOUND)
    found = [os.path.basename(path) for path in weightmap.find_models(tmp_path)]
    assert found == ["a.gguf", "b.safetensors.crdownload", "c.GGUF.part", "d.gguf.aria2"]


def test_a_folder_stands_for_its_one_model_that_is_finished_else_for_what_there_is(tmp_path):
    for name in ("a.gguf", "b.gguf.part"):
        (tmp_path / name).write_bytes(SOUND)
    for name in ("a.gguf", "b.gguf.part"):
        with weightmap.open(tmp_path) as model:
            assert os.path.basename(model.parts[0].path) == name
        (tmp_path / name).unlink()
