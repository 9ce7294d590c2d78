"""Checks of the files that a command writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from irrun.diagnostics.requests import RequestError

STANDARD_OUTPUT: Final = Path("-")


def refuse_standard_output(path: Path) -> None:
    """Raise RequestError for ``-``, which is neither a file nor a folder."""
    if path == STANDARD_OUTPUT:
        raise RequestError("- means the standard output, expected a file or a folder")


def refuse_other_than_xml(path: Path) -> None:
    """Raise RequestError unless a path is that of an .xml file, to which a model is written."""
    refuse_standard_output(path)
    if path.suffix.lower() != ".xml":
        example = path.with_suffix(".xml") if path.name else path / "model.xml"
        raise RequestError(f"{path}: a model is written to an .xml file, such as {example}")


def refuse_inputs(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Raise RequestError where an output would take the place of an input."""
    for output in outputs:
        if output.exists() and any(given.exists() and output.samefile(given) for given in inputs):
            raise RequestError(f"{output} is read by this command, expected another file for the output")


def refuse_folder(folder: Path, inputs: Sequence[Path]) -> None:
    """Raise RequestError where outputs would be written beside an input, whose name one of them may have."""
    for given in inputs:
        if folder.is_dir() and given.exists() and given.parent.samefile(folder):
            raise RequestError(
                f"{folder} is the folder of {given.name}, which this command reads, expected another one"
            )
