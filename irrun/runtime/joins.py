"""Results that a concatenation of channels reads are computed where its own result is, so that it copies nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.ops._declared.fused.fused_concat import FusedConcat
from irrun.ops._declared.movement.concat import Concat
from irrun.ops._declared.movement.split import Split
from irrun.ops._declared.movement.variadic_split import VariadicSplit
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.plan import Plan, Step
from irrun.runtime.symbolic import Number
from irrun.runtime.view import View
from irrun.tensor import Array, Fact

_CHANNELS: Final = 1
_LEAST_RANK: Final = 3


class _Place(NamedTuple):
    """The number of a concatenation, and the first and the last of its channels that are for a result."""

    join: int
    first: int
    last: int


class _Join(NamedTuple):
    """A concatenation: its axes, channels and room for more, and the slot whose memory it continues, if it grows."""

    dtype: np.dtype[Any]
    rank: int
    channels: int
    room: int
    output: int
    base: int | None


class Joins:
    """The places of the results of a plan in those of concatenations.

    ``slots`` are the values of the plan as far as they are lowered.
    """

    def __init__(self, plan: Plan, builder: Builder, slots: Sequence[Any]) -> None:
        self._builder = builder
        self._slots = slots
        self._joins: dict[int, _Join] = {}
        self._of: dict[int, int] = {}
        self._places: dict[int, _Place] = {}
        self._wholes: dict[int, View] = {}
        facts: dict[int, Fact | Array] = {slot: array for slot, array in enumerate(plan.slots) if array is not None}
        facts.update(zip(plan.parameters, plan.parameter_facts, strict=True))
        made: dict[int, Step] = {}
        for number, step in enumerate(plan.steps):
            facts.update(zip(step.outputs, step.facts, strict=True))
            made.update(dict.fromkeys(step.outputs, step))
            if isinstance(step.node.op, Concat | FusedConcat):
                self._note(number, step, facts, made)

    def _note(self, number: int, step: Step, facts: dict[int, Fact | Array], made: dict[int, Step]) -> None:
        """Note the places of the inputs of a concatenation of channels, as far as their numbers are known."""
        op, (fact,) = step.node.op, step.facts
        sizes = [_channels(facts.get(slot), fact.type.dtype) for slot in step.inputs]
        if None in sizes or fact.rank is None or fact.rank < _LEAST_RANK:
            return
        assert isinstance(op, Concat | FusedConcat)
        if op.axis % fact.rank != _CHANNELS:
            return
        ends = np.cumsum([0, *sizes]).tolist()
        grows = isinstance(op, FusedConcat) and op.grows
        room = (op.room if isinstance(op, FusedConcat) else None) or ends[-1]
        self._joins[number] = _Join(
            fact.type.dtype, fact.rank, ends[-1], room, step.outputs[0], step.inputs[0] if grows else None
        )
        self._of[step.outputs[0]] = number
        for slot, first, last in _wholes(step.inputs, ends, made):
            if slot not in self._places and slot in made:
                self._places[slot] = _Place(number, first, last)

    def place(self, slot: int, shape: Sequence[Number], dtype: np.dtype[Any]) -> View | None:
        """The place of a result of this shape and type; None where no concatenation of such reads it, or not yet."""
        begun = self._wholes.get(self._of.get(slot, -1))
        if begun is not None:
            return begun if begun.dtype == dtype and _agree(begun.shape, shape) else None
        wanted = self._places.get(slot)
        if wanted is None or (len(shape), dtype) != (self._joins[wanted.join].rank, self._joins[wanted.join].dtype):
            return None
        channels = shape[_CHANNELS]
        if not isinstance(channels, int) or channels != wanted.last - wanted.first:
            return None
        whole = self._whole(wanted.join, shape)
        return whole[:, wanted.first : wanted.last] if whole is not None and _agree(whole.shape, shape) else None

    def _whole(self, number: int, shape: Sequence[Number]) -> View | None:
        """The result of a concatenation, of which a part has such a shape."""
        found = self._wholes.get(number)
        if found is not None:
            return found
        join = self._joins[number]
        batch, _, *sizes = shape
        if join.base is not None:
            begun = self._slots[join.base]
            if not isinstance(begun, View) or self._wholes.get(self._of.get(join.base, -1)) is not begun:
                return None
            made = begun.resized((batch, join.channels, *sizes))
        else:
            outer = (
                self.place(join.output, (batch, join.channels, *sizes), join.dtype)
                if join.room == join.channels
                else None
            )
            made = outer or self._builder.images((batch, join.room, *sizes), join.dtype)[:, : join.channels]
        self._wholes[number] = made
        return made


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
