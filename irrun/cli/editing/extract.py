"""Write a part of a model as a model.

The part has the layers on the paths from --from to --to, these included, with their constants; without --from it begins
at the inputs, without --to it ends at the outputs. Tensors from other layers become inputs, as do variables that are
assigned outside of the part. Layers are given by name, tensor name or id; both options are repeatable.

\b
Examples:
  irrun edit extract model.xml --from conv3 --to relu5 -o piece.xml
  irrun edit extract model.xml --to relu5 -o head.xml
  irrun edit extract model.xml --from conv3 -o tail.xml --with-inputs tail.npz
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from irrun.cli import inputs
from irrun.cli.console import note, verbosity
from irrun.cli.editing import sharing
from irrun.cli.extending import extension_option
from irrun.cli.inputs import FILE, InputCommand
from irrun.cli.writing import read_files
from irrun.diagnostics import amount
from irrun.evaluation.files import reading, saving
from irrun.evaluation.files.naming import reshape
from irrun.evaluation.files.targets import refuse_inputs
from irrun.model import Loaded
from irrun.surgery import Extract, extract, record


@click.command(name="extract", help=__doc__, cls=InputCommand)
@click.argument("model", type=FILE)
@sharing.output_option
@click.option("--from", "begin", metavar="LAYER", multiple=True, help="Begin with this layer.")
@click.option("--to", "end", metavar="LAYER", multiple=True, help="End with this layer.")
@click.option(
    "--with-inputs",
    "recorded",
    type=click.Path(path_type=Path),
    help="Run the model, and write the inputs of the part: .npz, .npy or a folder.",
)
@inputs.options
@extension_option
@verbosity
def command(
    model: Path,
    output: Path,
    begin: tuple[str, ...],
    end: tuple[str, ...],
    recorded: Path | None,
    files: tuple[str, ...],
    seed: int,
    shapes: tuple[str, ...],
    weights: Path | None,
) -> None:
    if not begin and not end:
        raise click.UsageError("expected --from, --to or both")
    if recorded is None and files:
        raise click.UsageError("-i requires --with-inputs")
    loaded, _ = reshape(sharing.read(model, weights, output), shapes)
    found = extract(loaded, begin, end)
    if recorded is not None:
        saving.check_target(recorded, len(found.model.inputs))
        refuse_inputs([recorded], read_files(model, weights, files))
    sharing.write(found.model, output)
    for crossing in found.crossings:
        note(crossing)
    if recorded is not None:
        _record(found, loaded, files, seed, recorded, read_files(model, weights, files))


def _record(
    found: Extract, model: Loaded, files: tuple[str, ...], seed: int, target: Path, read: Sequence[Path]
) -> None:
    given = reading.completed(reading.from_files(files, model.inputs, model=model), model, seed)
    arrays = record(found, {value.port.any_name: value.array for value in given})
    types = {port.any_name: port.element_type for port in found.model.inputs}
    saving.save(target, {name: (array, types[name]) for name, array in arrays.items()}, read)
    note(f"wrote {target} with {amount(len(arrays), 'input')}")
