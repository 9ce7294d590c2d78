"""The file that the commands of ``irrun edit`` write."""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli.console import note
from irrun.cli.extending import extensions
from irrun.cli.failures import Failure
from irrun.cli.findings import say_findings
from irrun.cli.inputs import FILE
from irrun.cli.writing import read_files
from irrun.diagnostics import amount
from irrun.evaluation.files.targets import refuse_inputs, refuse_other_than_xml
from irrun.model import Loaded, load
from irrun.surgery import save

output_option = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The .xml to write; the .bin is written beside it.",
)
weights_option = click.option("--weights", type=FILE, help="The weights file, if it is not beside the model.")


def read(model: Path, weights: Path | None, output: Path) -> Loaded:
    """Return the model to edit; Failure where the output cannot be written, or would replace what is read."""
    refuse_other_than_xml(output)
    refuse_inputs([output, output.with_suffix(".bin")], read_files(model, weights))
    loaded = load(model, weights, extensions=extensions())
    say_findings(loaded, model)
    return loaded


def write(model: Loaded, output: Path) -> None:
    """Write an edited model; Failure where its constants are not known."""
    try:
        save(model, output)
    except RuntimeError as error:
        raise Failure(str(error)) from None
    note(f"wrote {output} with {amount(format(len(model.graph), ','), 'layer')}, and {output.with_suffix('.bin').name}")
