from __future__ import annotations

from collections.abc import Callable
from functools import partial

from irrun.document.writer import Writer
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32
from tests.cases import Invalid, ModelCase, f32

_ROW = Fact(F32, Shape([1, 2]))


def accumulator(opset: int, with_init: bool = True, declared: bool = True) -> Callable[[Writer], None]:
    """Write a variable to which each inference adds x; the new value is the output."""
    return partial(_write, opset=opset, with_init=with_init, declared=declared and opset >= 6)


def _write(ir: Writer, opset: int, with_init: bool, declared: bool) -> None:
    x = ir.parameter("x", F32, _ROW.shape)
    inputs = [ir.constant(f32([[10, 20]]), F32)] if with_init else []
    shape = {"variable_type": "f32", "variable_shape": "1,2"} if declared else {}
    (held,) = ir.layer("ReadValue", f"opset{opset}", inputs, [_ROW], {"variable_id": "acc", **shape})
    (total,) = ir.layer("Add", "opset1", [x, held], [_ROW])
    ir.layer("Assign", f"opset{opset}", [total], [_ROW], {"variable_id": "acc"})
    ir.result(total)


_X = [f32([[1, 2]])]

MODELS = [
    ModelCase("ReadValue", 3, accumulator(3), _X, [f32([[11, 22]])], name="initial value"),
    ModelCase("ReadValue", 6, accumulator(6), _X, [f32([[11, 22]])], name="initial value"),
    ModelCase("ReadValue", 6, accumulator(6, with_init=False), _X, [f32([[1, 2]])], name="zeros"),
    ModelCase("ReadValue", 6, accumulator(6, declared=False), _X, [f32([[11, 22]])], name="as init_value"),
]

INVALID = [
    Invalid(
        "ReadValue",
        6,
        [init],
        f"input 0 (init_value) has shape {init[3:]}, expected one that [4,3] covers",
        {"variable_id": "v", "variable_type": F32, "variable_shape": Shape([4, 3])},
        input=0,
    )
    for init in ("f32[5,3]", "f32[?,3]", "f32[4,?]", "f32[3..4,3]", "f32[...]")
]
