"""The quick look at text agrees with Python's decoder on everything."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weightmap.checks.utf8 import Validator


def decodes(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def valid(data: bytes, validator: Validator | None = None) -> bool:
    return (validator or Validator()).valid(np.frombuffer(data, np.uint8))


EDGES = [0, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF]
EDGES += [0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF]


@pytest.mark.parametrize("before", [b"", b"a", "é".encode(), "\U0001f600".encode()])
def test_every_row_of_bytes_at_the_edges(before):
    validator = Validator()
    for size in (1, 2, 3):
        for row in itertools.product(EDGES, repeat=size):
            data = before + bytes(row)
            assert valid(data, validator) == decodes(data), data
    for lead in EDGES[-8:]:
        for row in itertools.product(EDGES[1:9], repeat=3):
            data = before + bytes((lead, *row)) + b"z"
            assert valid(data, validator) == decodes(data), data


@given(st.text(), st.binary(max_size=4), st.floats(0, 1))
@settings(max_examples=300, deadline=None)
def test_text_with_bytes_put_in(text, extra, place):
    data = text.encode("utf-8", "surrogatepass")
    at = int(place * len(data))
    data = data[:at] + extra + data[at:]
    assert valid(data) == decodes(data)


def test_no_text_is_text():
    assert valid(b"")
