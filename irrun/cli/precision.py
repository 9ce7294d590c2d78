"""The option ``--precision``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from irrun.cli import limits
from irrun.cli.failures import Failure
from irrun.cli.options import Command
from irrun.model.config import PRECISIONS
from irrun.tensor.element_type import F32

NAMES: Final = tuple(type.name for type in PRECISIONS)
HINT: Final = "INFERENCE_PRECISION_HINT"


def option(command: Command) -> Command:
    """Add the option ``--precision`` to a command."""
    return click.option(
        "--precision",
        "precision_name",
        type=click.Choice(NAMES),
        help="Round the operands of products to this type.  [default: f32]",
    )(command)


def several(command: Command) -> Command:
    """Add the option ``--precision``, which may be repeated, to a command."""
    return click.option(
        "--precision",
        "precisions",
        multiple=True,
        type=click.Choice(NAMES),
        help="Round the operands of products to this type; repeat it to compare.  [default: f32]",
    )(command)


def chosen(model: Path, precision: str | None, as_written: bool) -> str:
    """Return the precision given, else that in the configuration of the model's folder, else f32."""
    if as_written and precision not in (None, F32.name):
        raise Failure(f"--precision {precision} rounds the operands of products, --as-written does not; leave one out")
    if precision is not None or as_written:
        return precision or F32.name
    configuration = limits.configuration(model.absolute().parent)
    return F32.name if configuration is None or configuration.precision is None else configuration.precision
