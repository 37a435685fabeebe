"""Which bytes of a model a claim is about. Names are compared, never opened; what fits several things is refused, not guessed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field

from weightmap.errors import WeightFileError, error, printable
from weightmap.findings import finding
from weightmap.integrity.claims import Claim, Statement, bad
from weightmap.integrity.contents import Contents, Target
from weightmap.integrity.hashes import ALGORITHMS
from weightmap.plain import plain
from weightmap.source.address import absolute


@dataclass(slots=True)
class Expected:
    """What is stated of a model: a claim for each target, and of what is `absent`, with its kind. `passed_over`: how many are
    about other files.
    """

    claims: dict[Target, Claim] = field(default_factory=dict)
    absent: list[tuple[str, Claim]] = field(default_factory=list)
    passed_over: int = 0

    def put(self, target: Target, claim: Claim) -> None:
        """Note a claim. Of several kinds of hash the strongest stays. Raises where two of a kind contradict each other."""
        before = self.claims.get(target)
        if before is None or ALGORITHMS.index(claim.algorithm) < ALGORITHMS.index(before.algorithm):
            self.claims[target] = claim
        elif before.algorithm == claim.algorithm and before.value != claim.value:
            raise ambiguous(before, claim)
        elif before.nbytes is None and claim.nbytes is not None and before.value == claim.value:
            self.claims[target] = claim


def ambiguous(one: Claim, other: Claim) -> WeightFileError:
    """The error for two claims about the same bytes that cannot both be right."""
    places = [printable(claim.source) + (f" (line {claim.line:,})" if claim.line else "") for claim in (one, other)]
    text = f"Two different checksums are stated for the same bytes: by {places[0]} and by {places[1]}."
    return error(finding("ambiguous_checksums", text, path=other.source, expected=one.value, found=other.value))


def match(contents: Contents, statements: Iterable[Statement]) -> Expected:
    """What the statements say about this model. Raises CorruptWeightError (`ambiguous_checksums`, `bad_checksums`)."""
    expected = Expected()
    for statement in statements:
        _files(contents, statement, expected)
        _tensors(contents, statement, expected)
        _listed(contents, [claim for claim in statement.claims if claim.kind == "listed"], expected)
    return expected


def _tensors(contents: Contents, statement: Statement, expected: Expected) -> None:
    """Claims by a tensor's name; undecodable bytes of a name may be written as escapes, as our documents have them."""
    shown: dict[str, int] = {}
    for claim in statement.claims:
        if claim.kind == "data":
            expected.put(Target("data", 0), claim)
        if claim.kind != "tensor" or claim.name is None:
            continue
        number = contents.tensors.get(claim.name)
        if number is None and "\\" in claim.name:
            shown = shown or {plain(name): number for name, number in contents.tensors.items()}
            number = shown.get(claim.name)
        if number is None:
            expected.absent.append(("tensor", claim))
        else:
            expected.put(Target("tensor", number), claim)


def _files(contents: Contents, statement: Statement, expected: Expected) -> None:
    """Claims by a file's name: as a path from the manifest's folder, else as the model calls it, else by the last name."""
    near: dict[str, list[Claim]] = {_last(file.name): [] for file in contents.files}
    used: set[int] = set()
    claims = [claim for claim in statement.claims if claim.kind in ("file", "named")]
    for claim in claims:
        if claim.name is None:
            used.add(id(claim))
            expected.put(Target("file", _only_file(contents, claim)), claim)
        elif claim.kind == "named" and claim.name in contents.tensors:
            used.add(id(claim))
            expected.put(Target("tensor", contents.tensors[claim.name]), claim)
        elif (last := _last(claim.name)) in near:
            near[last].append(claim)
    folder = os.path.dirname(absolute(statement.source))
    lasts = [_last(file.name) for file in contents.files]
    for number, file in enumerate(contents.files):
        candidates = near[lasts[number]]
        place = absolute(file.path)
        chosen = (
            [claim for claim in candidates if os.path.normpath(os.path.join(folder, claim.name or "")) == place]
            or [claim for claim in candidates if _slashed(claim.name or "") == file.name]
            or (candidates if lasts.count(lasts[number]) == 1 else [])
        )
        for claim in chosen:
            used.add(id(claim))
            expected.put(Target("file", number), claim)
    for claim in claims:
        if id(claim) not in used and (statement.whole or claim.kind == "named"):
            expected.absent.append(("file" if statement.whole else "tensor", claim))
        elif id(claim) not in used:
            expected.passed_over += 1


def _listed(contents: Contents, claims: list[Claim], expected: Expected) -> None:
    """Lines of gguf-hash: FILE:TENSOR or FILE. Both may hold colons, so the model's own names tell where the file's ends."""
    lines = [(claim, *_split(contents, claim.name or "")) for claim in claims]
    files = {file for _, file, number in lines if number is not None}
    lasts = {_last(file.name) for file in contents.files}
    files |= {claim.name or "" for claim in claims if _last(claim.name or "") in lasts}
    own = {file for file in files if _last(file) in lasts}
    if not own and len(files) > 1:
        text = f"The list has hashes of {len(files):,} files, none of which is called like the model."
        raise bad(claims[0].source, text, expected=contents.files[-1].name)
    for claim, file, number in lines:
        mine = own or files
        if number is not None and file in mine:
            expected.put(Target("tensor", number), claim)
        elif number is None and (name := claim.name or "") in mine:
            expected.put(Target("tensors", _part(contents, name)), claim)
        elif number is None and any(name.startswith(one + ":") for one in mine):
            expected.absent.append(("tensor", claim))
        else:
            expected.passed_over += 1


def _split(contents: Contents, name: str) -> tuple[str, int | None]:
    """File and record of a line of gguf-hash; None where no tensor of the model is named."""
    at = name.find(":")
    while at >= 0:
        if (number := contents.tensors.get(name[at + 1 :])) is not None:
            return name[:at], number
        at = name.find(":", at + 1)
    return name, None


def _part(contents: Contents, name: str) -> int:
    return next((file.part for file in contents.files if file.part is not None and _last(file.name) == _last(name)), 0)


def _only_file(contents: Contents, claim: Claim) -> int:
    """Number of the one file that a claim without a name can be about."""
    parts = [number for number, file in enumerate(contents.files) if file.part is not None]
    if len(parts) > 1:
        text = f"The checksum stands without a name, and the model has {len(parts):,} files."
        raise bad(claim.source, text, expected="a name for each checksum")
    return parts[0]


def _slashed(name: str) -> str:
    return os.path.normpath(name.replace("\\", "/")).replace(os.sep, "/")


def _last(name: str) -> str:
    return name.replace("\\", "/").rsplit("/", 1)[-1]
