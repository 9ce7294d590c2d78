"""Measure the latency, throughput and start-up of a model.

Start-up is reading, compiling and the first inference.

Pass inputs with -i as to irrun run; the others are random, and equal for equal seeds. Measuring stops after --niter
inferences if that is given, and after --time otherwise. With --hint throughput, or --requests, several requests run at
the same time, and the throughput is that of all of them. With --compare-openvino, the engines take turns in one
process with the same number of threads.

\b
Examples:
  irrun bench model.xml
  irrun bench model.xml -i image=cat.npy
  irrun bench model.xml --niter 100 --threads 2
  irrun bench model.xml --hint throughput --batch images/
  irrun bench model.xml --shape 'image[8,3,224,224]' --time 10
  irrun bench model.xml --compare-openvino
  irrun bench model.xml --precision f32 --precision bf16
  irrun bench model.xml --json
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from irrun.cli import inputs, values
from irrun.cli.compiling import several_compile_options
from irrun.cli.console import result
from irrun.cli.extending import extensions
from irrun.cli.findings import say_findings
from irrun.cli.inputs import FILE, InputCommand, InputOptions, usual_options
from irrun.cli.measuring import blas_text, say_pinned_blas, short, tier_rows
from irrun.cli.options import Number, count_option
from irrun.cli.settings import CommandSettings
from irrun.cli.tables import aligned, columns, listed, wrapped
from irrun.evaluation.benchmarking import benchmark
from irrun.evaluation.files import reading
from irrun.evaluation.files.naming import reshape
from irrun.evaluation.native import OpenVINOModel, required
from irrun.evaluation.timing import milliseconds
from irrun.model import Loaded, load

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


@click.command(help=__doc__, cls=InputCommand)
@click.argument("model", type=FILE)
@inputs.source_options
@click.option(
    "--batch",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Files with one input each, in turns; repeatable.",
)
@click.option("--random", is_flag=True, expose_value=False, help="Use random values for other inputs (the default).")
@count_option("--niter", help="Number of inferences.")
@click.option(
    "--time",
    "seconds",
    type=Number(min=0, min_open=True, max=86400),
    metavar="SECONDS",
    default=3.0,
    show_default=True,
    help="How long to measure without --niter, in seconds.",
)
@click.option(
    "--hint",
    type=click.Choice(("latency", "throughput")),
    default="latency",
    show_default=True,
    help="Run one request, or as many at once as there are threads.",
)
@count_option("--requests", help="Number of requests that run at once, in place of that of --hint.")
@several_compile_options
@click.option("--compare-openvino", "native", is_flag=True, help="Measure OpenVINO in turns, in the same precision.")
@usual_options
def command(
    model: Path,
    source: InputOptions,
    patterns: tuple[str, ...],
    niter: int | None,
    seconds: float,
    hint: str,
    requests: int | None,
    settings: CommandSettings,
    precisions: tuple[str, ...],
    native: bool,
    output_format: str,
) -> None:
    if native:
        required("openvino", "--compare-openvino")
        if hint == "throughput" or (requests or 1) > 1:
            raise click.UsageError("--compare-openvino measures one request, without --hint throughput and --requests")
        if patterns:
            raise click.UsageError("--compare-openvino measures one input, without --batch")
    if patterns and source.files:
        raise click.UsageError("-i and --batch are given, expected only one of them")
    loaded, read_ms = milliseconds(lambda: load(model, source.weights, extensions=extensions()))
    loaded, shapes = reshape(loaded, source.shapes)
    config = settings.of(model, precision=precisions[0] if precisions else None)
    config |= {"PERFORMANCE_HINT": hint.upper(), **({} if requests is None else {"NUM_STREAMS": requests})}
    several = _several(source, patterns, loaded, config) if patterns else [source.values(loaded, config)]
    given = several[0]
    say_findings(loaded, model)
    with inputs.told(given, model):
        found = benchmark(
            loaded,
            [reading.by_index(values) for values in several],
            config,
            precisions=precisions[1:],
            openvino=OpenVINOModel(model, source.weights, shapes) if native else None,
            requests=requests,
            niter=niter,
            seconds=seconds,
        )
    say_pinned_blas()
    own = {name: {"read_ms": read_ms, **engine} for name, engine in found["engines"].items() if name != "openvino"}
    found["engines"] |= own
    record = {"model": loaded.friendly_name, "inputs": [value.as_dict() for value in given], "seed": source.seed}
    record |= {"files": len(several)} if patterns else {}
    record |= found
    result(values.as_json(record) if output_format == "json" else _text(record))


def _several(
    source: InputOptions, patterns: Sequence[str], model: Loaded, config: Mapping[str, Any]
) -> list[list[reading.InputValue]]:
    """Return the inputs that each of many files holds."""
    from irrun.evaluation.batch.items import items_of

    return [source._replace(files=(item.path,)).values(model, config) for item in items_of(patterns)]


def _text(record: Mapping[str, Any]) -> str:
    engines: Mapping[str, Mapping[str, Any]] = record["engines"]
    facts = [
        ["model", values.printable(record["model"]) or "no name"],
        *(["input", inputs.text(item)] for item in record["inputs"]),
        *([["files", f"{record['files']} in turns"]] if "files" in record else []),
        ["BLAS", blas_text(record["blas"])],
        *tier_rows(record),
    ]
    if record["requests"] > 1:
        facts.append(["requests", f"{record['requests']} at once"])
    if record["crowded"]:
        facts.append(["load", "other programs want the processors: fewer threads compute; --threads sets their number"])
    if record["precision"] != "f32":
        facts.append(["precision", f"{record['precision']}, {record['backend']}"])
    if "openvino" in engines:
        facts.append(["OpenVINO", engines["openvino"]["version"]])
    names = {name: name for name in engines} | {"openvino": "OpenVINO"}
    rows = [["", *(names[name] for name in engines), *(["ratio"] if len(engines) == 2 else [])]]
    for key, title in ROWS:
        rows.append(_row(title, [engine[key] for engine in engines.values()], lambda value: f"{short(value)} ms"))
    counts = [f"{engine['iterations']:,}" for engine in engines.values()]
    rows.append(["inferences", *counts, *([""] if len(engines) == 2 else [])])
    rows.append(_row("throughput", [engine["throughput"] for engine in engines.values()], _per_second))
    lines = [*listed(facts, columns()), "", aligned(rows, width=columns())]
    if "ratio" in record:
        agreement = _agreement(record["largest_difference"], record["relative_difference"])
        lines += ["", *wrapped(agreement, columns(), 2)]
    return "\n".join(lines)


def _row(title: str, numbers: Sequence[float], text: Callable[[float], str]) -> list[str]:
    ratio = [f"{numbers[0] / numbers[1]:.2f}" if numbers[1] else "-"] if len(numbers) == 2 else []
    return [title, *map(text, numbers), *ratio]


def _per_second(value: float) -> str:
    return f"{value:,.0f} /s" if value >= 100 else f"{value:.2f} /s"


def _agreement(absolute: float | None, relative: float | None) -> str:
    if absolute is None:
        return "outputs: shapes or types differ from OpenVINO's"
    share = "" if relative is None else f", {relative:.2g} of the largest value of that output"
    return f"outputs: largest difference from OpenVINO's {absolute:.3g}{share}"
