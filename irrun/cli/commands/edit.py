"""Write an edited model: a part, other shapes, weights or names.

\b
Examples:
  irrun edit extract model.xml --from conv3 --to relu5 -o piece.xml
  irrun edit reshape model.xml --shape 'image[4,3,224,224]' -o batch4.xml
  irrun edit strip model.xml -o shared.xml
  irrun edit convert model.xml --to f16 -o half.xml
  irrun edit rename model.xml --layer conv1=stem -o renamed.xml
"""

from __future__ import annotations

import click

from irrun.cli.editing import convert, extract, rename, reshape, strip
from irrun.cli.groups import Group


@click.group(cls=Group, help=__doc__)
def command() -> None:
    pass


for _module in (extract, reshape, strip, convert, rename):
    command.add_command(_module.command)
