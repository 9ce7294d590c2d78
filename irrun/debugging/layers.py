"""Layer by layer, a model beside another side: what each layer errs, and what of it is its own."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from irrun.debugging.cutting import constant_nodes
from irrun.debugging.metrics import Errors, errors
from irrun.debugging.places import StepPlace, Watcher
from irrun.debugging.ports import completed
from irrun.debugging.replaying import computed
from irrun.debugging.sides import ModelSide, Side, run_as_written
from irrun.debugging.spool import Spool
from irrun.graph import Graph, Outlet
from irrun.model import Loaded
from irrun.tensor import Array


class Tolerance(NamedTuple):
    """An absolute tolerance and one by the largest magnitude, against a statistic of absolute errors."""

    rtol: float = 1e-3
    atol: float = 1e-5
    stat: str = "max"


def within(array: Array, other: Array | None, tolerance: Tolerance) -> bool:
    """Return whether an output is that of the other side, within a tolerance."""
    if other is None or array.shape != other.shape or (array.dtype.kind in "UO") != (other.dtype.kind in "UO"):
        return False
    return not errors(array, other, median=tolerance.stat == "median").exceeds(*tolerance)


def outputs_agree(
    ours: Sequence[Array], theirs: Sequence[Array], ends: Sequence[int | None], tolerance: Tolerance
) -> bool:
    """Return whether all outputs of two sides agree; ``ends`` are the places of the other side's, by own output."""
    pairs = zip(ours, ends, strict=True)
    return len(ours) == len(theirs) and all(end is not None and within(a, theirs[end], tolerance) for a, end in pairs)


@dataclass(frozen=True, slots=True)
class LayerDifference:
    """An output of a layer beside its counterpart.

    ``errors`` are those of the run, None where the shapes differ, which ``problem`` tells. ``own`` are those that
    remain when the layer computes with the inputs of the other side; None where it cannot. ``constants`` are the names
    of its constants that differ. ``how`` the counterpart was found: by ``name`` or ``value``.
    """

    layer: str
    type: str
    output: int
    id: int
    other: str
    how: str
    shape: tuple[int, ...]
    problem: str
    differs: bool
    errs: bool
    errors: Errors | None
    own: Errors | None
    constants: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return a flat record, ready for JSON or pandas; errors of its own have names that begin with ``own_``."""
        hidden = ("errors", "own", "id")
        record = {key: value for key, value in asdict(self).items() if key not in hidden}
        record |= self.errors.as_dict() if self.errors is not None else {}
        return record | {f"own_{key}": value for key, value in (self.own.as_dict() if self.own else {}).items()}


@dataclass(frozen=True, slots=True)
class LayerComparison:
    """All layers that both sides have, in the order of execution, and the outputs of both as written.

    ``is_complete`` is False where the comparison ended at the first layer that differs. ``agree`` says whether the
    outputs as written do.
    """

    layers: tuple[LayerDifference, ...]
    outputs: tuple[Array, ...]
    others: tuple[Array, ...]
    is_complete: bool = True
    agree: bool = True

    @property
    def first(self) -> LayerDifference | None:
        """The first layer whose output is beyond the tolerance."""
        return next((item for item in self.layers if item.differs), None)

    @property
    def culprit(self) -> LayerDifference | None:
        """The first layer beyond the tolerance by an error of its own, else the one with the largest such error."""
        first = next((item for item in self.layers if item.errs), None)
        if first is not None or self.first is None:
            return first
        known = [item for item in self.layers if item.own is not None]
        return max(known, key=lambda item: item.own.relative if item.own else 0.0, default=self.first)


class _Enough(Exception):
    """The first layer that differs is found."""


def compare_layers(
    model: Loaded,
    inputs: Any,
    side: Side,
    tolerance: Tolerance = Tolerance(),  # noqa: B008
    *,
    config: Mapping[str, Any] | None = None,
    fail_fast: bool = False,
) -> LayerComparison:
    """Compare the outputs of all layers, both sides layer by layer as written.

    The tensors of the other side are on the disk meanwhile, so that memory holds one run at a time. With ``fail_fast``
    the comparison ends at the first layer beyond the tolerance.
    """
    pairs = side.counterparts(model, inputs)
    with Spool() as spool:
        others = tuple(side.tensors({key for key, _ in pairs.values()}, spool.put))
        gc.collect()
        watcher = _Beside(model, side, pairs, spool, tolerance, fail_fast=fail_fast)
        try:
            outputs = run_as_written(model, inputs, config or {}, watcher).to_tuple()
        except _Enough:
            return LayerComparison(tuple(watcher.found), (), others, is_complete=False)
    ends = completed(side.order(model.outputs), len(others))
    return LayerComparison(tuple(watcher.found), outputs, others, agree=outputs_agree(outputs, others, ends, tolerance))


class _Beside(Watcher):
    """Compares the outputs of each step with those in a spool, and computes it again with inputs of the spool."""

    def __init__(
        self,
        model: Loaded,
        side: Side,
        pairs: Mapping[Outlet, tuple[Any, str]],
        spool: Spool,
        tolerance: Tolerance,
        *,
        fail_fast: bool,
    ) -> None:
        super().__init__()
        self.found: list[LayerDifference] = []
        self._graph = model.graph
        self._model = model
        self._side = side
        self._pairs = pairs
        self._spool = spool
        self._tolerance = tolerance
        self._fail_fast = fail_fast
        self._own: Sequence[Array] | None = None
        self._differ = False
        self._constant = constant_nodes(model.graph)
        self._left = {id: self._graph.out_degree(id) for id in self._graph}

    def begins(self, place: StepPlace, inputs: Sequence[Array | None]) -> None:
        if place.around:
            return
        sources = self._graph.sources(place.step.node.id)
        given = list(inputs)
        for port, outlet in enumerate(sources):
            if outlet is not None and (key := self._key(outlet)) is not None:
                given[port] = self._like(self._spool.get(key), inputs[port])
        self._differ = any(a is not b and not _same(a, b) for a, b in zip(given, inputs, strict=True))
        has_state = "state" in place.step.asks
        self._own = computed(place.step, given) if self._differ and not has_state else None

    def _key(self, outlet: Outlet) -> Any:
        """Return the key of what the other side has for an outlet: its own tensor, or what was computed from such."""
        if outlet.node in self._constant:
            return None
        key = self._pairs.get(outlet, (None, ""))[0]
        made = "made", outlet
        return key if key in self._spool else made if made in self._spool else None

    @staticmethod
    def _like(array: Array, own: Array | None) -> Array:
        """Return an array in the carrier of the model's own one."""
        if own is None or array.dtype == own.dtype:
            return array
        return array.astype(own.dtype)

    def ended(self, place: StepPlace, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> None:
        del inputs
        if place.around:
            return
        node = place.step.node
        own = self._own if self._differ else outputs
        for port, array in enumerate(outputs):
            outlet = Outlet(node.id, port)
            key, how = self._pairs.get(outlet, (None, ""))
            if key is not None and key in self._spool:
                self.found.append(self._compared(place, port, array, self._spool.get(key), own, how, key))
            elif self._differ and self._own is not None:
                self._spool.put(("made", outlet), self._own[port])
        self._own = None
        self._release(node.id)
        if self._fail_fast and self.found and self.found[-1].differs:
            raise _Enough

    def _compared(
        self, place: StepPlace, port: int, array: Array, other: Array, own: Sequence[Array] | None, how: str, key: Any
    ) -> LayerDifference:
        node, (rtol, atol, stat) = place.step.node, self._tolerance
        found = own_errors = None
        problem = "" if array.shape == other.shape else f"{_shape(array)} beside {_shape(other)}"
        if not problem:
            found = errors(array, other, median=stat == "median")
        mine = own[port] if own is not None else None
        if mine is not None and mine.shape == other.shape:
            own_errors = found if mine is array else errors(mine, other, median=stat == "median")
        differs = found is None or found.exceeds(rtol, atol, stat)
        is_own_shape = mine is not None and mine.shape != other.shape
        errs = is_own_shape or (own_errors is not None and own_errors.exceeds(rtol, atol, stat))
        errs = errs or (own is None and differs and not self._inherits(node.id))
        constants = self._changed(node.id, key) if errs else ()
        label = self._side.label(key)
        shape = tuple(array.shape)
        return LayerDifference(
            node.name, node.type, port, node.id, label, how, shape, problem, differs, errs, found, own_errors, constants
        )

    def _inherits(self, id: int) -> bool:
        """Return whether a layer that cannot be computed apart consumes something that differs."""
        wrong = {item.id for item in self.found if item.differs}
        return any(outlet is not None and outlet.node in wrong for outlet in self._graph.sources(id))

    def _changed(self, id: int, key: Any) -> tuple[str, ...]:
        """Return the constants of a layer whose values the other model has otherwise."""
        if not isinstance(self._side, ModelSide):
            return ()
        ours, theirs = _constants(self._model, id), _constants(self._side.model, key.node)
        pairs = zip(ours, theirs, strict=False)
        return tuple(name for (name, value), (_, other) in pairs if not _equal(value, other))

    def _release(self, id: int) -> None:
        """Remove the tensors that no layer reads again."""
        for outlet in {item for item in self._graph.sources(id) if item is not None}:
            self._left[outlet.node] -= sum(item == outlet for item in self._graph.sources(id))
            if self._left[outlet.node] <= 0:
                self._spool.drop(self._pairs.get(outlet, (None, ""))[0])
                self._spool.drop(("made", outlet))


def _constants(model: Loaded, id: int) -> list[tuple[str, Array]]:
    """Return the constants that a layer depends on through constants only, with their values as stored."""
    graph: Graph = model.graph
    constant = constant_nodes(graph)
    waiting = [outlet for outlet in graph.sources(id) if outlet is not None and outlet.node in constant]
    found: list[tuple[str, Array]] = []
    while waiting:
        outlet = waiting.pop(0)
        fact = model.facts.get(outlet)
        value = fact.constant if fact is not None else None
        if value is not None:
            found.append((graph.node(outlet.node).name, value))
        else:
            waiting += [item for item in graph.sources(outlet.node) if item is not None]
    return found


def _equal(value: Array, other: Array) -> bool:
    return value.shape == other.shape and bool(np.array_equal(value, other))


def _same(a: Array | None, b: Array | None) -> bool:
    return a is not None and b is not None and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def _shape(array: Array) -> str:
    return f"[{','.join(map(str, array.shape))}]"
