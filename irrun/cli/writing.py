"""Checks of the files that a command writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from irrun.cli.failures import Failure


def refuse_inputs(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Raise Failure where an output would take the place of an input."""
    for output in outputs:
        if output.exists() and any(given.exists() and output.samefile(given) for given in inputs):
            raise Failure(f"{output} is read by this command, expected another file for the output")
