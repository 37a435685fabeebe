"""What was dropped, read: addresses keep the letters of their owners, the parts of a set are one model."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QUrl

from tensorloupe.opening import drops


def test_owners_keep_their_letters() -> None:
    mime = QMimeData()
    mime.setUrls([QUrl("hf://Owner/Name/model.gguf")])
    assert drops.addresses(mime) == ["hf://owner/Name/model.gguf"]  # all that Qt keeps of it here
    mime.setText("hf://Owner/Name/model.gguf")
    assert drops.addresses(mime) == ["hf://Owner/Name/model.gguf"]


def test_parts_of_one_set_are_one_model() -> None:
    parts = [f"/m/x-0000{n}-of-00003.gguf" for n in (2, 1, 3)]
    assert drops.one_per_set(parts) == parts[:1]
    shards = ["/m/model.safetensors.index.json", *(f"/m/model-0000{n}-of-00002.safetensors" for n in (1, 2))]
    assert drops.one_per_set(shards) == shards[:1]
    assert drops.one_per_set(["/a/x-00001-of-00002.gguf", "/b/x-00002-of-00002.gguf"]) == [
        "/a/x-00001-of-00002.gguf",
        "/b/x-00002-of-00002.gguf",
    ]
