"""Where bytes come from: the mapped file, the remote one, and the cursor that walks headers."""

from weightmap.source.byte_source import ByteSource
from weightmap.source.file import FileSource

__all__ = ["ByteSource", "FileSource"]
