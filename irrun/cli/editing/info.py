"""Write a model with other runtime information (rt_info): of the model, or of a layer.

Entries of the model are given by the path of their names. Those of a layer are attributes that OpenVINO knows, such as
DisablePrecisionConversion and fused_names, or user_data/NAME. Dropped entries are dropped first.

\b
Examples:
  irrun edit info model.xml --set model_info/labels='cat dog' -o labelled.xml
  irrun edit info model.xml --drop conversion_parameters -o plain.xml
  irrun edit info model.xml --layer sin --set DisablePrecisionConversion=dynamic:f16 -o exact.xml
"""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli.editing import sharing
from irrun.cli.inputs import FILE
from irrun.surgery import set_layer_notes, set_notes


@click.command(name="info", help=__doc__)
@click.argument("model", type=FILE)
@click.option("--set", "values", metavar="PATH=VALUE", multiple=True, help="Set an entry; repeatable.")
@click.option("--drop", "dropped", metavar="PATH", multiple=True, help="Remove an entry; repeatable.")
@click.option("--layer", metavar="LAYER", help="Change the information of this layer instead of that of the model.")
@sharing.options
def command(
    model: Path,
    output: Path,
    values: tuple[str, ...],
    dropped: tuple[str, ...],
    layer: str | None,
    weights: Path | None,
) -> None:
    if not values and not dropped:
        raise click.UsageError("expected --set or --drop")
    pairs, loaded = sharing.pairs(values, "PATH=VALUE", str.partition), sharing.read(model, weights, output)
    made = set_notes(loaded, pairs, dropped) if layer is None else set_layer_notes(loaded, layer, pairs, dropped)
    sharing.write(made, output)
