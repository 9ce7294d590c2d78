"""Write an HTML page about a model, or two side by side.

The page is self-contained: it loads nothing. It shows the graph, which can be searched, the findings of the linter on
their layers, attributes, shapes in words and histograms of weights; bodies open in place. With OTHER, it shows two
models side by side with their differences.

--run colours the graph by times and statistics of a run on the inputs of -i, or random ones, and with OTHER by the
error of each layer; --openvino by the error relative to OpenVINO.

\b
Examples:
  irrun report model.xml -o report.html
  irrun report model.xml -o report.html --run -i image=cat.npy
  irrun report model.xml -o report.html --openvino
  irrun report old.xml new.xml -o report.html
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from irrun.cli import inputs, limits
from irrun.cli.console import note, verbosity
from irrun.cli.extending import extension_option, extensions
from irrun.cli.inputs import FILE, InputCommand, InputOptions
from irrun.cli.options import output_option
from irrun.cli.settings import CommandSettings
from irrun.cli.writing import read_files
from irrun.document.replacing import replacing
from irrun.evaluation.files import reading
from irrun.evaluation.files.targets import refuse_inputs, refuse_standard_output
from irrun.linter import lint
from irrun.model import Loaded
from irrun.tensor import Shape


@click.command(help=__doc__, cls=InputCommand)
@click.argument("model", type=FILE)
@click.argument("other", type=FILE, required=False)
@output_option("The page to write.", folders=False, required=True)
@click.option("--run", "running", is_flag=True, help="Run the model, and show times, statistics and errors.")
@click.option("--openvino", "native", is_flag=True, help="Run the model, and show its error relative to OpenVINO.")
@inputs.source_options
@limits.options
@extension_option
@verbosity
def command(
    model: Path,
    other: Path | None,
    output: Path,
    running: bool,
    native: bool,
    source: InputOptions,
    settings: CommandSettings,
) -> None:
    from irrun.debugging.ports import of_shapes
    from irrun.reporting.diff import diff
    from irrun.reporting.page import Measured, Subject, contents, page, titles

    refuse_standard_output(output)
    if native and other is not None:
        raise click.UsageError("OTHER and --openvino are given, expected only one of them")
    if source.files and not (running or native):
        raise click.UsageError("-i requires --run or --openvino")
    read = [*source.read(model), *(read_files(other) if other is not None else ())]
    refuse_inputs([output], read)
    loaded, shapes = source.load(model)
    second = None
    if other is not None:
        second = of_shapes(source._replace(weights=None, shapes=()).load(other)[0], loaded, shapes)
    measured = {0: Measured(), 1: Measured()}
    if running or native:
        measured |= _measured(model, source, loaded, second, settings.of(model), native=native)
    subjects = [Subject(loaded, str(model), lint(model, source.weights, extensions=extensions()), measured[0])]
    if second is not None and other is not None:
        subjects.append(Subject(second, str(other), lint(other, extensions=extensions()), measured[1]))
    found = diff(loaded, second) if second is not None else None
    title = " and ".join(dict.fromkeys(titles([item.file for item in subjects])))
    text = page(contents(subjects, found), title)
    with replacing(output) as file:
        file.write(text.encode(errors="backslashreplace"))
    note(f"wrote {output}, {len(text) / 2**20:.1f} MiB")


def _measured(
    path: Path, source: InputOptions, model: Loaded, other: Loaded | None, config: Mapping[str, Any], *, native: bool
) -> dict[int, Any]:
    from irrun.debugging import ModelSide, OpenVINOSide
    from irrun.reporting.page import inputs_of, measure

    arrays = reading.by_index(source.values(model, config))
    if other is None:
        shapes = {index: Shape(array.shape) for index, array in arrays.items()}
        side = OpenVINOSide(path, arrays, source.weights, shapes) if native else None
        return {0: measure(model, arrays, config, side)}
    second = inputs_of(other, model, arrays)
    if second is None:
        note("the models have different inputs: each runs on its own, and errors are not shown")
        own = reading.by_index(source._replace(files=()).values(other, config))
        return {0: measure(model, arrays, config), 1: measure(other, own, config)}
    return {0: measure(model, arrays, config, ModelSide(other, second, config)), 1: measure(other, second, config)}
