"""Reports of any file: no text of it gets out of its place, tensors of any rank have their cells, long lists unfold."""

from __future__ import annotations

import re

import numpy as np
from support.build import gguf, safetensors
from support.pages import report


def test_long_lists_unfold(tmp_path):
    sides = []
    for side, length in (("q", 3), ("r", 4)):
        values = np.random.default_rng(length).standard_normal(length).astype("<f4").tobytes()
        sides.append(tmp_path / f"{side}.safetensors")
        sides[-1].write_bytes(safetensors([(f"t{i:03}", "F32", (length,), values) for i in range(90)]))
    page, plain = report(tmp_path, *sides)
    assert page.text.count("50 more") == 2
    assert page.text.count("t089") == 4  # the reasons name it too
    assert plain.count("| `t089` |") == 2
    assert "Every tensor" not in page.text + plain


def test_text_from_files_is_shown_letter_by_letter(tmp_path):
    names = [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "a|b`c`*d*_e_[f](http://g.h)",
        "@somebody see www.example.org &amp; \u202e\x1b[31m\n# h",
        "blk.0.</text></svg><b>.weight",
        "blk.0.\\|``.weight",
    ]
    rng = np.random.default_rng(2)
    tensors = [(name, (4, 8), 0, rng.standard_normal(32).astype("<f4").tobytes()) for name in names]
    other = [(name, (4, 8), 0, (np.frombuffer(data, "<f4") * 1.05).tobytes()) for name, _, _, data in tensors]
    metadata = [("general.architecture", "str", "<b>bold</b>|\n")]
    (tmp_path / "a<b>.gguf").write_bytes(gguf(metadata, tensors))
    (tmp_path / "r.gguf").write_bytes(gguf(metadata, other))
    page, plain = report(tmp_path, tmp_path / "a<b>.gguf", tmp_path / "r.gguf", worst=9)
    assert "<script>alert(1)</script>" in page.text
    assert '"><img src=x onerror=alert(1)>' in page.text
    assert "\\u202e\\x1b[31m\\n# h" in page.text
    for line in plain.splitlines():
        assert not line.startswith("# h")
        outside = re.sub(r"(`+)(?:(?!\1).)+?\1", "", line.replace("\\`", ""))  # what is no code
        assert "<" not in outside.replace("\\<", "")
        assert "@" not in outside
        assert "](" not in outside
    rows = [line for line in plain.splitlines() if line.startswith("| ▲ |")]
    assert len(rows) == 6
    assert {len(re.findall(r"\|", re.sub(r"\\.", "", row))) for row in rows} == {11}


def test_tensors_of_any_rank(tmp_path):
    rng = np.random.default_rng(4)
    shapes = {
        "experts": (3, 8, 32),
        "vector": (40,),
        "scalar": (),
        "deep": (2, 2, 3, 16),
        "huge": (2, 4),
        "tiny": (2, 4),
    }
    scale = {"huge": 1e300, "tiny": 1e-310}
    stored = {n: np.asarray(rng.standard_normal(s) * scale.get(n, 1)) for n, s in shapes.items()}
    stored["experts"][2] *= 50
    for side, factor in (("q", 1.2), ("r", 1.0)):
        if side == "q":
            stored["experts"][1] *= 1.5
        tensors = [(n, "F64", v.shape, (v * factor).astype("<f8").tobytes()) for n, v in stored.items()]
        (tmp_path / f"{side}.safetensors").write_bytes(safetensors(tensors))
        stored["experts"][1] /= 1.5 if side == "q" else 1
    page, plain = report(tmp_path, tmp_path / "q.safetensors", tmp_path / "r.safetensors", worst=9)
    assert "Where the error is at 2" in page.text
    for text in (page.text, plain):
        assert re.search(r"Of 3 stacked matrices the largest relative errors: 1 \(80\.0 %\), \d \(20\.0 %\)", text)
    assert re.search(r"\| 2, \d \|", plain)
    assert "40" in page.text
    assert "scalar" in page.text
