"""What was dropped, read as addresses that keep the letters of their owners."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QUrl

from tensorloupe.opening import drops


def test_owners_keep_their_letters() -> None:
    mime = QMimeData()
    mime.setUrls([QUrl("hf://Owner/Name/model.gguf")])
    assert drops.addresses(mime) == ["hf://owner/Name/model.gguf"]  # all that Qt keeps of it here
    mime.setText("hf://Owner/Name/model.gguf")
    assert drops.addresses(mime) == ["hf://Owner/Name/model.gguf"]
