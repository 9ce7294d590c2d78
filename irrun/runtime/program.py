"""Plan -> Program: calls of compiled kernels over buffers, for all sizes for which the guards of the program hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.jobs.progress import told
from irrun.ops import Op, OpError
from irrun.ops._declared.fused.fused_append import FusedAppend
from irrun.ops._declared.infrastructure.assign import Assign3, Assign6
from irrun.ops._declared.infrastructure.read_value import ReadValue3, ReadValue6
from irrun.runtime.checked_values import nothing
from irrun.runtime.expressions import Expressions
from irrun.runtime.folding import Folding
from irrun.runtime.joins import Joins
from irrun.runtime.lowering import LOWERINGS
from irrun.runtime.lowering.builder import (
    Buffer,
    Builder,
    Call,
    Interpreted,
    Numbers,
    Packs,
    Unsupported,
    Value,
    has_static_shape,
)
from irrun.runtime.plan import Plan, Step
from irrun.runtime.symbolic import NotWhole, Number, SymInt, hint_of
from irrun.runtime.view import View
from irrun.tensor import Array, Fact

_LEAST_CALLS: Final = 2
"""Calls between two steps of Python that are worth to wake workers for, in a plan that is open."""

_GROWING: Final = (FusedAppend, 1)
_READERS: Final[frozenset[tuple[type[Op], int]]] = frozenset({_GROWING, (ReadValue3, 0), (ReadValue6, 0)})
"""The operations that read variables, each with the input that is the initial value."""


class Unknown(Exception):
    """A size depends on values in the middle of a run, and has no hint."""


class Lowered(NamedTuple):
    """A step, the range of items that it became, its inputs and its outputs, and its ``algorithm``, if it chose one."""

    step: Step
    first: int
    last: int
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    algorithm: str = ""


class Size(NamedTuple):
    """The source of an unknown size: an axis of an array of the run in a buffer, its size or its stride."""

    atom: int
    buffer: int
    axis: int
    is_stride: bool


@dataclass(frozen=True, slots=True)
class Program:
    """The calls of kernels into which a plan was lowered.

    ``preludes`` are steps that NumPy computes before any call: those that need arrays alone, and those that need sizes
    which inputs tell. ``sizes`` are what unknown sizes are known from, for each stage: the preludes are stages 0 and 1,
    and the next ones begin after the items in ``stops``. ``steps`` are in the order of the items. ``given`` are the
    buffers of arrays of the run, with the stage of each. It is for runs that find no value in the variables that are
    ``fresh``, and one in those that are ``held``.
    """

    preludes: tuple[tuple[Interpreted, ...], tuple[Interpreted, ...]]
    items: tuple[Call | Interpreted, ...]
    stops: tuple[int, ...]
    steps: tuple[Lowered, ...]
    parameters: tuple[View, ...]
    results: tuple[Value, ...]
    buffers: tuple[Buffer, ...]
    given: Mapping[int, int]
    sizes: tuple[tuple[Size, ...], ...]
    expressions: Expressions
    fresh: frozenset[str] = frozenset()
    held: frozenset[str] = frozenset()

    @property
    def is_open(self) -> bool:
        """Return whether sizes, or the places of arrays, are known only when a run begins."""
        return bool(self.given) or any(self.sizes)

    @property
    def is_worthwhile(self) -> bool:
        """Return whether compiled kernels compute enough of the program."""
        calls = sum(isinstance(item, Call) for item in self.items)
        stretches = sum(isinstance(self.items[first], Call) for first, _ in segments(self.items))
        return calls > 0 and (not self.is_open or calls >= _LEAST_CALLS * stretches)

    @property
    def interpreted(self) -> Counter[str]:
        """The number of steps that NumPy computes, by reason; those of which it only provides memory do not count."""
        items = (*self.preludes[0], *self.preludes[1], *self.items)
        return Counter(item.reason for item in items if isinstance(item, Interpreted) and not item.is_part)

    @property
    def seen(self) -> list[Value]:
        """The values that Python may see: Parameters, results, and those of each step and of what NumPy computes."""
        found = [*self.parameters, *self.results]
        for step in self.steps:
            found += [*step.inputs, *step.outputs]
        for item in self.items:
            if isinstance(item, Interpreted):
                found += [*item.inputs, *item.outputs]
        return found

    @property
    def constants(self) -> tuple[Array, ...]:
        """The constants and packed weights that calls read."""
        return tuple(buffer.array for buffer in self.buffers if buffer.array is not None)


def segments(items: Sequence[Call | Interpreted]) -> list[tuple[int, int]]:
    """Ranges of calls that nothing interrupts, and single steps that NumPy computes."""
    found: list[tuple[int, int]] = []
    for number, item in enumerate(items):
        joins = isinstance(item, Call) and number > 0 and isinstance(items[number - 1], Call)
        if joins:
            found[-1] = (found[-1][0], number + 1)
        else:
            found.append((number, number + 1))
    return found


Shapes = Mapping[tuple[int, ...], Sequence[Array]]
"""The outputs of steps in a run, by the slots of the outputs: hints of sizes that depend on values."""

Compute = Callable[[Step, Sequence[Array | None]], Sequence[Array]]
"""Runs a step on NumPy."""


def lower(
    plan: Plan,
    packs: Packs,
    inputs: Sequence[Array] = (),
    compute: Compute | None = None,
    seen: Shapes | None = None,
    held: Collection[str] = (),
) -> Program:
    """The program of a plan, for variables of which some are ``held``: initial values of these are not computed.

    A plan that is open takes its hints from ``inputs`` and from what ``compute`` returns for the steps of the prelude,
    such as those that read variables. Unknown where other steps have outputs of sizes that depend on values, and
    ``seen`` does not have them.
    """
    program = _Lowerer(plan, packs, inputs, compute, seen or {}).program()
    read = program.fresh.intersection(held)
    if not read:
        return program
    return replace(_Lowerer(_without_initial(plan, read), packs, inputs, compute, seen or {}).program(), held=read)


def _without_initial(plan: Plan, names: Collection[str]) -> Plan:
    """A plan without the steps that only compute the initial values of some variables."""
    nothing = len(plan.slots)
    needed = set(plan.results)
    steps = []
    for step in reversed(plan.steps):
        if not needed.intersection(step.outputs) and "state" not in step.asks:
            continue
        op = step.node.op
        if isinstance(op, ReadValue3 | ReadValue6) and op.variable_id in names:
            step = step._replace(inputs=(nothing,))
        needed.update(step.inputs)
        steps.append(step)
    return replace(plan, steps=tuple(reversed(steps)), slots=(*plan.slots, np.empty(0)))


class _Lowerer:
    def __init__(
        self, plan: Plan, packs: Packs, inputs: Sequence[Array], compute: Compute | None, seen: Shapes
    ) -> None:
        self._plan = plan
        self._builder = Builder(packs, early=self._before, counted=self._counted, wanted=self._wanted)
        self._preludes: tuple[list[Interpreted], list[Interpreted]] = ([], [])
        self._step_now: Step | None = None
        self._readers: dict[int, list[tuple[type[Any], int]]] = {}
        for step in plan.steps:
            for place, index in enumerate(step.inputs):
                self._readers.setdefault(index, []).append((type(step.node.op), place))
        self._inputs = inputs
        self._compute = compute
        self._seen = seen
        self._slots: list[Any] = list(plan.slots)
        self._joins = Joins(plan, self._builder, self._slots)
        self._early: dict[int, tuple[Array | None, int]] = {}
        self._sizes: list[list[Size]] = [[], []]
        self._stops: list[int] = []
        self._folding = Folding(self._builder.symbols)
        self._given: dict[int, int] = {}
        self._alike: dict[tuple[int, int, bool, int], Number] = {}

    def program(self) -> Program:
        plan, builder = self._plan, self._builder
        for number, (slot, fact) in enumerate(zip(plan.parameters, plan.parameter_facts, strict=True)):
            hint = self._inputs[number] if number < len(self._inputs) else None
            self._slots[slot] = self._output(fact, hint)
            self._early[id(self._slots[slot])] = (hint, 0)
        parameters = tuple(self._slots[slot] for slot in plan.parameters)
        early: list[Lowered] = []
        main: list[Lowered] = []
        sinks: list[tuple[Step, tuple[Value, ...]]] = []
        for step in told(plan.steps, "compiling"):
            given = tuple(self._slots[index] for index in step.inputs)
            lowered = self._step(step, given)
            if lowered is None:
                sinks.append((step, given))
            else:
                (early if lowered.first < 0 else main).append(lowered)
            outputs = given if lowered is None else lowered.outputs
            for index, value in zip(step.outputs, outputs, strict=True):
                self._slots[index] = value
        for step, given in sinks:
            first = len(builder.items)
            builder.items.append(Interpreted(step, given, (), "writes a variable"))
            main.append(Lowered(step, first, first + 1, given, given))
        results = tuple(self._slots[index] for index in plan.results)
        made = assembled(builder, parameters, results, self._preludes)
        return replace(
            made,
            stops=tuple(self._stops),
            steps=(*early, *main),
            given=self._given,
            sizes=tuple(map(tuple, self._sizes)),
            fresh=frozenset(builder.fresh),
        )

    def _wanted(self, shape: Sequence[Number], dtype: np.dtype[Any]) -> View | None:
        """The place where the only result of the step that is lowered should be."""
        step = self._step_now
        return None if step is None or len(step.outputs) != 1 else self._joins.place(step.outputs[0], shape, dtype)

    def _is_sink(self, step: Step) -> bool:
        """Return whether nobody reads what a step returns."""
        return not any(index in self._readers or index in self._plan.results for index in step.outputs)

    def _is_initial(self, step: Step, given: Sequence[Value]) -> bool:
        """Return whether a step makes initial values of variables before any call: those that need sizes only.

        A variable that grows needs its initial value then, whatever it is made of.
        """
        readers = {each for index in step.outputs for each in self._readers.get(index, ())}
        is_result = any(index in self._plan.results for index in step.outputs)
        needs_sizes = not any(isinstance(value, View) for value in given)
        return bool(readers) and not is_result and readers <= _READERS and (needs_sizes or _GROWING in readers)

    def _step(self, step: Step, given: tuple[Value, ...]) -> Lowered | None:
        """Lower a step; None for one that writes a variable, which NumPy does last, as nobody reads what it returns."""
        builder = self._builder
        first, early, stops = len(builder.items), [len(prelude) for prelude in self._preludes], len(self._stops)
        self._step_now, builder.algorithm = step, ""
        try:
            if self._is_initial(step, given) and self._level(given) is not None:
                outputs: tuple[Value, ...] = self._before(None, given)
            else:
                outputs = self._folding.outputs(step, given) or self._called(step, given)
        except (Unsupported, OpError) as why:
            reason = str(why)
        except (NotWhole, ZeroDivisionError):
            reason = "sizes that are known only when a run begins"
        else:
            return Lowered(step, first, len(builder.items), given, outputs, builder.algorithm)
        del builder.items[first:], self._stops[stops:], self._sizes[stops + 2 :]
        for prelude, count in zip(self._preludes, early, strict=True):
            del prelude[count:]
        if self._level(given) is not None:
            return Lowered(step, -1, -1, given, self._computed_before(step, given, reason))
        if isinstance(step.node.op, Assign3 | Assign6) and self._is_sink(step):
            return None
        fresh = self._computed_between(step, given, reason)
        return Lowered(step, first, len(builder.items), given, fresh)

    def _computed_between(
        self, step: Step, given: Sequence[Value], reason: str, *, is_part: bool = False
    ) -> tuple[View, ...]:
        """The outputs of a step that NumPy computes between two calls; what is open of their sizes is known then."""
        items = self._builder.items
        if not all(map(has_static_shape, step.facts)):
            self._sizes.append([])
            self._stops.append(len(items) + 1)
        hints: Sequence[Array | None] = self._seen.get(step.outputs, [None] * len(step.facts))
        stage = 1 + len(self._stops)
        fresh = tuple(self._output(fact, hint, stage) for fact, hint in zip(step.facts, hints, strict=True))
        items.append(Interpreted(step, tuple(given), fresh, reason, is_part))
        return fresh

    def _counted(self, array: View, count: View) -> View:
        """The first columns of the output of the step that is lowered, of a number that its calls write."""
        step = self._step_now
        assert step is not None
        part = step._replace(run=lambda array, count: array[..., : count[0]])
        (found,) = self._computed_between(part, (array, count), "takes what the calls found", is_part=True)
        return found

    def _before(self, run: Callable[..., Any] | None, given: Sequence[Value]) -> tuple[View, ...]:
        """Let NumPy compute the step that is lowered, or a part of it, before any call."""
        if self._level(given) is None:
            raise Unsupported("it depends on what a kernel computes")
        step = self._step_now
        assert step is not None
        part = step if run is None else step._replace(run=run)
        return self._computed_before(part, given, "provides memory", is_part=True)

    def _computed_before(
        self, step: Step, given: Sequence[Value], reason: str, *, is_part: bool = False
    ) -> tuple[View, ...]:
        level = self._level(given)
        assert level is not None
        hints: Sequence[Array | None] = [None] * len(step.facts)
        if self._compute is None and not all(map(has_static_shape, step.facts)):
            raise Unknown
        if self._compute is not None:
            hints = self._compute(step, [self._hint(value) for value in given])
        is_variable = "state" in step.asks
        outputs = tuple(
            self._output(fact, hint, level, is_variable=is_variable)
            for fact, hint in zip(step.facts, hints, strict=True)
        )
        for output, hint in zip(outputs, hints, strict=True):
            is_packed = hint is not None and output.buffer in self._given and not is_variable
            self._early[id(output)] = (np.asarray(hint, order="C") if is_packed else hint, level)
        self._preludes[level].append(Interpreted(step, tuple(given), outputs, reason, is_part))
        return outputs

    def _hint(self, value: Value) -> Array | None:
        """The value in the run that is lowered, of what is known before any call."""
        if isinstance(value, Numbers):
            flat = [hint_of(number) for number in value.values.reshape(-1)]
            return np.array(flat, value.dtype).reshape(value.values.shape)
        return self._early[id(value)][0] if isinstance(value, View) else value

    def _level(self, given: Sequence[Value]) -> int | None:
        """The prelude in which all inputs are known; None if some are known later."""
        level = 0
        for value in given:
            if isinstance(value, Numbers):
                if any(isinstance(number, SymInt) and number.stage > 0 for number in value.values.reshape(-1)):
                    return None
                level = 1
            elif isinstance(value, np.ndarray):
                level = max(level, int(self._folding.is_guarded(value)))
            elif value is not None:
                if id(value) not in self._early:
                    return None
                level = max(level, self._early[id(value)][1])
        return level

    def _output(self, fact: Fact, hint: Array | None, stage: int = 0, *, is_variable: bool = False) -> View:
        """The array of a Parameter or of a step that NumPy computes.

        Its sizes are those of the run where the fact leaves them open, and so are the strides of a variable, which may
        have room to grow. Variables grow together: sizes that are equal are one, and what follows from them is computed
        once.
        """
        builder = self._builder
        if has_static_shape(fact):
            if not is_variable:
                return builder.empty(fact.shape.static, fact.type.dtype)
            self._given[len(builder.buffers)] = stage
            return builder.given(fact.shape.static, None, fact.type.dtype)
        if hint is None:
            raise Unknown
        dims = fact.shape.dims or (None,) * hint.ndim
        buffer = len(builder.buffers)

        def unknown(hint: int, axis: int, *, is_stride: bool) -> Number:
            found = builder.symbols.unknown(hint, stage)
            self._sizes[stage].append(Size(found.atom, buffer, axis, is_stride))
            alike = self._alike.setdefault((stage, axis, is_stride, hint), found) if is_variable else found
            return alike if alike == found else found

        shape = tuple(
            dim.lo if dim is not None and dim.is_static else unknown(size, axis, is_stride=False)
            for axis, (dim, size) in enumerate(zip(dims, hint.shape, strict=True))
        )
        strides = None
        if is_variable:
            strides = tuple(unknown(stride, axis, is_stride=True) for axis, stride in enumerate(hint.strides))
        self._given[buffer] = stage
        return builder.given(shape, strides, hint.dtype)

    def _called(self, step: Step, given: Sequence[Value]) -> tuple[Value, ...]:
        """The outputs of a step that has a kernel; Unsupported for others."""
        op = step.node.op
        lowering = None if op is None else LOWERINGS.get(type(op))
        without_elements = None if op is None else nothing(op, step.facts)
        if without_elements is not None:
            return without_elements
        if op is None or lowering is None:
            raise Unsupported("no kernel")
        narrow = next((fact.type for fact in step.facts if fact.type.is_narrow), None)
        if narrow is not None:
            raise Unsupported(f"results of {narrow}")
        arrays = [
            (value.values if place in lowering.numbers else self._builder.view(value))
            if isinstance(value, Numbers)
            else value
            for place, value in enumerate(given)
        ]
        while arrays and arrays[-1] is None:
            arrays.pop()
        if any(isinstance(value, View) and value.dtype.hasobject for value in arrays):
            raise Unsupported("text")
        made = lowering.function(op, self._builder, *arrays)
        return tuple(made) if isinstance(made, tuple) else (made,)


def assembled(
    builder: Builder,
    parameters: Sequence[View],
    results: Sequence[Value],
    preludes: Sequence[Sequence[Interpreted]] = ((), ()),
) -> Program:
    """The program of the calls that a builder has collected, for arrays of known sizes."""
    _find_lives(builder, parameters, results, preludes)
    return Program(
        (tuple(preludes[0]), tuple(preludes[1])),
        tuple(builder.items),
        (),
        (),
        tuple(parameters),
        tuple(results),
        tuple(builder.buffers),
        {},
        ((), ()),
        Expressions(builder.symbols),
    )


def _find_lives(
    builder: Builder,
    parameters: Sequence[View],
    results: Sequence[Value],
    preludes: Sequence[Sequence[Interpreted]],
) -> None:
    """From which item on, and up to which, each buffer is needed."""

    def touch(number: int, buffers: Sequence[int]) -> None:
        for each in buffers:
            buffer = builder.buffers[each]
            buffer.first = number if buffer.first < 0 else min(buffer.first, number)
            buffer.last = max(buffer.last, number)

    def of(values: Sequence[Value]) -> list[int]:
        return [value.buffer for value in values if isinstance(value, View)]

    touch(0, of(parameters))
    for prelude in preludes:
        for item in prelude:
            touch(0, of(item.outputs))
    for number, each in enumerate(builder.items):
        if isinstance(each, Call):
            touch(number, [access.address.buffer for access in each.accesses])
        else:
            touch(number, of((*each.inputs, *each.outputs)))
    touch(len(builder.items), of(results))
