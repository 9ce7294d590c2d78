"""Inputs at the edges of what an operation takes: irrun refuses them, or its outputs lie in the inferred facts."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from irrun.ops.calling import infer
from tests.cases import Case, all_cases, f32, i32, i64
from tests.ops import harness
from tests.ops.extremes import extremes, outputs

BY_OPERATION: dict[str, list[Case]] = defaultdict(list)
for _case in all_cases():
    if "state" not in harness.declaration(_case).spec.run_asks:
        BY_OPERATION[f"{_case.type}-{_case.opset}"].append(_case)

NOTHING = [
    Case("GroupedMatMul", 17, [f32(np.ones((2, 3))), f32(np.zeros((0, 4, 3))), i32([])], [f32(np.zeros((2, 4)))]),
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


@pytest.mark.parametrize("operation", sorted(BY_OPERATION))
def test_extremes_are_refused_or_computed(operation: str) -> None:
    with np.errstate(all="ignore"):
        for case in (variant for given in BY_OPERATION[operation] for variant in extremes(given)):
            found = outputs(case)
            if found is None:
                continue
            for fact, output in zip(infer(harness.operation(case), harness.facts(case)), found, strict=True):
                assert fact.admits(output), f"{case}: {output.dtype}{list(output.shape)} does not lie in {fact!r}"


@pytest.mark.parametrize("case", NOTHING, ids=str)
def test_without_elements(case: Case) -> None:
    found = outputs(case)
    assert found is not None
    harness.expect(found, case)
