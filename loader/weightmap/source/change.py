"""Whether an open file is still the one that was opened, and in words how it changed."""

from __future__ import annotations

import os
from typing import NamedTuple

from weightmap.findings import Finding, Severity, finding


class Opened(NamedTuple):
    """What the system told of a file when it was opened; `changed` is the time of the last change of any kind. Times in ns."""

    size: int
    modified: int
    device: int
    inode: int
    changed: int

    @classmethod
    def of(cls, status: os.stat_result) -> Opened:
        """What `os.fstat` gave."""
        return cls(status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino, status.st_ctime_ns)

    def rewritten(self, now: os.stat_result, path: str) -> Finding | None:
        """None where size and modification time are what they were, else how the content changed; `now` is of the open file."""
        size = now.st_size
        if (size, now.st_mtime_ns) == self[:2]:
            return None
        if size < self.size:
            how = f"The file changed while it was open: it shrank from {self.size:,} to {size:,} bytes."
        elif size > self.size:
            how = f"The file changed while it was open: it grew from {self.size:,} to {size:,} bytes."
        else:
            how = "The file changed while it was open: its content was written again."
        return finding("file_changed", how, path=path, expected=f"{self.size:,} bytes", found=f"{size:,} bytes")

    def replaced(self, place: str, path: str) -> Finding | None:
        """None where `place`, the absolute form of `path`, still leads to this file, else what became of it there."""
        try:
            now = os.stat(place)
        except FileNotFoundError:
            how = "The file was deleted or moved since it was opened; what is open here still shows the old content."
        except OSError as problem:
            how = f"The file can no longer be reached: {problem.strerror}."
        else:
            if (now.st_dev, now.st_ino) == (self.device, self.inode):
                return None
            how = "The file was replaced by another since it was opened; what is open here still shows the old content."
        return finding("file_changed", how, severity=Severity.WARNING, path=path)
