"""Write an edited model: a part, other shapes, weights, names.

Everything that an edit is not about is kept: layers that it does not touch have the text that they had.

\b
Examples:
  irrun edit extract model.xml --from conv3 --to relu5 -o piece.xml
  irrun edit reshape model.xml --shape 'image[4,3,224,224]' -o batch4.xml
  irrun edit set model.xml nms sort_result_descending=false -o set.xml
  irrun edit weights model.xml threshold=0.45 -o strict.xml
  irrun edit output model.xml --add relu5 -o deeper.xml
  irrun edit preprocess model.xml --type u8 --scale 255 -o pixels.xml
  irrun edit state model.xml --make past=present -o stateful.xml
  irrun edit info model.xml --set model_info/labels='cat dog' -o labelled.xml
  irrun edit strip model.xml -o shared.xml
  irrun edit convert model.xml --to f16 -o half.xml
  irrun edit rename model.xml --layer conv1=stem -o renamed.xml
"""

from __future__ import annotations

import click

from irrun.cli.editing import (
    attributes,
    convert,
    extract,
    info,
    output,
    preprocess,
    rename,
    reshape,
    state,
    strip,
    weights,
)
from irrun.cli.groups import CommandGroup


@click.group(cls=CommandGroup, help=__doc__)
def command() -> None:
    pass


for _module in (extract, reshape, attributes, weights, output, preprocess, state, info, strip, convert, rename):
    command.add_command(_module.command)
