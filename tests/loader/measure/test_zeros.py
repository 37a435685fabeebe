"""Zeros looked for among bytes that come piece by piece: what is found is the same wherever the pieces end."""

from __future__ import annotations

import numpy as np
import pytest
from support.blocks import finite_blocks
from support.build import gguf

import weightmap
from weightmap.checks.values import value_findings
from weightmap.measure.zeros import GRANULE, Watch
from weightmap.source.file import FileSource
from weightmap.types.registry import by_name

SIZE = 12 * GRANULE + 100
HOLES = [(GRANULE - 3, 2 * GRANULE + 4096), (6 * GRANULE - 2047, 6 * GRANULE + 2049), (SIZE - 5000, SIZE)]


@pytest.fixture
def file(tmp_path):
    data = np.random.default_rng(1).integers(1, 256, SIZE + 7, dtype=np.uint8)
    for begin, end in HOLES:
        data[7 + begin : 7 + end] = 0
    (tmp_path / "x").write_bytes(data.tobytes())
    source = FileSource(str(tmp_path / "x"))
    yield source, data[7:]
    source.close()


@pytest.mark.parametrize("step", [1, 18, 700, GRANULE - 1, GRANULE, GRANULE + 1, 3 * GRANULE, 3 * GRANULE + 17, SIZE])
@pytest.mark.parametrize("order", [1, -1])
def test_pieces_may_end_anywhere(file, step, order):
    source, data = file
    watch = Watch(source, 7, SIZE)
    for start in range(0, SIZE, step)[::order]:
        assert not watch.complete
        watch.look(data[start : start + step], start)
    assert watch.complete
    assert [tuple(stretch) for stretch in watch.stretches()] == HOLES


def test_nothing_is_found_in_nothing(file):
    assert Watch(file[0], 7, 0).complete
    assert Watch(file[0], 7, 0).stretches() == ()


def test_a_watch_that_saw_a_part_is_not_believed(tmp_path):
    blocks = np.random.default_rng(1).integers(1, 60, (4096, 18), dtype=np.uint8)
    blocks[1000:2000] = 0
    (tmp_path / "x.gguf").write_bytes(gguf(tensors=[("ffn_up.weight", (32, 4096), 2, blocks.tobytes())]))
    with weightmap.open(tmp_path / "x.gguf") as model:
        tensor = model.tensors["ffn_up.weight"]
        elements, statistics = tensor.elements(), tensor.statistics()
        watch = Watch(elements.source, tensor.offset, tensor.nbytes)
        watch.look(tensor.raw().reshape(-1)[: 900 * 18], 0)
        found = [one.code for one in value_findings(elements, statistics, watch)]
        assert found == [one.code for one in tensor.findings if one.code == "zeroed_stretch"] == ["zeroed_stretch"]


@pytest.mark.parametrize(("kind", "odd"), [("F32", 0x7FC00000), ("Q8_0", 0x7E00), ("Q4_K", 0x7C00), ("MXFP4", 0xFF)])
def test_what_is_no_number_is_told_whatever_a_watch_saw(tmp_path, kind, odd):
    type = by_name(kind)
    blocks = finite_blocks(type, 4096)
    number = odd.to_bytes((odd.bit_length() + 7) // 8, "little")
    blocks[2000, : len(number)] = list(number)
    (tmp_path / "x.gguf").write_bytes(
        gguf(tensors=[("ffn_up.weight", (64, 64 * type.elements), type.id, blocks.tobytes())])
    )
    with weightmap.open(tmp_path / "x.gguf") as one, weightmap.open(tmp_path / "x.gguf") as other:
        one.tensors["ffn_up.weight"].statistics()
        other.tensors["ffn_up.weight"].check_values()
        told = [(found.code, found.message) for found in one.findings]
        assert told == [(found.code, found.message) for found in other.findings]
        assert "non_finite" in dict(told)
