"""``irrun run --batch``: from its options to the driver."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from irrun.cli import inputs, values
from irrun.cli.batch import run as driver
from irrun.cli.batch import table as parquet
from irrun.cli.batch.items import Item, items_of
from irrun.cli.batch.options import Batch
from irrun.cli.batch.records import RECORDS, Records
from irrun.cli.batch.work import Inference
from irrun.cli.console import note, result
from irrun.cli.extending import extensions
from irrun.cli.failures import CANNOT, Failure
from irrun.cli.findings import say_findings
from irrun.cli.jobs import Way
from irrun.cli.writing import read_files, refuse_inputs, refuse_standard_output
from irrun.diagnostics import amount, listing, near_match
from irrun.model import load

_NUMERICS: Final = ("OPTIMIZE", "LOW_MEMORY", "INFERENCE_PRECISION_HINT", "DYNAMIC_QUANTIZATION_GROUP_SIZE")
"""Settings that change results."""


def run_many(
    model: Path,
    weights: Path | None,
    patterns: Sequence[str],
    folder: Path,
    config: Mapping[str, Any],
    shapes: Sequence[str],
    output_format: str,
    *,
    top: int | None = None,
    batch: Batch,
    way: Way,
) -> None:
    """Run a model on many inputs, and print what was done; the exit status is 2 where an input has failed."""
    refuse_standard_output(folder)
    if folder.suffix in (".npy", ".npz") or (folder.exists() and not folder.is_dir()):
        raise Failure(f"-o {folder} is a file, expected a folder for the outputs of many inputs")
    lines, table = _record_files(batch.records, folder / RECORDS)
    if batch.steps and batch.size > 1:
        raise click.UsageError("--steps and --batch-size are given, expected only one of them")
    items = items_of(patterns, folder)
    read = [*read_files(model, weights), *(Path(item.path) for item in items)]
    refuse_inputs([lines, *(() if table is None else (table,))], read)
    loaded = load(model, weights, extensions=extensions())
    loaded, _ = inputs.reshape(loaded, shapes)
    if batch.size > 1:
        driver.check_batches(loaded)
    say_findings(loaded, model)
    config = {"TIER": os.environ.get("IRRUN_TIER", "auto"), **config, "INFERENCE_NUM_THREADS": way.threads}
    work = Inference(
        model,
        weights,
        config,
        shapes=shapes,
        extensions=[str(Path(path).absolute()) for path in extensions()],
        folder=folder,
        preparation=batch.preparation,
        stateful=batch.steps,
        top=top,
        travels=way.scheduler is not None,
    )
    stamps = [path.stat() for path in (model, weights or model.with_suffix(".bin")) if path.exists()]
    numerics = [config.get(name) for name in _NUMERICS]
    files = [(item.st_size, item.st_mtime_ns) for item in stamps]
    shown = () if top is None else (top,)
    identity = repr((model.name, files, tuple(shapes), batch.preparation, batch.steps, numerics, *shown))
    begin = time.perf_counter()
    todo = driver.groups(items, batch.size, stateful=batch.steps)
    kept = Records(lines, hashlib.sha256(identity.encode()).hexdigest()[:16])
    try:
        done, before, failed = driver.run(work, todo, kept, way, show=output_format != "json")
    finally:
        if table is not None:
            _write_table(table, kept.latest(), items)
    seconds = time.perf_counter() - begin
    record = {"done": done, "before": before, "failed": failed, "seconds": seconds}
    if output_format == "json":
        result(values.as_json(record))
    else:
        rate = f" in {seconds:.1f} s, {done / seconds:,.1f} inputs/s" if done else ""
        result(f"{amount(done, 'input')} done{rate}" + (f", {before} before" if before else "") + f", {failed} failed")
    if done or failed:
        note(f"wrote {folder} and {lines}")
    if table is not None:
        note(f"wrote {table}")
    if failed:
        raise click.exceptions.Exit(CANNOT)


def _record_files(given: Path | None, usual: Path) -> tuple[Path, Path | None]:
    """Return the file of lines, and that of the table where one is wanted; Failure where it cannot be written."""
    if given is None or given.suffix == usual.suffix:
        return given or usual, None
    if given.suffix != parquet.SUFFIX:
        known = (usual.suffix, parquet.SUFFIX)
        close = near_match(given.suffix, known) or f", expected {listing(known)}"
        raise Failure(f"--records {given}: records are not written to {given.suffix or 'such'} files{close}")
    parquet.require()
    return usual, given


def _write_table(path: Path, latest: Mapping[str, Mapping[str, Any]], items: Sequence[Item]) -> None:
    parquet.write(path, [dict(latest[item.path]) for item in items if item.path in latest])
