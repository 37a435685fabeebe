"""What the app brings along: its icon and the sample model."""

from __future__ import annotations

from pathlib import Path

_APP = Path(__file__).parents[1]
ICON = _APP / "assets" / "tensorloupe.svg"
SAMPLE = _APP / "sample" / "minilm-sample.gguf"
