"""What the view of blocks shows of which tensor: of the last one alone, and words where there are no blocks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from support.build import gguf
from support.tensors import KINDS, in_blocks, stored

import weightmap
from tensorloupe.views import VIEWS, ViewContext
from tensorloupe.views.blocks.view import BlocksView


def test_only_the_last_tensor_is_shown_and_a_place_is_kept(view: BlocksView, settle, tmp_path: Path, tensor) -> None:  # type: ignore[no-untyped-def]
    others = [in_blocks(tmp_path, name, (8, 256)) for name in ("Q6_K", "Q5_0", "Q8_0")]
    for other in others:
        view.show_tensor(other)
    settle(view)
    assert view.page.block.type.name == "Q8_0" and view.side.scales.picture.tensor is others[-1]
    view.go(view.at.at(9, 4))
    settle(view)
    view.show_tensor(others[-1])
    settle(view)
    assert (view.at.number, view.page.block.index) == (9, 9)
    view.show_tensor(None)
    assert view.stage.notice.what.text().startswith("No tensor selected.") and not view.has_picture


def test_types_without_blocks_say_so(context: ViewContext, tmp_path: Path) -> None:
    kind = next(kind for kind in VIEWS if kind.key == "blocks")
    plain = stored(tmp_path, np.zeros(4, np.float32))
    assert not kind.supports(plain)
    assert kind.why_not(plain) == ("F32 has no blocks: every value is stored by itself. Values shows them one by one.")


def test_a_tensor_without_values_or_bytes_says_so(view: BlocksView, settle, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    kind = KINDS["Q8_0"]
    path = tmp_path / "cut.gguf"
    path.write_bytes(gguf(tensors=[("w", (64, 64), kind.id, bytes(64 * 2 * 34))])[:-2000])
    with weightmap.open(path) as model:
        view.show_tensor(model.tensors["w"])
        settle(view)
        assert view.stage.state == "failed" and not view.has_picture
    path.write_bytes(gguf(tensors=[("w", (0, 64), kind.id, b"")]))
    with weightmap.open(path) as model:
        view.show_tensor(model.tensors["w"])
        settle(view)
        assert view.stage.notice.what.text() == "This tensor has no values: its shape is 0 × 64."
