"""Write a model with other attributes of a layer.

Values are written as in the file. The shapes that follow are inferred, and written to the file.

\b
Examples:
  irrun edit set model.xml nms sort_result_descending=false -o set.xml
  irrun edit set model.xml conv1 'pads_begin=1, 1' 'pads_end=1, 1' -o padded.xml
"""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli.editing import sharing
from irrun.cli.inputs import FILE
from irrun.surgery import set_attributes


@click.command(name="set", help=__doc__)
@click.argument("model", type=FILE)
@click.argument("layer")
@click.argument("values", metavar="ATTRIBUTE=VALUE...", nargs=-1, required=True)
@sharing.options
def command(model: Path, output: Path, layer: str, values: tuple[str, ...], weights: Path | None) -> None:
    pairs = sharing.pairs(values, "ATTRIBUTE=VALUE", str.partition)
    sharing.write(set_attributes(sharing.read(model, weights, output), layer, pairs), output)
