"""The dock below the views: metadata, tokens, findings and files, each in its tab, long texts beside their keys."""

from PySide6.QtGui import QGuiApplication
from support.build import gguf
from support.gestures import press

from tensorloupe.panels.dock import FILES, METADATA, TOKENS


def test_the_dock_shows_metadata_tokens_findings_and_files(qtbot, opened, model_file):
    window = opened(model_file)
    dock = window.explorer.dock
    assert [dock.tabs.tabText(tab) for tab in (METADATA, TOKENS, FILES)] == ["Metadata  6", "Tokens  3,000", "Files  1"]
    dock.open_tab(TOKENS)
    dock.tokens.table.scrollToBottom()
    model = dock.tokens.model
    qtbot.waitUntil(lambda: model.index(2999, 1).data() == "token 2999", timeout=10_000)
    assert model.index(2999, 2).data() == "1499.5"
    dock.search.setText("token 299")
    qtbot.waitUntil(lambda: model.rowCount() == 11, timeout=10_000)
    dock.open_tab(FILES)
    assert dock.files_model.index(0, 0).data() == "small.gguf"


def test_a_long_text_is_read_as_plain_text_beside_its_key(qtbot, opened, model_file):
    window = opened(model_file)
    panel = window.explorer.dock.metadata
    row = next(n for n, entry in enumerate(panel.model.rows) if entry.key == "tokenizer.chat_template")
    panel.table.setCurrentIndex(panel.model.index(row, 2))
    assert panel.reader.isVisible()
    assert panel.reader.text.toPlainText() == "{{ bos }}\n" + "x" * 5000
    panel.table.setFocus()
    press(window, "Ctrl+C")
    assert QGuiApplication.clipboard().text() == "{{ bos }}\n" + "x" * 5000
    panel.table.setCurrentIndex(panel.model.index(0, 2))
    assert not panel.reader.isVisible()


def test_the_worst_finding_stands_first(opened, tmp_path):
    path = tmp_path / "m.safetensors"
    header = (
        b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F7","shape":[1],"data_offsets":[4,8]}}'
    )
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(9))
    findings = opened(tmp_path).explorer.dock.findings
    severities = [str(row.severity) for row in findings.model.rows]
    assert severities[0] == "error" and len(set(severities)) > 1
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    assert findings.current() is findings.model.rows[0]


def test_the_kinds_of_tokens_have_names(qtbot, opened, tmp_path):
    path = tmp_path / "v.gguf"
    tokens, kinds = ("str", ["a", "<s>", "<0x0A>", "b"]), ("i32", [1, 3, 6, 99])
    entries = [("tokenizer.ggml.tokens", "arr", tokens), ("tokenizer.ggml.token_type", "arr", kinds)]
    path.write_bytes(gguf([("general.architecture", "str", "llama"), *entries]))
    dock = opened(path).explorer.dock
    dock.open_tab(TOKENS)
    model = dock.tokens.model
    qtbot.waitUntil(lambda: model.index(3, 2).data() == "99", timeout=10_000)
    assert [model.index(row, 2).data() for row in range(3)] == ["1 normal", "3 control", "6 byte"]
    dock.search.setText("control")
    qtbot.waitUntil(lambda: model.rowCount() == 1, timeout=10_000)
    qtbot.waitUntil(lambda: model.index(0, 1).data() == "<s>", timeout=10_000)


def test_the_button_says_what_it_does_now(opened, model_file):
    dock = opened(model_file).explorer.dock
    said = []
    for folded in (True, False):
        dock.set_folded(folded)
        assert dock.fold.toolTip() == dock.fold.accessibleName()
        said.append(dock.fold.toolTip())
    assert said == ["Unfold this part (Ctrl+J)", "Fold this part away (Ctrl+J)"]
