from __future__ import annotations

from dataclasses import replace

from weightmap.findings import Finding, Severity, finding, limited
from weightmap.folding import folded


def _odd(number: int, path: str = "p") -> list[Finding]:
    return [finding("non_finite", f"{n} NaN.", path=path, tensor=f"t\n{n}") for n in range(number)]


def test_a_few_are_told_one_by_one() -> None:
    assert folded(_odd(3)) == _odd(3)
    assert folded([finding("overlap", f"{n}.") for n in range(9)]) == [finding("overlap", f"{n}.") for n in range(9)]


def test_many_are_the_first_with_the_number_of_the_others_in_its_place() -> None:
    before, after = finding("overlap", "One."), finding("overlap", "Two.", tensor="t")
    [one, first, two] = folded([before, *_odd(4), after])
    assert (one, two, first.tensor) == (before, after, "t\n0")
    assert first.message == "0 NaN. 3 more tensors are like this: t\\n1, t\\n2, t\\n3."
    assert folded(_odd(1001))[0].message.endswith(" 1,000 more tensors are like this: t\\n1, t\\n2, t\\n3 first.")


def test_files_are_told_apart() -> None:
    assert [one.path for one in folded([*_odd(9, "a"), *_odd(9, "b")])] == ["a", "b"]


def test_what_was_counted_before_is_counted_on() -> None:
    [first] = folded(limited(_odd(1200)))
    assert first.message == "0 NaN. 1,199 more tensors are like this: t\\n1, t\\n2, t\\n3 first."


def test_what_is_loud_is_told_apart_from_what_is_not() -> None:
    quiet = [replace(one, severity=Severity.INFO) for one in _odd(9)]
    assert [one.severity for one in folded([*quiet, *_odd(9)])] == [Severity.INFO, Severity.WARNING]
    assert folded([*quiet[:3], *_odd(3)]) == [*quiet[:3], *_odd(3)]


def test_unlike_faults_under_one_code_are_told_apart() -> None:
    said = [
        finding("quant_config", text, tensor=f"layers.{n}.q.{part}")
        for n in range(5)
        for part, text in (
            ("scales", f"config.json says groups of 128, but layers.{n}.q.scales has {n + 2}."),
            ("qzeros", f"config.json says that the codes are symmetric, but layers.{n}.q.qzeros is not."),
        )
    ]
    assert [one.message for one in folded(said)] == [
        f"{said[0].message} 4 more tensors are like this: layers.1.q.scales, layers.2.q.scales, layers.3.q.scales first.",
        f"{said[1].message} 4 more tensors are like this: layers.1.q.qzeros, layers.2.q.qzeros, layers.3.q.qzeros first.",
    ]
