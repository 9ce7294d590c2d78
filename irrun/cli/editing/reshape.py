"""Write a model with reshaped inputs.

The shapes of all other tensors are inferred, and written to the file. Sizes that
an exporter wrote into Reshape layers and states are relaxed, as by Model.reshape
of OpenVINO's API.

\b
Examples:
  irrun edit reshape model.xml --shape 'image[4,3,224,224]' -o batch4.xml
  irrun edit reshape model.xml --shape '?,3,?,?' -o dynamic.xml
"""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli.console import verbosity
from irrun.cli.editing import sharing
from irrun.cli.extending import extension_option
from irrun.cli.inputs import FILE, weights_option
from irrun.evaluation.files.naming import reshape


@click.command(name="reshape", help=__doc__)
@click.argument("model", type=FILE)
@sharing.output_option
@click.option(
    "--shape",
    "shapes",
    multiple=True,
    required=True,
    metavar="[NAME][SHAPE]",
    help="The shape of an input, such as 'image[1,3,?,224]'; repeatable.",
)
@weights_option
@extension_option
@verbosity
def command(model: Path, output: Path, shapes: tuple[str, ...], weights: Path | None) -> None:
    loaded, _ = reshape(sharing.read(model, weights, output), shapes)
    sharing.write(loaded, output)
