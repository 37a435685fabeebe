"""Codes of checksums, and of work that is given to others."""

from __future__ import annotations

from weightmap.codes.code import AGAIN, Code

WORK: dict[str, Code] = {
    # checksums
    "checksum_mismatch": Code(
        "error", "corrupt", "a file or a tensor has another checksum than a manifest states", AGAIN
    ),
    "checksum_missing": Code(
        "error",
        "corrupt",
        "a manifest names a file or tensor that is not there, or states no checksum of one that is",
        "Take model and manifest from one place.",
    ),
    "no_checksums": Code(
        "error",
        "",
        "checksums were asked for, and none is stated of this model",
        "Name a manifest, or make one from a sound copy: weightmap digest PATH -o MANIFEST.",
    ),
    "bad_checksums": Code("error", "corrupt", "a manifest of checksums cannot be used", "Get the manifest again."),
    "ambiguous_checksums": Code(
        "error",
        "corrupt",
        "two different checksums are stated for the same bytes",
        "Name the manifest that counts: weightmap verify PATH MANIFEST.",
    ),
    # work given to others
    "worker_lost": Code(
        "error",
        "unreadable",
        "every worker of a cluster that took the file, or one tensor of it, died on it",
        "Give the workers more memory, or look at the file with a local command.",
    ),
    "worker_elsewhere": Code(
        "error",
        "unreadable",
        "a worker of a cluster does not see the file that the path leads to here",
        "Put the files where every worker sees them under the same path.",
    ),
}
