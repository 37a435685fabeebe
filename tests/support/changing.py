"""A program of its own: reads a file that changes under it at random moments, over and over. A test starts it and looks
whether it is still alive at the end.

Every read gives the values of the file that was opened, or FileChangedError. Arguments: a folder, a seed, a number of rounds.
Prints a JSON object: how many rounds of each kind of change there were, and in how many a read was refused.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.build import gguf

import weightmap

ROWS, COLUMNS = 192, 512
TYPES = {
    "f32": (0, 4, 1),
    "f16": (1, 2, 1),
    "bf16": (30, 2, 1),
    "q8": (8, 34, 32),
    "q4": (12, 144, 256),
    "last": (8, 34, 32),
}
CHANGES = ("truncate", "rewrite", "replace", "grow", "delete")
Arrays = dict[str, np.ndarray]


def content(seed: int) -> bytes:
    """A GGUF whose blocks are small bytes: every value is finite."""
    dice, tensors = np.random.default_rng(seed), []
    for name, (kind, size, elements) in TYPES.items():
        data = dice.integers(1, 59, ROWS * COLUMNS // elements * size, dtype=np.uint8)
        tensors.append((name, (ROWS, COLUMNS), kind, data.tobytes()))
    return gguf(tensors=tensors)


class Version:
    """One content of the file with what reading it gives."""

    def __init__(self, folder: str, seed: int) -> None:
        self.data = content(seed)
        path = os.path.join(folder, f"{seed}.gguf")
        Path(path).write_bytes(self.data)
        with weightmap.open(path) as model:
            tensors = model.tensors
            self.arrays: Arrays = {name: tensors[name].array(np.float32, copy=True) for name in TYPES}
            self.maps: Arrays = {name: tensors[name].heatmap(12, 16).cells for name in TYPES}
            self.sums = {name: summed(tensors[name]) for name in TYPES}


def summed(tensor: weightmap.Tensor) -> tuple[object, ...]:
    """What a full pass says."""
    found = tensor.statistics(16)
    return found.count, found.min, found.max, found.zeros, found.histogram.counts.tolist()


def reads(tensor: weightmap.Tensor, was: Version, dice: random.Random) -> None:
    """One read of a random kind; AssertionError where its values are not those of the file that was opened."""
    name = tensor.name
    row, column = dice.randrange(ROWS - 12), dice.randrange(COLUMNS - 16)
    values, window = was.arrays[name], np.s_[row : row + 12, column : column + 16]
    kind = dice.choice(("array", "slice", "pass", "scan", "map", "window", "histogram"))
    if kind == "array":
        assert np.array_equal(tensor.array(np.float32, copy=True), values), kind
    elif kind == "slice" and TYPES[name][2] > 1:  # those of plain types are views, which are the caller's
        assert np.array_equal(tensor[window], values[window]), kind
    elif kind == "pass":
        assert summed(tensor) == was.sums[name], kind
    elif kind == "scan":
        assert tensor.check_values() == (), kind
    elif kind == "map":
        assert np.array_equal(tensor.heatmap(12, 16).cells, was.maps[name]), kind
    elif kind == "window":
        cells = tensor.heatmap(12, 16, rows=(row, row + 12), columns=(column, column + 16)).cells
        assert np.array_equal(cells, values[window]), kind
    else:
        found = tensor.histogram(8, (-1.0, 1.0))
        assert found.below + found.above + found.counts.sum() == values.size, kind


def change(kind: str, path: str, new: bytes, dice: random.Random) -> None:
    """Change the file in this way."""
    if kind == "truncate":
        os.truncate(path, dice.randrange(len(new)))
    elif kind == "rewrite":
        with open(path, "r+b", buffering=0) as file:
            for start in range(0, len(new), 1 << 16):
                file.write(new[start : start + (1 << 16)])
    elif kind == "replace":
        Path(path + ".new").write_bytes(new)
        os.replace(path + ".new", path)
    elif kind == "grow":
        with open(path, "ab") as file:
            file.write(b"more" * 100)
    else:
        os.unlink(path)


def one_round(path: str, was: Version, new: Version, kind: str, dice: random.Random) -> bool:
    """Read until the file has changed and once more; whether a read was refused."""
    Path(path).write_bytes(was.data)
    os.utime(path, (1e9, 1e9))  # or a change could bear the time of this write
    moment = dice.random() * 0.03
    with weightmap.open(path) as model:
        changer = threading.Thread(target=lambda: (time.sleep(moment), change(kind, path, new.data, dice)))
        changer.start()
        refused = False
        try:
            more = True
            while more:
                more = changer.is_alive()
                reads(model.tensors[dice.choice(list(TYPES))], was, dice)
        except weightmap.FileChangedError as problem:
            assert problem.code == "file_changed"
            refused = True
        changer.join()
        said = model.changed()
        assert said is not None, f"{kind} was not noticed"
        assert said.code == "file_changed"
        assert refused == (kind in ("truncate", "rewrite", "grow"))
        reloaded(model.reload, kind, was, new)
    return refused


def reloaded(reload: Callable[[], weightmap.WeightFile], kind: str, was: Version, new: Version) -> None:
    """A new model of the same path is what lies there now."""
    try:
        model = reload()
    except weightmap.WeightFileError:
        assert kind in ("delete", "truncate")
        return
    with model:
        assert kind != "delete"
        if kind == "truncate":
            assert model.status == "error"
            return
        now = was if kind == "grow" else new
        for name, tensor in model.tensors.items():
            assert np.array_equal(tensor.array(np.float32, copy=True), now.arrays[name])


def main() -> None:
    """Run the rounds."""
    folder, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    versions = Version(folder, 1), Version(folder, 2)
    dice, done, refused = random.Random(seed), Counter[str](), Counter[str]()
    for number in range(rounds):
        kind = CHANGES[number % len(CHANGES)]
        done[kind] += 1
        refused[kind] += one_round(os.path.join(folder, "model.gguf"), *versions, kind, dice)
    print(json.dumps({"rounds": done, "refused": refused}))


if __name__ == "__main__":
    main()
