from __future__ import annotations

import numpy as np

from irrun.document.writer import Writer
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I64
from tests.cases import Case, Invalid, ModelCase, f32, f64, i32, i64

_F32 = {1: "f32", 2: "f32"}
_TENSORFLOW = {"global_seed": 80, "op_seed": 100}
_PYTORCH = {"global_seed": 80, "alignment": "pytorch"}

_DRAWN = f32(
    [
        [0.7011236, 0.30539632, 0.93931055],
        [0.9456035, 0.11694777, 0.50770056],
        [0.5197197, 0.22727466, 0.991374],
    ]
)


def draw(ir: Writer) -> None:
    """Write the first example of the specification."""
    inputs = [ir.constant(i64([3, 3]), I64), ir.constant(f32(0), F32), ir.constant(f32(1), F32)]
    attributes = {"output_type": "f32", "global_seed": "150", "op_seed": "10"}
    ir.result(ir.layer("RandomUniform", "opset8", inputs, [Fact(F32, Shape([3, 3]))], attributes)[0])


MODELS = [
    ModelCase("RandomUniform", 8, draw, [], [_DRAWN], "page", "in a model"),
    ModelCase("RandomUniform", 8, draw, [], [_DRAWN], name="again in the next run", runs=2, departs="stream"),
]
CASES = [
    Case(
        "RandomUniform",
        8,
        [i64([3, 3]), f32(0), f32(1)],
        [_DRAWN],
        {"output_type": "f32", "global_seed": 150, "op_seed": 10},
        "page",
        "f32",
        rtol=1e-7,
        types=_F32,
    ),
    Case(
        "RandomUniform",
        8,
        [i64([2, 2]), f64(2), f64(10)],
        [f64([[5.65927959, 4.23122376], [2.67008206, 2.36423758]])],
        {"output_type": "f64", **_TENSORFLOW},
        "page",
        "f64",
        rtol=2e-9,
        departs="f64",
    ),
    Case(
        "RandomUniform",
        8,
        [i32([2, 3]), i32(50), i32(100)],
        [i32([[65, 70, 56], [59, 82, 92]])],
        {"output_type": "i32", **_TENSORFLOW},
        "page",
        "i32",
    ),
    Case(
        "RandomUniform",
        8,
        [i64([5]), i64([50]), i64([100])],
        [i64([65, 70, 56, 59, 82])],
        {"output_type": "i64", **_TENSORFLOW},
        "oracle",
        "i64",
    ),
    Case(
        "RandomUniform",
        8,
        [i64([3, 3]), f32(0), f32(1)],
        [
            f32(
                [
                    [0.59748673, 0.544582, 0.04074067],
                    [0.5810562, 0.67971706, 0.3907653],
                    [0.1751616, 0.36466956, 0.70758903],
                ]
            )
        ],
        {"output_type": "f32", "global_seed": 150, "alignment": "pytorch"},
        "oracle",
        "f32 as PyTorch",
        rtol=1e-7,
        types=_F32,
    ),
    Case(
        "RandomUniform",
        8,
        [i64([2, 3]), i32(50), i32(100)],
        [i32([[77, 58, 62], [69, 60, 94]])],
        {"output_type": "i32", **_PYTORCH},
        "oracle",
        "i32 as PyTorch",
    ),
    Case(
        "RandomUniform",
        8,
        [i64([5]), i64(50), i64(100)],
        [i64([77, 58, 62, 69, 60])],
        {"output_type": "i64", **_PYTORCH},
        "oracle",
        "i64 as PyTorch",
    ),
    Case(
        "RandomUniform",
        8,
        [i64([0, 3]), f32(0), f32(1)],
        [f32(np.zeros((0, 3)))],
        {"output_type": "f32"},
        name="empty",
        types=_F32,
    ),
]
_TYPE = {"output_type": "f32"}
INVALID = [
    Invalid("RandomUniform", 8, [i64([2]), f32(0), f32(1)], "output_type is missing", attribute="output_type"),
    Invalid("RandomUniform", 8, [i64([2]), f32(1), f32(1)], "minval (1.0) is not below maxval (1.0)", _TYPE, input=1),
    Invalid(
        "RandomUniform", 8, [i64([2]), i32(0), i32(1)], "input 1 is i32, expected f32, the output_type", _TYPE, input=1
    ),
    Invalid(
        "RandomUniform",
        8,
        [i64([2]), f32([0, 0]), f32(1)],
        "input 1 has shape [2], expected one number",
        _TYPE,
        input=1,
    ),
    Invalid("RandomUniform", 8, [i64(2), f32(0), f32(1)], "has rank 0, expected 1", _TYPE, input=0),
]
