"""A look at a chat template without running it: whether its Jinja tags are closed, and tags that only some readers know.

Nothing is compiled or rendered: a template from a file is a program.
"""

from __future__ import annotations

import re

# what stands between the marks of an expression: strings whole, so that a closing mark in them does not count. What was
# taken is never given back (++), and a string without an end is not tried again from its next quote: one pass for all
_STRING = r"""'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+["]"""
_TAG = re.compile(
    rf"""\{{(?:
        (\{{) (?: [^'"}}]++ | \}}(?!\}}) | {_STRING} )*+
      | (%) [-+]? \s* (\w*) (?: [^'"%]++ | %(?!\}}) | {_STRING} )*+
      | (\#) (?: [^\#]++ | \#(?!\}}) )*+
    ) ([%\#}}]\}})?""",
    re.S | re.X,
)
_BLOCKS = frozenset(["if", "for", "macro", "call", "filter", "block", "autoescape", "raw", "generation"])
_RAW_END = re.compile(r"\{%[-+]?\s*endraw\s*[-+]?%\}")
LONGEST = 1 << 20


def oddity(template: str) -> str | None:
    """What is odd about a template, as the rest of a sentence about it; None where nothing is."""
    if not template.strip():
        return "is empty"
    if len(template) > LONGEST:
        return None
    open_blocks: list[str] = []
    generation, at = False, 0
    while tag := _TAG.search(template, at):
        expression, block, name, comment, closed = tag.groups()
        at = tag.end()
        if not closed:
            if template[at : at + 1] in ("'", '"'):
                return f"begins a string at character {at:,} that does not end"
            return f"opens {{{expression or block or comment} at character {tag.start():,} and does not close it"
        if name == "raw":
            ending = _RAW_END.search(template, at)
            if not ending:
                return "opens raw and does not close it"
            at = ending.end()
        elif name in _BLOCKS:
            open_blocks.append(name)
            generation |= name == "generation"
        elif (
            name
            and name.startswith("end")
            and name[3:] in _BLOCKS
            and (not open_blocks or open_blocks.pop() != name[3:])
        ):
            return f"closes {name[3:]} at character {tag.start():,}, which is not open there"
    if open_blocks:
        return f"opens {open_blocks[-1]} and does not close it"
    return "uses the tag generation, which only Hugging Face's transformers knows" if generation else None
