"""The memory of the tape and of the arguments of a program, and those of their numbers that depend on the run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.runtime.lowering.builder import Buffer, Call, Numbers
from irrun.runtime.program import Program, Size
from irrun.runtime.symbolic import Number, SymFloat, SymInt
from irrun.runtime.view import View
from irrun.tensor import Array
from irrun_kernels.native import Address

ROW: Final = 3
"""Numbers of a row of the tape: the address of a kernel, the address of its arguments, and its tasks."""


class Places(NamedTuple):
    """Numbers that a stage makes known: their ``places``, and the numbers of the expressions."""

    places: Array
    expressions: Array


class Addresses(NamedTuple):
    """Addresses that a stage makes known: places, buffers, offsets, and those of the offsets that are expressions."""

    words: Array
    buffers: Array
    offsets: Array
    moved: Places


class Atoms(NamedTuple):
    """Unknown sizes that an array of the run in a ``buffer`` tells: pairs of a number and an axis."""

    buffer: int
    shape: list[tuple[int, int]]
    strides: list[tuple[int, int]]


class Layout:
    """The words of a program: the rows of the tape, then the arguments and the tables of each call.

    ``words`` has those that are always the same, ``inner`` pairs of a word and the one to which it points; ``numbers``
    and ``addresses`` are the others, for each stage.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self._expressions = program.expressions
        self._tensors: dict[int, tuple[Numbers, Array, Places]] = {}
        words = self._words()
        for number in self._others():
            self._note(number)
        stages = range(len(program.sizes))
        self.stages = [program.expressions.compiled(stage) for stage in stages]
        self.given: list[list[int]] = [
            [buffer for buffer, own in program.given.items() if own == stage] for stage in stages
        ]
        self.atoms: list[list[Atoms]] = [_by_buffer(sizes) for sizes in program.sizes]
        self.strided: set[int] = {size.buffer for sizes in program.sizes for size in sizes if size.is_stride}
        self._sizes(stages)
        self.words: Array = np.zeros(len(words), np.int64)
        numbers: list[list[tuple[int, int]]] = [[] for _ in program.sizes]
        addresses: list[list[tuple[int, Address]]] = [[] for _ in program.sizes]
        inner: list[tuple[int, int]] = []
        for place, word in enumerate(words):
            if isinstance(word, SymInt):
                numbers[word.stage].append((place, self._expressions.number(word)))
            elif isinstance(word, Address):
                if word.buffer >= 0:
                    addresses[max(stage_of(word.offset), self.buffer_stage(word.buffer))].append((place, word))
            elif isinstance(word, _Inner):
                inner.append((place, word.place))
            elif isinstance(word, float):
                self.words[place : place + 1].view(np.float64)[0] = word
            else:
                self.words[place] = word
        self.inner: Array = np.array(inner, np.int64).reshape(-1, 2)
        self.numbers: list[Places] = [_places(pairs) for pairs in numbers]
        self.addresses: list[Addresses] = [self._addresses(found) for found in addresses]

    def _sizes(self, stages: Iterable[int]) -> None:
        """Sort the buffers: those that are written with numbers, and those that are placed later than others."""
        buffers = self.program.buffers
        own = [self.buffer_stage(number) for number in range(len(buffers))]
        self.written: list[list[int]] = [
            [n for n, b in enumerate(buffers) if b.kind == "numbers" and own[n] == s] for s in stages
        ]
        self.grown: list[list[int]] = [
            [n for n, b in enumerate(buffers) if b.kind == "arena" and own[n] == s > 1] for s in stages
        ]
        self.not_placed: list[int] = [n for n, b in enumerate(buffers) if b.kind != "arena" or own[n] > 1]
        self.sizes: Array = np.array([0 if isinstance(b.size, SymInt) else b.size for b in buffers], np.int64)
        open_sizes = [(n, b.size) for n, b in enumerate(buffers) if isinstance(b.size, SymInt)]
        self.open_sizes: Places = _places([(n, self._expressions.number(size)) for n, size in open_sizes])
        workspaces = [item.workspace for item in self.program.items if isinstance(item, Call)]
        self.workspace: Number | int = max([each for each in workspaces if not isinstance(each, SymInt)], default=0)
        open_ones = [self._expressions.number(each) for each in workspaces if isinstance(each, SymInt)]
        self.workspaces: Array = np.array(open_ones, np.int64)

    def _words(self) -> list[Any]:
        items = self.program.items
        words: list[Any] = [0] * (ROW * len(items))
        for number, item in enumerate(items):
            if not isinstance(item, Call):
                continue
            start = len(words)
            words[ROW * number : ROW * (number + 1)] = [item.kernel.address, _Inner(start), item.tasks]
            words += item.arguments
            for name, table in item.tables.items():
                words[start + (item.kernel.record.names or ()).index(name)] = _Inner(len(words))
                words += table
        for word in words:
            self._note(word.offset if isinstance(word, Address) else word)
        return words

    def _others(self) -> Iterable[Number]:
        """The numbers that are not among the words: sizes of buffers, of workspace and of arrays that Python sees."""
        program = self.program
        for buffer in program.buffers:
            yield buffer.size
            yield from buffer.numbers
        for item in program.items:
            if isinstance(item, Call):
                yield item.workspace
        for value in program.seen:
            if isinstance(value, View):
                yield from (value.offset, *value.shape, *value.strides)
            elif isinstance(value, Numbers):
                yield from value.values.reshape(-1)

    def _note(self, number: Any) -> None:
        if isinstance(number, SymInt):
            self._expressions.number(number)

    def buffer_stage(self, number: int) -> int:
        """The stage that makes the place of a buffer known."""
        buffer = self.program.buffers[number]
        if buffer.kind == "given":
            return self.program.given[number]
        return max(int(buffer.kind == "arena"), *map(stage_of, (buffer.size, *buffer.numbers)))

    def _addresses(self, found: Sequence[tuple[int, Address]]) -> Addresses:
        offsets = [address.offset for _, address in found]
        moved = [(i, self._expressions.number(x)) for i, x in enumerate(offsets) if isinstance(x, SymInt)]
        return Addresses(
            np.array([place for place, _ in found], np.int64),
            np.array([address.buffer for _, address in found], np.int64),
            np.array([0 if isinstance(offset, SymInt) else offset for offset in offsets], np.int64),
            _places(moved),
        )

    def values(self, tensor: Numbers, known: Array) -> Array:
        """The array of numbers, given the values of all expressions."""
        found = self._tensors.get(id(tensor.values))
        if found is None:
            flat = tensor.values.reshape(-1).tolist()
            fixed = np.array([0 if isinstance(each, SymInt) else each for each in flat], tensor.dtype)
            open_ones = [(n, self._expressions.number(x)) for n, x in enumerate(flat) if isinstance(x, SymInt)]
            found = self._tensors[id(tensor.values)] = (tensor, fixed, _places(open_ones))
        made = found[1].copy()
        words = known[found[2].expressions]
        made[found[2].places] = words.view(np.float64) if tensor.dtype.kind == "f" else words
        return made.reshape(tensor.values.shape)

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


def _by_buffer(sizes: Sequence[Size]) -> list[Atoms]:
    found: dict[int, Atoms] = {}
    for size in sizes:
        atoms = found.setdefault(size.buffer, Atoms(size.buffer, [], []))
        (atoms.strides if size.is_stride else atoms.shape).append((size.atom, size.axis))
    return list(found.values())


class _Inner(NamedTuple):
    """The address of another word."""

    place: int


def stage_of(number: Number) -> int:
    """The stage that makes a number known; 0 for one that always is."""
    return number.stage if isinstance(number, SymInt) else 0


def _places(pairs: Sequence[tuple[int, int]]) -> Places:
    both = np.array(pairs, np.int64).reshape(-1, 2)
    return Places(both[:, 0].copy(), both[:, 1].copy())
