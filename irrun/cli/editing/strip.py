"""Write a model with other weights, so that it can be shared.

Weights become random numbers with the mean, the deviation and the range of the original, or zeros. Constants that are
not weights, such as shapes, indices and single numbers, stay.

\b
Examples:
  irrun edit strip model.xml -o shared.xml
  irrun edit strip model.xml --zeros -o small.xml
  irrun edit strip model.xml --names -o anonymous.xml
"""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli.console import verbosity
from irrun.cli.editing import sharing
from irrun.cli.extending import extension_option
from irrun.cli.inputs import FILE, weights_option
from irrun.surgery import strip, without_names


@click.command(name="strip", help=__doc__)
@click.argument("model", type=FILE)
@sharing.output_option
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    show_default=True,
    help="The seed of the random numbers.",
)
@click.option("--zeros", is_flag=True, help="Write zeros in place of random numbers.")
@click.option(
    "--names", is_flag=True, help="Also replace the names of layers and tensors, and drop the rt_info of the model."
)
@weights_option
@extension_option
@verbosity
def command(model: Path, output: Path, seed: int, zeros: bool, names: bool, weights: Path | None) -> None:
    made = strip(sharing.read(model, weights, output), seed=None if zeros else seed)
    sharing.write(without_names(made) if names else made, output)
