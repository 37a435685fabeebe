"""What values themselves give reason to say: NaN and Inf, and tensors that are zero throughout."""

from __future__ import annotations

from weightmap.findings import Finding, finding
from weightmap.formats.layout import TensorRecord
from weightmap.measure.statistics import Statistics

ZERO_BY_NATURE = ("bias", "beta")


def value_findings(record: TensorRecord, path: str, statistics: Statistics) -> tuple[Finding, ...]:
    """Findings about one tensor from the statistics of all its values. A bias that is all zero is nothing to mention."""
    found = []
    if statistics.nan or statistics.inf:
        what = [f"{number:,} {name}" for number, name in ((statistics.nan, "NaN"), (statistics.inf, "Inf")) if number]
        found.append(
            finding(
                "non_finite",
                f"{' and '.join(what)} among {statistics.count:,} values.",
                path=path,
                tensor=record.name,
                offset=record.offset,
                expected="finite values",
                found=", ".join(what),
            )
        )
    elif statistics.count and statistics.zeros == statistics.count and not record.name.endswith(ZERO_BY_NATURE):
        found.append(
            finding(
                "all_zero",
                f"Every one of the {statistics.count:,} values is zero.",
                path=path,
                tensor=record.name,
                offset=record.offset,
                expected="values other than zero",
                found="zeros",
            )
        )
    return tuple(found)
