"""Which tensors of the architecture a file has not, and which it has besides: worth knowing, seldom wrong.

Subsets, adapters, extracts of one block and the output of split tools are normal files. Only what a file contradicts in
itself is more than a remark: blocks beyond its own count, or in a file that calls itself a whole model less than half of them
missing, or all behind the first few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weightmap.checks.architecture.book import Book
from weightmap.checks.architecture.census import Census, Group
from weightmap.checks.architecture.hyperparameters import Hyperparameters
from weightmap.checks.architecture.lost_choices import lost_choices
from weightmap.errors import printable
from weightmap.findings import Finding, Severity, finding
from weightmap.formats.layout import TensorRecord
from weightmap.naming.alternatives import ALTERNATIVES
from weightmap.naming.rules import BLOCK, EXPERT, TensorRule
from weightmap.wording import plural

SHOWN = 3
FEWEST = 2  # blocks of a file that is more than an extract of one
MOST_BLOCKS = 512  # that llama.cpp has room for; no known model has a third of them


@dataclass(frozen=True, slots=True)
class Lack:
    """One kind of tensor that is not everywhere it could be: the first place, how many places, and out of how many.

    blocks  the letter of the count of blocks, where each of these should have one; block the first that has none
    """

    first: str
    missing: int
    places: int
    blocks: str | None = None
    block: int = 0

    @property
    def ends_early(self) -> bool:
        """Whether the first blocks have it and all behind them have not."""
        return self.blocks is not None and self.block + self.missing == self.places


def lacks(census: Census, book: Book, numbers: Hyperparameters) -> list[Lack]:
    """The required tensors that are missing, by kind. Counts only: no loop runs as far as a number in the file says."""
    found: list[Lack] = []
    by_target: dict[str, list[Group]] = {}
    for group in census.groups.values():
        by_target.setdefault(group.entry.target, []).append(group)
    for entry in book.entries:
        groups = by_target.get(entry.target, [])
        if not entry.rule.required or any(group.whole for group in groups):
            continue
        if not entry.rule.blocks:
            if not groups:
                found.append(Lack(entry.rule.name, 1, 1))
            continue
        total = numbers.value(entry.rule.blocks)
        for other in _alternatives(entry.target):
            groups = groups + by_target.get(other, [])
        if total is None or total <= 0 or any(group.whole for group in groups):
            continue
        present = {block for group in groups for block in group.blocks if block < total}
        if len(present) == total:
            continue
        first = next(block for block in range(len(present) + 1) if block not in present)
        if not _is_empty(entry.rule, numbers, first):
            name = entry.rule.name.replace(BLOCK, str(first)).replace(EXPERT, "0")
            found.append(Lack(name, total - len(present), total, entry.rule.blocks, first))
    return list({lack.first: lack for lack in found}.values())


def _alternatives(target: str) -> tuple[str, ...]:
    block, dot, role = target.partition(f"{BLOCK}.")
    return tuple(block + dot + other for other in ALTERNATIVES.get(role, ()))


def _is_empty(rule: TensorRule, numbers: Hyperparameters, block: int) -> bool:
    """Whether the numbers give this tensor no elements: a block without attention, say, or a model without experts."""
    experts = "E" in rule.symbols or EXPERT in rule.name
    return 0 in numbers.dims(rule.dims, block) or (experts and not numbers.value("E"))


def _has_both_ends(census: Census, numbers: Hyperparameters) -> bool:
    """Whether the first and the last block have something: else the file is a subset, whatever it calls itself."""
    for letter in ("B", "BD"):
        groups = [
            group
            for name, group in census.groups.items()
            if group.entry.rule.blocks == letter and EXPERT not in name  # experts are not counted by blocks
        ]
        if groups and not any(group.whole for group in groups):
            total = numbers.value(letter)
            seen = {block for group in groups for block in group.blocks}
            if total is None or not {0, total - 1} <= seen:
                return False
    return True


def missing_findings(
    census: Census, book: Book, numbers: Hyperparameters, what: str, path: str, complete: bool
) -> Iterator[Finding]:
    """What is missing, in one finding. `complete`: the file says of itself that it is a whole model."""
    missing = [] if _beyond_belief(numbers) else lacks(census, book, numbers)
    if complete:
        missing += [Lack(name, 1, blocks) for name, blocks in lost_choices(census, numbers)]
    holes = [lack for lack in missing if 2 * lack.missing < lack.places]
    if not missing:
        return
    # blocks that predict more tokens are counted, and often left out
    whole = not numbers.value("BN") or _has_both_ends(census, numbers)
    hole = complete and len(holes) == len(missing) and whole
    early = _early(missing) if complete and not numbers.value("BN") else None
    total = sum(lack.missing for lack in missing)
    names = ", ".join(printable(lack.first) for lack in missing[:SHOWN])
    one = (
        "1 tensor that {} has is not in the file: {}."
        if total == 1
        else "{:,} tensors that {} has are not in the file, {} first."
    )
    text = one.format(what, names) if total == 1 else one.format(total, what, names)
    again, key = "convert the model again.", None
    if early is not None and early.blocks is not None:
        key = numbers.keys(early.blocks)[0]
        text += f" {printable(key)} is {early.places:,}, and the file has the first {early.block:,} blocks."
        again = f"if it has all blocks, correct {printable(key)}, else {again}"
    yield finding(
        "missing_tensor",
        text,
        severity=Severity.WARNING if hole or early is not None else None,
        path=path,
        tensor=missing[0].first if total == 1 else None,
        key=key,
        expected=missing[0].first,
        advice=f"llama.cpp refuses a file that lacks a tensor: {again}" if hole or early is not None else None,
    )


def _early(missing: Sequence[Lack]) -> Lack | None:
    """One for all, where nothing is missing but the blocks behind a certain one: an extract of one block is no such file."""
    same = {(lack.blocks, lack.block, lack.places) for lack in missing}
    first = missing[0]
    return first if len(same) == 1 and first.ends_early and first.block >= FEWEST else None


def unexpected_findings(strangers: Sequence[TensorRecord], what: str, paths: list[str]) -> Iterator[Finding]:
    """What there is besides, in one finding."""
    if not strangers:
        return
    count = "1 tensor is" if len(strangers) == 1 else f"{len(strangers):,} tensors are"
    yield _unexpected(strangers, f"{count} not among those of {what}", paths)


def count_findings(census: Census, numbers: Hyperparameters, path: str) -> Iterator[Finding]:
    """A number of blocks that no model has, in a file that has some: what is missing is then not counted."""
    for symbol, total in _beyond_belief(numbers).items():
        groups = [group for group in census.groups.values() if group.entry.rule.blocks == symbol]
        if present := {block for group in groups for block in group.blocks}:
            key = numbers.keys(symbol)[0]
            yield finding(
                "block_count",
                f"{printable(key)} is {total:,}, and the file has tensors of {plural(len(present), 'block')}; no model has "
                f"more than {MOST_BLOCKS:,}.",
                path=path,
                key=key,
                expected=f"1 to {MOST_BLOCKS:,} blocks",
                found=f"{total:,}",
            )


def _beyond_belief(numbers: Hyperparameters) -> dict[str, int]:
    """The counts of blocks that no model has, by their letter."""
    counts = {symbol: numbers.value(symbol) for symbol in ("B", "BD")}
    return {symbol: total for symbol, total in counts.items() if total is not None and not 0 <= total <= MOST_BLOCKS}


def block_findings(census: Census, numbers: Hyperparameters, paths: list[str]) -> Iterator[Finding]:
    """Blocks beyond the file's own count, where all blocks up to it are there too: the count is wrong."""
    for symbol in ("B", "BD"):
        total = numbers.value(symbol)
        layered = [group for group in census.groups.values() if group.entry.rule.blocks == symbol]
        if total is None or any(".nextn." in group.entry.rule.name for group in layered):
            continue
        beyond = [
            (block, record)
            for group in layered
            for record, block in group.found
            if block is not None and block >= total
        ]
        if not beyond or total < 0:
            continue
        key = numbers.keys(symbol)[0]
        if any(group.whole for group in layered):  # the count is right for some: the others are too many
            yield _beyond([record for _, record in beyond], f"{printable(key)} is {total:,}", paths)
            return
        present = {block for group in layered for block in group.blocks}
        if len([block for block in present if block < total]) < total:
            continue
        last, record = max(beyond, key=lambda pair: pair[0])
        yield finding(
            "block_count",
            f"{printable(key)} is {total:,}, and the file has blocks up to number {last:,}, {last + 1:,} in all with number 0.",
            path=paths[record.part],
            tensor=record.name,
            key=key,
            expected=f"{total:,} blocks",
            found=f"block {last:,}",
        )
        return


def beyond_findings(census: Census, numbers: Hyperparameters, paths: list[str]) -> Iterator[Finding]:
    """Of a checkpoint: tensors of blocks beyond its count and that of those which predict more tokens. Loaders skip them."""
    for symbol in ("B", "BD"):
        total, more = numbers.value(symbol), numbers.value("BN") or 0
        groups = [group for group in census.groups.values() if group.entry.rule.blocks == symbol]
        if total is None or total < 0:
            continue
        beyond = [record for g in groups for record, block in g.found if block is not None and block >= total + more]
        if beyond:
            yield _beyond(beyond, f"{printable(numbers.keys(symbol)[0])} is {total:,}", paths)


def _beyond(records: Sequence[TensorRecord], count: str, paths: list[str]) -> Finding:
    what = "1 tensor belongs" if len(records) == 1 else f"{len(records):,} tensors belong"
    return _unexpected(records, f"{count}, and {what} to a block beyond", paths)


def _unexpected(records: Sequence[TensorRecord], said: str, paths: list[str]) -> Finding:
    """`said` of these tensors, of which the first few are named."""
    names = ", ".join(printable(record.name) or "one without a name" for record in records[:SHOWN])
    first = "" if len(records) <= SHOWN else " first"
    return finding(
        "unexpected_tensor",
        f"{said}: {names}{first}.",
        path=paths[records[0].part],
        tensor=records[0].name if len(records) == 1 else None,
        found=records[0].name,
    )
