"""Collect the calls of a plan: where results should be, and what NumPy computes before and between calls.

Results that a concatenation of channels reads are computed where its own result is, so that it copies nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from irrun.ops._declared.movement.concat import Concat
from irrun.ops._declared.movement.split import Split
from irrun.ops._declared.movement.variadic_split import VariadicSplit
from irrun.runtime.folding import Folding
from irrun.runtime.lowering.builder import Builder, Unsupported, has_static_shape
from irrun.runtime.packs import Packs
from irrun.runtime.plan import Plan, Step
from irrun.runtime.symbolic import Number, SymInt, hint_of, is_same
from irrun.runtime.view import Given, Interpreted, Numbers, Value, View
from irrun.tensor import Array, Fact

Shapes = Mapping[tuple[int, ...], Sequence[Array]]
"""The outputs of steps in a run, by the slots of the outputs: hints of sizes that depend on values."""

Compute = Callable[[Step, Sequence[Array | None]], Sequence[Array]]
"""Runs a step on NumPy."""


class Unknown(Exception):
    """A size depends on values in the middle of a run, and has no hint."""


class PlanBuilder(Builder):
    """Collects the calls of the steps of a plan.

    ``values`` are those of its slots, as far as they are lowered. ``preludes`` are what NumPy computes before any call:
    from arrays alone, and from sizes which inputs tell. A stage ends after each of the items in ``stops``. ``compute``
    returns hints of what the preludes compute, ``seen`` has those of other steps: the arrays of the run for which a
    program is lowered.
    """

    def __init__(self, plan: Plan, packs: Packs, compute: Compute | None, seen: Shapes) -> None:
        super().__init__(packs)
        self.values: list[Any] = list(plan.slots)
        self.preludes: tuple[list[Interpreted], list[Interpreted]] = ([], [])
        self.stops: list[int] = []
        self.folding = Folding(self.symbols)
        self._early: dict[int, tuple[Array | None, int]] = {}
        self._alike: dict[tuple[int, int, bool, int], Number] = {}
        self._compute = compute
        self._seen = seen
        self._joins = Joins(plan, self)
        self._step: Step | None = None
        self._added: list[list[Any]] = [self.items, self.stops, *self.preludes]
        self._lengths: list[int] = []

    def begin(self, step: Step) -> None:
        """Begin to lower a step. What it adds may be undone."""
        self._step, self.algorithm = step, ""
        self._lengths = [len(each) for each in self._added]

    def undo(self) -> None:
        """Remove what the step has added."""
        for added, length in zip(self._added, self._lengths, strict=True):
            del added[length:]

    def wanted(self, shape: Sequence[Number], dtype: np.dtype[Any]) -> View | None:
        step = self._step
        return None if step is None or len(step.outputs) != 1 else self._joins.place(step.outputs[0], shape, dtype)

    def early(self, run: Callable[..., Any] | None, inputs: Sequence[Value]) -> tuple[View, ...]:
        if self._step is None or self.stage_of(inputs) is None:
            raise Unsupported("it depends on what a kernel computes")
        part = self._step if run is None else self._step._replace(run=run)
        return self.interpret(part, inputs, "provides memory", is_part=True)

    def counted(self, array: View, count: View) -> View:
        assert self._step is not None
        part = self._step._replace(run=lambda array, count: array[..., : count[0]])
        (found,) = self.interpret(part, (array, count), "takes what the calls found", is_part=True)
        return found

    def interpret(self, step: Step, inputs: Sequence[Value], reason: str, *, is_part: bool = False) -> tuple[View, ...]:
        """The outputs of a step that NumPy computes; Unknown if a size has no hint.

        It does so in a prelude where all inputs are known then, otherwise between two calls: what is open of the sizes
        of outputs is known from there on.
        """
        stage, hints = self.stage_of(inputs), self._seen.get(step.outputs, [None] * len(step.facts))
        if stage is None:
            if not all(map(has_static_shape, step.facts)):
                self.stops.append(len(self.items) + 1)
            arrive, known = self.arrival, 1 + len(self.stops)
        else:
            if self._compute is not None:
                hints = self._compute(step, [self.hint(value) for value in inputs])
            arrive, known = functools.partial(self.early_arrival, is_variable="state" in step.asks), stage
        outputs = tuple([arrive(*pair, known) for pair in zip(step.facts, hints, strict=True)])
        items: list[Any] = self.items if stage is None else self.preludes[stage]
        items.append(Interpreted(step, tuple(inputs), outputs, reason, is_part))
        return outputs

    def arrival(self, fact: Fact, hint: Array | None, stage: int = 0, *, is_variable: bool = False) -> View:
        """The array of a Parameter or of a step that NumPy computes; Unknown if a size has no hint.

        Its sizes are those of the run where the fact leaves them open, and so are the strides of a variable, which may
        have room to grow. Variables grow together: sizes that are equal are one, and what follows from them is computed
        once.
        """
        if has_static_shape(fact):
            if not is_variable:
                return self.empty(fact.shape.static, fact.type.dtype)
            return self.given(fact.shape.static, None, fact.type.dtype, Given(stage, [], []))
        if hint is None:
            raise Unknown
        dims = fact.shape.dims or (None,) * hint.ndim
        given = Given(stage, [], [])

        def unknown(hint: int, axis: int, atoms: list[tuple[int, int]]) -> Number:
            found = self.symbols.unknown(hint, stage)
            atoms.append((found.atom, axis))
            alike = self._alike.setdefault((stage, axis, atoms is given.strides, hint), found) if is_variable else found
            return alike if alike == found else found

        shape = tuple(
            dim.lo if dim is not None and dim.is_static else unknown(size, axis, given.shape)
            for axis, (dim, size) in enumerate(zip(dims, hint.shape, strict=True))
        )
        strides = None
        if is_variable:
            strides = tuple(unknown(stride, axis, given.strides) for axis, stride in enumerate(hint.strides))
        return self.given(shape, strides, hint.dtype, given)

    def early_arrival(self, fact: Fact, hint: Array | None, stage: int, *, is_variable: bool = False) -> View:
        """The same for an array that is known before any call: at stage 0, or 1 where it needs sizes."""
        made = self.arrival(fact, hint, stage, is_variable=is_variable)
        given = self.buffers[made.buffer].given
        is_packed = hint is not None and given is not None and not given.strides
        self._early[id(made)] = (np.asarray(hint, order="C") if is_packed else hint, stage)
        return made

    def stage_of(self, values: Sequence[Value]) -> int | None:
        """The stage of the prelude in which all values are known; None if some are known later."""
        stage = 0
        for value in values:
            if isinstance(value, Numbers):
                if any(isinstance(number, SymInt) and number.stage > 0 for number in value.values.reshape(-1)):
                    return None
                stage = 1
            elif isinstance(value, View):
                if id(value) not in self._early:
                    return None
                stage = max(stage, self._early[id(value)][1])
            elif self.folding.is_guarded(value):
                stage = 1
        return stage

    def hint(self, value: Value) -> Array | None:
        """The array of a value that is known before any call, in the run for which the program is lowered."""
        if isinstance(value, Numbers):
            return value.filled(hint_of)
        return self._early[id(value)][0] if isinstance(value, View) else value


_CHANNELS: Final = 1
_LEAST_RANK: Final = 3


class Joins:
    """The places of the results of a plan in those of concatenations, both by their slots."""

    def __init__(self, plan: Plan, builder: Builder) -> None:
        self._builder = builder
        self._places: dict[int, tuple[int, int, int]] = {}
        self._begun: dict[int, View] = {}
        self._joins: dict[int, tuple[Fact, int]] = {}
        facts: dict[int, Fact | Array] = {slot: array for slot, array in enumerate(plan.slots) if array is not None}
        facts.update(zip(plan.parameters, plan.parameter_facts, strict=True))
        made: dict[int, Step] = {}
        for step in plan.steps:
            facts.update(zip(step.outputs, step.facts, strict=True))
            made.update(dict.fromkeys(step.outputs, step))
            if isinstance(step.node.op, Concat):
                self._note(step.node.op.axis, step, facts, made)

    def _note(self, axis: int, step: Step, facts: dict[int, Fact | Array], made: dict[int, Step]) -> None:
        """Note the places of the inputs of a concatenation of channels, as far as their numbers are known."""
        (fact,), (output,) = step.facts, step.outputs
        sizes = [_channels(facts.get(slot), fact.type.dtype) for slot in step.inputs]
        if None in sizes or fact.rank is None or fact.rank < _LEAST_RANK or axis % fact.rank != _CHANNELS:
            return
        ends = np.cumsum([0, *sizes]).tolist()
        self._joins[output] = fact, ends[-1]
        for slot, first, last in _wholes(step.inputs, ends, made):
            if slot in made:
                self._places.setdefault(slot, (output, first, last))

    def place(self, slot: int, shape: Sequence[Number], dtype: np.dtype[Any]) -> View | None:
        """The place of a result of this shape and type; None where no concatenation of such reads it."""
        begun = self._begun.get(slot)
        if begun is not None:
            return begun if begun.dtype == dtype and _agree(begun.shape, shape) else None
        if slot not in self._places:
            return None
        output, first, last = self._places[slot]
        fact, channels = self._joins[output]
        if (len(shape), dtype) != (fact.rank, fact.type.dtype) or not is_same(shape[_CHANNELS], last - first):
            return None
        if output not in self._begun:
            whole = (shape[0], channels, *shape[2:])
            self._begun[output] = self.place(output, whole, dtype) or self._builder.images(whole, dtype)
        found = self._begun[output]
        return found[:, first:last] if _agree(found.shape, shape) else None


def _wholes(inputs: Sequence[int], ends: Sequence[int], made: dict[int, Step]) -> Iterator[tuple[int, int, int]]:
    """Yield the inputs of a concatenation with their channels, and what has been split into neighbours among them."""
    for place, slot in enumerate(inputs):
        yield slot, ends[place], ends[place + 1]
        step = made.get(slot)
        if step is not None and isinstance(step.node.op, Split | VariadicSplit):
            count = len(step.outputs)
            if tuple(inputs[place : place + count]) == step.outputs:
                yield step.inputs[0], ends[place], ends[place + count]


def _channels(tensor: Fact | Array | None, dtype: np.dtype[Any]) -> int | None:
    """Return how many channels a tensor with such elements has, if that is known."""
    if isinstance(tensor, np.ndarray):
        return tensor.shape[_CHANNELS] if tensor.ndim >= _LEAST_RANK and tensor.dtype == dtype else None
    if tensor is None or tensor.type.dtype != dtype or tensor.rank is None or tensor.rank < _LEAST_RANK:
        return None
    channels = tensor.shape[_CHANNELS]
    return channels.lo if channels.is_static else None


def _agree(whole: Sequence[Number], part: Sequence[Number]) -> bool:
    """Return whether a part has the sizes of the whole but for its channels."""
    pairs = zip((whole[0], *whole[2:]), (part[0], *part[2:]), strict=True)
    return len(whole) == len(part) and all(a == b for a, b in pairs)
