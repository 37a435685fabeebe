#!/usr/bin/env python3
"""Opens and checks mutants of small weight files: only WeightFileError may escape, within a second and 100 MB.

Every run is a function of its seed: `--seed S --count N` tries the mutants S:0 to S:N-1, and `--seed S --only I` repeats one.
What breaks a rule is printed and kept in the folder of `--keep`. Files given as PATH join the built-in ones, cut to their
first 64 KiB.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from mutants import mutant
from support.build import gguf
from support.seeds import KEYS, TENSORS, Folder, built_in

import weightmap

LARGEST_SEED = 1 << 16

SECONDS, MEGABYTES = 1.0, 100


def examine(path: str, thorough: bool) -> str:
    """Open, check, look at everything; how the file was judged. Anything but a WeightFileError escapes."""
    try:
        model = weightmap.open(path)
    except weightmap.WeightFileError as problem:
        assert str(problem)
        return "refused"
    with model:
        status = str(model.status)
        for found in model.findings:
            assert found.message
        for value in model.metadata.values():
            if not isinstance(value, str) and isinstance(value, Sequence):
                list(value)
        for weight in model.composed.values():
            for reading in (None, *weight.readings):
                try:
                    chosen = weight.with_reading(reading)
                    assert chosen.array(threads=1).shape == chosen.shape
                    if chosen.count:
                        assert chosen.explain(chosen.count - 1)
                    chosen.check_values(threads=1)
                except weightmap.WeightFileError as problem:
                    assert str(problem)
        for tensor in model.records:
            try:
                if thorough:
                    tensor.check_values(threads=1)
                elif tensor.problem is None and tensor.count < 1 << 16:
                    tensor.array(copy=True, threads=1)
            except weightmap.WeightFileError as problem:
                assert str(problem)
    return status


def main() -> int:
    """Run the mutants; 1 where one of them broke a rule."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("corpus", metavar="PATH", nargs="*", type=Path, help="more small files to make mutants of")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--only", type=int, help="repeat the mutant of this number alone")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"), help="where files that break a rule go")
    arguments = parser.parse_args()
    seeds = built_in() + [("model", path.read_bytes()[:LARGEST_SEED]) for path in arguments.corpus if path.is_file()]
    chosen = range(arguments.count) if arguments.only is None else [arguments.only]
    shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
    broken, judged, began = 0, Counter[str](), time.monotonic()
    with tempfile.TemporaryDirectory(dir=shared) as top:
        folder = Folder(top)
        examine(folder.put("model", gguf(KEYS, TENSORS)), True)  # what is loaded at first use is no mutant's doing
        for number in chosen:
            kind, content = mutant(random.Random(f"{arguments.seed}:{number}"), seeds)
            path = folder.put(kind, content)
            before, clock = _peak(), time.process_time()
            fault = ""
            try:
                judged[examine(path, number % 20 == 0)] += 1
            except Exception as problem:
                fault = f"{type(problem).__name__}: {problem}"
            if (spent := time.process_time() - clock) > SECONDS:
                fault = f"took {spent:.1f} s. {fault}"
            if (grown := _peak() - before) > MEGABYTES + len(content) / 1e6:
                fault = f"took {grown:.0f} MB. {fault}"
            if fault:
                broken += 1
                print(f"mutant {arguments.seed}:{number} ({kind}, {len(content):,} bytes): {fault}", flush=True)
                arguments.keep.mkdir(parents=True, exist_ok=True)
                (arguments.keep / f"{arguments.seed}-{number}-{kind}").write_bytes(content)
            if number % 50_000 == 49_999:
                print(f"{number + 1:,} mutants, {time.monotonic() - began:,.0f} s, {broken} broke a rule", flush=True)
    spent_all = time.monotonic() - began
    print(f"{len(chosen):,} mutants of {len(seeds)} files in {spent_all:,.0f} s: {dict(judged)}; {broken} broke a rule")
    return int(broken > 0)


def _peak() -> float:
    """Largest resident size of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    sys.exit(main())
