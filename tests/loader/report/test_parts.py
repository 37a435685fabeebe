"""What pages are made of, each by itself: pictures as bytes, histograms as outlines, tensors in their cells, sentences."""

from __future__ import annotations

import base64
import struct
import zlib
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from weightmap.comparison import Comparison, PairError
from weightmap.measure.binning import Histogram
from weightmap.measure.heatmap import Heatmap
from weightmap.report import png
from weightmap.report.charts import BOTTOM, HEIGHT, histogram_svg, normal, ticks
from weightmap.report.grid import arranged
from weightmap.report.grid_svg import STEPS, grid_svg, said, shade
from weightmap.report.marks import number
from weightmap.report.sentences import headline, judged, percent, ratio, together
from weightmap.report.tables import place

PAIR = PairError(
    *("t", ("t",), "=", False, "Q4_K", "F32", 100, 1000, 0, 0.0712, 0.0712, 22.9, False, 0.3, 0.2, 0.99, 0.0, 1.0),
    *(0.0712, "normal", None),
)


def pair(name: str = "t", **changes: object) -> PairError:
    return replace(PAIR, tensor=name, **changes)


def decoded(uri: str) -> tuple[np.ndarray, np.ndarray]:
    """(indices, palette) of an indexed PNG, its checksums checked."""
    data = base64.b64decode(uri.removeprefix("data:image/png;base64,"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (length,), kind = struct.unpack_from(">I", data, at), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length)[0] == zlib.crc32(kind + body)
        chunks[kind], at = body, at + 12 + length
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not lines[:, 0].any()
    return lines[:, 1:], np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)


def test_a_heatmap_as_png():
    cells = np.array([[0, 0.5, 1, 9], [np.nan, 0.25, 1, 0]], np.float32)
    bad = np.zeros((2, 4), bool)
    bad[1, 3] = True
    heat = Heatmap(cells, bad, np.arange(3), np.arange(5), True)
    for dark in (False, True):
        steps, palette = decoded(png.picture(heat, 1.0, dark))
        assert steps.tolist() == [[0, 127, 254, 254], [255, 64, 254, 255]]
        colours = ["".join(f"{c:02X}" for c in palette[i]) for i in (0, 127, 254, 255)]
        assert colours == [*(png.SIZES[dark][i] for i in (0, 2, 4)), png.NOT_FINITE]
    assert decoded(png.picture(heat, 0.0, False))[0].tolist() == [[0, 0, 0, 0], [255, 0, 0, 255]]


def outline(svg: str, kind: str) -> list[tuple[float, float]]:
    """(height above the axis, right end) of each step of a path."""
    root = ElementTree.fromstring(svg.replace('href="', 'link="'))
    path = next(e for e in root.iter("path") if e.get("class") == kind).get("d")
    steps = [part.split("H") for part in path.split("V")[1:] if "H" in part]
    return [(HEIGHT - BOTTOM - float(up), float(right.split("M")[0])) for up, right in steps]


def test_a_histogram_stands_on_a_logarithmic_scale():
    edges = np.linspace(-1, 1, 6)
    svg = histogram_svg(Histogram(edges, np.array([1, 10, 1000, 10, 0])), None, "words")
    bars = [up for up, _ in outline(svg, "bars")]
    assert bars[0] > 0
    assert bars[4] == 0
    assert bars[1] == bars[3]
    assert bars[2] - bars[1] == pytest.approx(2 * (bars[1] - bars[0]), rel=0.01)
    assert ">1,000</text>" in svg
    assert "curve" not in svg


def test_the_curve_holds_as_many_values_as_there_are():
    edges = np.linspace(-4, 4, 42)
    counts = np.zeros(41, np.int64)
    counts[20] = 68_269
    histogram = Histogram(edges, counts)
    svg = histogram_svg(histogram, normal(histogram, 1.0), "words")
    curve, bars = outline(svg, "curve"), outline(svg, "bars")
    assert len(curve) == 41
    middle = np.log10(68_269 * 0.0777)  # of a normal distribution, 7.77 % lie within 0.0976 of the mean
    assert curve[20][0] / bars[20][0] == pytest.approx((middle + 0.301) / (np.log10(68_269) + 0.301), rel=0.01)


def test_large_counts_fit_beside_the_axis():
    """Counts stand right of the picture's left edge: a million once was cut off there."""
    svg = histogram_svg(Histogram(np.linspace(-1, 1, 4), np.array([3, 40_000_000, 3])), None, "words")
    labels = [text for text in ElementTree.fromstring(svg).iter("text") if text.get("text-anchor") == "end"]
    assert [label.text for label in labels] == ["1", "100", "10,000", "1 M"]
    assert all(float(label.get("x")) > 7 * len(label.text) for label in labels)


@pytest.mark.parametrize("size", [1e300, 1e-300, 1.0, 3.99, 0.00097, 12345.0])
def test_ticks_are_few_and_round(size):
    found = ticks(-size, size)
    assert 3 <= len(found) <= 7
    assert found[len(found) // 2] == 0
    assert max(found) <= size
    histogram = Histogram(np.linspace(-size, size, 8), np.arange(7))
    assert normal(histogram, size / 3).sum() == pytest.approx(21, rel=0.01)
    histogram_svg(histogram, normal(histogram, size / 3), "words")


def test_layers_by_roles():
    names = [
        "token_embd.weight",
        "blk.10.attn_q.weight",
        "blk.2.attn_q.weight",
        "blk.2.ffn_down.weight",
        "blk.2.n.weight",
    ]
    pairs = [pair(name) for name in names]
    pairs[-1] = pair("blk.2.n.weight", identical=True)
    grid = arranged([*pairs, pair("output.weight", identical=True), pair("model.layers.7.mlp.up_proj.weight")])
    assert grid.layers == ("blk.2", "blk.10", "model.layers.7")
    assert grid.roles == ("attn_q", "ffn_down", "mlp.up_proj")
    assert {place: one.tensor for place, one in grid.cells.items()} == {
        (1, 0): names[1], (0, 0): names[2], (0, 1): names[3], (2, 2): "model.layers.7.mlp.up_proj.weight",
    }  # fmt: skip
    assert [one.tensor for one in grid.single] == ["token_embd.weight"]
    assert grid.quiet == ("n",)
    assert grid_svg(grid).count("<rect") == 4
    assert grid_svg(arranged([pair("x")])) == ""
    many = arranged([pair(f"blk.{layer}.r{role}.weight") for layer in range(300) for role in range(60)])
    assert (len(many.layers), len(many.roles), many.left_out) == (200, 40, 300 * 60 - 200 * 40)


def test_cells_darken_with_the_error_and_say_what_is_wrong():
    shades = [shade(pair(relative_rmse=0.0712 * times)) for times in (0.9, 1, 1.2, 2, 4, 5, 50)]
    assert shades == sorted(shades)
    assert (shades[0], shades[-1]) == (0, STEPS - 1)
    assert said(pair(identical=True)) == "="
    assert said(pair(verdict="wrong", nonfinite=3)) == "NaN"
    assert shade(pair(verdict="wrong", nonfinite=3)) == STEPS - 1
    assert said(pair(relative_rmse=0.2136)) == "3.00"
    assert said(pair(usual=None, verdict=None)) == "7.12 %"
    loud = grid_svg(arranged([pair("blk.0.a.weight", verdict="worse", relative_rmse=0.2)]))
    assert '<use href="#warning"' in loud
    assert "plate" in loud


def compared(*pairs: PairError) -> Comparison:
    return Comparison("q", "r", pairs, (), ())


def test_one_line_for_a_person():
    wrong, worse = pair(verdict="wrong", relative_rmse=1.4), pair(verdict="worse", relative_rmse=0.2)
    same = pair(identical=True, rmse=0.0, relative_rmse=0.0)
    assert headline(compared(same, worse, wrong)) == ("error", "1 of 3 tensors does not hold what the reference holds.")
    assert headline(compared(same, worse, worse))[1] == "2 of 3 tensors lost more than the type usually costs."
    assert headline(compared(same)) == ("ok", "Both files hold the same values.")
    assert headline(compared(PAIR, same))[1].startswith("A sound quantization")
    assert headline(compared(pair(verdict=None)))[1].startswith("Nothing is wrong; for some types")
    nan = pair(verdict="wrong", nonfinite=1)
    assert headline(compared(nan, nan, same))[1] == "2 of 3 tensors hold NaN or Inf where numbers belong."
    assert headline(compared(nan, wrong, same))[1] == "2 of 3 tensors do not hold what the reference holds."
    assert headline(compared())[0] == "error"


def test_the_error_of_all_that_differs():
    small = pair(count=100, rmse=0.1, relative_rmse=0.1)  # the reference's squares have a mean of 1
    large = pair(count=300, rmse=2.0, relative_rmse=0.5)  # of 16
    whole = together(compared(small, large, pair(identical=True, rmse=0.0, relative_rmse=0.0)))
    assert whole == (pytest.approx(np.sqrt((1 + 1200) / (100 + 4800))), 400)
    assert together(compared(pair(rmse=None, relative_rmse=None))) is None


def test_judgements():
    assert judged(PAIR) == "The error that Q4_K usually leaves (1.00 ×)."
    assert judged(pair(verdict="worse", relative_rmse=0.3133)) == "4.40 times the error Q4_K usually leaves."
    assert judged(pair(verdict="wrong", relative_rmse=1.41, note="Why.")) == (
        "The values are not those of the reference: they are off by 141 % of its size. Why."
    )
    assert judged(pair(verdict="wrong", relative_rmse=None)) == "The values are not those of the reference."
    assert judged(pair(usual=None, verdict=None)) == "There is no usual error to judge it by."


def test_numbers():
    assert [percent(n) for n in (None, 0, 1.372, 0.043, 0.0053, 5.3e-9)] == [
        "–", "0 %", "137 %", "4.30 %", "0.530 %", "5.3e-07 %",
    ]  # fmt: skip
    assert [ratio(n) for n in (None, 1, 31.91, 264.4, 12345.6)] == ["–", "1.00", "31.9", "264", "12,346"]
    assert [number(n) for n in (None, float("inf"), -0.5, 1e-9, 123456.0)] == ["–", "–", "−0.5", "1.00e−09", "123,456"]
    assert [place(7, axes) for axes in ((9, 4), (3, 4, 5), (9,), ())] == ["7", "1, 3", "7", "7"]
