"""Write a model with renamed layers or tensors.

A tensor is given by its name, by the name that info prints for an input or output, or by its layer and the number of
the output, which gives it a further name. A name that another layer or tensor has is refused.

\b
Examples:
  irrun edit rename model.xml --layer conv1=stem -o renamed.xml
  irrun edit rename model.xml --tensor 54=scores -o renamed.xml
  irrun edit rename model.xml --tensor split:1=mask -o named.xml
  irrun edit rename model.xml --generic -o anonymous.xml
"""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli.console import verbosity
from irrun.cli.editing import sharing
from irrun.cli.extending import extension_option
from irrun.cli.inputs import FILE, weights_option
from irrun.surgery import rename, without_names


@click.command(name="rename", help=__doc__)
@click.argument("model", type=FILE)
@sharing.output_option
@click.option("--layer", "layers", metavar="OLD=NEW", multiple=True, help="A new name of a layer; repeatable.")
@click.option("--tensor", "tensors", metavar="OLD=NEW", multiple=True, help="A new name of a tensor; repeatable.")
@click.option("--generic", is_flag=True, help="Name layers by type and number, and drop the rt_info of the model.")
@weights_option
@extension_option
@verbosity
def command(
    model: Path,
    output: Path,
    layers: tuple[str, ...],
    tensors: tuple[str, ...],
    generic: bool,
    weights: Path | None,
) -> None:
    if not (layers or tensors or generic):
        raise click.UsageError("expected --layer, --tensor or --generic")
    if generic and (layers or tensors):
        raise click.UsageError("--generic replaces all names: it cannot be combined with --layer or --tensor")
    names = [sharing.pairs(texts, "OLD=NEW") for texts in (layers, tensors)]
    loaded = sharing.read(model, weights, output)
    sharing.write(without_names(loaded) if generic else rename(loaded, names[0], names[1]), output)
