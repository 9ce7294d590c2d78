"""The damage that rounding each layer does to the outputs of a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from irrun.debugging.faults import DebugError
from irrun.debugging.places import StepPlace, Watcher
from irrun.debugging.rounding import (
    constant_slots,
    exact_in,
    in_f32,
    inputs_of,
    rounded_plan,
    rounded_step,
    steps_that_round,
)
from irrun.debugging.stopping import AS_WRITTEN
from irrun.jobs.progress import told
from irrun.model import Loaded
from irrun.model.arguments import accept
from irrun.model.config import read_config
from irrun.runtime import Plan, Request, Step, execute
from irrun.runtime.execute import FAILURES, Numerics, asked, conformed
from irrun.tensor import Array, Shape

_USUAL: Final = 0.01
"""The error to reach where outputs are lost."""


@dataclass(frozen=True, slots=True)
class LayerDamage:
    """The costs of rounding a layer, each as the length of an error in proportion to that of the exact tensor.

    ``own`` is the error of its results for exact inputs. ``alone`` is that of the outputs if only this layer is
    rounded, ``without`` if all are but this one; None where that was not tried. ``layers`` are those that are
    computed together with it.
    """

    layer: str
    type: str
    layers: tuple[str, ...]
    own: float
    alone: float | None = None
    without: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return a record, ready for JSON or pandas."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Kept:
    """The error of the outputs if the layers up to this one stay in f32."""

    layer: str
    layers: tuple[str, ...]
    error: float


@dataclass(frozen=True, slots=True)
class PrecisionReport:
    """The layers by the damage that they do alone, and the error of the outputs if all are rounded.

    ``keep`` tells what is gained by keeping the worst ones in f32, as many as it takes to reach ``target``.
    """

    precision: str
    predicted: float
    target: float
    layers: tuple[LayerDamage, ...]
    keep: tuple[Kept, ...]

    @property
    def kept(self) -> tuple[str, ...]:
        """The names of all layers to keep in f32."""
        return tuple(name for item in self.keep for name in item.layers)


def rank_layers(
    model: Loaded,
    inputs: Any,
    name: str,
    *,
    tried: int = 50,
    target: float | None = None,
    most_kept: int = 10,
) -> PrecisionReport:
    """Rank the layers of a model by the damage that rounding to bf16, f16 or int8 does to its outputs.

    ``tried`` limits the layers that are rounded one at a time: those whose own results err most. ``target`` is the
    error that keeping layers in f32 is to reach, by default half of that of rounding all; where that is infinite,
    because outputs are lost, a hundredth.
    """
    trial = _Trial(model, inputs, name)
    own = trial.own_errors()
    order = sorted(trial.numbers, key=lambda number: -own.get(number, 0.0))
    alone = {number: trial.error([number]) for number in told(order[:tried], "rounding each layer alone")}
    order.sort(key=lambda number: (-alone.get(number, -1.0), -own.get(number, 0.0)))
    predicted = trial.error(trial.numbers)
    wanted = target if target is not None else predicted / 2 if np.isfinite(predicted) else _USUAL
    rounded = told(order[:most_kept], "rounding all layers but one")
    without = {number: trial.error(trial.all_but([number])) for number in rounded}
    keep = _kept(trial, order, predicted, wanted, most_kept, own)
    damages = [
        LayerDamage(
            trial.name(number),
            trial.steps[number].node.type,
            trial.layers(number),
            own.get(number, 0.0),
            alone.get(number),
            without.get(number),
        )
        for number in order
    ]
    return PrecisionReport(name, predicted, wanted, tuple(damages), keep)


def _kept(
    trial: _Trial, order: Sequence[int], predicted: float, wanted: float, most: int, own: Mapping[int, float]
) -> tuple[Kept, ...]:
    """Return the layers to keep in f32, the worst first, without those that make the error no smaller.

    While outputs are lost, those whose own results are lost stay, as each of them is enough for that.
    """
    numbers: list[int] = []
    found: list[Kept] = []
    for number in told(order[: 2 * most], "choosing layers to keep"):
        error = found[-1].error if found else predicted
        if len(found) == most or error <= wanted:
            break
        rest = trial.error(trial.all_but([*numbers, number]))
        if rest < error or (np.isinf(error) and np.isinf(own.get(number, 0.0))):
            numbers.append(number)
            found.append(Kept(trial.name(number), trial.layers(number), rest))
    return tuple(found)


def first_rounded(model: Loaded, inputs: Any, name: str, rtol: float) -> tuple[int, float]:
    """Return the first layer whose results for exact inputs rounding changes by more than a tolerance, and by how much.

    Layers are those of the model as written. A layer whose results are lost comes before others; the one that is
    changed most where none exceeds the tolerance.
    """
    trial = _Trial(model, inputs, name, as_written=True)
    own = trial.own_errors()
    if not own:
        raise DebugError("the model has no layer that rounding changes")
    wrong = [number for number in sorted(own) if own[number] > rtol]
    lost = [number for number in wrong if np.isinf(own[number])]
    first = next(iter((*lost, *wrong)), max(own, key=lambda number: own[number]))
    return trial.steps[first].node.id, own[first]


class _Trial:
    """A model in f32, and with some of its steps rounded: those that an engine rounds, or all ``as_written``."""

    def __init__(self, model: Loaded, inputs: Any, name: str, *, as_written: bool = False) -> None:
        self._name = name
        shapes = {port.any_name: Shape(array.shape) for port, array in _pairs(model, inputs)}
        open_ = {port.any_name for port in model.inputs if not port.partial_shape.is_static}
        fixed = {key: shape for key, shape in shapes.items() if key in open_}
        model = model.reshaped(fixed) if fixed else model
        is_layered = as_written or name in ("int8", "f16")
        config = read_config(AS_WRITTEN if is_layered else {"TIER": "numpy"})
        model = in_f32(model) if is_layered else model
        self._plan: Plan = model.plan(config.optimize, config.budget)
        self._arrays = accept(model.inputs, inputs_of(model, inputs), self._plan.parameter_types, model.means())
        self.steps = self._plan.steps
        self.numbers = steps_that_round(self._plan, name, every=as_written)
        self._exact_results = frozenset() if as_written else exact_in(self._plan, name).results
        self._exact = self._run(self._plan)

    def _run(self, plan: Plan, observers: Sequence[Any] = ()) -> tuple[Array, ...]:
        request = Request(self._arrays, observers=observers, budget=plan.budget)
        return tuple(array.copy() for array in execute(plan, request))

    def error(self, numbers: Collection[int]) -> float:
        """Return the error of the outputs if some steps are rounded."""
        return distance(self._exact, self._run(rounded_plan(self._plan, self._name, numbers)))

    def all_but(self, exact: Collection[int]) -> list[int]:
        """Return the numbers of the steps that are rounded where some are not."""
        return [number for number in self.numbers if number not in exact]

    def own_errors(self) -> dict[int, float]:
        """Return the error of the results of each step for exact inputs."""
        constant = constant_slots(self._plan)
        steps = {
            n: rounded_step(self.steps[n], self._name, constant, results=n not in self._exact_results)
            for n in self.numbers
        }
        observer = _OwnErrors({id(self.steps[n].node): (n, step) for n, step in steps.items()})
        self._run(self._plan, [observer])
        return observer.found

    def name(self, number: int) -> str:
        return self.layers(number)[-1]

    def layers(self, number: int) -> tuple[str, ...]:
        return self.steps[number].layers


class _OwnErrors(Watcher):
    """Computes each of some steps again with rounding."""

    def __init__(self, steps: dict[int, tuple[int, Step]]) -> None:
        super().__init__()
        self.found: dict[int, float] = {}
        self._steps = steps
        self._made: dict[int, list[Array]] = {}

    def begins(self, place: StepPlace, inputs: Sequence[Array | None]) -> None:
        number, step = self._steps.get(id(place.step.node), (-1, None))
        if step is None or place.around:
            return
        try:
            with Numerics():
                self._made[number] = [x.copy() for x in conformed(step, step.run(*inputs, **asked(step, Request())))]
        except FAILURES:
            self._made.pop(number, None)

    def ended(self, place: StepPlace, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> None:
        del inputs
        number, step = self._steps.get(id(place.step.node), (-1, None))
        made = self._made.pop(number, None)
        if step is not None and made is not None and not place.around:
            self.found[number] = distance(outputs, made)


def distance(exact: Sequence[Array], others: Sequence[Array]) -> float:
    """Return the largest length of an error in proportion to that of the exact array; infinite where one is lost.

    Arrays that are not floats, and exact ones of no finite length, are left out; a length of 0 where nothing is lost.
    """
    found = [0.0]
    for one, other in zip(exact, others, strict=True):
        if one.dtype.kind != "f" or one.shape != other.shape:
            continue
        with np.errstate(all="ignore"):
            length = float(np.linalg.norm(one.astype(np.float64)))
            gap = float(np.linalg.norm(other.astype(np.float64) - one))
        if np.isfinite(length) and not np.isfinite(gap):
            found.append(np.inf)
        elif np.isfinite(length) and length > 0:
            found.append(gap / length)
    return max(found)


def _pairs(model: Loaded, inputs: Any) -> list[tuple[Any, Array]]:
    if isinstance(inputs, dict):
        return [(model.input(key), np.asarray(value)) for key, value in inputs.items()]
    return list(zip(model.inputs, map(np.asarray, inputs), strict=True))
