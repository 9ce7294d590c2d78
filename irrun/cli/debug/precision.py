"""Rank the layers by the error that rounding them causes.

The report names the layers to keep in f32.

The model runs in f32, and with rounded tensors: in bf16 those that OpenVINO's CPU plugin rounds, all up to the last
products; in f16 those of all layers as written, constants included; in int8 the operands of products. Each number is
the length of an error in proportion to that of the exact tensor:

\b
  own      of the results of the layer, for exact inputs
  alone    of the outputs, if only this layer is rounded
  without  of the outputs, if all layers but this one are rounded
  kept     of the outputs, if this layer and those above it stay in f32

\b
Examples:
  irrun debug precision model.xml --precision bf16 -i image=cat.npy
  irrun debug precision model.xml --precision bf16 -i image=cat.npy --openvino
  irrun debug precision model.xml --precision f16 -i image=cat.npy --target 0.001 -o kept.xml

-o writes a model that names the layers to OpenVINO, which then keeps them in f32.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from irrun.cli import inputs, limits, values
from irrun.cli.console import note, result
from irrun.cli.inputs import FILE, InputCommand, InputOptions, usual_options
from irrun.cli.options import Number, count_option, output_option
from irrun.cli.settings import CommandSettings
from irrun.cli.tables import aligned, columns
from irrun.debugging.keeping import PrecisionErrors, keep_in_f32, measured
from irrun.debugging.precision import PrecisionReport, rank_layers
from irrun.debugging.rounding import PRECISIONS
from irrun.evaluation.files import reading
from irrun.evaluation.files.targets import refuse_inputs, refuse_other_than_xml

if TYPE_CHECKING:
    from irrun.cli.records import PrecisionRecord


@click.command(help=__doc__, cls=InputCommand)
@click.argument("model", type=FILE)
@inputs.source_options
@click.option("--precision", "name", type=click.Choice(PRECISIONS), required=True, help="The precision to examine.")
@count_option("--tried", default=50, help="Round N layers one by one.")
@click.option("--target", type=Number(min=0), help="The error to reach by keeping layers in f32.  [default: half]")
@click.option("--openvino", "native", is_flag=True, help="Also measure the errors of OpenVINO.")
@count_option("--show", least=0, default=10, help="Show the N worst layers.")
@output_option("Write a model that keeps layers in f32.")
@limits.options
@usual_options
def precision(
    model: Path,
    source: InputOptions,
    name: str,
    tried: int,
    target: float | None,
    native: bool,
    show: int,
    output: Path | None,
    settings: CommandSettings,
    output_format: str,
) -> None:
    if output is not None:
        refuse_other_than_xml(output)
        refuse_inputs([output, output.with_suffix(".bin")], source.read(model))
    config = settings.of(model)
    loaded, shapes = source.load(model)
    arrays = reading.by_index(source.values(loaded, config))
    found = rank_layers(loaded, arrays, name, tried=tried, target=target)
    checked = measured(model, arrays, found, weights=source.weights, shapes=shapes) if native else None
    if output is not None:
        keep_in_f32(model, output, found.kept, source.weights)
    if output_format == "json":
        result(values.as_json(_record(found, checked)))
    else:
        result(_text(found, checked, show))
    if output is not None:
        note(f"wrote {output}")


def _record(found: PrecisionReport, checked: PrecisionErrors | None) -> PrecisionRecord:
    return {
        "precision": found.precision,
        "predicted": found.predicted,
        "target": found.target,
        "openvino": None if checked is None else checked._asdict(),
        "keep": [{"layer": item.layer, "layers": list(item.layers), "error": item.error} for item in found.keep],
        "layers": [item.as_dict() for item in found.layers],
    }


def _text(found: PrecisionReport, checked: PrecisionErrors | None, show: int) -> str:
    kept = {item.layer: item.error for item in found.keep}
    rows = [["layer", "type", "own", "alone", "without", "kept"]]
    for item in found.layers[:show]:
        numbers = [item.own, item.alone, item.without, kept.get(item.layer)]
        rows.append([values.printable(item.layer), item.type, *("-" if x is None else f"{x:.2g}" for x in numbers)])
    lines = [aligned(rows, left=2, width=columns()), ""] if len(rows) > 1 else []
    lines.append(f"predicted error of the outputs in {found.precision}: {found.predicted:.3g}")
    if checked is not None:
        lines.append(f"error of OpenVINO in {checked.precision}: {checked.error:.3g}")
        lines.append(f"with the worst {checked.number} in f32: {checked.kept:.3g}, predicted {checked.predicted:.3g}")
    if not math.isfinite(found.predicted):
        lines[-1] = f"rounded to {found.precision}, outputs are lost: numbers become infinite or NaN"
    if math.isfinite(found.predicted) and found.predicted <= found.target:
        lines.append(f"which reaches {found.target:.3g}: no layer needs to stay in f32")
    elif found.keep:
        last = found.keep[-1]
        names = ", ".join(f'"{values.printable(item.layer)}"' for item in found.keep)
        reached = "reaches" if last.error <= found.target else "does not reach"
        lines.append(f"keep in f32: {names}; the error is then {last.error:.3g}, which {reached} {found.target:.3g}")
    return "\n".join(lines)
