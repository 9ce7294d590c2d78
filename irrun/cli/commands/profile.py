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
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from irrun.cli import arithmetic, execution, inputs, precision, values
from irrun.cli.compiling import Compilation, compile_options
from irrun.cli.console import note, result, text_or_json, verbosity
from irrun.cli.extending import extension_option, extensions
from irrun.cli.failures import Failure
from irrun.cli.findings import say_findings
from irrun.cli.inputs import FILE, Value
from irrun.cli.measuring import (
    Native,
    blas_in_use,
    blas_text,
    milliseconds,
    require_native,
    short,
)
from irrun.cli.tables import aligned, clipped, columns, listed, wrapped
from irrun.cli.writing import read_files, refuse_inputs, refuse_standard_output
from irrun.diagnostics import amount
from irrun.document.replacing import replacing
from irrun.model import Loaded, build, load
from irrun.ops.fused.base import Fused
from irrun.runtime.observers import Profiler, Shapes, Timing, Tracer


@click.command(help=__doc__)
@click.argument("model", type=FILE)
@inputs.options
@click.option("--random", is_flag=True, expose_value=False, help="Use random values for other inputs (the default).")
@click.option("--niter", type=click.IntRange(min=1), metavar="N", default=10, show_default=True, help="Number of runs.")
@click.option(
    "--top", type=click.IntRange(min=0), metavar="N", default=20, show_default=True, help="Number of layers to show."
)
@click.option(
    "--trace",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write one run as a Chrome trace, for ui.perfetto.dev.",
)
@compile_options(precision.option)
@click.option("--compare-openvino", "native", is_flag=True, help="Also show OpenVINO's own profile.")
@extension_option
@text_or_json
@verbosity
def command(
    model: Path,
    files: tuple[str, ...],
    seed: int,
    shapes: tuple[str, ...],
    weights: Path | None,
    niter: int,
    top: int,
    trace: Path | None,
    compilation: Compilation,
    precision_name: str | None,
    native: bool,
    output_format: str,
) -> None:
    if native:
        require_native()
    if trace is not None and not trace.absolute().parent.is_dir():
        raise Failure(f"{trace}: there is no folder {trace.parent}")
    if trace is not None:
        refuse_standard_output(trace)
        refuse_inputs([trace], read_files(model, weights, files))
    loaded = load(model, weights, extensions=extensions())
    loaded, reshaped = inputs.reshape(loaded, shapes)
    config = compilation.settings(model, precision_name)
    budget = config.get("MAX_MEMORY")
    given = inputs.completed(inputs.from_files(files, loaded.inputs, budget=budget, model=loaded), loaded.inputs, seed)
    record = _profile(loaded, model, given, niter, config, trace)
    blas = blas_in_use()
    if native:
        record["openvino"] = _native(
            Native(model, weights, reshaped, given, blas["threads"], config[precision.HINT], True), niter
        )
    record = {
        "model": loaded.friendly_name,
        "inputs": [value.as_dict() for value in given],
        "runs": niter,
        "seed": seed,
        "blas": blas,
        **record,
    }
    say_findings(loaded, model)
    result(values.as_json(record) if output_format == "json" else _text(record, top))


def _profile(
    loaded: Loaded, path: Path, given: Sequence[Value], niter: int, config: Mapping[str, Any], trace: Path | None
) -> dict[str, Any]:
    """Alternate observed runs and plain runs; the plain ones yield the total time."""
    compiled = build(loaded, config)
    request = compiled.session()
    plain, observed = (inputs.runner(item, given, path) for item in (compiled.session(), request))
    plain()
    observed()
    profiler = Profiler()
    request.observers.append(profiler)
    whole, between = [], []
    for _ in range(niter):
        whole.append(milliseconds(plain)[1])
        before = profiler.total
        took = milliseconds(observed)[1]
        between.append(took - (profiler.total - before) / 1e6)
    if trace is not None:
        tracer = Tracer()
        request.observers[:] = [tracer]
        observed()
        with replacing(trace) as file:
            file.write(json.dumps(tracer.document()).encode())
        note(f"wrote {trace}; open it in ui.perfetto.dev")
    layers = [_layer(timing, niter) for timing in profiler.timings]
    inside = sum(layer["ms"] for layer in layers)
    for layer in layers:
        layer["share"] = layer["ms"] / inside if inside else 0.0
    return {
        **execution.record_of(compiled.tiers),
        "total_ms": statistics.median(whole),
        "layers_ms": inside,
        "between_ms": statistics.median(between),
        "types": _by_type(layers),
        "layers": layers,
    }


def _layer(timing: Timing, niter: int) -> dict[str, Any]:
    """Return the record of one layer, per run: a layer in a sub-graph may run several times, or not in every run."""
    node = timing.step.node
    calls = len(timing.own) / niter
    took = timing.median * calls / 1e6
    count = arithmetic.flops(timing)
    total = None if count is None else count * calls
    return {
        "id": node.id,
        "name": node.name,
        "type": node.type,
        "stands_for": list(node.op.parts) if isinstance(node.op, Fused) else [node.name],
        "calls": int(calls) if calls.is_integer() else calls,
        "ms": took,
        "flops": total,
        "gflops_per_s": _rate(total, took),
        "bytes": int(arithmetic.moved(timing) * calls),
        "inputs": timing.inputs,
        "outputs": timing.outputs,
    }


def _by_type(layers: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for layer in layers:
        groups.setdefault(layer["type"], []).append(layer)
    rows = []
    for type, members in groups.items():
        took = sum(member["ms"] for member in members)
        counted = [member["flops"] for member in members if member["flops"] is not None]
        total = sum(counted) if counted else None
        rows.append(
            {
                "type": type,
                "layers": len(members),
                "ms": took,
                "share": sum(member["share"] for member in members),
                "flops": total,
                "gflops_per_s": _rate(total, took),
                "bytes": sum(member["bytes"] for member in members),
            }
        )
    return sorted(rows, key=lambda row: -row["ms"])


def _native(engine: Native, niter: int) -> dict[str, Any]:
    """Return medians by OpenVINO's own layer types, one of which may cover several layers of the file."""
    whole: list[float] = []
    times: dict[str, list[float]] = {}
    counts: dict[str, int] = {}
    for _ in range(niter):
        whole.append(milliseconds(engine.run)[1])
        for type, (took, count) in engine.profile().items():
            times.setdefault(type, []).append(took)
            counts[type] = count
    medians = {type: statistics.median(took) for type, took in times.items()}
    inside = sum(medians.values())
    rows = [
        {"type": type, "layers": counts[type], "ms": took, "share": took / inside if inside else 0.0}
        for type, took in sorted(medians.items(), key=lambda item: -item[1])
    ]
    return {"version": engine.version, "total_ms": statistics.median(whole), "layers_ms": inside, "types": rows}


def _rate(flops: float | None, milliseconds: float) -> float | None:
    return None if flops is None or milliseconds == 0 else flops / milliseconds / 1e6


def _text(record: Mapping[str, Any], top: int) -> str:
    layers = record["layers"]
    runs = f"{record['runs']} run{'s' if record['runs'] != 1 else ''}"
    executed = amount(format(len(layers), ","), "executed layer")
    facts = [
        ["model", f"{values.printable(record['model']) or 'no name'}, {executed}"],
        *(["input", inputs.text(item)] for item in record["inputs"]),
        ["BLAS", blas_text(record["blas"])],
        *execution.rows(record),
        ["time", f"{short(record['total_ms'])} ms, the median of {runs}"],
        ["between", f"{short(record['between_ms'])} ms outside layers, including the overhead of the measurement"],
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
