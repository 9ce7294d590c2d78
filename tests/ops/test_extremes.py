"""Inputs at the edges of what an operation takes: irrun refuses them, or its outputs lie in the inferred facts."""

from __future__ import annotations

import os
import random
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from irrun.ops import OpError
from irrun.ops.calling import infer, run
from irrun.ops.departures import GENERAL
from irrun.tensor import Array
from tests.cases import Case, all_cases, f32, i32, i64
from tests.engines import need
from tests.ops import harness
from tests.ops.each import for_each, group
from tests.ops.extreme_rows import ROWS, recognised
from tests.ops.extremes import askable, compared, extremes, outputs
from tests.plugins.tiers import Tier

CATEGORIES: dict[str, dict[tuple[str, int | str], list[Case]]] = defaultdict(lambda: defaultdict(list))
for _case in all_cases():
    _spec = harness.declaration(_case).spec
    if "state" not in _spec.run_asks:
        CATEGORIES[_spec.category][_case.type, _case.opset].append(_case)

SAMPLE = 4
"""One case of an operation in so many has its variants in the quick tier."""

SLICE = 150
"""The cases of which one variant each is compared with the native plugin."""

NOTHING = [
    Case("GroupedMatMul", 17, [f32(np.ones((2, 3))), f32(np.zeros((0, 4, 3))), i32([])], [f32(np.zeros((2, 4)))]),
    Case(
        "Convolution",
        1,
        [f32(np.zeros((1, 1, 0))), f32(np.ones((1, 1, 3)))],
        [f32(np.zeros((1, 1, 0)))],
        {"strides": (1,), "pads_begin": (0,), "pads_end": (0,), "dilations": (1,), "auto_pad": "same_upper"},
    ),
    Case(
        "Interpolate",
        11,
        [f32(np.zeros((1, 0, 0, 2))), i64([3]), i64([2])],
        [f32(np.zeros((1, 0, 3, 2)))],
        {"mode": "nearest", "shape_calculation_mode": "sizes"},
    ),
    Case("Unique", 10, [f32(np.zeros((0, 2))), i64(0)], [f32(np.zeros((0, 2))), *(i64([]) for _ in range(3))]),
    Case(
        "DeformablePSROIPooling",
        1,
        [f32(np.zeros((1, 4, 0, 3))), f32([[0, 1, 1, 2, 2]])],
        [f32(np.zeros((1, 1, 2, 2)))],
        {"output_dim": 1, "spatial_scale": 1.0, "group_size": 2},
    ),
    Case(
        "Interpolate",
        11,
        [f32(np.zeros((1, 1, 2, 2))), i64([0, 3]), i64([2, 3])],
        [f32(np.zeros((1, 1, 0, 3)))],
        {"mode": "bilinear_pillow", "shape_calculation_mode": "sizes"},
    ),
]


INFINITE = [
    Case("PReLU", 1, [f32([[3, 0, -1, 2]]), f32([np.inf, -np.inf, np.inf, np.nan])], [f32([[3, 0, -np.inf, 2]])]),
    Case("Selu", 1, [f32([2, -1]), f32([np.inf]), f32([3])], [f32([6, -np.inf])]),
    Case("Selu", 1, [f32([2, -1]), f32([np.nan]), f32([3])], [f32([6, np.nan])]),
    Case("GRN", 1, [f32([[[3e38], [-3e38]]])], [f32([[[0.70710678], [-0.70710678]]])], {"bias": 1.0}),
]


_ZERO = {"fill_mode": "zero"}
_SPATIAL = {"strides": (1,), "pads_begin": (0,), "pads_end": (0,), "dilations": (1,)}
REFUSED_BY_RUN = [
    (Case("CumSum", 3, [f32([[1, 2]]), i32(-(2**31))], []), "axis -2147483648 is outside a tensor of rank 2"),
    (Case("SegmentMax", 16, [f32([1, 2]), i32([1, 0])], [], _ZERO), "segment_ids are [1, 0], expected them sorted"),
    (
        Case("SegmentMax", 16, [f32([1, 2]), i32([-1, 0])], [], _ZERO),
        "segment_ids begin with -1, expected 0 or more",
    ),
    (Case("SegmentMax", 16, [f32([1]), i32([0]), i32(-5)], [], _ZERO), "num_segments is -5, expected 0 or more"),
    (
        Case("ConvolutionBackpropData", 1, [f32([[[1, 2]]]), f32([[[1]]]), i64([0])], [], _SPATIAL),
        "output_shape is [0], expected positive sizes",
    ),
]
"""Calls that inference does not refuse as long as the values of the inputs are not known."""


def _range(start: Array, stop: Array, step: Array, name: str) -> Case:
    return Case("Range", 4, [start, stop, step], [], {"output_type": "i32"}, name=name)


def _lrn(rank: int, *axes: int) -> Case:
    attributes = {"alpha": 1.0, "beta": 1.0, "bias": 1.0, "size": 3}
    return Case("LRN", 1, [f32(np.ones((1,) * rank)), i64(axes)], [], attributes, name=f"rank {rank}, {axes}")


def _mvn(rank: int, *axes: int) -> Case:
    attributes = {"normalize_variance": True, "eps": 1.0, "eps_mode": "inside_sqrt"}
    return Case("MVN", 6, [f32(np.ones((1,) * rank)), i64(axes)], [], attributes, name=f"rank {rank}, {axes}")


def _attention(heads: int, keys: int, depth: int, width: int) -> Case:
    shapes = (1, heads, 3, depth), (1, heads, keys, depth), (1, heads, keys, width)
    inputs = [f32(np.ones(shape)) for shape in shapes]
    return Case("ScaledDotProductAttention", 13, inputs, [], {"causal": False}, name=str(shapes))


_AXES = "supports an LRN only along the axes [1] and along all from the third on"
_ONE_KEY = "refuses a single key of a single head of size 1"
RECOGNISED = [
    (_range(i32(23), i32(2), i32(-(2**31)), "large step"), None),
    (_range(i32(23), i32(2), i32(-3), "down"), None),
    (_range(i32(2), i32(2), i32(-3), "nothing"), None),
    (
        _range(np.array(2, np.uint64), np.array(23, np.uint64), i64(-1), "u64"),
        "returns elements for a Range from 2 to 23 by -1, which is empty",
    ),
    (_lrn(4, 1), None),
    (_lrn(4, 3, 2), None),
    (_lrn(2, 0), None),
    (_lrn(4, 2), _AXES),
    (_lrn(4, -3), _AXES),
    (_lrn(3, 0, 1), _AXES),
    (_mvn(2), "returns the data of an MVN of a matrix without axes"),
    (_mvn(2, 0), None),
    (_mvn(3), None),
    (_attention(1, 1, 1, 4), _ONE_KEY),
    (_attention(1, 1, 4, 1), _ONE_KEY),
    (_attention(1, 1, 4, 4), None),
    (_attention(1, 2, 1, 1), None),
    (_attention(2, 1, 1, 1), None),
]
"""Layers, and what the linter says about them."""

OF_ANY_OPERATION = {"strings", "pdpd"}
"""Keys of rows that need no names: the model shows the cause."""


@pytest.mark.parametrize("category", sorted(CATEGORIES), ids=group)
def test_extremes_are_refused_or_computed(category: str, tier: Tier, subtests: pytest.Subtests) -> None:
    with np.errstate(all="ignore"):
        for cases in CATEGORIES[category].values():
            bases = tier.part(cases, -(-len(cases) // SAMPLE))
            for_each(subtests, [variant for base in bases for variant in extremes(base)], is_refused_or_computed)


def is_refused_or_computed(case: Case) -> None:
    try:
        found = outputs(case)
    except OpError:
        return
    if found is None:
        return
    for fact, output in zip(infer(harness.operation(case), harness.facts(case)), found, strict=True):
        assert fact.admits(output), f"{output.dtype}{list(output.shape)} does not lie in {fact!r}"


@pytest.mark.parametrize("case", [*NOTHING, *INFINITE], ids=str)
def test_outputs(case: Case) -> None:
    with np.errstate(all="ignore"):
        found = outputs(case)
    assert found is not None
    harness.expect(found, case)


@pytest.mark.parametrize(("case", "message"), REFUSED_BY_RUN, ids=lambda it: str(it) if isinstance(it, Case) else "")
def test_run_refuses_what_inference_cannot_see(case: Case, message: str) -> None:
    op = harness.operation(case)
    types = [fact.type for fact in infer(op, harness.facts(case, values=False))]
    with pytest.raises(OpError) as caught:
        run(op, case.inputs, types)
    assert caught.value.message == message


def test_rows_name_what_they_explain() -> None:
    types = {type for operations in CATEGORIES.values() for type, _ in operations}
    declared = {key for case in all_cases() for key in harness.declaration(case).spec.departures}
    for row in ROWS:
        assert {*row.kinds.split()} <= {"crashes", "refuses", "shapes", "values"}, row
        assert {*row.operations.split()} <= types, row
        assert row.key in declared or row.key in GENERAL, row
        assert row.operations or row.key in declared - {*GENERAL} or row.key in OF_ANY_OPERATION, row


@pytest.mark.parametrize(("case", "text"), RECOGNISED, ids=lambda it: str(it) if isinstance(it, Case) else "")
def test_departures_are_recognised(case: Case, text: str | None) -> None:
    assert recognised(case) == text


@pytest.mark.rest
@pytest.mark.skipif(not hasattr(os, "fork"), reason="OpenVINO may crash, and there is no fork")
def test_differences_from_the_native_plugin_are_explained(tmp_path: Path) -> None:
    need("openvino")
    chosen = random.Random(1)
    bases = chosen.sample(askable(), SLICE)
    variants = [(base, chosen.choice(made)) for base in bases if (made := list(extremes(base)))]
    with np.errstate(all="ignore"):
        verdicts = list(compared(variants, tmp_path))
    assert len(verdicts) > SLICE // 2
    assert [verdict for verdict in verdicts if verdict.outcome == "unexplained"] == []
