"""Checks of the files that a command writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from irrun.cli.failures import Failure

STANDARD_OUTPUT: Final = Path("-")


def refuse_standard_output(path: Path) -> None:
    """Raise Failure for ``-``, which is no file and no folder."""
    if path == STANDARD_OUTPUT:
        raise Failure("- means the standard output, expected a file or a folder")


def refuse_inputs(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Raise Failure where an output would take the place of an input."""
    for output in outputs:
        if output.exists() and any(given.exists() and output.samefile(given) for given in inputs):
            raise Failure(f"{output} is read by this command, expected another file for the output")
