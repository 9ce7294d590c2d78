"""The options ``--precision`` and ``--dynamic-quantization``."""

from __future__ import annotations

from typing import Final

import click

from irrun.cli.options import MOST, Command
from irrun.model.config import PRECISIONS

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
