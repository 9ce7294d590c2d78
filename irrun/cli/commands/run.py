"""Run a model and show its outputs.

Inputs come from NumPy files, or are random.

Refer to an input by the name of its layer or tensor. For a model with one input, a file is enough; an .npz file may
hold several inputs by name. A model may be a bare <layer>.

\b
Examples:
  irrun run model.xml -i image=cat.npy
  irrun run model.xml -i image=cat.npy --top 5
  irrun run model.xml -i ids=ids.npy -i mask=mask.npy -o outputs/
  irrun run model.xml -i all_inputs.npz -o outputs.npz
  irrun run model.xml --random --seed 7
  irrun run tile.xml --random --value repeats=1,2,3
  irrun run model.xml --random --shape 'image[4,3,224,224]'
  irrun run model.xml -i image=cat.npy --precision bf16 --check
  irrun run model.xml -i image=cat.npy --dump tensors/ --outputs 'conv*'
  irrun run model.xml -i image=cat.npy --stats --stop-at nan,inf
  irrun run model.xml --batch 'inputs/*.npy' -o outputs/ --jobs 4
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from irrun.cli import execution, inputs, precision, values, watching
from irrun.cli.batch.options import Batch, batch_options
from irrun.cli.compiling import Compilation, compile_options
from irrun.cli.console import detail, level, note, result, text_or_json, verbosity, warn
from irrun.cli.extending import extension_option, extensions
from irrun.cli.failures import Failure
from irrun.cli.findings import say_findings
from irrun.cli.inputs import FILE
from irrun.cli.jobs import Workers
from irrun.cli.port_values import values_option
from irrun.cli.watching import Watch, stop, watch_options, watched
from irrun.cli.writing import given_files, read_files
from irrun.evaluation.classes import likeliest
from irrun.evaluation.execution import tiers_used
from irrun.evaluation.files import reading
from irrun.evaluation.files.naming import listed
from irrun.model import Outputs, build, load
from irrun.tensor import Array, ElementType

if TYPE_CHECKING:
    from irrun.debugging.statistics import TensorStatistics
    from irrun.linter.given import Values


@click.command(help=__doc__)
@click.argument("model", type=FILE)
@inputs.options
@values_option("The value of an input, by name, or by port id for a bare layer; repeatable.", "typed")
@click.option("--random", "randomly", is_flag=True, help="Use random values for inputs without a file.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write the outputs: a folder, an .npz or an .npy file."
)
@click.option(
    "--top", type=click.IntRange(min=1), metavar="N", help="Show the N likeliest classes of each row of scores."
)
@batch_options
@compile_options(precision.option)
@click.option("--check", is_flag=True, help="Also run in f32, and show the loss of accuracy.")
@watch_options
@extension_option
@text_or_json
@verbosity
def command(
    model: Path,
    files: tuple[str, ...],
    typed: Values,
    randomly: bool,
    seed: int,
    shapes: tuple[str, ...],
    weights: Path | None,
    output: Path | None,
    top: int | None,
    patterns: tuple[str, ...],
    compilation: Compilation,
    precision_name: str | None,
    check: bool,
    watch: Watch,
    output_format: str,
    batch: Batch,
    workers: Workers,
) -> None:
    config = compilation.settings(model, precision_name)
    if patterns:
        if files or typed or randomly or check or watch.is_asked or output is None:
            what = "-i, --value, --random, --check, --dump, --stats or --stop-at"
            raise click.UsageError(f"--batch requires -o FOLDER, and cannot be combined with {what}")
        from irrun.cli.batch.command import run_many
        from irrun.jobs import way

        spread = way(*workers, compilation.threads)
        run_many(model, weights, patterns, output, config, shapes, output_format, top=top, batch=batch, way=spread)
        return
    read = read_files(model, weights, files)
    watching.refuse_targets(watch, model, read, given_files(files))
    begin = time.perf_counter()
    loaded = load(model, weights, extensions=extensions())
    loaded, _ = inputs.reshape(loaded, shapes)
    if output is not None:
        from irrun.evaluation.files import saving

        saving.check_target(output, len(loaded.outputs))
    budget = config.get("MAX_MEMORY")
    given = reading.from_files(files, loaded.inputs, budget=budget, preparation=batch.preparation, model=loaded)
    given += inputs.from_texts(loaded, typed, given)
    missing = reading.missing(given, loaded.inputs)
    if missing and not randomly:
        what = f"no value for input {listed(missing)}"
        raise Failure(f'{what}; give -i "{missing[0].any_name}=FILE.npy" or --random')
    if check and config[precision.HINT] == "f32" and not config[precision.GROUP_SIZE]:
        raise Failure("--check compares a precision with f32; give --precision bf16 or f16")
    compiled = build(loaded, config)
    given = reading.completed(given, loaded.inputs, seed)
    say_findings(loaded, model)
    detail(f"read and planned in {_since(begin)}: {len(compiled.plan.steps)} steps")
    begin = time.perf_counter()
    session = compiled.session()
    run = inputs.runner(session, given, model)
    seen = watched(watch, loaded, session, run, given, config) if watch.is_asked or level() > 1 else None
    outputs = run() if seen is None else seen.outputs
    took = _since(begin)
    detail(f"run in {took}")
    how = tiers_used(compiled.tiers)
    for title, text in execution.rows(how):
        detail(f"  {title:9} {text}")
    if seen is not None and seen.stopped is not None:
        stop(seen, watch, loaded, model, output_format)
    assert outputs is not None
    error = None
    if check:
        from irrun.debugging.loss import precision_loss

        with inputs.told(given, model):
            error = precision_loss(loaded, reading.by_index(given), config, outputs.to_tuple())
    statistics = seen.statistics if seen is not None and watch.stats else None
    _show(outputs, compiled.output_types, output_format, top, error, _advice(config), statistics, how)
    if output is not None:
        read = [model, weights or model.with_suffix(".bin")]
        read += [value.file for value in given if value.file is not None]
        _write(output, outputs, compiled.output_types, read)


def _show(
    outputs: Outputs,
    types: Sequence[ElementType],
    output_format: str,
    top: int | None,
    error: dict[str, Any] | None,
    advice: str,
    statistics: Sequence[TensorStatistics] | None,
    how: Mapping[str, Any],
) -> None:
    tensors = [
        (port.any_name, type, array) for (port, array), type in zip(outputs.to_dict().items(), types, strict=True)
    ]
    if not tensors:
        raise Failure("the model has no outputs")
    best = likeliest((array for _, _, array in tensors), top) if top is not None else []
    if top is not None and not best:
        note(f"--top shows up to {values.FEW} rows of scores, and no output has such rows")
    if output_format == "json":
        record = _record(tensors, best) | {"execution": how}
        if statistics is not None:
            record["layers"] = [item.as_dict() for item in statistics]
        result(values.as_json(record if error is None else record | {"error": error}))
        return
    if statistics is not None:
        result(f"{watching.table(statistics)}\n")
    result(values.table(tensors))
    if error is not None:
        from irrun.cli import rounding

        result(f"\n{rounding.text(error)}")
    for name, _, array in tensors:
        if array.dtype.kind == "f" and array.size and np.isnan(array).all():
            warn(f'every value of output "{values.printable(name)}" is NaN{advice}')
    for line in values.top_lines(best):
        result(f"top: {line}")


def _advice(config: Mapping[str, Any]) -> str:
    """Return what else may be tried where outputs are NaN; nothing where the model runs as written in f32."""
    if config[precision.HINT] != "f32" or config[precision.GROUP_SIZE]:
        return "; --precision f32 --dynamic-quantization 0 computes in f32"
    return "; --as-written runs without optimisation" if config["OPTIMIZE"] else ""


def _record(
    tensors: Sequence[tuple[str, ElementType, Array]],
    likeliest: Sequence[Sequence[Mapping[str, Any]]],
) -> dict[str, Any]:
    record: dict[str, Any] = {
        "outputs": [
            {
                "name": name,
                "type": str(type),
                "shape": list(array.shape),
                **values.statistics(array),
                **({"values": array.tolist()} if array.size <= values.FEW else {}),
            }
            for name, type, array in tensors
        ]
    }
    if likeliest:
        record["top"] = likeliest
    return record


def _write(path: Path, outputs: Outputs, types: Sequence[ElementType], inputs: Sequence[Path]) -> None:
    from irrun.evaluation.files import saving

    names = saving.output_names(outputs.to_dict())
    named = dict(zip(names, zip(outputs.to_tuple(), types, strict=True), strict=True))
    for sentence in saving.widened(named):
        note(sentence)
    for name, member in zip(named, saving.member_names(named), strict=True):
        if path.suffix == ".npz" and member != name:
            note(f'"{values.printable(name)}" is not a safe file name: it is written as "{member}"')
    for written in saving.save(path, named, inputs):
        note(f"wrote {written}")


def _since(begin: float) -> str:
    return f"{1000 * (time.perf_counter() - begin):.1f} ms"
