"""Find the layer where a model goes wrong, and reduce the model.

Extract that layer, or rank the layers by their loss of precision.

\b
Examples:
  irrun debug blame model.xml other.xml -i image=cat.npy -o report/
  irrun debug blame model.xml --openvino -i image=cat.npy
  irrun debug blame model.xml --precision bf16 -i image=cat.npy
  irrun debug reduce model.xml --check 'python convert.py {}' -o small.xml
  irrun debug precision model.xml --precision bf16 -i image=cat.npy --openvino

irrun compare shows which layers differ, irrun run --dump, --stats and --stop-at what they compute.
"""

from __future__ import annotations

import click

from irrun.cli.debug.blame import blame
from irrun.cli.debug.precision import precision
from irrun.cli.debug.reduce import reduce
from irrun.cli.groups import CommandGroup


@click.group(cls=CommandGroup, help=__doc__)
def command() -> None:
    pass


command.add_command(blame, "blame")
command.add_command(precision, "precision")
command.add_command(reduce, "reduce")
