"""The first layer that makes an error of its own, cut out, made small, and written for a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, Literal

from irrun.debugging.answers import Answers, Ask, of_models, of_openvino, of_optimisation, of_precision, shows
from irrun.debugging.blames import Blame, NothingToBlame
from irrun.debugging.cases import REFUSALS, Case, TensorFiles, kept, layers_of, of_sizes
from irrun.debugging.diagnosing import diagnose_layers, diagnose_models
from irrun.debugging.engines import OpenVINOSide
from irrun.debugging.faults import DebugError
from irrun.debugging.layers import LayerDifference, Tolerance, compare_layers, outputs_agree
from irrun.debugging.ports import inputs_for
from irrun.debugging.precision import first_rounded
from irrun.debugging.quantising import EPSILON
from irrun.debugging.reducing import reduce
from irrun.debugging.reducing_pairs import smallest_pair
from irrun.debugging.shrinking import shrunk
from irrun.debugging.sides import ModelSide
from irrun.debugging.single_layers import inputs_of_layer, single
from irrun.debugging.spool import Spool
from irrun.debugging.states import with_states
from irrun.debugging.verdicts import EQUAL, Suspect, Verdict
from irrun.model import Loaded, build
from irrun.tensor import Array

_EPSILON: Final = {**EPSILON, "int8": 1 / 127}
"""The relative error of rounding one number to a precision."""

_WIDEST: Final = 3
"""Layers of a piece that reproduces a fault."""

_MOST: Final = 200
"""Checks of pieces of a model in which no layer reproduces a fault by itself."""


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
    inputs are matched by name, a model with inputs and settings of its own, OpenVINO with the same model and inputs, or
    ``bf16``, ``f16`` or ``int8``. Then the first layer is blamed that rounding changes by more than the tolerance, by
    default sixteen times the error of rounding a number, else the one that it changes most. ``names`` are those of the
    models in messages. NothingToBlame, with the verdict, where no layer is suspected; DebugError for other requests
    that cannot be carried out.

    >>> found = blame(load("old.xml"), load("new.xml"), {0: image})
    >>> found.layer, write_folder(found, Path("report"))
    """
    settings = dict(config or {})
    model = of_sizes(model, inputs)
    if isinstance(other, str):
        return _blame_precision(model, inputs, other, tolerance, settings)
    limits = Tolerance() if tolerance is None else tolerance
    if isinstance(other, Loaded):
        model, other = with_states(model, other)
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
    side = ModelSide(of_sizes(side.model, side.inputs), side.inputs, side.config, side.name)
    ours, theirs = build(model, settings)(inputs).to_tuple(), side.outputs()
    if outputs_agree(ours, theirs, side.order(model.outputs), tolerance):
        raise NothingToBlame(EQUAL, "the outputs agree within the tolerances")
    verdict = diagnose_models(model, side, inputs, ours, theirs, tolerance, settings)
    if verdict.cause == "optimisation":
        return _blame_optimisation(model, inputs, tolerance, settings, verdict)
    if not verdict.suspects:
        raise NothingToBlame(verdict, f"no layer is to blame: {verdict.reason}")
    first = verdict.suspects[0]
    ask, case = of_models(settings), smallest_pair(model, side, inputs, first, tolerance, settings)
    layers = tuple(case.model.graph.node(id).name for id in layers_of(case.model))
    answers = _answers(ask, case)
    return Blame(
        "layer",
        first.name or first.other,
        first.type,
        layers,
        names,
        first.constants,
        case,
        answers,
        answers.differ(tolerance),
        None,
        verdict,
        tolerance,
    )


def _blame_openvino(
    model: Loaded, side: OpenVINOSide, inputs: Mapping[int, Array], tolerance: Tolerance, settings: Mapping[str, Any]
) -> Blame:
    ours, theirs = build(model, settings)(inputs).to_tuple(), side.outputs()
    if outputs_agree(ours, theirs, range(len(theirs)), tolerance):
        raise NothingToBlame(EQUAL, "the outputs agree within the tolerances")
    found = compare_layers(model, inputs, side, tolerance, config=settings)
    verdict = diagnose_layers(model, found, side.name, ours, theirs, tolerance)
    names = ("irrun", side.name)
    if verdict.suspects:
        culprit = next(item for item in found.layers if item.layer == verdict.suspects[0].name and item.errs)
        given = inputs_of_layer(model, inputs, side, culprit.id, settings)
        case = single(model, culprit.id, given)
        blamed = _finish("layer", model, culprit, names, case, of_openvino(settings), tolerance, inputs, settings)
        return replace(blamed, verdict=verdict, tolerance=tolerance)
    if verdict.cause != "optimisation":
        raise NothingToBlame(verdict, f"no layer is to blame: {verdict.reason}")
    if Answers(found.outputs, tuple(theirs)).differ(tolerance):
        blamed = _reduced(model, inputs, of_openvino(settings), tolerance, names, settings)
        return replace(blamed, verdict=_of_layers(verdict, blamed), tolerance=tolerance)
    return _blame_optimisation(model, inputs, tolerance, settings, verdict)


def _blame_precision(
    model: Loaded,
    inputs: Mapping[int, Array],
    precision: str,
    tolerance: Tolerance | None,
    settings: dict[str, Any],
) -> Blame:
    limits = tolerance if tolerance is not None else Tolerance(16 * _EPSILON.get(precision, 0.0), 0.0)
    id, own = first_rounded(model, inputs, precision, limits.rtol)
    limits = limits._replace(rtol=min(limits.rtol, own / 2))
    with Spool() as spool:
        tensors = TensorFiles(model, dict(inputs), spool, settings)
        case = kept(model, [id], tensors)
    node = model.graph.node(id)
    ask = of_precision(precision, settings)
    is_shown = shows(ask, limits)
    reproduces = is_shown(case)
    case = shrunk(case, shows(ask, limits, ask(case).fault)) if reproduces else case
    sides = "f32", precision
    suspect = Suspect(node.name, node.type, node.name, "rounding", f"rounded to {precision}", error=own)
    verdict = Verdict("different", (suspect,), "rounding")
    return Blame(
        "precision", node.name, node.type, (node.name,), sides, (), case, ask(case), reproduces, verdict=verdict
    )


def _blame_optimisation(
    model: Loaded,
    inputs: Mapping[int, Array],
    tolerance: Tolerance,
    settings: Mapping[str, Any],
    verdict: Verdict,
) -> Blame:
    """Blame the layers of which irrun's optimiser makes something else. NothingToBlame where it does not."""
    ask = of_optimisation(settings)
    if not ask(Case((model,), _in_order(inputs))).differ(tolerance):
        raise NothingToBlame(verdict, f"no layer is to blame: {verdict.reason}")
    blamed = _reduced(model, inputs, ask, tolerance, ("as written", "optimised"), settings)
    return replace(blamed, verdict=_of_layers(verdict, blamed), tolerance=tolerance)


def _of_layers(verdict: Verdict, blamed: Blame) -> Verdict:
    """Return a verdict on optimisation that names the layers which show it."""
    between = blamed.layers, blamed.layers
    suspect = Suspect(blamed.layer, blamed.type, blamed.layer, "optimisation", verdict.reason, between=between)
    return replace(verdict, suspects=(suspect,))


def _reduced(
    model: Loaded,
    inputs: Mapping[int, Array],
    ask: Ask,
    tolerance: Tolerance,
    sides: tuple[str, str],
    settings: Mapping[str, Any],
) -> Blame:
    """Blame the fewest layers that still show what optimisation does."""
    whole = ask(Case((model,), _in_order(inputs))).fault
    found = reduce(model, shows(ask, tolerance, whole), dict(inputs), config=dict(settings))
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
            with suppress(DebugError, *REFUSALS):
                whole = ask(Case((model,), _in_order(inputs))).fault
                same = shows(ask, tolerance, whole)
                found = reduce(model, same, dict(inputs), config=dict(settings or {}), most=_MOST, shapes=False)
                case, reproduces = found.case, True
    if reproduces:
        case = shrunk(case, shows(ask, tolerance, ask(case).fault))
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
        tensors = TensorFiles(model, dict(inputs), spool, dict(settings))
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
