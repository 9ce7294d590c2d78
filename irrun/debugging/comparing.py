"""A model beside another one, another engine, or expected outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Final

from irrun.debugging.diagnosing import at_fault, diagnose_layers, diagnose_models, farthest
from irrun.debugging.expected import diagnose_expected
from irrun.debugging.layers import LayerComparison, LayerDifference, Tolerance, compare_layers
from irrun.debugging.metrics import Errors, errors
from irrun.debugging.ports import inputs_for
from irrun.debugging.sides import ModelSide, Side
from irrun.debugging.slices import SliceErrors, beyond, notable_slices
from irrun.debugging.states import with_states
from irrun.debugging.verdicts import EQUAL, Verdict
from irrun.diagnostics import IRError, OpError, listing
from irrun.diagnostics.notebook import html_table
from irrun.diagnostics.requests import RequestError
from irrun.evaluation.differences import changed_rows
from irrun.model import Loaded, Port, build
from irrun.tensor import Array

METRICS: Final = ("max", "mean", "median", "rms", "relative", "cosine", "psnr", "snr", "ulp")

_APART: Final = "only outputs were compared"

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class OutputDifference:
    """An output beside its counterpart.

    ``errors`` are None where the two cannot be compared, which ``problem`` tells. ``argmax`` is the number of rows of
    scores whose likeliest class differs, and that of all; None for other tensors. ``port`` is None for an output that
    only the other side has. ``beyond`` is the number of elements beyond the tolerance, ``slices`` are those along an
    axis that differ from the rest.
    """

    port: Port | None
    shape: tuple[int, ...]
    problem: str
    differs: bool
    errors: Errors | None = None
    argmax: tuple[int, int] | None = None
    beyond: int = 0
    slices: tuple[SliceErrors, ...] = ()

    def as_dict(self) -> Record:
        """Return a record, ready for JSON or pandas."""
        record: Record = {"name": ""}
        if self.port is not None:
            record = {"name": self.port.any_name, "type": str(self.port.element_type), "shape": list(self.shape)}
        record |= {"differs": self.differs, "problem": self.problem}
        if self.errors is not None:
            rows = None if self.argmax is None else dict(zip(("changed", "rows"), self.argmax, strict=True))
            record |= {**_numbers(self.errors), "argmax": rows}
            record |= {"beyond": self.beyond, "slices": [item.as_dict() for item in self.slices]}
        return record


@dataclass(frozen=True, slots=True)
class Comparison:
    """The outputs of two sides, and their layers where these were compared.

    ``verdict`` says what is claimed, and which layers are suspected. ``layers`` is None where they were not compared,
    or could not be for a ``reason``. ``optimisation`` holds the largest relative errors of the outputs of the ``model``
    and of the other side against their own layers one by one, if optimisation makes the outputs differ.
    """

    outputs: tuple[OutputDifference, ...]
    verdict: Verdict
    layers: LayerComparison | None = None
    reason: str = ""
    optimisation: Mapping[str, float] | None = None

    @property
    def differs(self) -> bool:
        """Return whether an output is beyond the tolerance."""
        return any(item.differs for item in self.outputs)

    def as_dict(self, *, every: bool = False) -> Record:
        """Return a record, ready for JSON; with ``every``, it has a ``table`` of all layers."""
        record: Record = {"status": "different" if self.differs else "equal", **self.verdict.as_dict()}
        record["outputs"] = [item.as_dict() for item in self.outputs]
        if self.reason:
            return record | {"layer": None, "layers": None, "reason": self.reason}
        if self.layers is None:
            return record
        first, culprit = self.layers.first, self.layers.culprit
        record["layer"] = None if first is None else _layer(first)
        record["culprit"] = None if culprit is None or culprit is first else _layer(culprit)
        record["layers"] = len({item.id for item in self.layers.layers})
        if self.optimisation is not None:
            by = at_fault(self.optimisation) or None
            record["optimisation"] = {"by": by, "relative": dict(self.optimisation)}
        if every:
            record["table"] = [item.as_dict() for item in self.layers.layers]
        return record

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            (
                "" if item.port is None else item.port.any_name,
                item.problem or ("differs" if item.differs else "equal within the tolerances"),
                "" if item.errors is None else float(item.errors.max),
                "" if item.errors is None else float(item.errors.relative),
            )
            for item in self.outputs
        ]
        title = ": ".join(filter(None, (self.verdict.verdict, self.verdict.cause, self.verdict.reason)))
        suspects = [" / ".join(filter(None, (item.name, item.other))) for item in self.verdict.suspects]
        note = f"the difference begins at {', '.join(suspects)}" if suspects else ""
        return html_table(title, ("output", "", "largest error", "relative"), rows, note)


def compare(
    model: Loaded,
    other: Loaded | Side | Sequence[Array | None],
    inputs: Mapping[int, Array],
    tolerance: Tolerance = Tolerance(),  # noqa: B008
    *,
    config: Mapping[str, Any] | None = None,
    every: bool = False,
    fail_fast: bool = False,
    only_outputs: bool = False,
    name: str = "other",
) -> Comparison:
    """Compare the outputs of a model on inputs by place with those of another side.

    ``other`` is a model, another engine such as `OpenVINOSide`, or the expected outputs in the order of the model's.
    The inputs and outputs of a model are matched by name, by place if no name is the same, and the states that both
    models have are outputs, too (`with_states`). If an output is beyond the
    tolerance, or with ``every``, the layers of both sides are compared as well, with ``fail_fast`` up to the first that
    differs; with ``only_outputs``, they are not. ``config`` holds the settings of ``compile_model``, ``name`` is that
    of the other model in messages. DebugError where the sides do not fit each other, InputError for inputs that do not
    fit.

    >>> found = compare(load("old.xml"), load("new.xml"), {0: image}, Tolerance(rtol=0.01))
    >>> found.differs, found.layers and found.layers.first
    """
    if isinstance(other, Loaded):
        model, other = with_states(model, other)
    ours = build(model, config)(inputs).to_tuple()
    if isinstance(other, Sequence):
        outputs = tuple(_outputs(model.outputs, ours, other, tolerance))
        differs = any(item.differs for item in outputs)
        return Comparison(outputs, diagnose_expected(ours, other) if differs else _agreement(outputs))
    if isinstance(other, Loaded):
        other = ModelSide(other, inputs_for(other.inputs, model.inputs, inputs, name), config, name)
    side: Side = other
    theirs = side.outputs()
    outputs = tuple(_outputs(model.outputs, ours, _in_order(theirs, side.order(model.outputs)), tolerance))
    differs = any(item.differs for item in outputs)
    if only_outputs or not (differs or every):
        return Comparison(outputs, Verdict("unknown", reason=_APART) if differs else _agreement(outputs))
    try:
        layers = compare_layers(model, inputs, side, tolerance, config=config, fail_fast=fail_fast)
        verdict = _agreement(outputs)
        if differs and isinstance(side, ModelSide):
            written = (layers.outputs, layers.others) if layers.is_complete else None
            verdict = diagnose_models(model, side, inputs, ours, theirs, tolerance, config, written)
        elif differs:
            verdict = diagnose_layers(model, layers, side.name, ours, theirs, tolerance)
    except (RequestError, IRError, OpError, RuntimeError, MemoryError) as error:
        reason = str(error).partition("\n")[0] or "not enough memory"
        verdict = Verdict("unknown", reason=reason) if differs else _agreement(outputs)
        return Comparison(outputs, verdict, None, reason)
    if not differs or verdict.cause != "optimisation":
        return Comparison(outputs, verdict, layers)
    apart = {"model": farthest(ours, layers.outputs), side.name: farthest(theirs, layers.others)}
    return Comparison(outputs, verdict, layers, optimisation=apart)


def _agreement(outputs: Sequence[OutputDifference]) -> Verdict:
    """Return the verdict on outputs that are within the tolerances, with a warning where slices of them are lost."""
    lost = [f'"{_name(item)}"' for item in outputs if any(part.kind == "zero" for part in item.slices)]
    return replace(EQUAL, reason=f"slices of {listing(lost, 'and')} are 0 throughout on one side") if lost else EQUAL


def _name(item: OutputDifference) -> str:
    return "" if item.port is None else item.port.any_name


def _outputs(
    ports: Sequence[Port], ours: Sequence[Array], theirs: Sequence[Array | None], tolerance: Tolerance
) -> list[OutputDifference]:
    return [_output(*row, tolerance) for row in zip_longest(ports, ours, theirs)]


def _output(port: Port | None, array: Array | None, other: Array | None, tolerance: Tolerance) -> OutputDifference:
    if port is None or array is None:
        return OutputDifference(None, (), "an output that the first model does not have", differs=True)
    problem = ""
    if other is None:
        problem = "the other side does not have it"
    elif (array.dtype.kind in "UO") != (other.dtype.kind in "UO"):
        problem = "text on one side, numbers on the other"
    elif array.shape != other.shape:
        problem = f"{_shape(array)} beside {_shape(other)}"
    if other is None or problem:
        return OutputDifference(port, array.shape, problem, differs=True)
    rtol, atol, stat = tolerance
    found = errors(array, other, median=stat == "median")
    rows = None if found.is_exact else changed_rows(array, other)
    differs = found.exceeds(rtol, atol, stat)
    count, slices = beyond(array, other, found, rtol, atol), notable_slices(array, other, differs=differs)
    return OutputDifference(port, array.shape, "", differs, found, rows, count, slices)


def _in_order(found: Sequence[Array], places: Sequence[int | None]) -> list[Array | None]:
    """Return outputs in the order of their counterparts, and then the rest; as they are where none has one."""
    if all(place is None for place in places):
        return list(found)
    rest: list[Array | None] = [array for place, array in enumerate(found) if place not in places]
    return [None if place is None else found[place] for place in places] + rest


def _layer(item: LayerDifference) -> Record:
    """Return a layer that differs as a record."""
    known = {} if item.errors is None else _numbers(item.errors)
    own = None if item.own is None else _numbers(item.own)
    head = {"name": item.layer, "type": item.type, "other": item.other, "differs": item.differs}
    head["problem"] = item.problem
    return {**head, "max": None, "relative": None, **known, "own": own, "constants": list(item.constants)}


def _numbers(found: Errors) -> Record:
    return {key: getattr(found, key) for key in METRICS}


def _shape(array: Array) -> str:
    return f"[{','.join(map(str, array.shape))}]"
