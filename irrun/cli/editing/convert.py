"""Write a model with weights of another float type.

f16 halves the .bin: each weight is stored in f16 and converted to its type when the model runs. Weights that would lose
too much stay in their type, as in OpenVINO. f32 stores such weights in f32 again.

\b
Examples:
  irrun edit convert model.xml --to f16 -o half.xml
  irrun edit convert half.xml --to f32 -o full.xml
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from irrun.cli.console import verbosity
from irrun.cli.editing import sharing
from irrun.cli.extending import extension_option
from irrun.cli.inputs import FILE, weights_option
from irrun.surgery import convert


@click.command(name="convert", help=__doc__)
@click.argument("model", type=FILE)
@sharing.output_option
@click.option("--to", "type", type=click.Choice(["f16", "f32"]), required=True, help="The type of the weights.")
@weights_option
@extension_option
@verbosity
def command(model: Path, output: Path, type: Literal["f16", "f32"], weights: Path | None) -> None:
    sharing.write(convert(sharing.read(model, weights, output), type), output)
