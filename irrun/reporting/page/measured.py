"""What a run adds to the page: times, statistics of tensors, and errors beside another side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from irrun.debugging.layers import LayerDifference, compare_layers
from irrun.debugging.places import StepPlace, Watcher
from irrun.debugging.selecting import Selection
from irrun.debugging.sides import Side, run_as_written
from irrun.debugging.statistics import Statistics, TensorStatistics
from irrun.jobs.progress import told
from irrun.model import Loaded
from irrun.runtime.observers import Profiler
from irrun.runtime.plan import Step
from irrun.tensor import Array

_RUNS: Final = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds and statistics by the key of a layer, and errors of the layers of the model itself by node."""

    times: Mapping[str, float] = field(default_factory=dict)
    statistics: Mapping[str, Sequence[TensorStatistics]] = field(default_factory=dict)
    errors: Mapping[int, LayerDifference] = field(default_factory=dict)
    beside: str = ""


def measure(model: Loaded, inputs: Any, config: Mapping[str, Any], side: Side | None = None) -> Measured:
    """Run a model as written, and return what was seen; with ``side`` also the errors beside it."""
    statistics = Statistics(Selection(model.graph))
    run_as_written(model, inputs, config, statistics)
    found: dict[str, list[TensorStatistics]] = {}
    for item in statistics.found:
        found.setdefault(item.layer, []).append(item)
    errors: dict[int, LayerDifference] = {}
    if side is not None:
        for difference in compare_layers(model, inputs, side, config=config).layers:
            errors.setdefault(difference.id, difference)
    return Measured(_times(model, inputs, config), found, errors, "" if side is None else side.name)


def inputs_of(other: Loaded, model: Loaded, inputs: Mapping[int, Array]) -> dict[int, Array] | None:
    """Return the inputs of a model for another one, by name or by place; None where it has others."""
    ports, by_name = other.inputs, {port.any_name: inputs[port.index] for port in model.inputs}
    if len(ports) != len(inputs):
        return None
    is_named = {port.any_name for port in ports} == by_name.keys()
    pairs = [(port, by_name[port.any_name] if is_named else inputs[port.index]) for port in ports]
    fits = all(port.partial_shape.admits(array.shape) for port, array in pairs)
    return {port.index: array for port, array in pairs} if fits else None


def _times(model: Loaded, inputs: Any, config: Mapping[str, Any]) -> dict[str, float]:
    """Return the median time of each layer in milliseconds, for all iterations of a layer in a body together."""
    watcher = _Timer()
    for _ in told(range(_RUNS), "timing", unit="runs"):
        run_as_written(model, inputs, config, watcher)
    profiler = watcher.profiler
    return {watcher.keys[id(timing.step)]: timing.median * len(timing.own) / _RUNS / 1e6 for timing in profiler.timings}


class _Timer(Watcher):
    """A profiler that knows the keys of steps."""

    def __init__(self) -> None:
        super().__init__()
        self.profiler = Profiler()
        self.keys: dict[int, str] = {}
        self._steps: list[Step] = []

    def begins(self, place: StepPlace, inputs: Sequence[Array | None]) -> None:
        self.keys[id(place.step)] = place.key
        self._steps.append(place.step)
        self.profiler.before(place.step, inputs)

    def ended(self, place: StepPlace, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> None:
        del inputs
        self.profiler.after(place.step, outputs)
