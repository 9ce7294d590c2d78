"""The first layer of a run that makes a value which is not finite."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, TypedDict

import numpy as np

from irrun.debugging.cutting import around, constant_nodes, save
from irrun.debugging.faults import DebugError
from irrun.debugging.nonfinite import causes_of
from irrun.debugging.places import StepPlace, Watcher
from irrun.debugging.statistics import HALF_MAX, blocks
from irrun.diagnostics import listing, near_match
from irrun.evaluation.files.saving import save_arrays
from irrun.model import Loaded, Outputs, build
from irrun.runtime.observers import Shapes, shapes
from irrun.tensor import Array
from irrun.tensor.element_type import F16

KINDS: Final[dict[str, str]] = {"nan": "NaN", "inf": "Inf", "f16": "values beyond the range of f16"}
"""The values that a run may stop at, with their names in messages."""

Kind = Annotated[str, {"enum": [*KINDS]}]

AS_WRITTEN: Final[dict[str, Any]] = {
    "OPTIMIZE": False,
    "INFERENCE_PRECISION_HINT": "f32",
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
}
"""The settings of a run layer by layer."""


def kinds_of(text: str) -> tuple[str, ...]:
    """Read names of kinds between commas; DebugError for an unknown one."""
    kinds = tuple(dict.fromkeys(item.strip().lower() for item in text.split(",")))
    for kind in kinds:
        if kind not in KINDS:
            what = f'"{kind}" is nothing to stop at, expected {listing(list(KINDS))}'
            raise DebugError(f"{what}{near_match(kind, KINDS)}")
    return kinds


class Stopped(Exception):
    """A step has made a value of a kind that none of its inputs has. The arrays are copies."""

    def __init__(
        self, place: StepPlace, kind: str, count: int, inputs: Sequence[Array | None], outputs: Sequence[Array]
    ) -> None:
        super().__init__(f"{place.label} makes {KINDS[kind]}")
        self.place = place
        self.kind = kind
        self.count = count
        self.inputs: tuple[Array | None, ...] = tuple(None if array is None else array.copy() for array in inputs)
        self.outputs: tuple[Array, ...] = tuple(array.copy() for array in outputs)


class Stop(Watcher):
    """Raises Stopped after the first step with a value of one of some kinds in its outputs, and none in its inputs."""

    def __init__(self, kinds: Sequence[str]) -> None:
        super().__init__()
        self._kinds = tuple(kinds)
        self.fused: bool = False
        """True where a step computed several layers, so that the values between them were not seen."""

    def ended(self, place: StepPlace, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> None:
        self.fused |= len(place.layers) > 1
        for kind in self._kinds:
            count = sum(map(_COUNTS[kind], outputs))
            if count and not any(_COUNTS[kind](array) for array in inputs if array is not None):
                raise Stopped(place, kind, count, inputs, outputs)


class StopRecord(TypedDict):
    """The layer at which a run stops; ``precision`` is empty unless results were rounded to it."""

    layer: str
    type: str
    kind: Kind
    count: int
    layers: list[str]
    input_shapes: list[list[int] | None]
    bounds: list[tuple[float, float] | None]
    causes: list[str]
    precision: str


@dataclass(frozen=True, slots=True)
class FirstNotFinite:
    """The first layer that makes a value of a kind out of inputs without one.

    ``layers`` are those of a fused step where the layers as written do not make it, else only the layer. ``inputs`` are
    None where absent. ``bounds`` are the lowest and the highest finite value of each float input. ``causes`` say in
    words where in the layer it begins. ``precision`` is that to which the results of all layers were rounded, if any.
    """

    layer: str
    type: str
    kind: str
    count: int
    layers: tuple[str, ...]
    input_shapes: Shapes
    bounds: tuple[tuple[float, float] | None, ...]
    inputs: tuple[Array | None, ...]
    outputs: tuple[Array, ...]
    place: StepPlace
    causes: tuple[str, ...] = ()
    precision: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return a record without the arrays, ready for JSON or pandas."""
        names = ("layer", "type", "kind", "count", "layers", "input_shapes", "bounds", "causes", "precision")
        return {name: getattr(self, name) for name in names}


def first_not_finite(
    model: Loaded,
    inputs: Any,
    kinds: Sequence[str] = ("nan", "inf"),
    config: Mapping[str, Any] | None = None,
    run: Callable[[Watcher], Outputs] | None = None,
) -> FirstNotFinite | None:
    """Run a model until a layer makes NaN or Inf out of inputs without; None where no layer does.

    Where steps of the run are not those of the file, the model is run again as written: values between the layers of a
    fused step are seen then, and a single layer is found. Where the run is in f16, or the file declares f16 layers, it
    is run again with the results of all layers rounded to f16. ``run`` runs the model with an observer, in place of a
    run with ``config``.
    """
    settings = dict(config or {})
    stop = Stop(kinds)
    found = _stopped(run or _runner(model, inputs, settings), stop)
    is_made = found is not None and found.place.step.node.id not in model.graph
    if (stop.fused or is_made) and kinds:
        written = _stopped(_runner(model, inputs, {**settings, **AS_WRITTEN}), Stop(kinds))
        found, is_made = written or found, is_made and written is None
    rounded = None
    is_f16 = settings.get("INFERENCE_PRECISION_HINT") == F16.name
    if kinds and (found is None or is_made) and (is_f16 or is_half(model)):
        rounded = first_rounded_away(model, inputs, kinds)
    return rounded or (None if found is None else _first(found))


def is_half(model: Loaded) -> bool:
    """Return whether a layer of a model computes in f16 as written."""
    constant = constant_nodes(model.graph)
    return any(fact.type is F16 and outlet.node not in constant for outlet, fact in model.facts.of.items())


def first_rounded_away(
    model: Loaded, inputs: Any, kinds: Sequence[str] = ("nan", "inf"), precision: str = "f16"
) -> FirstNotFinite | None:
    """Run a model as written, with constants and results of all layers rounded; return the first layer as above."""
    from irrun.debugging.rounding import run_rounded

    found = _stopped(lambda watcher: run_rounded(model, inputs, precision, [watcher]), Stop(kinds))
    return None if found is None else replace(_first(found), precision=precision)


def _first(found: Stopped) -> FirstNotFinite:
    place = found.place
    return FirstNotFinite(
        place.label,
        place.step.node.type,
        found.kind,
        found.count,
        place.layers,
        shapes(found.inputs),
        tuple(_bounds(array) for array in found.inputs),
        found.inputs,
        found.outputs,
        place,
        causes_of(place.step.node, found.inputs, found.outputs, BAD[found.kind]),
    )


def _stopped(run: Callable[[Watcher], object], stop: Stop) -> Stopped | None:
    try:
        run(stop)
    except Stopped as stopped:
        return stopped
    return None


def _runner(model: Loaded, inputs: Any, config: Mapping[str, Any]) -> Callable[[Watcher], Outputs]:
    def run(watcher: Watcher) -> Outputs:
        session = build(model, config).session()
        session.observers.append(watcher)
        return session.run(inputs)

    return run


def _bounds(array: Array | None) -> tuple[float, float] | None:
    if array is None or array.dtype.kind != "f":
        return None
    finite = array[np.isfinite(array)]
    return (float(finite.min()), float(finite.max())) if finite.size else None


def _count(test: Callable[[Array], Array]) -> Callable[[Array], int]:
    def count(array: Array) -> int:
        if array.dtype.kind != "f":
            return 0
        with np.errstate(all="ignore"):
            return sum(int(np.count_nonzero(test(block))) for block in blocks(array))

    return count


BAD: Final[dict[str, Callable[[Array], Array]]] = {
    "nan": np.isnan,
    "inf": np.isinf,
    "f16": lambda block: np.isfinite(block) & (np.abs(block) > HALF_MAX),
}
"""Functions that tell which elements are of a kind."""

_COUNTS: Final = {kind: _count(test) for kind, test in BAD.items()}


def save_stopped(found: FirstNotFinite, model: Loaded, folder: Path) -> list[Path]:
    """Write ``inputs.npz`` and ``outputs.npz`` of the layer, and the layer as ``layer.xml``; return the paths.

    The names of the inputs are those of ``layer.xml``, which is missing for a layer of a body or a fused step.
    """
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {f"input_{port}": array for port, array in enumerate(found.inputs) if array is not None}
    paths = [folder / "inputs.npz", folder / "outputs.npz"]
    if not found.place.around and len(found.layers) == 1 and found.place.step.node.id in model.graph:
        sources = model.graph.sources(found.place.step.node.id)
        cut, outlets = around(model, found.place.step.node.id)
        given = {outlet: found.inputs[port] for port, outlet in enumerate(sources) if outlet is not None}
        named = zip(cut.inputs, outlets, strict=True)
        arrays = {port.any_name: array for port, outlet in named if (array := given.get(outlet)) is not None}
        save(cut, folder / "layer.xml")
        paths.append(folder / "layer.xml")
    save_arrays(paths[0], arrays)
    save_arrays(paths[1], {f"output_{port}": array for port, array in enumerate(found.outputs)})
    return paths
