"""Stores with packages of their own: S3 through s3fs, from a server on this machine that answers as a bucket does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.build import safetensors
from support.web import serving

import weightmap

s3fs = pytest.importorskip("s3fs")

VALUES = np.arange(90_000, dtype="<f4").reshape(300, 300)


def test_a_bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket = tmp_path / "bucket" / "folder"
    bucket.mkdir(parents=True)
    one, two = ("one", "F32", (300, 300), VALUES.tobytes()), ("two", "F32", (300, 300), (-VALUES).tobytes())
    (bucket / "a b.safetensors").write_bytes(safetensors([one, two]))
    (bucket / "m.safetensors.index.json").write_text(
        '{"weight_map": {"one": "a b.safetensors", "two": "a b.safetensors"}}'
    )
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "mine")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    s3fs.S3FileSystem.clear_instance_cache()
    with serving(tmp_path) as web:
        monkeypatch.setenv("AWS_ENDPOINT_URL", web.root)
        with weightmap.open("s3://bucket/folder/m.safetensors.index.json") as model:
            assert (model.status, model.parts[0].path) == ("ok", "s3://bucket/folder/a b.safetensors")
            web.forget()
            assert np.array_equal(model.tensors["two"].array(), -VALUES)
            assert web.sent < VALUES.nbytes + (3 << 16)
            (bucket / "a b.safetensors").write_bytes(safetensors([two, one]))
            with pytest.raises(weightmap.FileChangedError):
                model.tensors["one"].array()
        with pytest.raises(weightmap.MissingFileError):
            weightmap.open("s3://bucket/nothing.gguf")
        web.ways["bucket/folder/a b.safetensors"] = 403
        with pytest.raises(weightmap.UnreadableFileError, match="does not let this file be read"):
            weightmap.open("s3://bucket/folder/a b.safetensors")
    s3fs.S3FileSystem.clear_instance_cache()
