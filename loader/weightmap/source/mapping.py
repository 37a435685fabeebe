"""The pages of an open file, mapped when the first view is asked for, gone with the last one.

A read-only mapping is what views for callers come from. A private one can be written to, and the file never hears of it: the
system copies a page when something is written there (copy-on-write). That is what frameworks get which know no read-only
arrays; as long as nobody writes, it shares the page cache with the other.
"""

from __future__ import annotations

import mmap
import os
import sys
import weakref

# no memory is set aside for pages that nobody writes to, else a model larger than the memory could not be mapped
_UNRESERVED = 0x4000 if sys.platform == "linux" else 0


class Mapping:
    """One mapping of a descriptor. Not thread-safe: the source's lock is held around its methods."""

    def __init__(self, *, private: bool) -> None:
        self._private = private
        self.whole: mmap.mmap | None = None  # all pages, once they are mapped
        self._kept: weakref.ref[mmap.mmap] | None = None  # the same, after `release` kept by views alone

    def made(self, descriptor: int) -> mmap.mmap:
        """All pages, which are mapped when first asked for: what every view has as its base. Nobody closes them: that would
        take them from under the views. Raises OSError where the system maps no more.
        """
        if self.whole is None:
            self.whole = _mapped(descriptor, self._private)
            self._kept = weakref.ref(self.whole)
        return self.whole

    def release(self) -> int:
        """Leave the mapping to its views; how many arrays made of it are in use: it ends with the last of them."""
        self.whole = None
        whole = None if self._kept is None else self._kept()
        return 0 if whole is None else sys.getrefcount(whole) - 2  # all but this name and the call's own


def _mapped(descriptor: int, private: bool) -> mmap.mmap:
    if not private:
        return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    if os.name == "nt":
        return mmap.mmap(descriptor, 0, access=mmap.ACCESS_COPY)
    return mmap.mmap(descriptor, 0, flags=mmap.MAP_PRIVATE | _UNRESERVED, prot=mmap.PROT_READ | mmap.PROT_WRITE)
