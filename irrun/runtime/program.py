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

from irrun.runtime.expressions import Expressions, StageWriter
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.plan import Step
from irrun.runtime.symbolic import Number, SymFloat, SymInt
from irrun.runtime.view import Buffer, Call, Given, Interpreted, Numbers, Value, View
from irrun.tensor import Array
from irrun_kernels.native import NOWHERE, Address

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

_WORDS: Final = -2
"""The buffer of the words themselves. Behind it is one that begins at 0, for numbers that are no addresses."""

_ALWAYS: Final = -1
"""The stage that makes known what is the same in each run."""


class Stage(NamedTuple):
    """The parts of a layout that a stage of a run makes known.

    ``evaluate`` returns the values of ``expressions``, given those of atoms. Buffers are ``written`` with numbers, or
    ``grown`` as their sizes are known late. Each of the ``words`` is the place of a buffer plus a number that is known
    then; ``offsets`` are the places of these among all numbers.
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

    ``stages`` tell when words are known; the last one has those that are always the same. ``known`` are the numbers of
    the program, with room for those that depend on a run. ``sizes`` and ``workspaces`` are places in it, of the bytes
    of buffers and of those that a worker needs for a call. ``not_placed`` are buffers that are not in the arena.
    ``most_tasks`` are those of the call that has the most.
    """

    def __init__(self, program: Program) -> None:
        self._numbers, number = program.expressions, program.expressions.number
        words = _words_of(program)
        self.size: int = len(words)
        calls = [item for item in program.items if isinstance(item, Call)]
        self.most_tasks: int = max([sys.maxsize if isinstance(x.tasks, SymInt) else x.tasks for x in calls], default=1)
        self.workspaces: Array = np.array([number(each) for each in (0, *[call.workspace for call in calls])], np.int64)
        self.sizes: Array = np.array([number(buffer.size) for buffer in program.buffers], np.int64)
        own = [
            max(1 if x.kind == "arena" else _ALWAYS, *map(stage_of, (x.size, *x.numbers)))
            if x.given is None
            else x.given.stage
            for x in program.buffers
        ]
        kinds = [(place, buffer.kind) for place, buffer in enumerate(program.buffers)]
        self.not_placed: list[int] = [place for place, kind in kinds if kind != "arena" or own[place] > 1]
        own += [_ALWAYS, _ALWAYS]
        moved: list[list[tuple[int, int, int]]] = [[] for _ in (*program.stops, 0, 1, _ALWAYS)]
        for place, word in enumerate(words):
            buffer, offset = word if isinstance(word, Address) else (NOWHERE.buffer, word)
            moved[max(stage_of(offset), own[buffer])].append((place, buffer, number(offset)))
        for each in _numbers_in_python(program):
            number(each)
        self.stages: list[Stage] = [
            Stage(
                [(place, given) for place, given in program.given.items() if given.stage == stage],
                *StageWriter(self._numbers, stage).function(),
                [place for place, kind in kinds if kind == "numbers" and own[place] == stage],
                [place for place, kind in kinds if kind == "arena" and own[place] == stage > 1],
                *np.array(found, np.int64).reshape(-1, 3).T.copy(),
            )
            for stage, found in enumerate(moved)
        ]
        self.known: Array = np.array([0 if isinstance(x, SymInt) else x for x in self._numbers.items], np.int64)

    def contents(self, buffer: Buffer, known: Array) -> Array:
        """The array that is written to a buffer, given the values of all expressions."""
        values = [self.value(each, known) for each in buffer.numbers]
        return np.array(values if buffer.make is None else buffer.make(*values), buffer.dtype, order="C")

    def value(self, number: Number, known: Array) -> Any:
        """A number, given the values of all expressions."""
        if not isinstance(number, SymInt):
            return number
        word = known[self._numbers.number(number)]
        return float(word.view(np.float64)) if isinstance(number, SymFloat) else int(word)


def _words_of(program: Program) -> list[Address | Number]:
    """Return the words of a program. Places of words are addresses in the buffer of the words."""
    words: list[Any] = [0] * (ROW * len(program.items))
    for number, item in enumerate(program.items):
        if not isinstance(item, Call):
            continue
        start = len(words)
        words[ROW * number : ROW * (number + 1)] = [item.kernel.address, Address(_WORDS, 8 * start), item.tasks]
        words += item.arguments
        for name, table in item.tables.items():
            words[start + (item.kernel.record.names or ()).index(name)] = Address(_WORDS, 8 * len(words))
            words += table
    return words


def _numbers_in_python(program: Program) -> Iterator[Any]:
    """Yield the numbers of what is written to buffers, and of arrays that Python sees."""
    for buffer in program.buffers:
        yield from buffer.numbers
    seen: list[Value] = [*program.parameters, *program.results]
    for each in program.steps:
        seen += [*each.inputs, *each.outputs]
    for item in program.items:
        if isinstance(item, Interpreted):
            seen += [*item.inputs, *item.outputs]
    for value in seen:
        if isinstance(value, View):
            yield from (value.offset, *value.shape, *value.strides)
        elif isinstance(value, Numbers):
            yield from value.values.reshape(-1)


def stage_of(number: Number) -> int:
    """The stage that makes a number known."""
    return number.stage if isinstance(number, SymInt) else _ALWAYS


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
