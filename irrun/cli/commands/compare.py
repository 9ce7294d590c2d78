"""Compare a model with another one, or with another engine.

If they differ, find the first layer that does.

OTHER is another model, or expected outputs: an .npy or .npz file, or a folder that irrun run -o has written. Two
folders of models, or two quoted patterns, are compared by pairs of files with the same name. Both sides get the same
inputs: those of -i, otherwise random ones. Inputs and outputs are matched by name; by position if no name is the same
on both sides, or if numpy.savez has numbered the arrays of a file.

With --batch, both sides run on each of many files of inputs; the layers are compared on that for which the outputs
differ most.

Floats may differ by --atol plus --rtol times the largest magnitude of the output; other types must be equal. If
outputs differ, both sides run as written, layer by layer. Two models are aligned by the values of their tensors, so
that names do not matter; a layer, or a region of layers, is suspected where all outputs agree once its tensor is that
of the other side. Where nobody is to be suspected, quantisation, rounding or optimisation is named; unknown means that
nothing explains the outputs.

\b
Examples:
  irrun compare model.xml other.xml
  irrun compare model.xml other.xml -i image=cat.npy --rtol 0.01
  irrun compare model.xml expected.npz -i inputs.npz
  irrun compare model.xml --openvino
  irrun compare model.xml --onnx model.onnx --all
  irrun compare model.xml other.xml --batch 'inputs/*.npz'
  irrun compare old/ new/ --jobs 4

The exit status is 0 where all are equal, 1 where one differs, and 2 where one cannot be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from irrun.cli import inputs, jobs, limits, values
from irrun.cli.console import fail, note, result
from irrun.cli.extending import extensions
from irrun.cli.failures import CANNOT
from irrun.cli.inputs import InputCommand, InputOptions, usual_options
from irrun.cli.settings import CommandSettings, properties
from irrun.jobs.items import way

DIFFERENT: Final = 1
STATS: Final = ("max", "mean", "median", "rms")


@click.command(help=__doc__, cls=InputCommand)
@click.argument("model", type=click.Path())
@click.argument("other", required=False, type=click.Path())
@inputs.source_options
@click.option("--openvino", "native", is_flag=True, help="Compare with OpenVINO in place of OTHER.")
@click.option("--onnx", type=inputs.FILE, help="Compare with an ONNX model in ONNX Runtime in place of OTHER.")
@click.option("--all", "every", is_flag=True, help="Show every layer, even if the outputs are equal.")
@limits.tolerance
@click.option(
    "--check-error-stat",
    "stat",
    type=click.Choice(STATS),
    default="max",
    show_default=True,
    help="The error statistic that the tolerances limit.",
)
@click.option("--fail-fast", is_flag=True, help="Stop at the first layer, and the first pair, that differs.")
@click.option("--as-written", is_flag=True, help="Run layer by layer as written, without optimisation.")
@click.option(
    "--batch",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Compare on each of these files of inputs: a folder, a quoted pattern or a file; repeatable.",
)
@jobs.options
@limits.options
@usual_options
def command(
    model: str,
    other: str | None,
    source: InputOptions,
    native: bool,
    onnx: Path | None,
    every: bool,
    stat: str,
    fail_fast: bool,
    patterns: tuple[str, ...],
    jobs: int,
    scheduler: str | None,
    settings: CommandSettings,
    output_format: str,
) -> None:
    from irrun.cli import comparing
    from irrun.debugging.faults import DebugError
    from irrun.debugging.layers import Tolerance
    from irrun.debugging.pairs import Pair, PairWork, compare_files, pairs_of, worst_of
    from irrun.evaluation.batch.items import items_of
    from irrun.evaluation.native import required

    if (other is not None) + native + (onnx is not None) != 1:
        raise click.UsageError("expected one of OTHER, --openvino and --onnx")
    if native:
        required("openvino", "--openvino")
    try:
        pairs = pairs_of(model, other) if onnx is None else [Pair(model, Path(model), onnx)]
    except DebugError as error:
        pairs = [Pair(model, Path(model), Path(other) if other is not None else None, str(error))]
    workers = way(jobs, scheduler, 1)
    resolved = settings.resolved(pairs[0].model)
    tolerance = Tolerance(resolved["rtol"].value, resolved["atol"].value, stat)
    work = PairWork(
        {"OPTIMIZE": not settings.as_written, "INFERENCE_NUM_THREADS": workers.threads, **properties(resolved)},
        tolerance,
        **source._asdict(),
        every=every,
        fail_fast=fail_fast,
        extensions=extensions(),
    )
    worst = None
    if patterns:
        if len(pairs) > 1 or fail_fast:
            raise click.UsageError("--batch compares one pair of models on all inputs, without --fail-fast")
        pairs = [pairs[0]._replace(name=item.name, files=(item.path,)) for item in items_of(patterns)]
        records = list(compare_files(replace(work, only_outputs=True, every=False), pairs, workers))
        worst = worst_of(records)
        if worst is not None:
            records[worst] = work(pairs[worst])
    else:
        records = list(compare_files(work, pairs, workers))
    counts = {status: sum(item["status"] == status for item in records) for status in ("equal", "different", "failed")}
    if output_format == "json":
        head = {"worst": None if worst is None else pairs[worst].name} if patterns else {}
        result(values.as_json({"rtol": tolerance.rtol, "atol": tolerance.atol, **counts, **head, "pairs": records}))
    elif len(records) == 1 and not counts["failed"]:
        result(comparing.page(records[0]))
    elif counts["failed"] < len(records):
        done = [item for item in records if item["status"] != "failed"]
        result(comparing.inputs_table(done) if patterns else comparing.table(done))
        if worst is not None:
            result(f"\nworst: {values.printable(pairs[worst].name)}\n\n{comparing.page(records[worst])}")
    _say_failures(records)
    if len(records) > 1:
        note(
            f"{len(records)} {'inputs' if patterns else 'pairs'}: "
            + ", ".join(f"{count} {status}" for status, count in counts.items())
        )
    if counts["failed"] or counts["different"]:
        raise click.exceptions.Exit(CANNOT if counts["failed"] else DIFFERENT)


def _say_failures(records: Sequence[Mapping[str, Any]]) -> None:
    for item in records:
        if item["status"] == "failed":
            is_told = len(records) == 1 or any(
                str(item.get(key)) in item["error"] for key in ("name", "model", "other")
            )
            what = item["error"] if is_told else f"{item['name']}: {item['error']}"
            fail(what)
