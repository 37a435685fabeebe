"""Telling UTF-8 from other bytes: what Python's decoder says, for any bytes and at any border of a chunk."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightmap.source import utf8
from weightmap.source.utf8 import Utf8

ALPHABET = bytes([0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED])
ALPHABET += bytes([0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF])


def decodes(text):
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def judged(text):
    return verdict(Utf8(), text)


def verdict(judge, text):
    def read(at, out):
        out[:] = np.frombuffer(text, np.uint8, len(out), at)

    return not list(judge.unsound(len(text), read))


@pytest.mark.parametrize("length", [1, 2, 3])
def test_every_short_text_of_telling_bytes(length):
    judge = Utf8()
    for text in map(bytes, itertools.product(ALPHABET, repeat=length)):
        assert verdict(judge, text) == decodes(text), text


@given(st.lists(st.sampled_from(ALPHABET), min_size=4, max_size=40).map(bytes))
def test_longer_texts_of_telling_bytes(text):
    assert judged(text) == decodes(text)


@given(st.text(), st.binary(max_size=3), st.integers(0, 100))
def test_text_with_a_few_bytes_put_in(text, odd, place):
    encoded = text.encode("utf-8", "surrogatepass")
    encoded = encoded[: place % (len(encoded) + 1)] + odd + encoded[place % (len(encoded) + 1) :]
    assert judged(encoded) == decodes(encoded)


@pytest.mark.parametrize("character", ["é", "ก", "ह", "\ud7ff", "😀", "\U0010ffff"])
def test_characters_across_the_border_of_a_chunk(character):
    encoded = character.encode()
    for before in range(utf8.CHUNK - 5, utf8.CHUNK + 5):
        good = b"a" * before + encoded + b"b" * 9
        assert judged(good)
        for at in range(len(encoded)):
            assert not judged(good[: before + at] + b"c" + good[before + at + 1 :])
        assert judged(good[: before + len(encoded)])
        assert not judged(good[: before + len(encoded) - 1])


@pytest.mark.parametrize("before", range(4))
def test_many_characters_of_four_bytes_across_the_border_of_a_chunk(before):
    text = b"a" * before + "😀".encode() * (utf8.CHUNK // 4 + 9)
    assert judged(text)
    for at in range(utf8.CHUNK - 5, utf8.CHUNK + 5):
        assert not judged(text[:at] + b"\xc3" + text[at + 1 :])


@pytest.mark.parametrize("seed", range(4))
def test_bytes_put_into_a_long_text_of_many_scripts(seed):
    random = np.random.default_rng(seed)
    scripts = [
        "aé",
        "a\u0900\u07ff",
        "\u0900\u4e00",
        "\ud7ff\uac00",
        "a\u4e00\U0001f600",
        "\u0800\ud7ff\U00010000\U0010ffff",
    ]
    text = "".join("".join(random.choice(list(scripts[n % 6]), 9_000)) for n in range(24)).encode()
    judge = Utf8()
    assert verdict(judge, text)
    for at in random.integers(0, len(text), 60).tolist():
        mutant = bytearray(text)
        mutant[at] = random.choice(list(ALPHABET))
        assert verdict(judge, bytes(mutant)) == decodes(bytes(mutant)), (at, mutant[at])


def test_nothing_is_utf8():
    assert judged(b"")


@pytest.mark.parametrize("times", [1, utf8.FEW - 1, utf8.FEW, utf8.FEW + 1, 300])
@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("\u0800", b"\xe0\x9f\xbf"),
        ("\ud7ff", b"\xed\xa0\x80"),
        ("\u035f\ud7ff", b"\xcd\x9f\xed\xbf\xbf"),
        ("\U00010000", b"\xf0\x8f\xbf\xbf"),
        ("\U0010ffff", b"\xf4\x90\x80\x80"),
        ("\U000f0000", b"\xf3\xb0\x80c"),
        ("\u0080", b"\xc1\xbf"),
    ],
)
def test_one_bad_character_among_few_and_many_of_its_kind(good, bad, times):
    text = good.encode() * times
    assert judged(text)
    for at in (0, times // 2, times):
        before = text[: at * len(good.encode())]
        assert not judged(before + bad + text[len(before) :])
    assert not judged(text + text[:-1])
