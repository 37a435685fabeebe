"""Whether tensors and metadata belong together: shapes against the architecture's hyperparameters, tokens against rows.

Nothing found here keeps a tensor from being read, so nothing is an error. What follows from a number that the file does
not give is not checked.
"""

from weightmap.findings import Finding
from weightmap.formats.layout import Layout

__all__ = ["check"]


def check(layout: Layout) -> list[Finding]:
    """All findings about the meaning of a file, in a stable order."""
    # each format has tables of its own, and most programs open files of one format
    if layout.format == "gguf":
        from weightmap.checks.architecture.gguf import check_gguf

        return list(check_gguf(layout))
    if layout.format == "safetensors":
        from weightmap.checks.architecture.checkpoint import check_checkpoint

        return list(check_checkpoint(layout))
    return []
