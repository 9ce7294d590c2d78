"""Programs: calls of compiled kernels over buffers, for all sizes for which the guards of a program hold.

The memory of a program are the words of its tape and arguments, of which some depend on the run, and its arena.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.runtime.expressions import Expressions
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.plan import Step
from irrun.runtime.symbolic import Number, SymFloat, SymInt
from irrun.runtime.view import Buffer, Call, Given, Interpreted, Numbers, Value, View
from irrun.tensor import Array
from irrun_kernels.native import Address

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
    are in the order of the items. It is for runs that find no value in the variables that are ``fresh``, and one in
    those that are ``held``.
    """

    items: tuple[Call | Interpreted, ...]
    parameters: tuple[View, ...]
    results: tuple[Value, ...]
    buffers: tuple[Buffer, ...]
    expressions: Expressions
    steps: tuple[LoweredStep, ...] = ()
    preludes: Preludes = ((), ())
    stops: tuple[int, ...] = ()
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
    def given(self) -> dict[int, Given]:
        """The arrays of the run, by their buffers."""
        used = [(number, buffer.given) for number, buffer in enumerate(self.buffers) if buffer.first >= 0]
        return {number: given for number, given in used if given is not None}

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
    values: list[tuple[int, Sequence[Value]]] = [(0, parameters), (len(builder.items), results)]
    values += [(0, item.outputs) for prelude in preludes for item in prelude]
    uses: list[tuple[int, int]] = []
    for number, item in enumerate(builder.items):
        if isinstance(item, Call):
            uses += [(number, access.address.buffer) for access in item.accesses]
        else:
            values.append((number, (*item.inputs, *item.outputs)))
    uses += [(number, value.buffer) for number, of_item in values for value in of_item if isinstance(value, View)]
    for number, buffer in ((number, builder.buffers[place]) for number, place in uses):
        buffer.first = number if buffer.first < 0 else min(buffer.first, number)
        buffer.last = max(buffer.last, number)


ROW: Final = 3
"""Numbers of a row of the tape: the address of a kernel, the address of its arguments, and its tasks."""

_ALIGNMENT: Final = 64

_ZERO: Final = -1
"""The buffer of a number that is not an address: the last one of the places of buffers is 0."""


class Stage(NamedTuple):
    """The parts of a layout that a stage of a run makes known.

    ``evaluate`` returns the values of ``expressions``, given those of atoms. Buffers are ``written`` with numbers, or
    ``grown`` as their sizes are known late. Each of the ``words`` is the place of a buffer plus an integer that is
    known then.
    """

    given: list[tuple[int, Given]]
    evaluate: Callable[[list[Any]], list[int] | None]
    expressions: list[int]
    written: list[int]
    grown: list[int]
    words: Array
    buffers: Array
    offsets: Array


class Layout:
    """The words of a program: the rows of the tape, then the arguments and the tables of each call.

    ``words`` has those that are always the same, ``inner`` pairs of a word and the one to which it points, ``stages``
    the others. ``known`` has room for the values of expressions, then the constants beside which they are used:
    ``sizes`` and ``workspaces`` are places in it, of the bytes of buffers and of those that a worker needs for a call.
    ``not_placed`` are buffers that are not in the arena. ``most_tasks`` are those of the call that has the most.
    """

    def __init__(self, program: Program) -> None:
        self._expressions = program.expressions
        words = _words_of(program)
        for number in _numbers_of(program, words):
            if isinstance(number, SymInt):
                self._expressions.number(number)
        calls = [item for item in program.items if isinstance(item, Call)]
        self.most_tasks: int = max([sys.maxsize if isinstance(x.tasks, SymInt) else x.tasks for x in calls], default=1)
        self._constants: dict[int, int] = {}
        self.workspaces: Array = self._places([0, *[call.workspace for call in calls]])
        self.sizes: Array = self._places([buffer.size for buffer in program.buffers])
        own = [_stage_of_buffer(program, number) for number in range(len(program.buffers))]
        kinds = [(number, buffer.kind) for number, buffer in enumerate(program.buffers)]
        self.not_placed: list[int] = [number for number, kind in kinds if kind != "arena" or own[number] > 1]
        self.words: Array = np.zeros(len(words), np.int64)
        moved: list[list[tuple[int, int, Number]]] = [[] for _ in range(2 + len(program.stops))]
        inner: list[tuple[int, int]] = []
        for place, word in enumerate(words):
            if isinstance(word, Address):
                if word.buffer >= 0:
                    moved[max(stage_of(word.offset), own[word.buffer])].append((place, word.buffer, word.offset))
            elif isinstance(word, SymInt):
                moved[word.stage].append((place, _ZERO, word))
            elif isinstance(word, _Inner):
                inner.append((place, word.place))
            elif isinstance(word, float):
                self.words[place : place + 1].view(np.float64)[0] = word
            else:
                self.words[place] = word
        self.inner: Array = np.array(inner, np.int64).reshape(-1, 2)
        self.stages: list[Stage] = [
            Stage(
                [(number, given) for number, given in program.given.items() if given.stage == stage],
                *program.expressions.compiled(stage),
                [number for number, kind in kinds if kind == "numbers" and own[number] == stage],
                [number for number, kind in kinds if kind == "arena" and own[number] == stage > 1],
                np.array([place for place, _, _ in found], np.int64),
                np.array([buffer for _, buffer, _ in found], np.int64),
                self._places([offset for _, _, offset in found]),
            )
            for stage, found in enumerate(moved)
        ]
        self.known: Array = np.array([0] * len(program.expressions.items) + [*self._constants], np.int64)

    def _places(self, numbers: Sequence[Number]) -> Array:
        """The places of integers among those that are known in a run."""
        expressions, constants = self._expressions, self._constants
        places = [
            expressions.number(x)
            if isinstance(x, SymInt)
            else constants.setdefault(x, len(expressions.items) + len(constants))
            for x in numbers
        ]
        return np.array(places, np.int64)

    def values(self, tensor: Numbers, known: Array) -> Array:
        """The array of numbers, given the values of all expressions."""
        flat = [self.value(x, known) if isinstance(x, SymInt) else x for x in tensor.values.reshape(-1)]
        return np.array(flat, tensor.dtype).reshape(tensor.values.shape)

    def contents(self, buffer: Buffer, known: Array) -> Array:
        """The array that is written to a buffer, given the values of all expressions."""
        values = [self.value(each, known) for each in buffer.numbers]
        return np.array(values if buffer.make is None else buffer.make(*values), buffer.dtype, order="C")

    def value(self, number: Number, known: Array) -> Any:
        """A number, given the values of all expressions."""
        if not isinstance(number, SymInt):
            return number
        word = known[self._expressions.number(number)]
        return float(word.view(np.float64)) if isinstance(number, SymFloat) else int(word)


class _Inner(NamedTuple):
    """The address of another word."""

    place: int


def _words_of(program: Program) -> list[Any]:
    """Return the words of a program: integers, floats, addresses, and the places of other words."""
    words: list[Any] = [0] * (ROW * len(program.items))
    for number, item in enumerate(program.items):
        if not isinstance(item, Call):
            continue
        start = len(words)
        words[ROW * number : ROW * (number + 1)] = [item.kernel.address, _Inner(start), item.tasks]
        words += item.arguments
        for name, table in item.tables.items():
            words[start + (item.kernel.record.names or ()).index(name)] = _Inner(len(words))
            words += table
    return words


def _numbers_of(program: Program, words: Sequence[Any]) -> Iterator[Any]:
    """Yield the words, offsets, and sizes of buffers, of workspace and of arrays that Python sees."""
    for word in words:
        yield word.offset if isinstance(word, Address) else word
    for buffer in program.buffers:
        yield buffer.size
        yield from buffer.numbers
    seen: list[Value] = [*program.parameters, *program.results]
    for each in program.steps:
        seen += [*each.inputs, *each.outputs]
    for item in program.items:
        if isinstance(item, Call):
            yield item.workspace
        else:
            seen += [*item.inputs, *item.outputs]
    for value in seen:
        if isinstance(value, View):
            yield from (value.offset, *value.shape, *value.strides)
        elif isinstance(value, Numbers):
            yield from value.values.reshape(-1)


def _stage_of_buffer(program: Program, number: int) -> int:
    """Return the stage that makes the place of a buffer known."""
    buffer = program.buffers[number]
    if buffer.given is not None:
        return buffer.given.stage
    return max(int(buffer.kind == "arena"), *map(stage_of, (buffer.size, *buffer.numbers)))


def stage_of(number: Number) -> int:
    """The stage that makes a number known; 0 for one that always is."""
    return number.stage if isinstance(number, SymInt) else 0


def place(buffers: Sequence[Buffer], sizes: Sequence[int]) -> tuple[dict[int, int], int]:
    """The offset of each buffer of the arena that is needed at all, by its number, and the size of the arena.

    Place the largest buffers first, each at the lowest address that no simultaneously live buffer uses.
    """
    needed = [number for number, buffer in enumerate(buffers) if buffer.kind == "arena" and buffer.first >= 0]
    needed.sort(key=sizes.__getitem__, reverse=True)
    lives = np.array([(buffers[number].first, buffers[number].last) for number in needed], np.int64).reshape(-1, 2)
    ranges = np.empty((len(needed), 2), np.int64)
    for count, number in enumerate(needed):
        need = max(-(-sizes[number] // _ALIGNMENT), 1) * _ALIGNMENT
        first, last = lives[count]
        used = ranges[:count][(lives[:count, 0] <= last) & (lives[:count, 1] >= first)]
        starts, stops = used[np.argsort(used[:, 0])].T
        free = np.maximum.accumulate(np.append(0, stops))
        offset = free[np.append(free[:-1] + need <= starts, True).argmax()]
        ranges[count] = offset, offset + need
    places = dict(zip(needed, ranges[:, 0].tolist(), strict=True))
    return places, int(ranges[:, 1].max(initial=0))
