"""Arrays that a run provides: inputs, variables, and what NumPy computes before and between the calls of a program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irrun.runtime.folding import Folding
from irrun.runtime.layout import Size
from irrun.runtime.lowering.builder import Builder, Numbers, Value, has_static_shape
from irrun.runtime.symbolic import Number, SymInt, hint_of
from irrun.runtime.view import View
from irrun.tensor import Array, Fact


class Unknown(Exception):
    """A size depends on values in the middle of a run, and has no hint."""


class Arrivals:
    """The arrays of a run in the buffers of a builder, the stage of each, and the unknown sizes that they tell.

    ``given`` are buffers that hold an array of the run itself. Arrays that are known before any call have a hint: the
    array of the run for which a program is lowered.
    """

    def __init__(self, builder: Builder, folding: Folding) -> None:
        self.given: dict[int, int] = {}
        self.sizes: list[list[Size]] = [[], []]
        self._builder = builder
        self._folding = folding
        self._early: dict[int, tuple[Array | None, int]] = {}
        self._alike: dict[tuple[int, int, bool, int], Number] = {}

    def add(self, fact: Fact, hint: Array | None, stage: int = 0, *, is_variable: bool = False) -> View:
        """The array of a Parameter or of a step that NumPy computes; Unknown if a size has no hint.

        Its sizes are those of the run where the fact leaves them open, and so are the strides of a variable, which may
        have room to grow. Variables grow together: sizes that are equal are one, and what follows from them is computed
        once.
        """
        builder = self._builder
        if has_static_shape(fact):
            if not is_variable:
                return builder.empty(fact.shape.static, fact.type.dtype)
            self.given[len(builder.buffers)] = stage
            return builder.given(fact.shape.static, None, fact.type.dtype)
        if hint is None:
            raise Unknown
        dims = fact.shape.dims or (None,) * hint.ndim
        buffer = len(builder.buffers)

        def unknown(hint: int, axis: int, *, is_stride: bool) -> Number:
            found = builder.symbols.unknown(hint, stage)
            self.sizes[stage].append(Size(found.atom, buffer, axis, is_stride))
            alike = self._alike.setdefault((stage, axis, is_stride, hint), found) if is_variable else found
            return alike if alike == found else found

        shape = tuple(
            dim.lo if dim is not None and dim.is_static else unknown(size, axis, is_stride=False)
            for axis, (dim, size) in enumerate(zip(dims, hint.shape, strict=True))
        )
        strides = None
        if is_variable:
            strides = tuple(unknown(stride, axis, is_stride=True) for axis, stride in enumerate(hint.strides))
        self.given[buffer] = stage
        return builder.given(shape, strides, hint.dtype)

    def add_early(self, fact: Fact, hint: Array | None, stage: int, *, is_variable: bool = False) -> View:
        """The same for an array that is known before any call: at stage 0, or 1 where it needs sizes."""
        made = self.add(fact, hint, stage, is_variable=is_variable)
        is_packed = hint is not None and made.buffer in self.given and not is_variable
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
            elif self._folding.is_guarded(value):
                stage = 1
        return stage

    def hint(self, value: Value) -> Array | None:
        """The array of a value that is known before any call, in the run for which the program is lowered."""
        if isinstance(value, Numbers):
            flat = [hint_of(number) for number in value.values.reshape(-1)]
            return np.array(flat, value.dtype).reshape(value.values.shape)
        return self._early[id(value)][0] if isinstance(value, View) else value
