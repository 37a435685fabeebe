import json
import os

import pytest

from tensorloupe.files.settings import RECENT_LIMIT, Settings


def test_values_outlive_the_program(tmp_path):
    Settings(tmp_path).set("tree_width", 300)
    assert Settings(tmp_path).get("tree_width", 452) == 300
    assert [p.name for p in tmp_path.iterdir()] == ["settings.json"]


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps rights in another way")
def test_what_was_opened_is_for_the_users_own_eyes(tmp_path):
    settings = Settings(tmp_path / "new")
    settings.add_recent("/secret", 1, "ok")
    assert settings.file.stat().st_mode & 0o777 == 0o600


def test_the_default_holds_where_a_value_is_of_another_kind(tmp_path):
    (tmp_path / "settings.json").write_text(json.dumps({"a": "x", "b": True, "c": 3, "d": None}))
    settings = Settings(tmp_path)
    assert (settings.get("a", 5), settings.get("b", 7), settings.get("c", 1.5), settings.get("d", "q")) == (
        5,
        7,
        3.0,
        "q",
    )


def test_a_broken_file_is_set_aside_and_the_defaults_hold(tmp_path):
    for broken in (b"{", b"[1]", b"\xff\xfe", b"[" * 100_000):
        (tmp_path / "settings.json").write_bytes(broken)
        settings = Settings(tmp_path)
        assert settings.get("theme", "system") == "system"
        assert (tmp_path / "settings.unreadable.json").read_bytes() == broken
        settings.set("theme", "dark")
        assert Settings(tmp_path).get("theme", "system") == "dark"


def test_two_windows_add_to_the_recent_list_instead_of_undoing_each_other(tmp_path):
    one, other = Settings(tmp_path), Settings(tmp_path)
    one.add_recent("/a", 1, "ok")
    other.add_recent("/b", 2, "error")
    one.add_recent("/c", 3, "ok")
    assert [entry.path for entry in Settings(tmp_path).recent()] == ["/c", "/b", "/a"]
    other.remove_recent("/a")
    assert [entry.path for entry in one.recent()] == ["/c", "/b", "/a"]
    assert [entry.path for entry in Settings(tmp_path).recent()] == ["/c", "/b"]


def test_a_path_stands_once_and_the_list_ends(tmp_path):
    settings = Settings(tmp_path)
    for n in range(RECENT_LIMIT + 5):
        settings.add_recent(f"/{n}", n, "ok")
    settings.add_recent("/7", 7, "warning")
    paths = [entry.path for entry in settings.recent()]
    assert paths[0] == "/7" and paths.count("/7") == 1 and len(paths) == RECENT_LIMIT
    settings.clear_recent()
    assert settings.recent() == ()


def test_names_that_are_no_text_survive(tmp_path):
    path = os.fsdecode(b"/m/\xff\xfe.gguf")
    Settings(tmp_path).add_recent(path, 1, "ok")
    assert Settings(tmp_path).recent()[0].path == path


def test_entries_that_make_no_sense_are_left_out(tmp_path):
    good = {"path": "/a", "size": 1, "status": "ok", "opened": 1.5}
    bad = [
        None,
        3,
        {"path": 4},
        {**good, "size": "x"},
        {**good, "opened": True},
        {**good, "path": ""},
        {**good, "path": "a\0"},
    ]
    (tmp_path / "settings.json").write_text(json.dumps({"recent": [*bad, good]}))
    assert [entry.path for entry in Settings(tmp_path).recent()] == ["/a"]
    Settings(tmp_path).add_recent("/b", 1, "ok")
    assert [entry.path for entry in Settings(tmp_path).recent()] == ["/b", "/a"]


def test_a_folder_that_cannot_be_written_is_no_reason_to_stop(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    settings = Settings(blocked / "inside")
    settings.set("theme", "dark")
    assert settings.get("theme", "system") == "dark"


def test_without_keeping_nothing_is_read_or_written(tmp_path):
    Settings(tmp_path).set("theme", "dark")
    settings = Settings(tmp_path, keep=False)
    assert settings.get("theme", "system") == "system"
    settings.set("theme", "light")
    assert Settings(tmp_path).get("theme", "system") == "dark"
