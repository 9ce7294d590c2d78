"""Find the first layer with an error of its own.

The layer is extracted and shrunk, and -o writes a folder that reproduces the error.

MODEL is compared with another model, with OpenVINO (--openvino), or with itself in another precision (--precision).
If all layers agree one by one, the layers that an optimiser computes differently are found instead. The folder has the
layer as model.xml, its inputs, both answers, and README.md for a report.

\b
Examples:
  irrun debug blame model.xml other.xml -i image=cat.npy -o report/
  irrun debug blame model.xml --openvino -i image=cat.npy -o report/
  irrun debug blame model.xml --precision f16 -i image=cat.npy

The exit status is 1 where a layer is found, and 2 where none is to blame.
"""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli import inputs, limits, values
from irrun.cli.comparing import claims
from irrun.cli.console import note, result
from irrun.cli.inputs import FILE, InputCommand, InputOptions, usual_options
from irrun.cli.options import output_option
from irrun.cli.settings import CommandSettings, properties
from irrun.cli.writing import read_files
from irrun.debugging.blames import Blame, NothingToBlame
from irrun.debugging.blaming import blame as find
from irrun.debugging.engines import OpenVINOSide
from irrun.debugging.faults import REFUSED, refusal
from irrun.debugging.layers import Tolerance
from irrun.debugging.ports import of_shapes
from irrun.debugging.reproducing import SILENT, write_folder
from irrun.debugging.rounding import PRECISIONS
from irrun.debugging.verdicts import Verdict
from irrun.evaluation.files import reading
from irrun.evaluation.files.targets import refuse_folder, refuse_standard_output
from irrun.model import Loaded
from irrun.settings.resolving import DEFAULT

FOUND = 1


@click.command(help=__doc__, cls=InputCommand)
@click.argument("model", type=FILE)
@click.argument("other", required=False, type=FILE)
@inputs.source_options
@click.option("--openvino", "native", is_flag=True, help="Blame a layer for the difference from OpenVINO.")
@click.option(
    "--precision", "name", type=click.Choice(PRECISIONS), help="Blame a layer for the loss in this precision."
)
@output_option("Write a folder that reproduces the fault.")
@limits.tolerance
@limits.options
@usual_options
def blame(
    model: Path,
    other: Path | None,
    source: InputOptions,
    native: bool,
    name: str | None,
    output: Path | None,
    settings: CommandSettings,
    output_format: str,
) -> None:
    if (other is not None) + native + (name is not None) != 1:
        raise click.UsageError("expected one of OTHER, --openvino and --precision")
    if output is not None:
        refuse_standard_output(output)
        read = [*source.read(model), *(read_files(other) if other is not None else ())]
        refuse_folder(output, read)
    try:
        found = _found(model, other, source, name, settings)
    except REFUSED as error:
        if output_format == "json":
            verdict = error.verdict if isinstance(error, NothingToBlame) else Verdict("unknown", reason=refusal(error))
            result(values.as_json({"model": str(model), **verdict.as_dict(), "files": []}))
        raise
    paths = write_folder(found, output) if output is not None and found.reproduces else []
    record = {"model": str(model), **found.as_dict(), "files": [str(path) for path in paths]}
    result(values.as_json(record) if output_format == "json" else _text(found))
    for path in paths:
        note(f"wrote {path}")
    if output is not None and not paths:
        note(f"{output} is not written: {SILENT}")
    raise click.exceptions.Exit(FOUND)


def _found(model: Path, other: Path | None, source: InputOptions, name: str | None, settings: CommandSettings) -> Blame:
    """Return the layer to blame; one of `REFUSED` where none is, or the sides cannot be compared."""
    resolved = settings.resolved(model)
    config = properties(resolved)
    loaded, shapes = source.load(model)
    arrays = reading.by_index(source.values(loaded, config))
    side: Loaded | OpenVINOSide | str
    if other is not None:
        side = of_shapes(source._replace(weights=None, shapes=()).load(other)[0], loaded, shapes)
    elif name is not None:
        side = name
    else:
        side = OpenVINOSide(model, arrays, source.weights, shapes)
    tolerance = None
    if any(resolved[key].origin != DEFAULT for key in ("rtol", "atol")):
        tolerance = Tolerance(resolved["rtol"].value, resolved["atol"].value)
    return find(loaded, side, arrays, tolerance, config=config, names=(str(model), str(other)))


def _text(found: Blame) -> str:
    first, second = found.sides
    shown = f'{found.type} "{values.printable(found.layer)}"'
    errors = found.answers.worst[1] if found.reproduces or found.whole is None else found.whole
    by = "different shapes" if errors is None else f"max {errors.max:.3g}, relative {errors.relative:.2g}"
    lines = [f"blamed: {shown}"]
    match found.kind:
        case "layer" if found.reproduces or found.whole is not None:
            lines.append(f"for the same inputs, {first} and {second} differ: {by}")
        case "optimisation":
            layers = ", ".join(map(values.printable, found.layers))
            lines.append(f"{first} and {second} differ where they optimise {layers}: {by}")
        case "precision":
            lines.append(f"rounded to {second}, its results differ: {by}")
    lines += claims(found.verdict.as_dict())
    if not found.reproduces:
        lines.append(SILENT)
    return "\n".join(lines)
