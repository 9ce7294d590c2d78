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
from typing import TYPE_CHECKING, Any

import click

from irrun.cli import inputs, limits
from irrun.cli.console import note, verbosity
from irrun.cli.extending import extension_option, extensions
from irrun.cli.inputs import FILE, Source
from irrun.cli.settings import Settings
from irrun.cli.writing import read_files
from irrun.document.replacing import replacing
from irrun.evaluation.files import reading
from irrun.evaluation.files.reading import Value
from irrun.evaluation.files.targets import refuse_inputs, refuse_standard_output
from irrun.linter import lint
from irrun.model import Loaded

if TYPE_CHECKING:
    from irrun.debugging.sides import Side
    from irrun.tensor import Array


@click.command(help=__doc__)
@click.argument("model", type=FILE)
@click.argument("other", type=FILE, required=False)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The page to write."
)
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
    source: Source,
    settings: Settings,
) -> None:
    from irrun.reporting.diff import diff
    from irrun.reporting.page import Measured, Subject, contents, page

    refuse_standard_output(output)
    if native and other is not None:
        raise click.UsageError("OTHER and --openvino are given, expected only one of them")
    if source.files and not (running or native):
        raise click.UsageError("-i requires --run or --openvino")
    read = [*source.read(model), *(read_files(other) if other is not None else ())]
    refuse_inputs([output], read)
    loaded, _ = source.load(model)
    second = None if other is None else source._replace(weights=None).load(other)[0]
    measured = {0: Measured(), 1: Measured()}
    if running or native:
        measured |= _measured(model, source, loaded, second, settings.of(model), native=native)
    subjects = [Subject(loaded, str(model), lint(model, source.weights, extensions=extensions()), measured[0])]
    if second is not None and other is not None:
        subjects.append(Subject(second, str(other), lint(other, extensions=extensions()), measured[1]))
    found = diff(loaded, second) if second is not None else None
    title = " and ".join(dict.fromkeys(item.model.friendly_name or Path(item.file).name for item in subjects))
    text = page(contents(subjects, found), title)
    with replacing(output) as file:
        file.write(text.encode())
    note(f"wrote {output}, {len(text) / 2**20:.1f} MiB")


def _measured(
    path: Path, source: Source, model: Loaded, other: Loaded | None, config: Mapping[str, Any], *, native: bool
) -> dict[int, Any]:
    from irrun.debugging.sides import ModelSide
    from irrun.reporting.page import measure

    given = source.values(model, config)
    arrays = reading.by_index(given)
    if other is None:
        return {0: measure(model, arrays, config, _native(path, source.weights, arrays) if native else None)}
    second = _for_other(other, given)
    if second is None:
        note("the models have different inputs: each runs on its own, and errors are not shown")
        own = reading.by_index(source._replace(files=()).values(other, config))
        return {0: measure(model, arrays, config), 1: measure(other, own, config)}
    return {0: measure(model, arrays, config, ModelSide(other, second, config)), 1: measure(other, second, config)}


def _for_other(other: Loaded, given: list[Value]) -> dict[int, Array] | None:
    """Return the inputs for another model, by name or by position; None where it has others."""
    by_name = {value.port.any_name: value.array for value in given}
    by_index = reading.by_index(given)
    ports = other.inputs
    if len(ports) != len(given):
        return None
    is_named = {port.any_name for port in ports} == by_name.keys()
    pairs = [(port, by_name[port.any_name] if is_named else by_index[port.index]) for port in ports]
    fits = all(port.partial_shape.admits(array.shape) for port, array in pairs)
    return {port.index: array for port, array in pairs} if fits else None


def _native(path: Path, weights: Path | None, arrays: Mapping[int, Array]) -> Side:
    from irrun.debugging.engines import OpenVINOSide
    from irrun.tensor import Shape

    shapes = {index: Shape(array.shape) for index, array in arrays.items()}
    return OpenVINOSide(path, arrays, weights, shapes)
