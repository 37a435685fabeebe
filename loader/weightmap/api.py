"""The functions that a script starts with: open, load_weights, find_models."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from numpy.typing import DTypeLike

from weightmap.checks import check
from weightmap.errors import error
from weightmap.findings import Severity
from weightmap.formats import sets
from weightmap.model import WeightFile
from weightmap.opened import Opened
from weightmap.reading.sweep import Progress
from weightmap.source.waiting import asking
from weightmap.weights import Weights

Path = str | os.PathLike[str]


def open(path: Path, *, cache: bool | Path | None = None, progress: Progress | None = None) -> WeightFile:
    """Open a weight file, a set of them, or the folder of one model, and keep whatever can be read.

    An address (`https://…`, `hf://OWNER/NAME/FILE`, `s3://…`, whatever fsspec knows) is read by ranges, with the extra
    `weightmap[remote]`: the header now, of tensors what is touched; arrays of it are copies. While its server is waited for,
    `progress(bytes that came, 0)` is called some times a second; returning False raises Cancelled.

    What is wrong with it is in `findings`; a tensor that cannot be read raises when its values are asked for. Raises
    MissingFileError, UnreadableFileError, UnsupportedFormatError, CorruptWeightError where nothing at all can be shown,
    SeveralModelsError (with `.choices`) for a folder that holds several models.

    cache  where headers, statistics, errors and checksums are remembered: a folder, False for nowhere, None for the user's
           cache folder (needs the package platformdirs; WEIGHTMAP_CACHE names another, or is 0 for nowhere)
    """
    with asking(progress):
        opened = _opened(path, cache)
    opened.remember()
    return WeightFile(opened)


def load_weights(
    path: Path,
    *,
    dtype: DTypeLike | None = None,
    names: str | Iterable[str] | None = None,
    keep_quantized: bool = False,
    reading: str | None = None,
    verify: bool | Path | Mapping[str, Any] | None = None,
    cache: bool | Path | None = None,
) -> Weights:
    """All weights of a model by name: a Mapping that gives a numpy array when a name is looked up.

    Strict: any error-level finding about the model raises its WeightFileError here, before a value is read.

    dtype           of every array; None gives what is stored where numpy has a dtype for it (a zero-copy, read-only view
                    of the file) and float32 for what is quantized. With np.float32 everything comes as float32.
                    TypeError where nothing that was chosen converts without losing what it is, or floats would have to
                    become integers; for a single tensor of another kind at its look-up
    names           one name or several, exact or with the wildcards * ? [...]; None takes all. KeyError where a name or
                    pattern fits no tensor
    keep_quantized  block-quantized tensors come as Tensor objects: `raw()` has the stored blocks, `array()` and slices decode;
                    composed weights come as Composed objects
    reading         of composed weights that have one of this name, or with this in its name, the other reading
                    (`Composed.readings`: what nothing in the file decides) instead of the likeliest; KeyError where none has
    verify          compare checksums before anything is handed out (`weightmap.verify`): True finds them beside the model, in
                    the name of its blob or its metadata; a path names a manifest; a dict has them by name. What differs
                    raises CorruptWeightError. Where `names` are given and each has a checksum, only those are read
    cache           as of `open`; that a header is sound counts again only for the same content and version

    A weight that lies in several tensors (codes, scales, zeros; see `WeightFile.composed`) comes as float32 under the name
    that the model gives it, and the tensors that it is made of are not listed; `names` gives one of them by its exact name.

    No decoded array is kept alive: each look-up of a quantized tensor decodes it again. Views stay valid as long as they
    are used; if the file shrinks meanwhile, touching what was lost ends the process, so take `np.array(view)` of what must
    outlive a change of the file.
    """
    opened = _opened(path, cache)
    try:
        proven = opened.proven  # then only what depends on the path is looked at again
        structure = opened.layout.problems if proven else check(opened.layout, errors_only=True, sources=opened.sources)
        for found in (*structure, *opened.composed().findings):
            if found.severity is Severity.ERROR:
                raise error(found)
        opened.sound = True
        opened.remember()
        weights = Weights(opened, dtype=dtype, names=names, keep_quantized=keep_quantized, reading=reading)
        if verify is not None and verify is not False:
            from weightmap.integrity.verification import verify_opened  # who does not ask does not load hash functions

            manifest = None if verify is True else verify
            verify_opened(opened, manifest, names=None if names is None else weights.stored)
        return weights
    except BaseException:
        opened.close()
        raise


def find_models(path: Path, *, progress: Progress | None = None) -> Iterator[str]:
    """The models that a file or folder stands for, one path each, sub-folders included.

    An index goes before its parts, a split GGUF is listed once, mmproj and adapter files on their own. `progress(done, 0)` counts
    files seen; returning False raises Cancelled. Raises WeightFileError where a folder cannot be read.
    """
    return sets.find_models(os.fsdecode(os.fspath(path)), progress=progress)


def _opened(path: Path, cached: bool | Path | None) -> Opened:
    if cached is False or os.environ.get("WEIGHTMAP_CACHE") == "0":
        return Opened(os.fsdecode(os.fspath(path)))
    from weightmap.cache.place import store  # not for who has switched it off

    return Opened(os.fsdecode(os.fspath(path)), store(cached))
