"""Mutants of files: each a function of its dice, made of one file by one to four changes."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

EDGES = (0, 1, 7, 31, 32, 255, 256, 1 << 16, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 62, 1 << 63, (1 << 64) - 1)
TOKENS = (
    b"0",
    b"-1",
    b"1e400",
    b"18446744073709551616",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b'""',
    b'"a"',
    b"NaN",
    b"[" * 40,
)


def mutant(dice: random.Random, seeds: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    """One to four changes to one of the seeds."""
    kind, content = dice.choice(seeds)
    changes: list[Callable[[random.Random, bytearray, list[tuple[str, bytes]]], None]] = [
        _byte,
        _number,
        _cut,
        _doubled,
        _spliced,
    ]
    if content[:1] == b"{" or content[8:9] == b"{":
        changes += [_token, _token]
    data = bytearray(content)
    for _ in range(dice.choice((1, 1, 2, 4))):
        dice.choice(changes)(dice, data, seeds)
    return kind, bytes(data)


def _byte(dice: random.Random, data: bytearray, seeds: object) -> None:
    if data:
        data[dice.randrange(len(data))] = dice.randrange(256)


def _number(dice: random.Random, data: bytearray, seeds: object) -> None:
    form = dice.choice(["<I", ">I", "<Q", ">Q", "<H"])
    size = struct.calcsize(form)
    if len(data) >= size:
        near = dice.choice(EDGES) + dice.choice((0, 0, 1, -1))
        at = dice.randrange(len(data) - size + 1)
        data[at : at + size] = struct.pack(form, near & ((1 << 8 * size) - 1))


def _cut(dice: random.Random, data: bytearray, seeds: object) -> None:
    begin = dice.randrange(len(data) + 1)
    del data[begin : begin + dice.choice((1, 4, 8, 64, len(data)))]


def _doubled(dice: random.Random, data: bytearray, seeds: object) -> None:
    begin = dice.randrange(len(data) + 1)
    data[begin:begin] = data[begin : begin + dice.choice((1, 4, 8, 40))]


def _spliced(dice: random.Random, data: bytearray, seeds: list[tuple[str, bytes]]) -> None:
    other = dice.choice(seeds)[1]
    begin = dice.randrange(len(other) + 1)
    at = dice.randrange(len(data) + 1)
    piece = other[begin : begin + dice.choice((4, 16, 64, 256))]
    data[at : at + dice.choice((0, len(piece)))] = piece


def _token(dice: random.Random, data: bytearray, seeds: object) -> None:
    """Puts a JSON value where one begins."""
    starts = [at + 1 for at, byte in enumerate(data) if byte in b":,["]
    if starts:
        at = dice.choice(starts)
        end = at + dice.choice((0, 1, 2, 5))
        data[at:end] = dice.choice(TOKENS)
