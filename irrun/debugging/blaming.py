"""The first layer that makes an error of its own, cut out, made small, and written for a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal

from irrun.debugging.answers import Answers, Ask, of_models, of_openvino, of_optimisation, of_precision, shows
from irrun.debugging.cases import REFUSALS, Case, Tensors, kept, layers_of, of_sizes
from irrun.debugging.engines import OpenVINOSide
from irrun.debugging.faults import DebugError
from irrun.debugging.layers import LayerComparison, LayerDifference, Tolerance, compare_layers
from irrun.debugging.metrics import Errors
from irrun.debugging.ports import inputs_for
from irrun.debugging.precision import first_rounded
from irrun.debugging.reducing import reduce
from irrun.debugging.shrinking import shrunk
from irrun.debugging.sides import ModelSide
from irrun.debugging.single_layers import inputs_of_layer, pair, single
from irrun.debugging.spool import Spool
from irrun.diagnostics import amount
from irrun.graph import Outlet
from irrun.model import Loaded
from irrun.tensor import Array

EPSILON: Final = {"bf16": 2.0**-8, "f16": 2.0**-11, "int8": 1 / 127}
"""The relative error of rounding one number."""

_WIDEST: Final = 3
"""Layers of a piece that reproduces a fault."""

_MOST: Final = 200
"""Checks of pieces of a model in which no layer reproduces a fault by itself."""

_NOT_ALONE: Final = "no layer errs by itself, and the outputs are within the tolerances"


@dataclass(frozen=True, slots=True)
class Blame:
    """The layer to blame, and a small case that shows its fault.

    ``kind`` is ``layer`` where its results differ for equal inputs, ``optimisation`` where they agree layer by layer,
    and what the engine makes of ``layers`` differs, ``precision`` where they differ if rounded. ``reproduces`` tells
    whether the case shows the fault; ``whole`` are the errors of the layer inside the whole model, if these are known.
    """

    kind: Literal["layer", "optimisation", "precision"]
    layer: str
    type: str
    layers: tuple[str, ...]
    sides: tuple[str, str]
    constants: tuple[str, ...]
    case: Case
    answers: Answers
    reproduces: bool
    whole: Errors | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return a record without the arrays, ready for JSON or pandas."""
        names = ("kind", "layer", "type", "layers", "sides", "constants", "reproduces")
        found = self.answers.worst[1]
        return {name: getattr(self, name) for name in names} | {"errors": None if found is None else found.as_dict()}


def blame(
    model: Loaded,
    other: Loaded | ModelSide | OpenVINOSide | str,
    inputs: Mapping[int, Array],
    tolerance: Tolerance | None = None,
    *,
    config: Mapping[str, Any] | None = None,
    names: tuple[str, str] = ("model", "other"),
) -> Blame:
    """Blame a layer for the difference from another model or OpenVINO, or for the loss in a precision.

    ``inputs`` are arrays by place, ``config`` holds the settings of ``compile_model``. ``other`` is a model, whose
    inputs are matched by name, a model with inputs of its own, OpenVINO with the same model and inputs, or ``bf16``,
    ``f16`` or ``int8``. Then the first layer is blamed that rounding changes by more than the tolerance, by default
    sixteen times the error of rounding a number, else the one that it changes most. ``names`` are those of the models
    in messages. DebugError where no layer errs.

    >>> found = blame(load("old.xml"), load("new.xml"), {0: image})
    >>> found.layer, write_folder(found, Path("report"))
    """
    settings = dict(config or {})
    model = of_sizes(model, inputs)
    if isinstance(other, str):
        return _blame_precision(model, inputs, other, tolerance, settings)
    limits = Tolerance() if tolerance is None else tolerance
    if isinstance(other, Loaded):
        other = ModelSide(other, inputs_for(other.inputs, model.inputs, inputs, names[1]), settings, names[1])
    if isinstance(other, ModelSide):
        return _blame_model(model, other, inputs, limits, settings, names)
    return _blame_openvino(model, other, inputs, limits, settings)


def _blame_model(
    model: Loaded,
    side: ModelSide,
    inputs: Mapping[int, Array],
    tolerance: Tolerance,
    settings: Mapping[str, Any],
    names: tuple[str, str],
) -> Blame:
    side = ModelSide(of_sizes(side.model, side.inputs), side.inputs, settings, side.name)
    found = compare_layers(model, inputs, side, tolerance, config=settings)
    culprit = found.culprit
    if culprit is None:
        return _blame_optimisation(model, inputs, tolerance, settings, found)
    given = inputs_of_layer(model, inputs, side, culprit.id, settings)
    counterpart = side.counterparts(model)[Outlet(culprit.id, culprit.output)][0]
    assert isinstance(counterpart, Outlet)
    case = pair(model, culprit.id, side.model, counterpart.node, given)
    return _finish("layer", model, culprit, names, case, of_models(settings), tolerance)


def _blame_openvino(
    model: Loaded, side: OpenVINOSide, inputs: Mapping[int, Array], tolerance: Tolerance, settings: Mapping[str, Any]
) -> Blame:
    found = compare_layers(model, inputs, side, tolerance, config=settings)
    names = ("irrun", side.name)
    if found.culprit is not None:
        given = inputs_of_layer(model, inputs, side, found.culprit.id, settings)
        case = single(model, found.culprit.id, given)
        return _finish("layer", model, found.culprit, names, case, of_openvino(settings), tolerance, inputs, settings)
    if Answers(found.outputs, tuple(side.outputs())).differ(tolerance):
        return _reduced(model, inputs, of_openvino(settings), tolerance, names, settings)
    return _blame_optimisation(model, inputs, tolerance, settings, found)


def _blame_precision(
    model: Loaded,
    inputs: Mapping[int, Array],
    precision: str,
    tolerance: Tolerance | None,
    settings: dict[str, Any],
) -> Blame:
    limits = tolerance if tolerance is not None else Tolerance(16 * EPSILON.get(precision, 0.0), 0.0)
    id, own = first_rounded(model, inputs, precision, limits.rtol)
    limits = limits._replace(rtol=min(limits.rtol, own / 2))
    with Spool() as spool:
        tensors = Tensors(model, dict(inputs), spool, settings)
        case = kept(model, [id], tensors)
    node = model.graph.node(id)
    ask = of_precision(precision, settings)
    is_shown = shows(ask, limits)
    reproduces = is_shown(case)
    case = shrunk(case, is_shown) if reproduces else case
    sides = "f32", precision
    return Blame("precision", node.name, node.type, (node.name,), sides, (), case, ask(case), reproduces)


def _blame_optimisation(
    model: Loaded,
    inputs: Mapping[int, Array],
    tolerance: Tolerance,
    settings: Mapping[str, Any],
    found: LayerComparison,
) -> Blame:
    """Blame the layers of which irrun's optimiser makes something else. DebugError where it does not."""
    ask = of_optimisation(settings)
    if not ask(Case((model,), _in_order(inputs))).differ(tolerance):
        raise DebugError(f"{_NOT_ALONE}: {amount(len(found.layers), 'output')} of layers agree")
    return _reduced(model, inputs, ask, tolerance, ("as written", "optimised"), settings)


def _reduced(
    model: Loaded,
    inputs: Mapping[int, Array],
    ask: Ask,
    tolerance: Tolerance,
    sides: tuple[str, str],
    settings: Mapping[str, Any],
) -> Blame:
    """Blame the fewest layers that still show what optimisation does."""
    found = reduce(model, shows(ask, tolerance), dict(inputs), config=dict(settings))
    case = found.case
    nodes = [case.model.graph.node(id) for id in layers_of(case.model)]
    last = nodes[-1]
    layers = tuple(node.name for node in nodes)
    return Blame("optimisation", last.name, last.type, layers, sides, (), case, ask(case), reproduces=True)


def _finish(
    kind: Literal["layer"],
    model: Loaded,
    culprit: LayerDifference,
    sides: tuple[str, str],
    case: Case,
    ask: Ask,
    tolerance: Tolerance,
    inputs: Mapping[int, Array] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Blame:
    """Widen the case until it shows the fault, where one layer does not, and make it small."""
    is_shown = shows(ask, tolerance)
    reproduces = is_shown(case)
    if not reproduces and inputs is not None:
        for wider in _wider(model, culprit.id, inputs, settings or {}):
            if is_shown(wider):
                case, reproduces = wider, True
                break
        if not reproduces:
            with suppress(DebugError):
                found = reduce(model, is_shown, dict(inputs), config=dict(settings or {}), most=_MOST, shapes=False)
                case, reproduces = found.case, True
    if reproduces:
        case = shrunk(case, is_shown)
    layers = tuple(case.model.graph.node(id).name for id in layers_of(case.model))
    return Blame(
        kind,
        culprit.layer,
        culprit.type,
        layers,
        sides,
        culprit.constants,
        case,
        _answers(ask, case),
        reproduces,
        culprit.own if culprit.own is not None else culprit.errors,
    )


def _answers(ask: Ask, case: Case) -> Answers:
    """Return the answers to a case; none where the inputs of the other side do not fit it."""
    try:
        return ask(case)
    except (*REFUSALS, DebugError):
        return Answers((), ())


def _wider(model: Loaded, id: int, inputs: Mapping[int, Array], settings: Mapping[str, Any]) -> Sequence[Case]:
    """Return cases with the layers before a layer too, the fewest first."""
    near, cases = [id], []
    computed = set(layers_of(model))
    with Spool() as spool:
        tensors = Tensors(model, dict(inputs), spool, dict(settings))
        while len(near) < _WIDEST:
            before = [one for later in near for one in model.graph.predecessors(later)]
            more = [one for one in dict.fromkeys(before) if one in computed and one not in near]
            if not more:
                break
            near = [*near, *more][:_WIDEST]
            try:
                cases.append(kept(model, near, tensors, model.facts.outlets(id)))
            except REFUSALS:
                break
    return cases


def _in_order(inputs: Mapping[int, Array]) -> tuple[Array, ...]:
    return tuple(inputs[place] for place in sorted(inputs))
