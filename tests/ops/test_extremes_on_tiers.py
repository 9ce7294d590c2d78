"""Extreme values and sizes on NumPy and on compiled kernels, as parts of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.ops import OpError
from irrun.tensor import Array
from tests import cases
from tests.cases import Case, f32, i64, u8
from tests.ops import harness
from tests.ops.each import for_each
from tests.ops.extremes import askable, extremes, outputs
from tests.plugins.tiers import Tier

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

_MOST = float(np.finfo(np.float32).max)
_SPREAD = {"pads_begin": (0, 0), "pads_end": (0, 0), "dilations": (1, 1)}
_FILTER = f32([[[[1, np.nan], [np.inf, 2]]]])

COMPILED = [
    Case("HSwish", 4, [f32([_MOST, -_MOST, 1, -1])], [f32([_MOST, 0, 4 / 6, -2 / 6])], name="largest"),
    Case("HSwish", 4, [f32([np.inf, -np.inf, np.nan, 0])], [f32([np.inf, np.nan, np.nan, 0])], name="infinite"),
    Case(
        "FakeQuantize",
        1,
        [f32([[0.4, 0.4, 9], [0.4, 3.9, -1]]), *(f32(x).reshape(1, 1, -1, 1) for x in ([0], [1, 4], [0], [10, 20]))],
        [f32([[5, 5, 10], [0, 20, 0]])],
        {"levels": 3},
        name="limits of higher rank",
    ),
    Case(
        "ConvolutionBackpropData",
        1,
        [f32([[[[1, 3]]]]), f32([[[[1, 4], [5, 2]]]])],
        [f32([[[[1, 4, 3, 12], [5, 2, 15, 6]]]])],
        {**_SPREAD, "strides": (1, 2)},
        name="filter of finite numbers",
    ),
    Case(
        "Concat",
        1,
        [u8([[1, 2, 3, 4], [5, 6, 7, 8]]), u8([[9], [10]]).repeat(4, axis=1)],
        [u8([[1, 2, 3, 4, 9, 9, 9, 9], [5, 6, 7, 8, 10, 10, 10, 10]])],
        {"axis": 1},
        name="rows of four bytes",
    ),
]
"""Layers that have compiled kernels."""

WITHOUT_KERNEL = [
    Case(
        "Interpolate",
        4,
        [f32(np.ones((1, 1, 3, 1))), i64([3, 0]), f32([1, 0.7]), i64([2, 3])],
        [f32(np.zeros((1, 1, 3, 0)))],
        {"mode": "nearest", "shape_calculation_mode": "scales"},
        name="nothing is left",
    ),
    Case(
        "ConvolutionBackpropData",
        1,
        [f32([[[[1, 3]]]]), _FILTER],
        [f32([[[[1, np.nan, 3, np.nan], [np.inf, 2, np.inf, 6]]]])],
        {**_SPREAD, "strides": (2, 2)},
        name="filter that is not finite",
    ),
    Case(
        "ConvolutionBackpropData",
        1,
        [f32([[[[1]]]]), _FILTER],
        [f32([[[[1, np.nan, 0], [np.inf, 2, 0], [0, 0, 0]]]])],
        {**_SPREAD, "strides": (2, 2), "output_padding": (1, 1)},
        name="output beyond a filter that is not finite",
    ),
    Case(
        "GroupConvolution",
        1,
        [f32([[[[1, 2, 3]]] * 2]).reshape(1, 2, 1, 3), f32([[1, 2, np.inf]] * 2).reshape(2, 1, 1, 1, 3)],
        [f32([[[[np.inf, np.inf, np.nan]]] * 2]).reshape(1, 2, 1, 3)],
        {**_SPREAD, "strides": (1, 1), "pads_begin": (0, 1), "pads_end": (0, 1)},
        name="infinite taps on padding",
    ),
]
"""Layers that are left to NumPy."""


WITH_KERNELS = (
    *("Abs", "Add", "AvgPool", "Clamp", "Concat", "Convolution", "ConvolutionBackpropData", "CumSum", "Divide"),
    *(
        "Einsum",
        "Elu",
        "Exp",
        "LogSoftmax",
        "ReduceL1",
        "ReduceL2",
        "ReduceMax",
        "ReduceMin",
        "ReduceProd",
        "ReduceSum",
    ),
    *("FakeQuantize", "Gather", "Gelu", "GroupConvolution", "GroupConvolutionBackpropData", "HSigmoid", "HSwish"),
    *("Interpolate", "LRN", "MVN", "MatMul", "MaxPool", "Maximum", "Minimum", "Multiply", "Negative", "ReLU"),
    *("ReduceMean", "Roll", "ScaledDotProductAttention", "ShuffleChannels", "Sigmoid", "SoftMax", "Split", "Sqrt"),
    *("Subtract", "Swish", "Tanh", "TopK", "Transpose", "VariadicSplit"),
)
"""Operations that have compiled kernels in some forms."""
MOST = 8
"""The number of cases of an operation whose variants run."""


@pytest.mark.parametrize("case", COMPILED, ids=str)
def test_a_kernel_computes(case: Case) -> None:
    assert run(case, {"TIER": "compiled"}) == "compiled"


@pytest.mark.parametrize("case", WITHOUT_KERNEL, ids=str)
def test_no_kernel_computes(case: Case) -> None:
    assert run(case, {"TIER": "compiled"}) == "numpy"


@pytest.mark.parametrize("case", [*COMPILED, *WITHOUT_KERNEL], ids=str)
def test_numpy_and_a_model_as_written_compute(case: Case) -> None:
    run(case, {"TIER": "numpy"})
    for tier in ("numpy", "compiled"):
        run(case, {"TIER": tier, "OPTIMIZE": False})


@pytest.mark.parametrize("type", sorted({*WITH_KERNELS}))
def test_tiers_agree(type: str, tier: Tier, subtests: pytest.Subtests) -> None:
    """Sums that overflow depend on their order, so that the largest numbers are left out."""
    bases = [case for case in askable() if case.type == type and harness.element_types(case)[0].name == "f32"][:MOST]
    assert bases or cases.ONLY
    with np.errstate(all="ignore"):
        for base in tier.part(bases, 1):
            variants = [made for made in extremes(base) if ": extremes" not in made.name]
            for_each(subtests, [base, *variants], computes_as_numpy)


def computes_as_numpy(case: Case) -> None:
    expected = _found(case)
    if expected is not None:
        run(replace(case, expected=expected, rtol=1e-4, atol=1e-5), {"TIER": "compiled"})


def _found(case: Case) -> Sequence[Array] | None:
    try:
        return outputs(case)
    except OpError:
        return None


def run(case: Case, config: dict[str, Any]) -> str:
    """Compare the results of two runs with those of a case; return the tier that computed them."""
    ir, parameters = harness.model(case, constants=harness.constants(case))
    model = irrun.model.build(irrun.model.load(ir.text.encode(), ir.weights), config)
    inputs = [array for index in parameters if (array := case.inputs[index]) is not None]
    for _ in range(2):
        harness.expect(list(model.session().run(inputs).to_tuple()), case)
    return model.executor.last
