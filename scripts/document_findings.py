#!/usr/bin/env python3
"""Writes docs/findings.md from the table of codes, so that the page and the product never differ (a test compares them)."""

from __future__ import annotations

from pathlib import Path

from weightmap.codes import CODES

PAGE = Path(__file__).resolve().parents[1] / "docs" / "findings.md"
HEAD = """# Findings

What weightmap and Tensorloupe say about a file, and how loud. This page is made from `weightmap/codes/` by
`python scripts/document_findings.py`.

A finding has a severity, a code, a message, and where they apply the path of the part, the tensor, the metadata key, the
absolute byte offset, what was expected, what was found, and advice. Codes are public: scripts may match on them.

| severity | when | in the tree |
|---|---|---|
| error | values would be wrong, missing or ambiguous, or the file cannot be read on | red octagon |
| warning | every value is right, but a common reader refuses or misreads the file, or values are NaN or Inf, or what is \
present contradicts the metadata | amber triangle |
| info | worth knowing, nothing to do | blue disc |
| ok | nothing to say: a healthy file is silent | green tick |

The severity below is the usual one. A check may say the same thing louder or more quietly where the case is another: bytes
between tensors, for instance, are an error in safetensors and a warning in GGUF.

| code | severity | said when | what to do |
|---|---|---|---|
"""


def page() -> str:
    """The whole page."""
    rows = (
        f"| `{name}` | {code.severity} | {code.condition} | {code.advice or 'nothing'} |\n"
        for name, code in CODES.items()
    )
    return HEAD + "".join(row.replace("__metadata__", "`__metadata__`") for row in rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
