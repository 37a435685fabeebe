"""Files that commands write: whole or not at all, and never over the model that they are about."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

import weightmap
from weightmap.cli import output
from weightmap.errors import printable
from weightmap.formats.sniff import ENDINGS, sniff
from weightmap.source.file import FileSource


def refuse_input(model: weightmap.WeightFile, out: str) -> None:
    """Refuse to write to a file of the model, its index or manifest included."""
    for path in (model.path, *(part.path for part in model.parts)):
        with suppress(OSError):
            if os.path.samefile(path, out):
                message = "The file to write is the model itself. Give another name."
                raise output.Refusal("same_file", message, path=out, status=2)


def refuse_weights(out: str) -> None:
    """Refuse to write over weights, whichever they are, and to give what is written the name of a weight file."""
    ending = os.path.splitext(out)[1]
    if ending.lower() in ENDINGS:
        message = f"{printable(out)} ends in {ending}, as weight files do. Give another name, such as one in .json."
        raise output.Refusal("weight_file", message, path=out, status=2)
    if not os.path.isfile(out):
        return
    with suppress(weightmap.WeightFileError):
        source = FileSource(out)
        try:
            found = sniff(source)
        finally:
            source.close()
        message = f"{printable(out)} is there and holds a model or a part of one ({found}). Give another name."
        raise output.Refusal("weight_file", message, path=out, status=2)


def refuse_place(out: str) -> None:
    """Refuse a place that no file can be written to, before the work is done that would be lost."""
    folder = os.path.dirname(out) or "."
    if os.path.isdir(out):
        message = f"{printable(out)} is a folder. Give the name of a file to write."
    elif not os.path.isdir(folder):
        message = (
            f"There is no folder {printable(folder)} to write {printable(os.path.basename(out))} to. Make it first."
        )
    else:
        return
    raise output.Refusal("write_error", message, path=out, status=1)


def is_device(out: str) -> bool:
    """Whether what is written goes into a device or a pipe, which is there already and has no size."""
    return os.path.exists(out) and not os.path.isfile(out) and not os.path.isdir(out)


@contextmanager
def whole_file(out: str) -> Iterator[BinaryIO]:
    """A file that appears under its name once everything was written, and leaves nothing behind where that fails."""
    device = is_device(out)
    target = out if device else os.path.realpath(out)
    # a name of its own: one made from the target's could be longer than the file system allows
    beside = out if device else os.path.join(os.path.dirname(target), f".weightmap-{secrets.token_hex(8)}.part")
    with unwritable(out):
        try:
            with open(beside, "wb" if device else "xb") as file:
                yield file
            if not device:
                os.replace(beside, target)
        except BaseException:
            if not device:
                with suppress(OSError):
                    os.remove(beside)
            raise


@contextmanager
def unwritable(out: str) -> Iterator[None]:
    """What the system says against writing, as an error of the file that is written, and of no file that is read."""
    try:
        yield
    except weightmap.WeightFileError:
        raise
    except OSError as problem:
        message = f"{printable(out)} cannot be written: {problem.strerror or problem}."
        raise output.Refusal("write_error", message, path=out, status=1) from problem
