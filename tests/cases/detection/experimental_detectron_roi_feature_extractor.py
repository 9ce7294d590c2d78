from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32

_TYPE = "ExperimentalDetectronROIFeatureExtractor"


def _attributes(**others: Any) -> dict[str, Any]:
    return {"output_size": 2, "sampling_ratio": 2, "pyramid_scales": (4, 8), **others}


def _wave(*shape: int, step: float = 0.7) -> Array:
    return f32(np.sin(np.arange(np.prod(shape)) * step)).reshape(shape)


# The value of a pixel is 10 * row + column, and 1000 more on the second level.
_LEVELS = [
    f32(np.arange(16)[:, None] * 10 + np.arange(16))[None, None],
    f32(np.arange(8)[:, None] * 10 + np.arange(8) + 1000)[None, None],
]
_SMALL = [4, 8, 20, 16]
_LARGE = [0, 0, 56, 56]

CASES = [
    Case(
        _TYPE,
        6,
        [f32([_SMALL]), *_LEVELS],
        # In a map of a quarter of the size: from (1, 2) to (5, 4).
        [f32([[[[27, 29], [37, 39]]]]), f32([_SMALL])],
        _attributes(),
        name="first level",
    ),
    Case(
        _TYPE,
        6,
        [f32([_SMALL]), *_LEVELS],
        [f32([[[[27, 29], [37, 39]]]]) - 5.5, f32([_SMALL])],
        _attributes(aligned=True, sampling_ratio=0),
        name="aligned",
    ),
    Case(
        _TYPE,
        6,
        [f32([[0, 0, 112, 112], _SMALL]), *_LEVELS],
        # The larger one covers the second level from (0, 0) to (14, 14), half of which is outside.
        [f32([[[[1038.5, 0], [0, 0]]], [[[27, 29], [37, 39]]]]), f32([[0, 0, 112, 112], _SMALL])],
        _attributes(),
        name="each from its level",
    ),
    Case(
        _TYPE,
        6,
        [f32([[0, 0, 112, 112]]), _LEVELS[0], np.where(_LEVELS[1] == 1000, f32(np.nan), _LEVELS[1])],
        [f32([[[[1038.5, 0], [0, 0]]]]), f32([[0, 0, 112, 112]])],
        _attributes(sampling_ratio=1),
        name="outside of a level that begins with NaN",
        departs="beside nan",
    ),
    Case(
        _TYPE,
        6,
        [f32([[5, 5, 5, 9], [9, 9, 3, 20]]), *_LEVELS],
        [f32(np.zeros((2, 1, 2, 2))), f32([[5, 5, 5, 9], [9, 9, 3, 20]])],
        _attributes(),
        name="without area",
    ),
    Case(
        _TYPE,
        6,
        [f32([[1, 2, 21, 16], [-5, 0, 250, 260], [3, 3, 3, 9]]), _wave(1, 1, 8, 8), _wave(1, 1, 4, 4, step=0.4)],
        [
            f32([[[[0.08024, 0.76848], [-0.70621, 0.50356]]], [[[-0.08222, 0], [0, 0]]], [[[0, 0], [0, 0]]]]),
            f32([[1, 2, 21, 16], [-5, 0, 250, 260], [3, 3, 3, 9]]),
        ],
        _attributes(aligned=True),
        "oracle",
        "waves",
        atol=1e-5,
    ),
    Case(
        _TYPE,
        6,
        [f32(np.zeros((0, 4))), *_LEVELS],
        [f32(np.zeros((0, 1, 2, 2))), f32(np.zeros((0, 4)))],
        _attributes(),
        name="no regions",
    ),
]

INVALID = [
    Invalid(
        _TYPE,
        6,
        ["f32[4,4]", "f32[1,2,32,32]", "f32[1,3,16,16]"],
        "the numbers of channels of all levels must be the same, got 2 and 3",
        _attributes(),
    ),
    Invalid(
        _TYPE,
        6,
        ["f32[4,4]", "f32[1,2,32,32]", "f32[2,2,16,16]"],
        "the first size of a level is 2, expected 1",
        _attributes(),
        input=2,
    ),
    Invalid(
        _TYPE,
        6,
        ["f32[4,5]", "f32[1,2,32,32]", "f32[1,2,16,16]"],
        "the last size of rois is 5, expected 4",
        _attributes(),
        input=0,
    ),
    Invalid(
        _TYPE,
        6,
        ["f32[4,4]", "f32[1,2,32,32]", "f32[1,2,16,16]", "f32[1,2,8,8]"],
        "pyramid_scales has 2 elements, expected one for each of 3 levels",
        _attributes(),
        attribute="pyramid_scales",
    ),
    Invalid(_TYPE, 6, ["f32[4,4]"], "has 1 input, expected at least 2", _attributes()),
]
