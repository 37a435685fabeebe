"""Verdicts as JUnit XML, which every CI system shows: one test case per model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

from weightmap.errors import printable
from weightmap.findings import Finding, Severity


def document(verdicts: Iterable[tuple[str, Sequence[Finding]]], fail_on: Severity) -> str:
    """The XML of (path, findings) pairs. Findings as loud as `fail_on` are failures, quieter ones the case's output."""
    suite = ElementTree.Element("testsuite", name="weightmap validate")
    cases = failed = 0
    for path, findings in verdicts:
        cases += 1
        case = ElementTree.SubElement(suite, "testcase", classname="weightmap.validate", name=printable(path))
        loud = [finding for finding in findings if finding.severity.rank >= fail_on.rank]
        quiet = [finding for finding in findings if finding.severity.rank < fail_on.rank]
        if loud:
            failed += 1
            head = printable(loud[0].message)
            failure = ElementTree.SubElement(case, "failure", type=loud[0].code, message=head)
            failure.text = _lines(loud)
        if quiet:
            ElementTree.SubElement(case, "system-out").text = _lines(quiet)
    suite.set("tests", str(cases))
    suite.set("failures", str(failed))
    suites = ElementTree.Element("testsuites", tests=str(cases), failures=str(failed))
    suites.append(suite)
    ElementTree.indent(suites)
    # ASCII with character references: whatever a path holds, the document stays well-formed in any encoding
    xml: bytes = ElementTree.tostring(suites, encoding="us-ascii", xml_declaration=True)
    return xml.decode("ascii") + "\n"


def _lines(findings: Sequence[Finding]) -> str:
    return "\n".join(_line(finding) for finding in findings)


def _line(finding: Finding) -> str:
    where = ", ".join(
        part
        for part in (
            finding.path and printable(finding.path),
            finding.tensor is not None and f"tensor {printable(finding.tensor)}",
            finding.key is not None and f"key {printable(finding.key)}",
            finding.offset is not None and f"byte {finding.offset:,}",
        )
        if part
    )
    said = f"{finding.severity} {finding.code}: {printable(finding.message)}"
    return " ".join(part for part in (said, where and f"[{where}]", finding.advice) if part)
