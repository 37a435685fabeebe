"""What is this file? The content decides, never the name; what is no model is named, with what to do about it."""

from __future__ import annotations

import os
import re

from weightmap.errors import WeightFileError, error, printable
from weightmap.findings import Finding, finding
from weightmap.formats import gguf, imatrix, ollama, safetensors
from weightmap.formats.part_names import INDEX_NAME
from weightmap.formats.pointers import Pointer, pointer
from weightmap.formats.unfinished import NOTES, unfinished
from weightmap.source.address import basename
from weightmap.source.byte_source import ByteSource
from weightmap.wording import plural

HEAD = 4096
EXPECTED = "GGUF or safetensors"
LEGACY = {b"lmgg": "GGML", b"fmgg": "GGMF", b"tjgg": "GGJT", b"algg": "GGLA (LoRA)", b"nsgg": "GGSN", b"qsgg": "GGSQ"}
HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*(<!doctype html|<html|<head|<body|<\?xml|<!--)", re.I)
ENDINGS = {".gguf": "gguf", ".safetensors": "safetensors"}
TITLES = {"gguf": "GGUF", "safetensors": "safetensors", "imatrix": "an importance matrix in its old form"}
ONNX = re.compile(rb"\x08[\x01-\x14]\x12[\x02-\x40][\x20-\x7e]{2}")  # ir_version, then the producer's name
DISPLACED = re.compile(rb"GGUF(?:[\x01-\x03]\0\0\0|\0\0\0[\x02\x03])")  # the magic number with a version
BRACE = re.compile(rb'\{[\s]*"')  # how the JSON of a safetensors header begins
UNPACK = "Unpack it first: what is in it may be a model."
OTHERS: tuple[tuple[bytes, int, str, str | None], ...] = (
    (b"\x1f\x8b", 0, "a gzip archive", UNPACK),
    (b"BZh", 0, "a bzip2 archive", UNPACK),
    (b"\xfd7zXZ\0", 0, "an xz archive", UNPACK),
    (b"\x28\xb5\x2f\xfd", 0, "a Zstandard archive", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", 0, "a 7-Zip archive", UNPACK),
    (b"\x04\x22\x4d\x18", 0, "an LZ4 archive", UNPACK),
    (b"Rar!\x1a\x07", 0, "a RAR archive", UNPACK),
    (b"ustar", 257, "a tar archive", UNPACK),
    (b"\x89HDF\r\n\x1a\n", 0, "an HDF5 file, as Keras writes them", None),
    (b"\x93NUMPY", 0, "an array of NumPy", None),
    (b"TFL3", 4, "a TensorFlow Lite model", None),
    (b"%PDF-", 0, "a PDF document", None),
    (b"PK\x05\x06", 0, "an empty zip archive", None),
    (b"\x89PNG\r\n\x1a\n", 0, "a PNG picture", None),
    (b"\xff\xd8\xff", 0, "a JPEG picture", None),
    (b"GIF8", 0, "a GIF picture", None),
    (b"WEBP", 8, "a WebP picture", None),
    (b"ftyp", 4, "a video or a picture (MP4, HEIC)", None),
    (b"\x7fELF", 0, "a program (ELF)", None),
    (b"\xcf\xfa\xed\xfe", 0, "a program (macOS)", None),
    (b"MZ", 0, "a program (Windows)", None),
    (
        b"MZqFpD",
        0,
        "a program for several systems, as llamafiles are",
        "A llamafile is a zip archive as well: unpack it.",
    ),
    (
        b"\0\x05\x16\x07",
        0,
        "macOS's notes on a file (AppleDouble)",
        "Open the file whose name does not begin with ._ instead.",
    ),
    (b"SQLite format 3\0", 0, "a SQLite database", None),
)
"""Other files that are taken for models: their mark, where it stands, what they are, and what to do with them."""


def sniff(source: ByteSource) -> str:
    """The format of a file: "gguf", "safetensors", "index" (of a sharded safetensors model), "manifest" (Ollama's) or
    "imatrix" (the old form of one).

    Raises WeightFileError that says what else the file is.
    """
    head = source.read(0, min(HEAD, source.size))
    if head[:4] in (gguf.MAGIC, gguf.SWAPPED_MAGIC):
        return "gguf"
    if _is_safetensors(head, source.size):
        return "safetensors"
    text = _text(head)
    if text and text.lstrip().startswith("{") and (INDEX_NAME.search(basename(source.path)) or '"weight_map"' in text):
        return "index"
    if text and text.lstrip().startswith("{") and ollama.is_manifest(text):
        return "manifest"
    if imatrix.begins(head, source.size):
        return "imatrix"
    raise _refusal(source, head, text)


def misnamed(path: str, format: str) -> list[Finding]:
    """What its name gives to say: content of one format under the ending of the other, or a download that is not finished."""
    promised = ENDINGS.get(os.path.splitext(basename(path))[1].lower())
    if promised in (None, format):
        return unfinished(path)
    text = f"The file's name promises {TITLES[promised]}, but its content is {TITLES[format]}; it was opened as {TITLES[format]}."
    odd = finding("extension_mismatch", text, path=path, expected=TITLES[promised], found=TITLES[format])
    return [odd, *unfinished(path)]


def _is_safetensors(head: bytes, size: int) -> bool:
    """A header length that fits the file with a brace behind it, or one that does not but whose brace gives it away."""
    length = int.from_bytes(head[:8], "little")
    inside = 2 <= length <= size - 8
    return len(head) > 8 and (head[8:].lstrip(b" \t\r\n")[:1] == b"{" if inside else head[8:10] in (b'{"', b"{}"))


def _refusal(source: ByteSource, head: bytes, text: str | None) -> WeightFileError:
    """The error that says what the file is instead of a model."""
    stub = pointer(text or head.decode("latin-1"))
    code, message, found = _other(source, head, text) if stub is None else ("lfs_pointer", _pointing(stub), stub.name)
    advice = None if stub is None else stub.advice
    if code == "unknown_format" and (displaced := _displaced(head, source.size)) is not None:
        before = plural(displaced[1], "byte")
        advice = f"Download the file again, or cut off the {before} before it and validate what is left."
    if code in ("unknown_format", "bad_header", "text_body"):
        for mark, at, name, remedy in OTHERS:
            if head.startswith(mark, at):
                code, message, found, advice = (
                    "unknown_format",
                    f"This is {name}, not GGUF or safetensors.",
                    name,
                    remedy,
                )
    return error(finding(code, message, path=source.path, offset=0, expected=EXPECTED, found=found, advice=advice))


def _pointing(stub: Pointer) -> str:
    real = "" if stub.size is None else f" of {stub.size:,} bytes"
    return f"This is a {stub.name} to a file{real}, not the file itself."


def _other(source: ByteSource, head: bytes, text: str | None) -> tuple[str, str, str | None]:
    """Code, message and what was found."""
    size = source.size
    if not size:
        return "empty_file", "The file is empty: it has 0 bytes.", "0 bytes"
    if head[:4] in LEGACY:
        name = LEGACY[head[:4]]
        return "legacy_ggml", f"This is a {name} file, a format from before GGUF that is no longer read.", name
    if head.startswith(b"PK\x03\x04"):
        if head[30:128].split(b"PK")[0].find(b".npy") > 0:
            return "unknown_format", "This is a zip archive of NumPy's arrays (.npz), not GGUF or safetensors.", ".npz"
        return "pytorch_zip", "This is a zip archive, as PyTorch writes its pickle checkpoints.", "zip"
    if head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05":
        return "pickle", "This is a Python pickle, as old PyTorch checkpoints are.", "pickle"
    page = head if text is None else text.encode()  # of UTF-16, too
    if HTML.match(page) and b"<Error>" not in page[:200]:  # which is what a store answers, and says why
        return "html", "This is a web page (HTML), not a model.", "HTML"
    if size < 8:
        return "truncated", f"The file has {plural(size, 'byte')}, too few for any header.", plural(size, "byte")
    if text is not None:
        start = printable(" ".join(text.split())[:120])
        kind = "JSON" if text.lstrip()[:1] in "{[" else "text"
        return "text_body", f'This is a {kind} message, not a model. It begins: "{start}"', kind
    if (displaced := _displaced(head, size)) is not None:
        name, at = displaced
        text = f"A {name} file begins at byte {at:,} of the file; what lies before it does not belong to it."
        return "unknown_format", text, f"{name} at byte {at:,}"
    if ONNX.match(head):
        return "unknown_format", "This is an ONNX model, not GGUF or safetensors.", "ONNX"
    if basename(source.path).lower().endswith(NOTES):
        return (
            "unknown_format",
            "These are aria2's notes on a download that is not finished, not the file itself.",
            "aria2's notes",
        )
    if not any(head):
        return "zeroed", f"The first {len(head):,} bytes are all zeros, where a header should be.", "zeros"
    if basename(source.path).lower().endswith(".safetensors"):
        return _broken_safetensors(head, size)
    shown = " ".join(f"{byte:02x}" for byte in head[:8])
    return "unknown_format", f"The file begins with the bytes {shown}, which is neither GGUF nor safetensors.", shown


def _displaced(head: bytes, size: int) -> tuple[str, int] | None:
    """Format and place of a model that begins a little later, as behind the lines that a server sends before a file."""
    if (within := DISPLACED.search(head)) is not None:
        return "GGUF", within.start()
    for within in BRACE.finditer(head, 16):  # nearer ones stand behind a length that was itself changed
        at = within.start() - 8
        if 2 <= int.from_bytes(head[at : at + 8], "little") <= min(size - at - 8, safetensors.LARGEST_HEADER):
            return "safetensors", at
    return None


def _broken_safetensors(head: bytes, size: int) -> tuple[str, str, str | None]:
    """For a file that only its name makes safetensors: what its header is instead of a JSON object."""
    length = int.from_bytes(head[:8], "little")
    if 2 <= length <= safetensors.LARGEST_HEADER and head[8:] in (b"", b"{"):
        text = f"The header is said to be {length:,} bytes long, but the file has {size:,} bytes."
        return "truncated", text, f"{size:,} bytes"
    if not 2 <= length <= size - 8:
        bounds = f"2 to {min(size - 8, safetensors.LARGEST_HEADER):,} are possible, and the file has {size:,} bytes"
        return "bad_header", f"The header is said to be {length:,} bytes long; {bounds}.", f"{length:,} bytes"
    start = printable(head[8:32].decode("utf-8", "replace"))
    return "bad_header", f'The header should be a JSON object that begins with a brace; it begins "{start}".', start


def _text(head: bytes) -> str | None:
    """The head as text, or None where it is binary."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):  # what some systems make of a message that is piped into a file
        text = head[: len(head) & ~1].decode("utf-16", "ignore")
        return text if text and all(letter.isprintable() or letter.isspace() for letter in text) else None
    if any(byte < 32 and byte not in b"\t\n\r\f" for byte in head[:512]) or not head:
        return None
    try:
        return head.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        if problem.start >= len(head) - 3:
            return head[: problem.start].decode("utf-8-sig")
    # a message in the code page of a Western Windows has few bytes beyond ASCII
    letters = sum(byte < 0x80 for byte in head)
    return head.decode("cp1252", "replace") if 4 * letters >= 3 * len(head) else None
