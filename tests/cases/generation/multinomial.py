from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, i32, i64

_SEEDS = {"global_seed": 80, "op_seed": 100}
# the f64 stream of these seeds begins with 0.4574, 0.2789, 0.0838, 0.0455 (specification of RandomUniform)

CASES = [
    Case(
        "Multinomial",
        13,
        [f32([[1, 2, 7]]), i32(4)],
        [i32([[2, 1, 0, 0]])],
        {"convert_type": "i32", "with_replacement": True, "log_probs": False, **_SEEDS},
        name="shares 0.1, 0.3, 1",
        departs="generator",
    ),
    Case(
        "Multinomial",
        13,
        [np.log(f32([[1, 2, 7]])), i64([4])],
        [i64([[2, 1, 0, 0]])],
        {"convert_type": "i64", "with_replacement": True, "log_probs": True, **_SEEDS},
        name="logarithms",
        departs="generator",
    ),
    Case(
        "Multinomial",
        13,
        [f32([[1, 2, 7], [5, 3, 2]]), i32(2)],
        [i32([[2, 0], [0, 1]])],
        {"convert_type": "i32", "with_replacement": False, "log_probs": False, **_SEEDS},
        name="without replacement",
        departs="generator",
    ),
    Case(
        "Multinomial",
        13,
        [f32([[0, 0, 1], [0, 5, 0]]), i32(3)],
        [i32([[2, 2, 2], [1, 1, 1]])],
        {"convert_type": "i32", "with_replacement": True, "log_probs": False},
        name="certain, any seed",
    ),
]
_ATTRIBUTES = {"convert_type": "i32", "with_replacement": False, "log_probs": False}
INVALID = [
    Invalid(
        "Multinomial",
        13,
        ["f32[2,0]", i64([3])],
        "probs has no classes",
        {"convert_type": "i64", "with_replacement": True, "log_probs": False},
        input=0,
    ),
    Invalid(
        "Multinomial",
        13,
        ["f32[2,3]", i32(4)],
        "4 samples without replacement are more than 3 classes",
        _ATTRIBUTES,
        input=1,
    ),
    Invalid("Multinomial", 13, ["f32[3]", i32(2)], "has rank 1, expected 2", _ATTRIBUTES, input=0),
    Invalid("Multinomial", 13, ["f32[1,3]", i32([1, 1])], "num_samples has shape [2]", _ATTRIBUTES, input=1),
    Invalid("Multinomial", 13, ["f32[1,3]", i32(-1)], "num_samples is -1, expected 0 or more", _ATTRIBUTES, input=1),
]
