"""The options ``--precision`` and ``--dynamic-quantization``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from irrun.cli import limits
from irrun.cli.failures import Failure
from irrun.cli.options import MOST, Command
from irrun.model.config import PRECISIONS
from irrun.tensor.element_type import F32

NAMES: Final = tuple(type.name for type in PRECISIONS)
HINT: Final = "INFERENCE_PRECISION_HINT"
GROUP_SIZE: Final = "DYNAMIC_QUANTIZATION_GROUP_SIZE"

_GROUPS: Final = click.option(
    "--dynamic-quantization",
    "group_size",
    type=click.IntRange(min=0, max=MOST),
    metavar="N",
    help="Round activations to 8 bits in groups of N where the weights have 4 or 8.  [default: 0, none]",
)


def option(command: Command) -> Command:
    """Add both options to a command."""
    return click.option(
        "--precision",
        "precision_name",
        type=click.Choice(NAMES),
        help="Round the operands of products to this type.  [default: f32]",
    )(_GROUPS(command))


def several(command: Command) -> Command:
    """Add both options to a command; ``--precision`` may be repeated."""
    return click.option(
        "--precision",
        "precisions",
        multiple=True,
        type=click.Choice(NAMES),
        help="Round the operands of products to this type; repeat it to compare.  [default: f32]",
    )(_GROUPS(command))


def settings(model: Path, precision: str | None, group_size: int | None, as_written: bool) -> dict[str, Any]:
    """Return the settings given, else those in the configuration of the model's folder, else those of f32."""
    if as_written and precision not in (None, F32.name):
        raise Failure(f"--precision {precision} rounds the operands of products, --as-written does not; leave one out")
    if as_written and group_size:
        raise Failure("--dynamic-quantization rounds activations, --as-written does not; leave one out")
    found = None if as_written else limits.configuration(model.absolute().parent)
    if found is not None:
        precision = found.precision if precision is None else precision
        group_size = found.dynamic_quantization if group_size is None else group_size
    return {HINT: precision or F32.name, GROUP_SIZE: group_size or 0}
