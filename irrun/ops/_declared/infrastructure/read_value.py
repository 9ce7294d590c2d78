from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irrun.ops import Array, ElementType, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.context import Variables
from irrun.tensor import DYNAMIC
from irrun.tensor.element_type import ANY

T = TypeVar("T", ANY)


@op("ReadValue", opset=3)
class ReadValue3(Op):
    """Read a variable, or the initial value before it is first assigned."""

    inputs = (In("init_value", T, "the value before the first assignment"),)
    outputs = (Out("output", T),)
    foldable = Fold.NEVER

    variable_id: str = attr(doc="the name of the variable")

    def infer(self, init: Fact) -> Shape:
        return init.shape

    def run(self, init: Array, *, state: Variables) -> Array:
        return state.read(self.variable_id, init)


@op("ReadValue", opset=6)
class ReadValue6(Op):
    """Read a variable, or before its first assignment the initial value: init_value, or zeros where it is absent.

    Note: as in OpenVINO, variable_type and variable_shape default to the type and shape of init_value.
    """

    inputs = (In("init_value", ANY, "the value before the first assignment", optional=True),)
    outputs = (Out("output", ANY),)
    foldable = Fold.NEVER

    variable_id: str = attr(doc="the name of the variable")
    variable_type: ElementType = attr(DYNAMIC, doc="its element type")
    variable_shape: Shape = attr(Shape(None), doc="its partial shape")

    def infer(self, init: Fact | None, *, weights: Callable[[int, int], Array | None] | None) -> Fact:
        if init is None:
            return Fact(self.variable_type, self.variable_shape)
        if self.variable_type.is_known and init.type.is_known and init.type is not self.variable_type:
            raise OpError(f"input 0 (init_value) is {init.type}, expected {self.variable_type}", input=0)
        # Without the weights file, sizes may be unknown that constants decide.
        is_decided = init.shape.is_static or weights is None or weights(0, 0) is not None
        if is_decided and not self.variable_shape.relaxes(init.shape):
            raise OpError(
                f"input 0 (init_value) has shape {init.shape}, expected one that {self.variable_shape} covers", input=0
            )
        if self.variable_type.is_known:
            return Fact(self.variable_type, self.variable_shape)
        return Fact(init.type, init.shape if self.variable_shape.dims is None else self.variable_shape)

    def run(self, init: Array | None, *, state: Variables) -> Array:
        if init is None:
            init = np.zeros([dim.lo for dim in self.variable_shape], dtype=self.variable_type.dtype)
        return state.read(self.variable_id, init)
