"""Workers, whoever provides them: pieces of work given out, results as they come, and nothing lost when one dies.

What a piece of work is, is in `jobs`; how it gets to a worker, in `dask_crew` and `ray_crew`.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from weightmap.api import Path
from weightmap.api import open as open_model
from weightmap.asked import UnknownNameError, names_asked
from weightmap.comparison import Comparison
from weightmap.distributed import jobs
from weightmap.distributed.handle import handle, place
from weightmap.errors import Cancelled, WeightFileError, error
from weightmap.findings import Finding, Severity, finding
from weightmap.measure.binning import checked_bins
from weightmap.measure.statistics import Statistics
from weightmap.pairs import opened_pairs
from weightmap.reading.sweep import Progress
from weightmap.validation import Verdict

_TICK = 0.5  # seconds between two looks at progress where nothing is done
_AHEAD = 8  # pieces given out for each thread of a worker: enough that none waits, few enough to be taken back


class NoWorkersError(RuntimeError):
    """There is nobody to do the work: no scheduler, no workers, or workers without weightmap."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A piece of work that no worker lived to finish, however often it was given out."""

    reason: str


class Crew(ABC):
    """Workers that know weightmap. Close it, or use it in a `with`; workers that it did not start keep running.

    Every method takes `progress(done, total)`, called from the calling thread at least twice a second; returning False takes
    back what is not done and raises Cancelled. Results come as they are done; whoever stops listening ends the work.
    """

    patience: float = 60.0  # seconds without any worker, after which NoWorkersError is raised

    @abstractmethod
    def submit(self, job: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        """Give out one piece of work; a ticket for it, which can be hashed."""

    @abstractmethod
    def finished(self, tickets: Sequence[Any], seconds: float) -> list[Any]:
        """Those of the tickets whose work is done, after at most so many seconds; none where nothing is."""

    @abstractmethod
    def results(self, tickets: Sequence[Any]) -> list[Any]:
        """What came of work that is done, in this order: the result, or Lost. Raises what a job raised."""

    @abstractmethod
    def cancel(self, tickets: Iterable[Any]) -> None:
        """Take work back."""

    @abstractmethod
    def slots(self) -> int:
        """How many pieces all workers can do at a time; 0 where there is no worker."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the workers."""

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(
        self, job: Callable[..., Any], pieces: Sequence[Sequence[Any]], progress: Progress | None = None
    ) -> Iterator[tuple[int, Any]]:
        """(index of the piece, its result or Lost) as they are done. The job must be importable on the workers."""
        pending: dict[Any, int] = {}
        waiting = iter(enumerate(pieces))
        done, alive = 0, time.monotonic()
        try:
            while done < len(pieces):
                slots = self.slots()
                if slots:
                    alive = time.monotonic()
                elif time.monotonic() - alive > self.patience:
                    raise NoWorkersError(f"There has been no worker for {self.patience:.0f} seconds.")
                while len(pending) < _AHEAD * max(slots, 1) and (piece := next(waiting, None)) is not None:
                    pending[self.submit(job, piece[1])] = piece[0]
                ready = self.finished(list(pending), _TICK)
                for ticket, outcome in zip(ready, self.results(ready), strict=True):
                    done += 1
                    yield pending.pop(ticket), outcome
                if progress is not None and progress(done, len(pieces)) is False:
                    raise Cancelled
        finally:
            with suppress(Exception):  # what is wrong with the workers was raised already
                self.cancel(pending)

    def check(self) -> None:
        """Raise NoWorkersError where the workers have no weightmap, or another one."""
        ours = jobs.version()
        try:
            theirs = next(self.run(jobs.version, [()]))[1]
        except ImportError as problem:
            raise NoWorkersError(f"The workers have no weightmap: {problem}. Install it there.") from problem
        if theirs != ours:
            raise NoWorkersError(f"The workers have weightmap {theirs}, this process has {ours}.")

    def validate(
        self, paths: Path | Iterable[Path], *, values: bool = False, progress: Progress | None = None
    ) -> Iterator[Verdict]:
        """The verdicts that `weightmap.validate` gives on models, as they are done: paths (`find_models` gives those of a folder),
        or one. Workers see the files by the same paths.

        A model on which every worker died is an error with code worker_lost; one that a worker cannot see, worker_elsewhere.
        """
        given = [paths] if isinstance(paths, str | bytes | os.PathLike) else paths
        chosen = [os.fsdecode(os.fspath(path)) for path in given]
        return (found for _, found in self.verdicts(chosen, values, progress))

    def verdicts(self, paths: Sequence[str], values: bool, progress: Progress | None) -> Iterator[tuple[int, Verdict]]:
        """The same with the index of the path."""
        pieces = [(place(path), values, jobs.file_size(path)) for path in paths]
        for index, outcome in self.run(jobs.validate_at, pieces, progress):
            if isinstance(outcome, Lost):
                outcome = Verdict(paths[index], None, Severity.ERROR, (_lost(outcome, paths[index]),))
            yield index, outcome

    def map(
        self,
        function: Callable[..., Any],
        path: Path,
        *arguments: Any,
        names: str | Iterable[str] | None = None,
        progress: Progress | None = None,
    ) -> Iterator[tuple[str, Any]]:
        """(name, function(tensor, *arguments)) of every tensor of a model, or of those named, as they are done.

        The worker opens the model itself, once for all its tensors. What cannot be read is a WeightFileError in place of the
        result. `names` may have the wildcards * ? [...]; those of composed weights are known, too. Raises KeyError where one fits
        nothing, TypeError for what cannot be called, and what `weightmap.open` raises.
        """
        if not callable(function):
            raise TypeError(f"map takes a function of a tensor; got {function!r}")
        model = handle(path)
        with open_model(path) as opened:
            known = {name: tensor.nbytes for name, tensor in opened.tensors.items()}
            wanted = list(known) if names is None else _chosen(names_asked(names), (*known, *opened.composed))
        wanted.sort(key=lambda name: -known.get(name, 0))  # the largest first: then all end at about the same time
        pieces = [(model, name, function, arguments) for name in wanted]
        for index, outcome in self.run(jobs.on_tensor, pieces, progress):
            if isinstance(outcome, Lost):
                outcome = error(_lost(outcome, model.place.path, wanted[index]))
            yield wanted[index], outcome

    def statistics(
        self,
        path: Path,
        bins: int = 256,
        *,
        names: str | Iterable[str] | None = None,
        progress: Progress | None = None,
    ) -> Iterator[tuple[str, Statistics | WeightFileError]]:
        """(name, what `tensor.statistics(bins)` gives) of every tensor, as they are done; see `map`."""
        return self.map(jobs.statistics, path, checked_bins(bins), names=names, progress=progress)

    def compare(
        self,
        quantized: Path,
        reference: Path,
        *,
        guesses: bool = True,
        imatrix: Path | None = None,
        progress: Progress | None = None,
    ) -> Comparison:
        """What `weightmap.compare` gives, each pair measured by whoever is free. Raises the same, and WeightFileError with
        code worker_lost where every worker died on one pair.
        """
        with opened_pairs(quantized, reference) as both:  # of a folder with several models the one that is meant
            sides = handle(both.quantized.path), handle(both.reference.path)
        weights = None if imatrix is None else handle(imatrix)
        found = next(self.run(jobs.paired, [(*sides, guesses)]))[1]
        if isinstance(found, Lost):
            raise error(_lost(found, sides[0].place.path))
        pairs, (left, right) = found
        order = sorted(range(len(pairs)), key=lambda index: -pairs[index][1])
        errors: dict[int, Any] = {}
        for at, outcome in self.run(jobs.measure, [(*sides, guesses, weights, index) for index in order], progress):
            if isinstance(outcome, Lost):
                raise error(_lost(outcome, sides[0].place.path, pairs[order[at]][0]))
            errors[order[at]] = outcome
        rows = tuple(errors[index] for index in range(len(pairs)))
        paths = sides[0].place.path, sides[1].place.path
        return Comparison(*paths, rows, left, right, None if weights is None else weights.place.path)


def _chosen(names: Iterable[str], known: Sequence[str]) -> list[str]:
    """What names and patterns ask for, each once. KeyError where one fits nothing."""
    there, chosen = set(known), dict[str, None]()
    for name in names:
        fitting = [name] if name in there else [other for other in known if fnmatchcase(other, name)]
        if not fitting:
            raise UnknownNameError(name, known)
        chosen.update(dict.fromkeys(fitting))
    return list(chosen)


def _lost(outcome: Lost, path: str, tensor: str | None = None) -> Finding:
    text = f"Every worker that took this died on it: {outcome.reason}."
    return finding("worker_lost", text, path=path, tensor=tensor)
