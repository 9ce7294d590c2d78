"""Write a model with further outputs, or without some.

A tensor is added by its name, or as an output of a layer with its number, such as split:1. New outputs follow the
others. Layers that only removed outputs needed go with them; everything else is kept.

\b
Examples:
  irrun edit output model.xml --add relu5 -o deeper.xml
  irrun edit output model.xml --add split:1 --remove scores -o other.xml
"""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli.editing import sharing
from irrun.cli.inputs import FILE
from irrun.surgery import set_outputs


@click.command(name="output", help=__doc__)
@click.argument("model", type=FILE)
@click.option("--add", metavar="TENSOR", multiple=True, help="Return this tensor, too; repeatable.")
@click.option("--remove", metavar="NAME", multiple=True, help="Leave out this output; repeatable.")
@sharing.options
def command(model: Path, output: Path, add: tuple[str, ...], remove: tuple[str, ...], weights: Path | None) -> None:
    if not add and not remove:
        raise click.UsageError("expected --add or --remove")
    sharing.write(set_outputs(sharing.read(model, weights, output), add, remove), output)
