"""Lowerings say why they leave a step to NumPy, and which algorithm they choose."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from irrun.ops import Op
from irrun.ops._declared.activation.clamp import Clamp
from irrun.ops._declared.activation.log_softmax import LogSoftmax
from irrun.ops._declared.arithmetic.add import Add
from irrun.ops._declared.arithmetic.cum_sum import CumSum
from irrun.ops._declared.arithmetic.log import Log
from irrun.ops._declared.condition.non_zero import NonZero
from irrun.ops._declared.image.grid_sample import GridSample
from irrun.ops._declared.image.interpolate import InterpolateV11
from irrun.ops._declared.matrix.matmul import MatMul
from irrun.ops._declared.movement.broadcast import BroadcastV1
from irrun.ops._declared.movement.concat import Concat
from irrun.ops._declared.movement.gather import GatherV7, GatherV8
from irrun.ops._declared.movement.gather_elements import GatherElements
from irrun.ops._declared.movement.pad import PadV12
from irrun.ops._declared.movement.roll import Roll
from irrun.ops._declared.movement.scatter_elements_update import ScatterElementsUpdateV12
from irrun.ops._declared.movement.scatter_update import ScatterUpdate
from irrun.ops._declared.movement.tile import Tile
from irrun.ops._declared.normalization.mvn import MVNV6
from irrun.ops._declared.pooling.adaptive_avg_pool import AdaptiveAvgPool
from irrun.ops._declared.reduction.reduce_sum import ReduceSum
from irrun.ops._declared.shape.unsqueeze import Unsqueeze
from irrun.ops._declared.sort.top_k import TopKV11
from irrun.runtime.lower import lowering_of
from irrun.runtime.lowering.builder import Builder, Unsupported
from irrun.runtime.lowering.convolutions import algorithm_of
from irrun_kernels.pixels import ImageWindows
from tests.kernels.compiled.lowered import placed, run
from tests.kernels.merged import merged


def zeros(*shape: int, dtype: str = "float32") -> Any:
    return np.zeros(shape, dtype)


def ints(*numbers: int) -> Any:
    return np.array(numbers, np.int64)


MVN = MVNV6(eps=1e-2, eps_mode="inside_sqrt", normalize_variance=True)
SUMS = ScatterElementsUpdateV12(reduction="mean")

REFUSED: dict[str, tuple[Op, tuple[Any, ...], int, str]] = {
    "two types": (Add(), (zeros(2), ints(1, 2)), 0, "inputs of different types"),
    "a type without functions": (Add(), (zeros(2, dtype="float16"),) * 2, 0, "elements of f16"),
    "a function that a type does not have": (Log(), (ints(1, 2),), 0, "no function log of i64"),
    "other broadcasting": (Add(auto_broadcast="pdpd"), (zeros(2), zeros(2)), 0, "broadcasting by pdpd"),
    "integers": (Clamp(min=-1.0, max=9.0), (zeros(2, dtype="uint8"),), 0, "integers that are clamped"),
    "a running sum": (CumSum(), (zeros(2), ints(1)), 1, "axis 1 of 1 axes"),
    "a backward sum": (
        CumSum(reverse=True),
        (zeros(2), ints(0)),
        1,
        "a running sum from the end, or without the element itself",
    ),
    "an order of indices": (
        TopKV11(axis=0, mode="max", sort="index"),
        (zeros(3), ints(2)),
        1,
        "elements of f32 by index",
    ),
    "softmax": (LogSoftmax(axis=0), (zeros(),), 0, "a scalar"),
    "rows": (LogSoftmax(axis=1), (zeros(2, 2, dtype="float64"),), 0, "elements of f64"),
    "matrices of f64": (MatMul(), (zeros(2, 2, dtype="float64"),) * 2, 0, "elements of f64"),
    "truths": (NonZero(), (zeros(),), 0, "a scalar"),
    "samples": (GridSample(), (ints(1).reshape(1, 1, 1, 1), zeros(1, 1, 1, 2)), 0, "elements of i64"),
    "a grid": (GridSample(), (zeros(1, 1, 2, 2), zeros(3, 1, 1, 2)), 0, "a grid that does not fit the images"),
    "a kind of samples": (
        GridSample(mode="bicubic"),
        (zeros(1, 1, 2, 2), zeros(1, 1, 1, 2)),
        0,
        "samples that are cubic, or reflected outside",
    ),
    "matrices": (MatMul(), (zeros(2, 3), zeros(4, 2)), 0, "rows of 3 and columns of 4 elements"),
    "pdpd": (BroadcastV1(mode="pdpd"), (zeros(1), ints(2)), 1, "mode pdpd"),
    "parts": (Concat(axis=0), (zeros(2, 3), zeros(2, 4)), 0, "inputs of different sizes"),
    "an axis of a run": (GatherV8(), (zeros(2), ints(1), ints(0)), 0, "an axis that depends on values"),
    "negative indices": (
        GatherV7(),
        (zeros(2, 2), ints(-1), ints(0)),
        2,
        "negative indices, which this version leaves open",
    ),
    "no elements": (GatherV8(), (zeros(0, 2), ints(0, 1), ints(0)), 1, "an axis without elements"),
    "indices": (
        GatherElements(axis=0),
        (zeros(3, 2), zeros(3, 4, dtype="int64")),
        0,
        "indices that do not fit the data",
    ),
    "a reduction": (SUMS, (zeros(3), ints(0), zeros(1), ints(0)), 1, "reduction mean, or of the updates alone"),
    "updates": (
        ScatterUpdate(),
        (zeros(3, 2), ints(0), zeros(1, 3), ints(0)),
        1,
        "updates that do not fit the indices",
    ),
    "types of updates": (ScatterUpdate(), (zeros(3), ints(0), ints(1), ints(0)), 1, "updates of i64 for f32"),
    "repeats": (Tile(), (zeros(2), ints(-1)), 1, "a negative number of repeats"),
    "a crop": (
        PadV12(pad_mode="constant"),
        (zeros(2), ints(-2), ints(-1)),
        2,
        "negative pads beyond the size of an axis",
    ),
    "a reflection": (
        PadV12(pad_mode="reflect"),
        (zeros(2), ints(2), ints(0)),
        2,
        "pads of mode reflect beyond the size of an axis",
    ),
    "shifts": (Roll(), (zeros(3), ints(1, 1), ints(0, 0)), 2, "several shifts of an axis"),
    "moments": (MVN, (zeros(2, 3, dtype="float64"), ints(1)), 1, "elements of f64"),
    "axes of a run": (MVN, (zeros(2, 3), ints(1)), 0, "axes that depend on values"),
    "windows": (AdaptiveAvgPool(), (zeros(1, 2, 3), ints(2)), 0, "sizes that depend on values"),
    "an axis twice": (
        ReduceSum(),
        (zeros(2, 3), ints(1, -1)),
        1,
        "an axis that is outside of the tensor, or given twice",
    ),
    "a new axis twice": (Unsqueeze(), (zeros(2), ints(0, 0)), 1, "an axis that is given twice"),
    "more than there are": (TopKV11(axis=0, mode="max", sort="value"), (zeros(3), ints(4)), 1, "4 of 3 elements"),
}


@merged()
@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_has_a_reason(name: str) -> None:
    op, arrays, constants, reason = REFUSED[name]
    with pytest.raises(Unsupported, match=f"^{re.escape(reason)}$"):
        run(op, *arrays, constants=constants)


def resized(mode: Any) -> tuple[Op, tuple[Any, ...], int]:
    op = InterpolateV11(mode=mode, shape_calculation_mode="sizes")
    return op, (zeros(1, 1, 2, 2), ints(3, 5), ints(2, 3)), 2


CHOSEN: dict[str, tuple[Op, tuple[Any, ...], int, str]] = {
    "matrices of f32": (MatMul(), (zeros(2, 3), zeros(3, 2)), 0, ""),
    "the nearest pixel": (*resized("nearest"), "picks elements"),
    "pixels between others": (*resized("linear_onnx"), "axis by axis"),
}


@merged()
@pytest.mark.parametrize("name", CHOSEN)
def test_a_lowering_names_its_algorithm(name: str) -> None:
    op, arrays, constants, algorithm = CHOSEN[name]
    builder, count = Builder(), len(arrays) - constants
    inputs = [placed(builder, array) for array in arrays[:count]]
    lowering_of(type(op)).function(op, builder, *inputs, *arrays[count:])
    assert builder.algorithm == algorithm


@pytest.mark.parametrize(
    ("depth", "possible", "algorithm"),
    [
        (64, set(), "product by taps"),
        (3, set(), "product by rows of taps"),
        (3, {"is_padded"}, "product by taps"),
        (3, {"has_tiles"}, "Winograd"),
        (3, {"is_depthwise"}, "depthwise"),
    ],
)
def test_algorithms_of_convolutions(depth: int, possible: set[str], algorithm: str) -> None:
    geometry = ImageWindows((1, 3, 3), (1, 1, 1), (1, 1, 1), (0, 0, 0))
    known = {"is_depthwise": False, **dict.fromkeys(possible, True)}
    assert algorithm_of(geometry, 1, depth, **known) == algorithm
