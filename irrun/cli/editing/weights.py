"""Write a model with other values of constants.

A constant is given by name, with a file of an array of its type and shape, .npy or .npz, or with a number for a
constant of one element.

\b
Examples:
  irrun edit weights model.xml conv1/kernel=kernel.npy -o new.xml
  irrun edit weights model.xml iou_threshold=0.45 -o strict.xml
"""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli.editing import sharing
from irrun.cli.inputs import FILE
from irrun.cli.writing import read_files
from irrun.evaluation.files.arrays import load_one
from irrun.evaluation.files.targets import refuse_inputs
from irrun.surgery import set_weights
from irrun.tensor import Array


@click.command(name="weights", help=__doc__)
@click.argument("model", type=FILE)
@click.argument("values", metavar="CONST=VALUE...", nargs=-1, required=True)
@sharing.options
def command(model: Path, output: Path, values: tuple[str, ...], weights: Path | None) -> None:
    pairs = sharing.pairs(values, "CONST=FILE or CONST=NUMBER")
    files = [Path(text) for text in pairs.values() if _number(text) is None]
    loaded = sharing.read(model, weights, output)
    refuse_inputs([output, output.with_suffix(".bin")], [*read_files(model, weights), *files])
    for name, text in pairs.items():
        loaded = set_weights(loaded, name, _values(text))
    sharing.write(loaded, output)


def _values(text: str) -> Array | float:
    number = _number(text)
    return load_one(Path(text)) if number is None else number


def _number(text: str) -> float | None:
    try:
        return int(text) if text.lstrip("+-").isdecimal() else float(text)
    except ValueError:
        return None
