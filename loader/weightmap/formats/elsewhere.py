"""Names in other programs: what a path that is not there may mean in Ollama, LM Studio or the Hub's cache, and what a blob of
theirs is called.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from weightmap.errors import WeightFileError, error, printable
from weightmap.findings import Finding, finding
from weightmap.formats import ollama
from weightmap.formats.ollama import BLOBS, DEFAULTS, MANIFESTS, MOST
from weightmap.formats.sniff import ENDINGS

_NAME = re.compile(r"(?!\.\.?(?:/|$))(?:[A-Za-z0-9][\w.-]*/){0,3}[A-Za-z0-9][\w.-]*(?::[\w.-]+)?")


def named_elsewhere(path: str, problem: WeightFileError) -> WeightFileError:
    """The error of a path that is not there: where it looks like the name of a model, with what to open instead."""
    ending = os.path.splitext(path)[1].lower()
    if os.path.islink(path) or not _NAME.fullmatch(path) or ending in (*ENDINGS, ".json"):
        return problem
    advice = next((f"{who} has a model of this name. Open {printable(where)}" for who, where in _kept(path)), None)
    if advice is None and path.count("/") == 1 and ":" not in path:
        advice = f"Check the path. If this is the name of a model on the Hugging Face Hub, open hf://{path}"
    elif advice is None and path.count("/") < 3:
        store = next(_stores())
        advice = (
            f"Check the path. If this is the name of a model in Ollama, open its manifest, which lies in "
            f"{printable(os.path.join(store, MANIFESTS))}, or its weights, a file {printable(os.path.join(store, BLOBS))}"
            f"{os.sep}sha256-…; weightmap validate {printable(store)} lists all."
        )
    return error(finding("not_found", problem.finding.message, path=path, advice=advice))


def called(path: str) -> list[Finding]:
    """What there is to say of a blob that is opened by itself: which file of the Hub it is, by the links to it, or which models
    of Ollama it belongs to.
    """
    folder, blob = os.path.split(os.path.abspath(path))
    repository = os.path.basename(os.path.dirname(folder))
    if os.path.basename(folder) != BLOBS or not repository.startswith("models--"):
        return ollama.called(path)
    top = os.path.join(os.path.dirname(folder), "snapshots")
    links = (os.path.join(at, name) for at, _, names in os.walk(top) for name in sorted(names))
    for link in islice(links, MOST):
        with suppress(OSError):
            if os.path.basename(os.readlink(link)) == blob:
                inside = os.path.relpath(link, top).split(os.sep, 1)[-1].replace(os.sep, "/")
                name = f"{repository.removeprefix('models--').replace('--', '/')}/{inside}"
                text = f"In the cache of the Hub this blob is {printable(name)}."
                return [finding("cached_blob", text, path=path, found=name, advice=f"Open {printable(link)}")]
    return []


def _kept(name: str) -> Iterator[tuple[str, str]]:
    """Who has a model of this name, and the path of it, in the usual places of this machine."""
    bare, _, tag = name.partition(":")
    words = bare.split("/")
    words = [*DEFAULTS[: max(3 - len(words), 0)], *words]
    for store in _stores():
        manifest = os.path.join(store, MANIFESTS, *words, tag or "latest")
        if os.path.isfile(manifest):
            yield "Ollama", manifest
    if bare.count("/") != 1:
        return
    for folder in _folders("LMSTUDIO_MODELS", ".lmstudio/models", ".cache/lm-studio/models"):
        if os.path.isdir(kept := os.path.join(folder, *bare.split("/"))):
            yield "LM Studio", kept
    home = os.environ.get("HF_HOME")
    for folder in _folders("HF_HUB_CACHE", os.path.join(home, "hub") if home else ".cache/huggingface/hub"):
        if os.path.isdir(kept := os.path.join(folder, "models--" + bare.replace("/", "--"))):
            yield "The Hub's cache", kept


def _stores() -> Iterator[str]:
    """Where Ollama keeps models: for this user, and for the service of a Linux machine."""
    yield from _folders("OLLAMA_MODELS", ".ollama/models", "/usr/share/ollama/.ollama/models")


def _folders(variable: str, *usual: str) -> Iterator[str]:
    """The folder that a variable of the environment names, then the usual ones, those that are relative below the home."""
    if told := os.environ.get(variable):
        yield told
    for folder in usual:
        yield os.path.join(os.path.expanduser("~"), *folder.split("/")) if not os.path.isabs(folder) else folder
