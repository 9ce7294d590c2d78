"""Checks of the files that a command writes."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from irrun.cli.extending import extensions
from irrun.cli.failures import Failure

STANDARD_OUTPUT: Final = Path("-")
_STARTS: Final = re.compile("^|[=:]")
"""Where the path of a file may begin in ``[NAME=]FILE``; names may hold these signs, too."""


def read_files(model: Path, weights: Path | None = None, given: Sequence[str] = ()) -> list[Path]:
    """Return the files that a command reads: a model, its weights, the files of ``-i``, and extensions."""
    return [model, weights or model.with_suffix(".bin"), *given_files(given), *map(Path, extensions())]


def given_files(given: Sequence[str]) -> list[Path]:
    """Return the files that texts of the form ``[NAME=]FILE`` may stand for."""
    starts = [text[match.end() :] for text in given for match in _STARTS.finditer(text)]
    return [Path(path) for path in starts if os.path.isfile(path)]


def refuse_standard_output(path: Path) -> None:
    """Raise Failure for ``-``, which is neither a file nor a folder."""
    if path == STANDARD_OUTPUT:
        raise Failure("- means the standard output, expected a file or a folder")


def refuse_other_than_xml(path: Path) -> None:
    """Raise Failure unless a path is that of an .xml file, to which a model is written."""
    refuse_standard_output(path)
    if path.suffix.lower() != ".xml":
        example = path.with_suffix(".xml") if path.name else path / "model.xml"
        raise Failure(f"{path}: a model is written to an .xml file, such as {example}")


def refuse_inputs(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Raise Failure where an output would take the place of an input."""
    for output in outputs:
        if output.exists() and any(given.exists() and output.samefile(given) for given in inputs):
            raise Failure(f"{output} is read by this command, expected another file for the output")


def refuse_folder(folder: Path, inputs: Sequence[Path]) -> None:
    """Raise Failure where outputs would be written beside an input, whose name one of them may have."""
    for given in inputs:
        if folder.is_dir() and given.exists() and given.parent.samefile(folder):
            raise Failure(f"{folder} is the folder of {given.name}, which this command reads, expected another one")
