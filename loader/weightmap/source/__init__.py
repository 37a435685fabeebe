"""Where bytes come from: the mapped file, the remote one, and the cursor that walks headers."""

from weightmap.source.file import ByteSource, FileSource

__all__ = ["ByteSource", "FileSource"]
