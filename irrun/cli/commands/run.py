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

from irrun.cli import inputs, measuring, values, watching
from irrun.cli.batch import BatchOptions, batch_options, classes_option, run_many, say_image
from irrun.cli.compiling import compile_options
from irrun.cli.console import detail, level, note, result, warn
from irrun.cli.failures import Failure
from irrun.cli.findings import say_findings
from irrun.cli.inputs import FILE, InputCommand, InputOptions, usual_options
from irrun.cli.options import count_option, output_option
from irrun.cli.port_values import values_option
from irrun.cli.settings import CommandSettings
from irrun.cli.watching import Watch, stop, watch_options, watched
from irrun.cli.writing import given_files, write_arrays
from irrun.evaluation.files import reading
from irrun.evaluation.files.naming import listed
from irrun.model import Loaded, Outputs, build
from irrun.tensor import Array, ElementType

Tensor = tuple[str, ElementType, Array]
"""The name of an output, its type and its value."""

if TYPE_CHECKING:
    from irrun.linter.given import Values


@click.command(help=__doc__, cls=InputCommand)
@click.argument("model", type=FILE)
@inputs.source_options
@values_option("The value of an input, by name, or by port id for a bare layer; repeatable.", "typed")
@click.option("--random", "randomly", is_flag=True, help="Use random values for inputs without a file.")
@output_option("Write the outputs: a folder, an .npz or an .npy file.")
@count_option("--top", help="Show the N likeliest classes of each row of scores.")
@classes_option
@batch_options
@compile_options
@click.option("--check", is_flag=True, help="Also run in f32, or a file in f16 as written, and show the loss.")
@watch_options
@usual_options
def command(
    model: Path,
    source: InputOptions,
    typed: Values,
    randomly: bool,
    output: Path | None,
    top: int | None,
    classes: list[str],
    batch: BatchOptions,
    settings: CommandSettings,
    check: bool,
    watch: Watch,
    output_format: str,
) -> None:
    config = settings.of(model)
    if classes and top is None:
        raise click.UsageError("--classes names the classes that --top shows, expected --top")
    if batch.patterns:
        if source.files or typed or randomly or check or watch.is_asked or output is None:
            what = "-i, --value, --random, --check, --dump, --stats or --stop-at"
            raise click.UsageError(f"--batch requires -o FOLDER, and cannot be combined with {what}")
        threads = settings.given["threads"]
        run_many(model, source, output, config, output_format, top=top, batch=batch, classes=classes, threads=threads)
        return
    if watch.is_asked:
        watching.refuse_targets(watch, model, source.read(model), given_files(source.files))
    begin = time.perf_counter()
    loaded, _ = source.load(model)
    if output is not None:
        from irrun.evaluation.files import saving

        saving.check_target(output, len(loaded.outputs))
    given = _given(loaded, source, typed, config, batch, randomly=randomly)
    say_image(given, loaded, batch.preparation)
    if check and _rounds_nothing(config) and not _is_half(loaded):
        raise Failure("--check compares a precision with f32; give --precision bf16 or f16")
    compiled = build(loaded, config)
    given = reading.completed(given, loaded, source.seed)
    say_findings(loaded, model)
    detail(f"read and planned in {_since(begin)}: {len(compiled.plan.steps)} steps")
    begin = time.perf_counter()
    session = compiled.session()
    arrays = reading.by_index(given)

    def run() -> Outputs:
        with inputs.told(given, model):
            return session.run(arrays)

    seen = watched(watch, loaded, session, run, arrays, config) if watch.is_asked or level() > 1 else None
    outputs = run() if seen is None else seen.outputs
    took = _since(begin)
    detail(f"run in {took}")
    if level() > 0:
        for title, text in measuring.tier_rows(compiled.executor.account):
            detail(f"  {title:9} {text}")
    if seen is not None and seen.stopped is not None:
        stop(seen, watch, loaded, model, output_format)
    assert outputs is not None
    names = (port.any_name for port in outputs.to_dict())
    tensors = list(zip(names, compiled.output_types, outputs.to_tuple(), strict=True))
    if not tensors:
        raise Failure("the model has no outputs")
    best = _likeliest(outputs, top, classes) if top is not None else []
    statistics = seen.statistics if seen is not None and watch.stats else None
    error = None
    if check:
        from irrun.debugging.loss import precision_loss

        with inputs.told(given, model):
            error = precision_loss(loaded, arrays, config, outputs.to_tuple())
        if error["lost"] is not None:
            warn(measuring.lost_text(error["lost"]))
    if output_format == "json":
        record: dict[str, Any] = {
            "outputs": [_record(*tensor) for tensor in tensors],
            **({"top": best} if best else {}),
        }
        record["execution"] = compiled.executor.account
        if statistics is not None:
            record["layers"] = [item.as_dict() for item in statistics]
        result(values.as_json(record if error is None else record | {"error": error}))
    else:
        if statistics is not None:
            result(f"{watching.table(statistics)}\n")
        _show(tensors, best, error, config)
    if output is not None:
        read = [*source._replace(files=()).read(model), *(value.file for value in given if value.file is not None)]
        _write(output, outputs, compiled.output_types, read)


def _given(
    model: Loaded,
    source: InputOptions,
    typed: Values,
    config: Mapping[str, Any],
    batch: BatchOptions,
    *,
    randomly: bool,
) -> list[reading.InputValue]:
    """Return the inputs that files and texts give; Failure where one is missing and must not be random."""
    budget = config.get("MAX_MEMORY")
    given = reading.from_files(source.files, model.inputs, budget=budget, preparation=batch.preparation, model=model)
    given += inputs.from_texts(model, typed, given)
    missing = reading.missing(given, model.inputs)
    if missing and not randomly:
        what = f"no value for input {listed(missing)}"
        raise Failure(f'{what}; give -i "{missing[0].any_name}=FILE.npy" or --random')
    return given


def _likeliest(outputs: Outputs, count: int, names: Sequence[str]) -> list[Any]:
    from irrun.evaluation.likeliest import MOST_ROWS, likeliest

    best = likeliest(outputs.to_tuple(), count, names)
    if not best:
        note(f"--top shows up to {MOST_ROWS} rows of scores, and no output has such rows")
    return best


def _show(
    tensors: Sequence[Tensor], best: Sequence[Any], error: Mapping[str, Any] | None, config: Mapping[str, Any]
) -> None:
    result(values.table(tensors))
    if error is not None:
        result(f"\n{measuring.rounding_text(error)}")
    for name, _, array in tensors:
        if array.dtype.kind == "f" and array.size and np.isnan(array).all():
            warn(f'every value of output "{values.printable(name)}" is NaN{_advice(config)}')
    for line in values.top_lines(best):
        result(f"top: {line}")


def _is_half(model: Loaded) -> bool:
    from irrun.debugging.stopping import is_half

    return is_half(model)


def _rounds_nothing(config: Mapping[str, Any]) -> bool:
    return config["INFERENCE_PRECISION_HINT"] == "f32" and not config["DYNAMIC_QUANTIZATION_GROUP_SIZE"]


def _advice(config: Mapping[str, Any]) -> str:
    """Return what else may be tried where outputs are NaN; nothing where the model runs as written in f32."""
    if not _rounds_nothing(config):
        return "; --precision f32 --dynamic-quantization 0 computes in f32"
    return "; --as-written runs without optimisation" if config["OPTIMIZE"] else ""


def _record(name: str, type: ElementType, array: Array) -> dict[str, Any]:
    few = {"values": array.tolist()} if array.size <= values.FEW else {}
    return {"name": name, "type": str(type), "shape": list(array.shape), **values.statistics(array), **few}


def _write(path: Path, outputs: Outputs, types: Sequence[ElementType], inputs: Sequence[Path]) -> None:
    from irrun.evaluation.files import saving

    names = saving.output_names(outputs.to_dict())
    named = dict(zip(names, zip(outputs.to_tuple(), types, strict=True), strict=True))
    for name, member in zip(named, saving.member_names(named), strict=True):
        if path.suffix == ".npz" and member != name:
            note(f'"{values.printable(name)}" is not a safe file name: it is written as "{member}"')
    write_arrays(path, named, inputs)


def _since(begin: float) -> str:
    return f"{1000 * (time.perf_counter() - begin):.1f} ms"
