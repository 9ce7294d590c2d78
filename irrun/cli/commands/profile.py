"""Show where a model spends its time.

By operation type and by layer, with GFLOP/s and bytes.

Pass inputs with -i as to irrun run; the others are random, and equal for equal seeds. Times are medians over --niter
runs. The time of a layer with sub-graphs excludes the layers inside, which are listed separately. Fused layers count
as one. Bytes are the sizes of the tensors that a layer reads and writes.

\b
Examples:
  irrun profile model.xml
  irrun profile model.xml -i image=cat.npy
  irrun profile model.xml --top 50 --threads 1
  irrun profile model.xml --as-written
  irrun profile model.xml --trace trace.json
  irrun profile model.xml --compare-openvino
  irrun profile model.xml --json
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from irrun.cli import inputs, values
from irrun.cli.compiling import compile_options
from irrun.cli.console import note, result
from irrun.cli.failures import Failure
from irrun.cli.findings import say_findings
from irrun.cli.inputs import FILE, InputCommand, InputOptions, usual_options
from irrun.cli.measuring import blas_text, say_pinned_blas, short, short_sum, tier_rows
from irrun.cli.options import count_option
from irrun.cli.settings import CommandSettings
from irrun.cli.tables import aligned, clipped, columns, listed, wrapped
from irrun.diagnostics import amount
from irrun.document.replacing import replacing
from irrun.evaluation.files import reading
from irrun.evaluation.files.targets import refuse_inputs, refuse_standard_output
from irrun.evaluation.native import OpenVINOModel, required
from irrun.evaluation.profiling import profile
from irrun.runtime.observers import Shapes, Tracer


@click.command(help=__doc__, cls=InputCommand)
@click.argument("model", type=FILE)
@inputs.source_options
@click.option("--random", is_flag=True, expose_value=False, help="Use random values for other inputs (the default).")
@count_option("--niter", default=10, help="Number of runs.")
@count_option("--top", least=0, default=20, help="Number of layers to show.")
@click.option(
    "--trace",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write one run as a Chrome trace, for ui.perfetto.dev.",
)
@compile_options
@click.option("--compare-openvino", "native", is_flag=True, help="Also show OpenVINO's own profile.")
@usual_options
def command(
    model: Path,
    source: InputOptions,
    niter: int,
    top: int,
    trace: Path | None,
    settings: CommandSettings,
    native: bool,
    output_format: str,
) -> None:
    if native:
        required("openvino", "--compare-openvino")
    if trace is not None and not trace.absolute().parent.is_dir():
        raise Failure(f"{trace}: there is no folder {trace.parent}")
    if trace is not None:
        refuse_standard_output(trace)
        refuse_inputs([trace], source.read(model))
    loaded, shapes = source.load(model)
    config = settings.of(model)
    given = source.values(loaded, config)
    tracer = Tracer() if trace is not None else None
    with inputs.told(given, model):
        found = profile(
            loaded,
            reading.by_index(given),
            config,
            niter=niter,
            openvino=OpenVINOModel(model, source.weights, shapes) if native else None,
            tracer=tracer,
        )
    if trace is not None and tracer is not None:
        with replacing(trace) as file:
            file.write(json.dumps(tracer.document()).encode(errors="backslashreplace"))
        note(f"wrote {trace}; open it in ui.perfetto.dev")
    say_pinned_blas()
    say_findings(loaded, model)
    named = {"model": loaded.friendly_name, "inputs": [value.as_dict() for value in given]}
    record = {**named, "runs": niter, "seed": source.seed, **found}
    result(values.as_json(record) if output_format == "json" else _text(record, top))


def _text(record: Mapping[str, Any], top: int) -> str:
    layers = record["layers"]
    runs = f"{record['runs']} run{'s' if record['runs'] != 1 else ''}"
    observed, inside, between = short_sum([record["layers_ms"], record["between_ms"]])
    executed = amount(format(len(layers), ","), "executed layer")
    facts = [
        ["model", f"{values.printable(record['model']) or 'no name'}, {executed}"],
        *(["input", inputs.text(item)] for item in record["inputs"]),
        ["BLAS", blas_text(record["blas"])],
        *tier_rows(record),
        ["time", f"{short(record['total_ms'])} ms, the median of {runs}"],
        ["measured", f"{observed} ms: {inside} ms in layers, {between} ms between them and for measuring"],
    ]
    lines = [*listed(facts, columns()), "", *_types(record["types"])]
    if "openvino" in record:
        native = record["openvino"]
        ratio = record["total_ms"] / native["total_ms"]
        title = f"OpenVINO {native['version']}: {short(native['total_ms'])} ms; irrun takes {ratio:.2f} times that"
        lines += ["", *wrapped(title, columns(), 2), "", *_types(native["types"])]
    slowest = sorted(layers, key=lambda layer: -layer["ms"])[:top]
    if slowest:
        lines += ["", f"the slowest {len(slowest)} of {amount(format(len(layers), ','), 'layer')}", _layers(slowest)]
    return "\n".join(lines)


def _types(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of types, with rates and bytes where they are known."""
    wide = any("bytes" in row for row in rows)
    table = [["TYPE", "LAYERS", "MS", "SHARE", *(["GFLOP/S", "MIB"] if wide else [])]]
    for row in rows:
        cells = [row["type"], f"{row['layers']:,}", short(row["ms"]), f"{100 * row['share']:.1f} %"]
        table.append([*cells, *([_rate_text(row["gflops_per_s"]), _mebibytes(row["bytes"])] if wide else [])])
    return [aligned(table, width=columns())]


def _layers(layers: Sequence[Mapping[str, Any]]) -> str:
    table = [["NAME", "TYPE", "SHAPES", "MS", "SHARE", "GFLOP/S", "MIB"]]
    for layer in layers:
        times = f" x{layer['calls']:g}" if layer["calls"] != 1 else ""
        table.append(
            [
                clipped(values.printable(layer["name"]) or str(layer["id"]), 40),
                layer["type"] + times,
                f"{_shapes(layer['inputs'])} -> {_shapes(layer['outputs'])}",
                short(layer["ms"]),
                f"{100 * layer['share']:.1f} %",
                _rate_text(layer["gflops_per_s"]),
                _mebibytes(layer["bytes"]),
            ]
        )
    return aligned(table, left=3, width=columns())


def _shapes(shapes: Shapes) -> str:
    texts = ["-" if shape is None else f"[{','.join(map(str, shape))}]" for shape in shapes]
    return " ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")


def _rate_text(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.3g}" if rate < 1000 else f"{rate:.0f}"


def _mebibytes(count: int) -> str:
    return f"{count / 2**20:.2f}"
