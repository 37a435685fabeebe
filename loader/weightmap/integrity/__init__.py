"""Whether bytes are the ones that somebody else had: checksums of files and tensors, written, found and compared.

One pass over a file feeds all hashes that are asked for. What others state comes as claims, whatever form they have it in
(our manifest, lists of sha256sum and gguf-hash, Git LFS pointers, stores, metadata), and is matched to the model by name
alone: a name in a manifest is text to compare, never a path to open.
"""

from __future__ import annotations

from weightmap.integrity.digests import Digest, FileDigest, digest
from weightmap.integrity.outcome import Mismatch, Missing, Verification
from weightmap.integrity.verification import verify

__all__ = ["Digest", "FileDigest", "Mismatch", "Missing", "Verification", "digest", "verify"]
