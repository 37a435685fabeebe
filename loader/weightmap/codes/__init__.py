"""The vocabulary of findings: every code with how loud it is, which kind of error it raises, when it is said and what to do.

A code is public: scripts match on it. Add new ones in the same style, never reuse one for another meaning. `severity` is
the usual one; a check may say the same thing louder or more quietly where the case is another (a gap in safetensors is an
error, in GGUF a warning).
"""

from __future__ import annotations

from weightmap.codes.code import Code
from weightmap.codes.composed import COMPOSED
from weightmap.codes.contents import CONTENTS
from weightmap.codes.files import FILES
from weightmap.codes.work import WORK

__all__ = ["CODES", "Code"]

CODES: dict[str, Code] = {**FILES, **CONTENTS, **COMPOSED, **WORK}
