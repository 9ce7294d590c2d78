"""Programs: calls of compiled kernels over buffers, for all sizes for which the guards of a program hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from irrun.runtime.expressions import Expressions
from irrun.runtime.layout import Given, Layout
from irrun.runtime.lowering.builder import Buffer, Builder, Call, Interpreted, Value
from irrun.runtime.plan import Step
from irrun.runtime.view import View
from irrun.tensor import Array

_LEAST_CALLS: Final = 2
"""Calls between two steps of Python that are worth to wake workers for, in a plan that is open."""

Preludes = tuple[tuple[Interpreted, ...], tuple[Interpreted, ...]]


class LoweredStep(NamedTuple):
    """A step, the range of items that it became, its inputs and its outputs, and its ``algorithm``, if it chose one."""

    step: Step
    first: int
    last: int
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    algorithm: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The calls of kernels into which a plan was lowered, and the ``layout`` of their arguments in memory.

    ``preludes`` are steps that NumPy computes before any call: those that need arrays alone, and those that need sizes
    which inputs tell. The preludes are stages 0 and 1, and the next ones begin after the items in ``stops``. ``steps``
    are in the order of the items. ``given`` are the arrays of the run, by their buffers. It is for runs that find no
    value in the variables that are ``fresh``, and one in those that are ``held``.
    """

    items: tuple[Call | Interpreted, ...]
    parameters: tuple[View, ...]
    results: tuple[Value, ...]
    buffers: tuple[Buffer, ...]
    expressions: Expressions
    steps: tuple[LoweredStep, ...] = ()
    preludes: Preludes = ((), ())
    stops: tuple[int, ...] = ()
    given: Mapping[int, Given] = field(default_factory=dict)
    fresh: frozenset[str] = frozenset()
    held: frozenset[str] = frozenset()
    layout: Layout = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "layout", Layout(self))

    @property
    def is_open(self) -> bool:
        """Return whether sizes, or the places of arrays, are known only when a run begins."""
        return bool(self.given)

    @property
    def is_worthwhile(self) -> bool:
        """Return whether compiled kernels compute enough of the program."""
        calls = sum(isinstance(item, Call) for item in self.items)
        stretches = sum(isinstance(self.items[first], Call) for first, _ in segments(self.items))
        return calls > 0 and (not self.is_open or calls >= _LEAST_CALLS * stretches)

    def workers(self, most: int) -> int:
        """Return how many workers compute the program best: no more than a call has tasks."""
        return max(1, min(most, self.layout.most_tasks))

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


def assembled(builder: Builder, parameters: Sequence[View], results: Sequence[Value], **others: Any) -> Program:
    """The program of the calls that a builder has collected; ``others`` are what a plan adds to it."""
    _find_lives(builder, parameters, results, others.get("preludes", ()))
    return Program(
        tuple(builder.items),
        tuple(parameters),
        tuple(results),
        tuple(builder.buffers),
        Expressions(builder.symbols),
        fresh=frozenset(builder.fresh),
        **others,
    )


def _find_lives(
    builder: Builder, parameters: Sequence[View], results: Sequence[Value], preludes: Sequence[Sequence[Interpreted]]
) -> None:
    """Note from which item on, and up to which, each buffer is needed."""

    def touch(number: int, buffers: Iterable[int]) -> None:
        for each in buffers:
            buffer = builder.buffers[each]
            buffer.first = number if buffer.first < 0 else min(buffer.first, number)
            buffer.last = max(buffer.last, number)

    touch(0, _buffers_of(parameters))
    for prelude in preludes:
        for item in prelude:
            touch(0, _buffers_of(item.outputs))
    for number, each in enumerate(builder.items):
        if isinstance(each, Call):
            touch(number, [access.address.buffer for access in each.accesses])
        else:
            touch(number, _buffers_of((*each.inputs, *each.outputs)))
    touch(len(builder.items), _buffers_of(results))


def _buffers_of(values: Sequence[Value]) -> list[int]:
    return [value.buffer for value in values if isinstance(value, View)]
