from __future__ import annotations

import numpy as np

from tests.cases import Case, Invalid, f32, f64

_ROIS = f32([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])

CASES = [
    Case(
        "ExperimentalDetectronTopKROIs",
        6,
        [_ROIS, f32([0.1, 0.9, 0.5])],
        [f32([[4, 5, 6, 7], [8, 9, 10, 11]])],
        {"max_rois": 2},
        name="best two",
    ),
    Case(
        "ExperimentalDetectronTopKROIs",
        6,
        [_ROIS, f32([0.1, 0.9, 0.5])],
        [f32([[4, 5, 6, 7], [8, 9, 10, 11], [0, 1, 2, 3]])],
        {"max_rois": 3},
        name="all",
    ),
    Case(
        "ExperimentalDetectronTopKROIs",
        6,
        [_ROIS[:1], f32([0.1])],
        [f32([[0, 1, 2, 3], [0, 0, 0, 0]])],
        {"max_rois": 2},
        name="fewer than max_rois",
        departs="undefined",
    ),
    Case("ExperimentalDetectronTopKROIs", 6, [_ROIS, f32([0.1, 0.9, 0.5])], [f32(np.zeros((0, 4)))], name="none"),
    Case(
        "ExperimentalDetectronTopKROIs",
        6,
        [f64(_ROIS), f64([0.5, 0.5, 0.75])],
        [f64([[8, 9, 10, 11], [0, 1, 2, 3]])],
        {"max_rois": 2},
        name="equal ones keep their order",
    ),
]

INVALID = [
    Invalid(
        "ExperimentalDetectronTopKROIs", 6, ["f32[8,5]", "f32[8]"], "the last size of rois is 5, expected 4", input=0
    ),
    Invalid(
        "ExperimentalDetectronTopKROIs",
        6,
        ["f32[8,4]", "f32[7]"],
        "the numbers of rois and of probabilities must be the same, got 8 and 7",
        input=1,
    ),
    Invalid("ExperimentalDetectronTopKROIs", 6, ["f32[8,4]", "f32[8,1]"], "has rank 2, expected 1", input=1),
    Invalid(
        "ExperimentalDetectronTopKROIs",
        6,
        ["f32[8,4]", "f32[8]"],
        "max_rois is -1",
        {"max_rois": -1},
        attribute="max_rois",
    ),
]
