"""A whole bench: on the files that were given, or on generated ones in a folder that is gone afterwards."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator

import weightmap
from weightmap.bench import peers, samples, tasks
from weightmap.bench.race import FULL, QUICK
from weightmap.bench.rows import Report, Row, machine
from weightmap.errors import Cancelled
from weightmap.reading.sweep import Progress

_SIZES = {
    False: (2048, 1 << 17, 5000),
    True: (256, 1 << 14, 500),
}  # rows, tokens, tensors of generated files; quick or not


def bench(
    paths: Iterable[str | os.PathLike[str]] = (),
    *,
    quick: bool = False,
    types: Iterable[str] | None = None,
    progress: Progress | None = None,
    show: Callable[[Row], None] | None = None,
) -> Report:
    """Measure weightmap beside its peers, on files or models, or on generated files where no path is given.

    quick     small files and few rounds: under a minute, for a first look
    types     only these stored types; None measures all
    progress  called with (steps done, steps); returning False raises Cancelled
    show      called with every row as it is there

    Raises WeightFileError where a file cannot be opened; a peer that fails is a note in its row.
    """
    given = [os.fspath(path) for path in paths]
    wanted = None if types is None else set(types)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="weightmap-bench-") as folder:
        steps = _on_files(given, quick, wanted) if given else _on_samples(folder, quick, wanted)
        for done, step in enumerate(steps):
            if progress is not None and progress(done, len(steps)) is False:
                raise Cancelled
            for row in step(_check(progress, done, len(steps))):
                rows.append(row)
                if show is not None:
                    show(row)
    return Report(machine(peers.installed()), tuple(rows), peers.absent())


Check = Callable[[], None]
Step = Callable[[Check], Iterator[Row]]


def _check(progress: Progress | None, done: int, total: int) -> Check:
    def check() -> None:
        if progress is not None and progress(done, total) is False:
            raise Cancelled

    return check


def _on_files(paths: list[str], quick: bool, wanted: set[str] | None) -> list[Step]:
    return [step for path in paths for step in _of_file(path, path, quick, wanted)]


def _of_file(path: str, shown: str | None, quick: bool, wanted: set[str] | None) -> list[Step]:
    """All there is to measure on one model."""

    def whole(check: Check) -> Iterator[Row]:
        made = tasks.Bench(QUICK if quick else FULL, shown, check)
        with weightmap.open(path, cache=False) as model:
            yield from tasks.opening(made, path, model.format)
            yield from tasks.views(made, model)
            yield from tasks.loading(made, path, model)

    def values(check: Check) -> Iterator[Row]:
        made = tasks.Bench(QUICK if quick else FULL, shown, check)
        with weightmap.open(path, cache=False) as model:
            for tensor in tasks.chosen(model):
                if wanted is None or tensor.type.name in wanted:
                    yield from tasks.values(made, tensor.path, tensor)

    return [whole, values]


def _on_samples(folder: str, quick: bool, wanted: set[str] | None) -> list[Step]:
    rows, tokens, tensors = _SIZES[quick]
    pace = QUICK if quick else FULL

    def vocabulary(check: Check) -> Iterator[Row]:
        yield from tasks.opening(tasks.Bench(pace, None, check), samples.vocabulary(folder, tokens), "gguf")

    def many(check: Check) -> Iterator[Row]:
        path = samples.many_tensors(folder, tensors)
        made = tasks.Bench(pace, None, check)
        yield from tasks.opening(made, path, "safetensors")
        with weightmap.open(path, cache=False) as model:
            yield from tasks.views(made, model)
            yield from tasks.loading(made, path, model)

    def one(kind: str) -> Step:
        def values(check: Check) -> Iterator[Row]:
            found = next(each for each in samples.types() if each.name == kind)
            path = samples.per_type(folder, found, rows)
            with weightmap.open(path, cache=False) as model:
                yield from tasks.values(tasks.Bench(pace, None, check), path, model.records[0])
            os.remove(path)

        return values

    names = [kind.name for kind in samples.types() if wanted is None or kind.name in wanted]
    return [*([vocabulary, many] if wanted is None else []), *map(one, names)]
