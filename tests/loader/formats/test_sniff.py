"""What a file is follows from its content; what is no model is called by its name."""

from __future__ import annotations

import struct

import pytest
from support.build import gguf, safetensors
from support.sources import MemorySource

from weightmap.errors import WeightFileError
from weightmap.formats.sniff import misnamed, sniff

LFS = b"version https://git-lfs.github.com/spec/v1\r\noid sha256:aa\r\nsize 4661211424\r\n"


@pytest.mark.parametrize(
    ("data", "path", "format"),
    [
        (gguf(), "blob", "gguf"),
        (gguf(big_endian=True), "x.safetensors", "gguf"),
        (b"FUGG" + gguf()[4:], "x", "gguf"),
        (safetensors([]), "x.gguf", "safetensors"),
        (struct.pack("<Q", 0x2078) + b"{" + b" " * 0x2077, "x", "safetensors"),
        (struct.pack("<Q", 900) + b'{"a":', "x", "safetensors"),
        (struct.pack("<Q", 6) + b"\n\t  {}", "x", "safetensors"),
        (b'{"metadata": {}, "weight_map": {}}', "x", "index"),
        (b"{}", "model.safetensors.index.json", "index"),
    ],
)
def test_models(data, path, format):
    assert sniff(MemorySource(data, path)) == format


@pytest.mark.parametrize(
    ("data", "code", "word"),
    [
        (b"", "empty_file", "0 bytes"),
        (LFS, "lfs_pointer", "4,661,211,424"),
        (b"\xef\xbb\xbf" + LFS, "lfs_pointer", "4,661,211,424"),
        (b"\n" + LFS.replace(b"git-lfs", b"hawser"), "lfs_pointer", "4,661,211,424"),
        (LFS.decode().encode("utf-16"), "lfs_pointer", "4,661,211,424"),
        (
            b'# xet version 0\nfilesize = 1234567\nhash = "cc"\n',
            "lfs_pointer",
            "Git-Xet pointer to a file of 1,234,567",
        ),
        (b"../.git/annex/objects/SHA256E-s1234--dd.gguf\n", "lfs_pointer", "git-annex pointer to a file of 1,234"),
        ("<!DOCTYPE html><html>".encode("utf-16"), "html", "HTML"),
        (b"HTTP/1.1 200 OK\r\n\r\nGGUF\3\0\0\0" + b"\0" * 60, "unknown_format", "A GGUF file begins at byte 19"),
        (b"--part\r\n\r\n" + b"\2\0\0\0\0\0\0\0{ }", "unknown_format", "which is neither"),
        (
            b"--part\r\n\r\n" + b'\x10\0\0\0\0\0\0\0{"a"' + b" " * 12,
            "unknown_format",
            "A safetensors file begins at byte 10",
        ),
        (b"--part\r\n\r\n" + b'\xff\0\0\0\0\0\0\0{"a"' + b" " * 12, "unknown_format", "which is neither"),
        (b"\x04\x22\x4d\x18\x64\x40\xa7\0", "unknown_format", "an LZ4 archive"),
        (b"MZ\x90\0\3\0\0\0", "unknown_format", "a program (Windows)"),
        (b"MZqFpD='\n\0\0", "unknown_format", "llamafiles"),
        (b"RIFF\x24\0\0\0WEBPVP8 \0", "unknown_format", "a WebP picture"),
        (b"\0\x05\x16\x07\0\2\0\0Mac OS X", "unknown_format", "AppleDouble"),
        (b"tjgg\x03\0\0\0" + b"\0" * 60, "legacy_ggml", "GGJT"),
        (b"lmgg\x03\0\0\0", "legacy_ggml", "GGML"),
        (b"PK\x03\x04" + b"\0" * 60, "pytorch_zip", "zip"),
        (b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.", "pickle", "pickle"),
        (b"\n<!DOCTYPE html><html>", "html", "HTML"),
        (b"\xef\xbb\xbf<!doctype html><html>", "html", "HTML"),
        (b'{"error":"Invalid username or password."}', "text_body", "Invalid username"),
        (b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>', "text_body", "AccessDenied"),
        (b"Access to model x is restricted.\n", "text_body", "Access to model"),
        ("café ".encode() * 900, "text_body", "caf"),
        ("Für dieses Modell müssen Sie sich anmelden.\n".encode("latin-1"), "text_body", "Für dieses Modell"),
        ("accès refusé ".encode("latin-1") * 900, "text_body", "accès refusé"),
        ("„Nicht gefunden“\r\n".encode("cp1252"), "text_body", "„Nicht gefunden“"),
        ("モデルが見つかりません。".encode("shift-jis"), "unknown_format", "83 82"),
        (b"\0" * 5000, "zeroed", "4,096"),
        (b"\1\2\3\4\5", "truncated", "5 bytes"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\3", "unknown_format", "gzip archive"),
        (b"model.gguf" + b"\0" * 247 + b"ustar\x0000", "unknown_format", "tar archive"),
        (b"\x1c\0\0\0TFL3" + b"\0" * 60, "unknown_format", "TensorFlow Lite"),
        (b"\x7eELF\x02\x01\x01\0\0\0", "unknown_format", "7e 45 4c 46"),
        (b"\x7fELF\x02\x01\x01\0\0\0", "unknown_format", "program (ELF)"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\0", "unknown_format", "a PDF document"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "unknown_format", "a PNG picture"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "unknown_format", "a JPEG picture"),
        (b"SQLite format 3\0" + b"\0" * 84, "unknown_format", "a SQLite database"),
        (b"PK\x05\x06" + b"\0" * 18, "unknown_format", "an empty zip archive"),
        (b"PK\x03\x04" + b"\0" * 22 + b"\5\0\0\0a.npy\x93NUMPY", "unknown_format", ".npz"),
        (b"PK\x03\x04" + b"\0" * 22 + b"\7\0\0\0archivePK\x03\x04b.npy", "pytorch_zip", "PyTorch"),
        (b"\x08\x08\x12\x07pytorch\x1a\x052.1.0", "unknown_format", "an ONNX model"),
        ("Access to model x is restricted.".encode("utf-16"), "text_body", "Access to model"),
        (b'\xfe\xff\0{\0"\0e\0"\0:\0"\0n\0"\0}', "text_body", "JSON"),
        (b"\xff\xfe\xfd\xfc\0\0\1\2\3\4", "unknown_format", "ff fe fd fc"),
    ],
)
def test_other_things_are_named(data, code, word):
    with pytest.raises(WeightFileError) as caught:
        sniff(MemorySource(data, "x.gguf"))
    assert caught.value.code == code
    assert word in caught.value.finding.message
    assert caught.value.finding.advice


@pytest.mark.parametrize("header", [b"[]", b"\xef\xbb\xbf{}", b"12345"])
def test_a_name_makes_it_a_broken_safetensors(header):
    data = struct.pack("<Q", len(header)) + header
    with pytest.raises(WeightFileError) as caught:
        sniff(MemorySource(data, "x.safetensors"))
    assert caught.value.code == "bad_header"
    with pytest.raises(WeightFileError) as caught:
        sniff(MemorySource(data, "x"))
    assert caught.value.code == "unknown_format"


def test_a_wrong_ending_is_a_finding():
    assert misnamed("x.GGUF", "gguf") == []
    assert misnamed("x.bin", "safetensors") == []
    [finding] = misnamed("x.safetensors", "gguf")
    assert (finding.code, finding.expected, finding.found) == ("extension_mismatch", "safetensors", "GGUF")


@pytest.mark.parametrize("path", ["x.gguf", "x.safetensors", "x"])
def test_an_archive_is_to_be_unpacked(path):
    with pytest.raises(WeightFileError, match="Zstandard") as caught:
        sniff(MemorySource(b"\x28\xb5\x2f\xfd" + bytes(range(200)), path))
    assert "Unpack it first" in caught.value.finding.advice


@pytest.mark.parametrize("size", [8, 9])
def test_a_safetensors_file_cut_behind_its_length_is_truncated(size):
    data = safetensors([("w", "F32", (2,), b"\0" * 8)])
    with pytest.raises(WeightFileError) as caught:
        sniff(MemorySource(data[:size], "x.safetensors"))
    assert caught.value.code == "truncated"
    assert f"but the file has {size} bytes" in caught.value.finding.message


def test_notes_of_aria2_are_called_so():
    with pytest.raises(WeightFileError, match="aria2's notes on a download") as caught:
        sniff(MemorySource(b"\0\1" + b"\0" * 40, "m.gguf.aria2"))
    assert caught.value.code == "unknown_format"


def test_what_a_server_sent_before_a_model_is_to_be_cut_off():
    with pytest.raises(WeightFileError) as caught:
        sniff(MemorySource(b"HTTP/1.1 200 OK\r\n\r\nGGUF\3\0\0\0" + b"\0" * 60, "x.gguf"))
    assert "cut off the 19 bytes before it" in caught.value.finding.advice
