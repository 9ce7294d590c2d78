from __future__ import annotations

from tests.cases import ModelCase, f32
from tests.cases.infrastructure.read_value import accumulator

_X = [f32([[1, 2]])]

MODELS = [
    ModelCase("Assign", 3, accumulator(3), _X, [f32([[13, 26]])], name="three runs", runs=3),
    ModelCase("Assign", 6, accumulator(6), _X, [f32([[13, 26]])], name="three runs", runs=3),
    ModelCase("Assign", 6, accumulator(6, with_init=False), _X, [f32([[3, 6]])], name="from zeros", runs=3),
]
