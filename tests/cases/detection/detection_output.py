from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, f64

_CENTER = "caffe.PriorBoxParameter.CENTER_SIZE"

# Priors 0 and 1 overlap by 1/2, prior 2 is separate.
_BOXES = [0, 0, 0.4, 0.4, 0, 0, 0.2, 0.4, 0.6, 0.6, 0.8, 1]
_A, _B, _C = (_BOXES[i : i + 4] for i in (0, 4, 8))
_VARIANCES = [0.1, 0.1, 0.2, 0.2] * 3
_PRIORS = f32([[_BOXES, _VARIANCES]])
_STILL = f32(np.zeros((1, 12)))
# Scores of the background and of two classes for each prior.
_SCORES = f32([[0.1, 0.9, 0.3, 0.2, 0.8, 0.5, 0.3, 0.4, 0.7]])
# One prior of class 1 with score 1.
_PRIOR = f32([[[0.2, 0.2, 0.6, 0.4], [0.1, 0.1, 0.2, 0.2]]])
_TRUE = f32([[0, 1]])
_END = [-1, 0, 0, 0, 0, 0, 0]
_ZERO = [0] * 7


def _attributes(**others: Any) -> dict[str, Any]:
    return {"keep_top_k": (4,), "nms_threshold": 0.4, "normalized": True, **others}


def _rows(*rows: list[float]) -> list[Array]:
    return [f32([[rows]])]


def _both(inputs: list[Array], expected: list[Array], attributes: dict[str, Any], **named: Any) -> list[Case]:
    classes = inputs[1].shape[1] * (4 if attributes["normalized"] else 5) // inputs[2].shape[2]
    return [
        Case("DetectionOutput", 1, inputs, expected, {"num_classes": classes, **attributes}, **named),
        Case("DetectionOutput", 8, inputs, expected, attributes, **named),
    ]


CASES = [
    *_both(
        [_STILL, _SCORES, _PRIORS],
        _rows([0, 1, 0.9, *_A], [0, 1, 0.4, *_C], [0, 2, 0.7, *_C], [0, 2, 0.5, *_B]),
        _attributes(),
        name="class after class",
    ),
    *_both(
        [_STILL, _SCORES, _PRIORS],
        _rows([0, 1, 0.9, *_A], [0, 2, 0.7, *_C], [0, 2, 0.5, *_B], _END, _ZERO),
        _attributes(keep_top_k=(5,), confidence_threshold=0.4),
        name="-1 ends the list",
    ),
    *_both(
        [_STILL, _SCORES, _PRIORS],
        _rows([0, 1, 0.9, *_A], [0, 1, 0.8, *_B], [0, 2, 0.7, *_C]),
        _attributes(keep_top_k=(3,), nms_threshold=0.6),
        name="the best of more than keep_top_k",
    ),
    *_both(
        [_STILL, _SCORES, _PRIORS],
        _rows([0, 1, 0.9, *_A], [0, 2, 0.7, *_C], _END),
        _attributes(keep_top_k=(-1,), top_k=1),
        name="top_k",
    ),
    *_both(
        [_STILL, _SCORES, _PRIORS],
        _rows(
            [0, 0, 0.3, *_C],
            [0, 0, 0.2, *_B],
            [0, 1, 0.9, *_A],
            [0, 1, 0.4, *_C],
            [0, 2, 0.7, *_C],
            [0, 2, 0.5, *_B],
            *[_END, _ZERO, _ZERO],
        ),
        _attributes(keep_top_k=(-1,), background_label_id=-1),
        name="no background, no limits",
    ),
    *_both(
        [f32([[1, 2, 1, 0.5]]), _TRUE, _PRIOR],
        _rows([0, 1, 1, 0.3, 0.4, 0.8, 0.5]),
        _attributes(keep_top_k=(1,)),
        name="offsets of corners",
    ),
    *_both(
        [f32([[1, 2, 5 * np.log(2), 0]]), _TRUE, _PRIOR],
        # The center (0.4, 0.3) moves by 0.1 and 0.2 of the size, and the width of 0.4 doubles.
        _rows([0, 1, 1, 0.04, 0.24, 0.84, 0.44]),
        _attributes(keep_top_k=(1,), code_type=_CENTER),
        name="offsets of the center",
    ),
    *_both(
        [f32([[0.1, 0.2, np.log(2), 0]]), _TRUE, _PRIOR[:, :1]],
        _rows([0, 1, 1, 0.04, 0.24, 0.84, 0.44]),
        _attributes(keep_top_k=(1,), code_type=_CENTER, variance_encoded_in_target=True),
        name="variances in the offsets",
    ),
    *_both(
        [f32([[0, 0, 0, 0]]), _TRUE, f32([[[7, 20, 10, 60, 20], [0.1, 0.1, 0.2, 0.2, 0]]])],
        _rows([0, 1, 1, 0.2, 0.2, 0.6, 0.4]),
        _attributes(keep_top_k=(1,), normalized=False, input_width=100, input_height=50),
        name="priors in pixels",
    ),
    *_both(
        [_STILL, _SCORES, f32([[[0, 0, 0, 4, 4, -1, 0, 0, 2, 4, 0, 6, 6, 8, 10]]])],
        _rows([0, 1, 0.9, *_A], [0, 2, 0.3, *_A], _END, _ZERO),
        _attributes(normalized=False, input_width=10, input_height=10, variance_encoded_in_target=True),
        name="-1 ends the priors",
        source="oracle",
    ),
    *_both(
        [f32([[-5, 0, 5, 0]]), _TRUE, _PRIOR],
        _rows([0, 1, 1, 0, 0.2, 1, 0.4]),
        _attributes(keep_top_k=(1,), clip_before_nms=True),
        name="clip before suppression",
    ),
    *_both(
        [f32([[-5, 0, 5, 0]]), _TRUE, _PRIOR],
        _rows([0, 1, 1, 0, 0.2, 1, 0.4]),
        _attributes(keep_top_k=(1,), clip_after_nms=True),
        name="clip after suppression",
    ),
    *_both(
        [f32([[9, 9, 9, 9, 1, 2, 1, 0.5]]), _TRUE, _PRIOR],
        _rows([0, 1, 1, 0.3, 0.4, 0.8, 0.5]),
        _attributes(keep_top_k=(1,), share_location=False),
        name="boxes of each class",
    ),
    *_both(
        [f32(np.zeros((2, 4))), f32([[0, 0.5], [0, 0.75]]), np.concatenate([_PRIOR, _PRIOR / 2])],
        _rows([0, 1, 0.5, 0.2, 0.2, 0.6, 0.4], [1, 1, 0.75, 0.1, 0.1, 0.3, 0.2]),
        _attributes(keep_top_k=(1,)),
        name="two images with priors of their own",
    ),
    *_both(
        [_STILL, _SCORES, _PRIORS],
        _rows([0, 0, 0.9, *_A], [0, 1, 0.7, *_C], _END, _ZERO),
        _attributes(decrease_label_id=True),
        name="as in MXNet: the best class of each prior",
    ),
    *_both(
        [_STILL, f32([[0, 0.2, 0.5, 0, 0.5, 0.2, 0, 0.1, 0.1]]), _PRIORS],
        _rows([0, 0, 0.5, *_B], _END),
        _attributes(keep_top_k=(2,), top_k=1, decrease_label_id=True),
        name="as in MXNet: of equal scores the one of the lower class",
        source="oracle",
    ),
    *_both(
        [
            _STILL,
            _SCORES,
            _PRIORS,
            f32([[0.9, 0.1, 0.4, 0.6, 0.2, 0.8]]),
            f32([[0] * 4 + [2, 0, 1, 0] + [0] * 4]),
        ],
        # Prior 0 holds no object, prior 1 moves before its box is decoded.
        _rows([0, 1, 0.8, 0.2, 0, 0.4, 0.4], [0, 1, 0.4, *_C], [0, 2, 0.7, *_C], [0, 2, 0.5, 0.2, 0, 0.4, 0.4]),
        _attributes(objectness_score=0.5, confidence_threshold=0.3),
        name="additional predictions",
    ),
    Case(
        "DetectionOutput",
        8,
        [f64(_STILL), f64(_SCORES), f64(_PRIORS)],
        [f64([[[[0, 1, 0.9, *_A], [0, 2, 0.7, *_C]]]])],
        _attributes(keep_top_k=(2,)),
        name="f64",
        atol=1e-7,
    ),
    *_both(
        [f32(np.zeros((1, 4))), _TRUE, f32([[[0, 20, 20, 100, 60], [0, 0.1, 0.1, 0.2, 0.2]]]), _TRUE, _STILL[:, :4]],
        _rows([0, 1, 1, 0.1, 0.2, 0.5, 0.6], _END, _ZERO, _ZERO),
        _attributes(normalized=False, input_width=200, input_height=100),
        name="additional predictions for priors in pixels",
        departs="normalized",
    ),
]

_SHAPES = ["f32[2,24]", "f32[2,18]", "f32[1,2,24]"]


def _invalid(inputs: list[Any], message: str, input: int | None = None, **others: Any) -> Invalid:
    return Invalid("DetectionOutput", 1, inputs, message, _attributes(num_classes=3, **others), input=input)


INVALID = [
    Invalid(
        "DetectionOutput",
        8,
        [_SHAPES[0], "f32[2,0]", _SHAPES[2]],
        "class_preds has no classes",
        _attributes(),
        input=1,
    ),
    _invalid(["f32[2,25]", *_SHAPES[1:]], "the numbers of coordinates of box_logits and 4 for each prior box", 0),
    _invalid([_SHAPES[0], "f32[2,17]", _SHAPES[2]], "the numbers of class_preds and of prior boxes times classes", 1),
    _invalid([_SHAPES[0], "f32[3,18]", _SHAPES[2]], "the batch sizes of box_logits and class_preds", 1),
    _invalid([*_SHAPES[:2], "f32[3,2,24]"], "the batch sizes of box_logits and proposals", 2),
    _invalid([*_SHAPES[:2], "f32[1,1,24]"], "expected 2 (variance_encoded_in_target is false)", 2),
    _invalid([*_SHAPES[:2], "f32[1,2,25]"], "the last size of proposals is 25, expected a multiple of 4", 2),
    _invalid([*_SHAPES, "f32[2,12]"], "has 4 inputs, expected 3 or 5", 3),
    _invalid([*_SHAPES, "f32[2,13]", "f32[2,24]"], "the numbers of aux_class_preds and 2 for each prior box", 3),
    _invalid([*_SHAPES, "f32[2,12]", "f32[2,20]"], "the numbers of aux_box_preds and box_logits", 4),
    Invalid(
        "DetectionOutput",
        8,
        _SHAPES,
        "keep_top_k is empty",
        _attributes(keep_top_k=()),
        attribute="keep_top_k",
    ),
    Invalid("DetectionOutput", 8, _SHAPES, "nms_threshold is missing", {"keep_top_k": (4,)}, attribute="nms_threshold"),
    Invalid("DetectionOutput", 1, _SHAPES, "num_classes is missing", _attributes(), attribute="num_classes"),
]
