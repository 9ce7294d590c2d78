"""Measure a model: latency, throughput, the first inference, and what reading and compiling take.

Inputs are random, and the same for the same seed. It stops after --niter inferences where that is given, else after
--time. Times that are compared are measured in turns, in one process, with as many threads.

\b
Examples:
  irrun bench model.xml
  irrun bench model.xml --niter 100 --threads 2
  irrun bench model.xml --shape 'image[8,3,224,224]' --time 10
  irrun bench model.xml --compare-openvino
  irrun bench model.xml --format json
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from irrun.cli import assignments, values
from irrun.cli.console import result, verbosity
from irrun.cli.findings import say_findings
from irrun.cli.measuring import (
    Native,
    aligned,
    blas_text,
    blas_threads,
    in_turns,
    latency,
    milliseconds,
    require_native,
    runner,
    short,
)
from irrun.model import compile_model, read_model
from irrun.model.random_inputs import random_input
from irrun.tensor import Array

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
ROWS = (
    ("read_ms", "read"),
    ("compile_ms", "compile"),
    ("first_ms", "first inference"),
    ("median", "median"),
    ("average", "average"),
    ("min", "least"),
    ("p90", "90th percentile"),
    ("max", "greatest"),
)


@click.command(help=__doc__)
@click.argument("model", type=FILE)
@click.option("--niter", type=click.IntRange(min=1), help="How many inferences.")
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0, min_open=True, max=86400),
    default=3.0,
    show_default=True,
    help="For how many seconds, where --niter is not given.",
)
@click.option("--shape", "shapes", multiple=True, metavar="NAME[SHAPE]", help="Reshape an input; repeatable.")
@click.option("--weights", type=FILE, help="The weights, where they are not beside the model.")
@click.option("--threads", type=click.IntRange(min=1, max=1024), help="Threads; as many as BLAS wants by default.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The seed of random inputs.")
@click.option("--as-written", is_flag=True, help="Run layer by layer as the file has them, nothing fused.")
@click.option("--compare-openvino", "native", is_flag=True, help="Measure OpenVINO in turns beside irrun, in f32.")
@click.option(
    "--format",
    "--output-format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
)
@verbosity
def command(
    model: Path,
    niter: int | None,
    seconds: float,
    shapes: tuple[str, ...],
    weights: Path | None,
    threads: int | None,
    seed: int,
    as_written: bool,
    native: bool,
    output_format: str,
) -> None:
    if native:
        require_native()
    with blas_threads(threads) as blas:
        loaded, read_ms = milliseconds(lambda: read_model(model, weights))
        given = dict(assignments.split_shape(text, loaded.inputs) for text in shapes)
        if given:
            loaded.reshape({port.any_name: shape for port, shape in given.items()})
        inputs = [(port, random_input(port, seed)) for port in loaded.inputs]
        config: dict[str, Any] = {"OPTIMIZE": not as_written, "INFERENCE_NUM_THREADS": threads or 0}
        compiled, compile_ms = milliseconds(lambda: compile_model(loaded, config))
        say_findings(loaded, model)
        run = runner(compiled.create_infer_request(), {port.index: array for port, array in inputs}, model)
        outputs, first_ms = milliseconds(run)
        engines: dict[str, dict[str, Any]] = {
            "irrun": {"read_ms": read_ms, "compile_ms": compile_ms, "first_ms": first_ms}
        }
        runs: dict[str, Callable[[], object]] = {"irrun": run}
        difference = None
        if native:
            reshaped = {port.index: shape for port, shape in given.items()}
            other = Native(model, weights, reshaped, inputs, blas["threads"])
            engines["openvino"] = {
                "version": other.version,
                "read_ms": other.read_ms,
                "compile_ms": other.compile_ms,
                "first_ms": other.first_ms,
            }
            runs["openvino"] = other.run
            difference = _difference(outputs.to_tuple(), other.outputs)
        for name, times in in_turns(runs, niter, seconds).items():
            engines[name] |= {"iterations": len(times), **latency(times)}
    record: dict[str, Any] = {
        "model": loaded.friendly_name,
        "inputs": [
            {"name": port.any_name, "type": str(port.element_type), "shape": list(array.shape)}
            for port, array in inputs
        ],
        "seed": seed,
        "blas": blas,
        "engines": engines,
    }
    if native:
        record["ratio"] = engines["irrun"]["median"] / engines["openvino"]["median"]
        record["largest_difference"] = difference
    result(values.as_json(record) if output_format == "json" else _text(record))


def _text(record: Mapping[str, Any]) -> str:
    engines: Mapping[str, Mapping[str, Any]] = record["engines"]
    facts = [
        ["model", values.printable(record["model"]) or "no name"],
        *(
            ["input", f"{values.printable(item['name'])}  {item['type']}[{','.join(map(str, item['shape']))}], random"]
            for item in record["inputs"]
        ),
        ["BLAS", blas_text(record["blas"])],
    ]
    if "openvino" in engines:
        facts.append(["OpenVINO", engines["openvino"]["version"]])
    names = {"irrun": "irrun", "openvino": "OpenVINO"}
    rows = [["", *(names[name] for name in engines), *(["ratio"] if len(engines) > 1 else [])]]
    for key, title in ROWS:
        rows.append(_row(title, [engine[key] for engine in engines.values()], lambda value: f"{short(value)} ms"))
    counts = [f"{engine['iterations']:,}" for engine in engines.values()]
    rows.append(["inferences", *counts, *([""] if len(engines) > 1 else [])])
    rows.append(_row("throughput", [engine["throughput"] for engine in engines.values()], _per_second))
    lines = [aligned(facts, left=2), "", aligned(rows)]
    if "ratio" in record:
        lines += ["", _agreement(record["largest_difference"])]
    return "\n".join(lines)


def _row(title: str, numbers: Sequence[float], text: Callable[[float], str]) -> list[str]:
    ratio = [f"{numbers[0] / numbers[1]:.2f}" if numbers[1] else "-"] if len(numbers) > 1 else []
    return [title, *map(text, numbers), *ratio]


def _per_second(value: float) -> str:
    return f"{value:,.0f} /s" if value >= 100 else f"{value:.2f} /s"


def _agreement(difference: float | None) -> str:
    if difference is None:
        return "outputs: of other shapes or types than OpenVINO's"
    return f"outputs: largest difference from OpenVINO's {difference:.3g}"


def _difference(ours: Sequence[Array], theirs: Sequence[Array]) -> float | None:
    """The largest absolute difference of two lists of outputs; None where they cannot be compared."""
    largest = 0.0
    for left, right in zip(ours, theirs, strict=True):
        if left.shape != right.shape or left.dtype.kind in "UO" or right.dtype.kind in "UO":
            return None
        if left.size:
            a, b = left.astype(np.float64), right.astype(np.float64)
            with np.errstate(invalid="ignore"):
                gap = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
            largest = max(largest, float(gap.max()))
    return largest
