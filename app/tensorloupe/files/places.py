"""Paths and web addresses as the window shows and keeps them: what a file is called, and what folder it lies in.

Asks neither the disk nor the network, and leaves weightmap alone where a path cannot be an address: the first file is being
opened while it is still loaded.
"""

from __future__ import annotations

import os
import re

KINDS = "Weight files (*.gguf *.GGUF *.safetensors *.SAFETENSORS *.safetensors.index.json *.sft *.ggml *.bin);;All files (*)"

_REGISTRY, _NAMESPACE = "registry.ollama.ai", "library"  # which Ollama's users leave out


def is_address(path: str) -> bool:
    """Whether a path is the address of something remote."""
    if "://" not in path:
        return False
    import weightmap

    return weightmap.is_url(path)


def name(path: str) -> str:
    """What the file or folder is called; the path itself where nothing of it is a name."""
    if is_address(path):
        import weightmap

        return weightmap.file_name(path.rstrip("/")) or path
    return split(path)[1] or path


def split(path: str) -> tuple[str, str]:
    """(folder, name), to be shown in two columns."""
    if not is_address(path):
        return _in_store(path) or os.path.split(os.path.normpath(path))
    end = path.split("?", 1)[0].rfind("/")
    return path[:end], name(path)


def _in_store(path: str) -> tuple[str, str] | None:
    """(folder of manifests, name as Ollama's users type it) of a manifest in its store, whose file is called by the tag alone:
    `manifests/REGISTRY/NAMESPACE/MODEL/TAG`.
    """
    *above, registry, namespace, model, tag = ("", "", "", "", *os.path.abspath(path).split(os.sep))
    if above[-1:] != ["manifests"] or not tag:
        return None
    named = [namespace, model] if registry == _REGISTRY else [registry, namespace, model]
    named = named[1:] if named[0] == _NAMESPACE else named
    return os.sep.join(above[4:]), f"{'/'.join(named)}:{tag}"


def kept(path: str) -> str:
    """The path as it is remembered: from the root, whatever folder the program runs in."""
    return path if is_address(path) else os.path.abspath(path)


def host(address: str) -> str:
    """Who is contacted for an address: the server, or the store."""
    last = re.split(r"::(?=[A-Za-z][A-Za-z0-9+.-]+://)", address)[-1]  # of a chain; [::1] is none
    scheme, _, rest = last.partition("://")
    if scheme.lower() == "hf":
        return "huggingface.co"
    server = rest.split("/", 1)[0].split("?", 1)[0].rpartition("@")[2]
    return server if scheme.lower() in ("http", "https") else f"{scheme}://{server}"
