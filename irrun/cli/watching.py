"""The options that watch a run: ``--dump``, ``--stats``, ``--stop-at``, and the lines of ``-vv``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import click

from irrun.cli import values
from irrun.cli.console import detail, level, note, result, warn
from irrun.cli.options import Decorator, as_record
from irrun.cli.tables import aligned, columns
from irrun.debugging.places import StepPlace, Watcher
from irrun.diagnostics import amount, listing
from irrun.evaluation.files.targets import refuse_folder, refuse_inputs
from irrun.model import Loaded, Outputs, Session
from irrun.tensor import Array

if TYPE_CHECKING:
    from irrun.debugging.statistics import TensorStatistics
    from irrun.debugging.stopping import FirstNotFinite

STOPPED: Final = 1


class Watch(NamedTuple):
    """The options as they are given."""

    dump: Path | None
    stats: bool
    stop_at: str | None
    names: tuple[str, ...]
    types: tuple[str, ...]

    @property
    def is_asked(self) -> bool:
        return self.dump is not None or self.stats or self.stop_at is not None


watch_options: Decorator = as_record(
    "watch",
    Watch,
    click.option(
        "--dump", type=click.Path(path_type=Path), metavar="TO", help="Write all tensors: a folder or an .npz file."
    ),
    click.option("--stats", is_flag=True, help="Show statistics of the outputs of each layer."),
    click.option(
        "--stop-at",
        metavar="KINDS",
        help="Stop at the first layer that produces nan, inf or f16 (beyond its range), such as nan,inf.",
    ),
    click.option("--outputs", "names", multiple=True, metavar="GLOB", help="Watch only layers with these names."),
    click.option("--outputs-by-type", "types", multiple=True, metavar="GLOB", help="Watch only layers of these types."),
)


class Watched(NamedTuple):
    """The observations of a run that ended, or the place where it stopped."""

    outputs: Outputs | None
    statistics: list[TensorStatistics]
    stopped: FirstNotFinite | None


def watched(
    watch: Watch,
    model: Loaded,
    session: Session,
    run: Callable[[], Outputs],
    inputs: Mapping[int, Array],
    config: dict[str, Any],
) -> Watched:
    """Run a session with the observers that the options ask for."""
    from irrun.debugging.dumping import Dump
    from irrun.debugging.selecting import Selection
    from irrun.debugging.statistics import Statistics
    from irrun.debugging.stopping import KINDS, first_not_finite, kinds_of

    if (watch.names or watch.types) and watch.dump is None and not watch.stats:
        raise click.UsageError("--outputs and --outputs-by-type choose layers for --dump and --stats")
    kinds = kinds_of(watch.stop_at) if watch.stop_at is not None else ()
    selection = Selection(model.graph, watch.names, watch.types)
    statistics = Statistics(selection)
    with ExitStack() as stack:
        if level() > 1:
            session.observers.append(_Narrator(level()))
        if watch.stats:
            session.observers.append(statistics)
        if watch.dump is not None:
            dump = stack.enter_context(Dump(watch.dump, selection, _say_fused))
            session.observers.append(dump)
        found: list[Outputs] = []

        def observed(stop: Watcher) -> Outputs:
            session.observers.append(stop)
            found.append(run())
            return found[0]

        stopped = first_not_finite(model, inputs, kinds, config, observed)
    if watch.dump is not None:
        note(f"wrote {amount(dump.count, 'tensor')} to {watch.dump}")
    if kinds and stopped is None:
        note(f"no layer makes {listing([KINDS[kind] for kind in kinds])} out of inputs without")
    return Watched(found[0] if found else None, statistics.found, stopped)


def _say_fused(name: str, place: StepPlace) -> None:
    warn(
        f'"{values.printable(name)}" is fused with the layers up to "{values.printable(place.name)}", '
        "whose output is seen instead; --as-written computes each layer by itself"
    )


def table(found: Sequence[TensorStatistics]) -> str:
    """Format statistics for a terminal: a row for each output."""
    heads = ["layer", "type", "tensor", "min", "max", "mean", "std", "NaN", "Inf", "zeros", "subnormal", ">f16"]
    rows = [heads]
    for item in found:
        numbers = ["-" if x is None else f"{x:.4g}" for x in (item.min, item.max, item.mean, item.std)]
        counts = [str(n) if n else "-" for n in (item.nan, item.inf, item.zeros, item.subnormals, item.beyond_f16)]
        shape = f"{item.element_type}[{','.join(map(str, item.shape))}]"
        name = item.layer if not item.output else f"{item.layer}.{item.output}"
        runs = f" x{item.runs}" if item.runs > 1 else ""
        rows.append([values.printable(name), item.type, f"{shape}{runs}", *numbers, *counts])
    return aligned(rows, left=3, width=columns())


def refuse_targets(watch: Watch, model: Path, read: Sequence[Path], given: Sequence[Path]) -> None:
    """Raise Failure where the options would write over a file that the command reads."""
    if watch.dump is not None:
        refuse_inputs([watch.dump], read)
        refuse_folder(watch.dump, given)
    if watch.stop_at is not None:
        refuse_folder(_stopped_folder(watch, model), read)


def _stopped_folder(watch: Watch, model: Path) -> Path:
    """Return the folder for the layer at which a run of a model stops."""
    in_dump = watch.dump is not None and watch.dump.suffix != ".npz"
    return watch.dump / "stopped" if watch.dump is not None and in_dump else Path(f"{model.stem}-stopped")


def stop(seen: Watched, watch: Watch, model: Loaded, path: Path, output_format: str) -> NoReturn:
    """Print where a run stopped, write the inputs of the layer, and end with status 1."""
    from irrun.debugging.stopping import save_stopped

    found = seen.stopped
    assert found is not None
    if output_format == "json":
        layers = {"layers": [item.as_dict() for item in seen.statistics]} if watch.stats else {}
        result(values.as_json({"stopped": found.as_dict(), **layers}))
    else:
        result("\n".join([*([f"{table(seen.statistics)}\n"] if seen.statistics else []), *_said(found)]))
    for name in save_stopped(found, model, _stopped_folder(watch, path)):
        note(f"wrote {name}")
    raise click.exceptions.Exit(STOPPED)


def _said(found: FirstNotFinite) -> Iterator[str]:
    from irrun.debugging.stopping import KINDS

    what = f"it makes {KINDS[found.kind]} ({amount(found.count, 'element')}) out of inputs without"
    rounded = f", with all results rounded to {found.precision}" if found.precision else ""
    yield f'stopped at {found.type} "{values.printable(found.layer)}": {what}{rounded}'
    yield from found.causes
    for index, (shape, bounds) in enumerate(zip(found.input_shapes, found.bounds, strict=True)):
        if shape is not None:
            between = "" if bounds is None else f", {bounds[0]:.6g} to {bounds[1]:.6g}"
            yield f"input {index}: [{','.join(map(str, shape))}]{between}"
    if len(found.layers) > 1:
        yield f"the step computes {', '.join(found.layers)}; as written, no layer does it"


class _Narrator(Watcher):
    """Prints a line for each output of each step; with the level 3 its statistics and first values."""

    def __init__(self, level: int) -> None:
        super().__init__()
        self._level = level
        self._began: list[float] = []

    def begins(self, place: StepPlace, inputs: Sequence[Array | None]) -> None:
        del place, inputs
        self._began.append(time.perf_counter())

    def ended(self, place: StepPlace, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> None:
        took = 1000 * (time.perf_counter() - self._began.pop())
        del inputs
        for port, (array, type) in enumerate(zip(outputs, place.step.types, strict=True)):
            name = place.label if len(outputs) == 1 else f"{place.label}.{port}"
            text = f"{values.printable(name)}  {place.step.node.type}  {type}{values.shape_text(array)}  {took:.3f} ms"
            detail(f"{text}{self._more(array, type)}")

    def _more(self, array: Array, type: Any) -> str:
        if self._level < 3:
            return ""
        from irrun.debugging.statistics import statistics_of

        found = statistics_of(array, type)
        words = [f"{name} {getattr(found, name):.4g}" for name in ("min", "max", "mean", "std") if found.runs]
        counts = [f"{count} {word}" for count, word in ((found.nan, "NaN"), (found.inf, "Inf")) if count]
        return "".join(f"  {word}" for word in [*words, *counts]) + f"\n  {values.values_text(array)}"
