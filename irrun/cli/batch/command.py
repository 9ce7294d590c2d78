"""``irrun run --batch``: from its options to the records, and what is said of them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from irrun.cli import values
from irrun.cli.batch.options import Batch
from irrun.cli.console import fail, note, result
from irrun.cli.extending import extensions
from irrun.cli.failures import CANNOT
from irrun.cli.findings import say_findings
from irrun.cli.inputs import Source
from irrun.diagnostics import amount
from irrun.evaluation.batch.running import problem, run_batch
from irrun.jobs import way


def run_many(
    model: Path,
    source: Source,
    folder: Path,
    config: Mapping[str, Any],
    output_format: str,
    *,
    top: int | None,
    batch: Batch,
    threads: int | None,
) -> None:
    """Run a model on many inputs, and print what was done; the exit status is 2 where an input has failed."""
    if batch.steps and batch.size > 1:
        raise click.UsageError("--steps and --batch-size are given, expected only one of them")
    found = run_batch(
        model,
        batch.patterns,
        folder,
        config,
        weights=source.weights,
        shapes=source.shapes,
        extensions=[str(Path(path).absolute()) for path in extensions()],
        records=batch.records,
        batch_size=batch.size,
        steps=batch.steps,
        preparation=batch.preparation,
        top=top,
        workers=way(*batch.workers, threads),
    )
    say_findings(found.model, model)
    if found.before:
        rest = f"{found.left} {'is' if found.left == 1 else 'are'} left" if found.left else "nothing is left to do"
        note(
            f"{found.before} {'input is' if found.before == 1 else 'inputs are'} done, as {found.records} says; {rest}"
        )
    failed, begin = 0, time.perf_counter()
    with closing(iter(found)) as records:
        for record in records:
            if record["status"] == "failed":
                failed += 1
                fail(problem(record))
            for line in values.top_lines(record.get("top", ())) if output_format != "json" else ():
                result(f"{values.printable(record['input'])}: {line}")
    done, seconds = found.left - failed, time.perf_counter() - begin
    if output_format == "json":
        result(values.as_json({"done": done, "before": found.before, "failed": failed, "seconds": seconds}))
    else:
        rate = f" in {seconds:.1f} s, {done / seconds:,.1f} inputs/s" if done else ""
        before = f", {found.before} before" if found.before else ""
        result(f"{amount(done, 'input')} done{rate}{before}, {failed} failed")
    if done or failed:
        note(f"wrote {folder} and {found.records}")
    if found.table is not None:
        note(f"wrote {found.table}")
    if failed:
        raise click.exceptions.Exit(CANNOT)
