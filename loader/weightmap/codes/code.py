"""What a code of a finding means: how loud it is, which kind of error it raises, when it is said and what to do."""

from __future__ import annotations

from typing import NamedTuple

AGAIN = "Download the file again, or let the download resume, then compare its checksum."


class Code(NamedTuple):
    """What a code means. `kind` chooses the class of error (`weightmap.errors`) where it is raised."""

    severity: str
    kind: str
    condition: str
    advice: str = ""
