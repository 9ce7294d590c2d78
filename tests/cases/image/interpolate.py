from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Array, Case, Invalid, f32, f64, i32, i64, u8

RAMP = f32([[[[0, 4, 8, 12]]]])
SQUARE = f32([[[[1, 2], [3, 4]]]])
AXES = i64([2, 3])


def to(*sizes: int) -> Array:
    return i64(sizes)


def by(*scales: float) -> Array:
    return f32(scales)


def v4(mode: str, calculation: str = "sizes", **changed: Any) -> dict[str, Any]:
    return {"mode": mode, "shape_calculation_mode": calculation, **changed}


def v1(mode: str, align: bool = False, **changed: Any) -> dict[str, Any]:
    return {"mode": mode, "axes": (2, 3), "align_corners": align, **changed}


# cases of both opsets 4 and 11: data, sizes or scales, axes, expected, attributes, name
SHARED: list[tuple[Array, Array, Array | None, Array, dict[str, Any], str]] = [
    (RAMP, to(1, 8), AXES, f32([[[[0, 0, 4, 4, 8, 8, 12, 12]]]]), v4("nearest"), "nearest-half-pixel"),
    (RAMP, to(1, 2), AXES, f32([[[[0, 8]]]]), v4("nearest"), "nearest-prefers-floor"),
    (RAMP, to(1, 2), AXES, f32([[[[4, 12]]]]), v4("nearest", nearest_mode="round_prefer_ceil"), "nearest-prefers-ceil"),
    (RAMP, to(1, 2), AXES, f32([[[[0, 8]]]]), v4("nearest", nearest_mode="floor"), "nearest-floor"),
    (RAMP, to(1, 3), AXES, f32([[[[4, 8, 12]]]]), v4("nearest", nearest_mode="ceil"), "nearest-ceil"),
    (RAMP, to(1, 1), AXES, f32([[[[8]]]]), v4("nearest", nearest_mode="ceil"), "nearest-to-one"),
    (RAMP, to(1, 3), AXES, f32([[[[4, 8, 12]]]]), v4("nearest", nearest_mode="simple"), "nearest-simple-shrinking"),
    (RAMP, to(1, 5), AXES, f32([[[[0, 0, 4, 8, 12]]]]), v4("nearest", nearest_mode="simple"), "nearest-simple-growing"),
    (
        RAMP,
        to(1, 8),
        AXES,
        f32([[[[0, 0, 4, 4, 8, 8, 12, 12]]]]),
        v4("nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
        "nearest-asymmetric",
    ),
    (
        RAMP,
        to(1, 7),
        AXES,
        f32([[[[0, 0, 4, 4, 8, 8, 12]]]]),
        v4("nearest", coordinate_transformation_mode="align_corners"),
        "nearest-align-corners",
    ),
    (
        RAMP,
        to(1, 3),
        AXES,
        f32([[[[4, 8, 12]]]]),
        v4("nearest", coordinate_transformation_mode="tf_half_pixel_for_nn"),
        "nearest-tf-half-pixel",
    ),
    (
        f32([[[[0, 4, 8]]]]),
        to(1, 1),
        AXES,
        f32([[[[0]]]]),
        v4("nearest", coordinate_transformation_mode="pytorch_half_pixel"),
        "nearest-pytorch-to-one",
    ),
    (RAMP, to(1, 8), AXES, f32([[[[0, 1, 3, 5, 7, 9, 11, 12]]]]), v4("linear"), "linear"),
    (RAMP, to(1, 8), AXES, f32([[[[0, 1, 3, 5, 7, 9, 11, 12]]]]), v4("linear_onnx"), "linear-onnx"),
    (RAMP, to(1, 2), AXES, f32([[[[2, 10]]]]), v4("linear_onnx"), "linear-onnx-shrinking"),
    (
        RAMP,
        to(1, 7),
        AXES,
        f32([[[[0, 2, 4, 6, 8, 10, 12]]]]),
        v4("linear_onnx", coordinate_transformation_mode="align_corners"),
        "linear-onnx-align-corners",
    ),
    (
        SQUARE,
        to(4, 4),
        AXES,
        f32([[[[1, 1.25, 1.75, 2], [1.5, 1.75, 2.25, 2.5], [2.5, 2.75, 3.25, 3.5], [3, 3.25, 3.75, 4]]]]),
        v4("linear_onnx", coordinate_transformation_mode="pytorch_half_pixel"),
        "linear-onnx-2d",
    ),
    (
        f32(np.arange(8).reshape(1, 1, 2, 2, 2)),
        to(3, 3, 3),
        i64([2, 3, 4]),
        f32(np.add.outer(np.add.outer([0, 2, 4], [0, 1, 2]), [0, 0.5, 1])[None, None]),
        v4("linear_onnx", coordinate_transformation_mode="align_corners"),
        "linear-onnx-3d",
    ),
    (
        f32([[[[0, 0, 8, 8]]]]),
        to(1, 8),
        AXES,
        f32([[[[0, -0.75, 0, 4, 8, 8.75, 8, 8]]]]),
        v4("cubic", coordinate_transformation_mode="asymmetric"),
        "cubic",
    ),
    (
        f32([[[[0, 0, 8, 8]]]]),
        to(1, 8),
        AXES,
        f32([[[[0, -0.5, 0, 4, 8, 8.5, 8, 8]]]]),
        v4("cubic", coordinate_transformation_mode="asymmetric", cube_coeff=-0.5),
        "cubic-coefficient",
    ),
    (RAMP, by(1, 2), AXES, f32([[[[0, 0, 4, 4, 8, 8, 12, 12]]]]), v4("nearest", "scales"), "scales"),
    (RAMP, by(1, 0.7), AXES, f32([[[[0, 8]]]]), v4("nearest", "scales"), "scales-rounded-down"),
    (RAMP, to(2), i64([3]), f32([[[[0, 8]]]]), v4("nearest"), "one-axis"),
    (RAMP, to(2, 2), i32([3, 2]), f32([[[[0, 8], [0, 8]]]]), v4("nearest"), "axes-in-another-order"),
    (f32([[1, 2]]), to(2, 2), None, f32([[1, 2], [1, 2]]), v4("nearest"), "all-axes"),
    (
        f32([[[[1, 2]]]]),
        to(1, 4),
        AXES,
        f32([[[[0, 1, 2, 0]], [[0, 0, 0, 0]]]]).reshape(1, 2, 1, 4),
        v4("nearest", pads_begin=(0, 0, 0, 1), pads_end=(0, 1, 0, 1)),
        "pads",
    ),
    (RAMP.astype(np.float64), to(1, 2), AXES, f64([[[[2, 10]]]]), v4("linear_onnx"), "f64"),
    (
        u8([[[[1, 2, 5, 8]]]]),
        to(1, 8),
        AXES,
        u8([[[[1, 2, 2, 4, 5, 6, 8, 8]]]]),
        v4("linear_onnx", coordinate_transformation_mode="asymmetric"),
        "u8-half-to-even",
    ),
    (i32([[[[1, 2, 3]]]]), to(1, 6), AXES, i32([[[[1, 1, 2, 2, 3, 3]]]]), v4("nearest"), "i32-nearest"),
]

CASES = [
    *(
        Case(
            "Interpolate",
            4,
            [
                data,
                sizes if sizes.dtype.kind == "i" else to(*([1] * sizes.size)),
                sizes if sizes.dtype.kind == "f" else by(*([1] * sizes.size)),
                *([] if axes is None else [axes]),
            ],
            [expected],
            attributes,
            name=name,
        )
        for data, sizes, axes, expected, attributes, name in SHARED
    ),
    *(
        Case("Interpolate", 11, [data, sizes, *([] if axes is None else [axes])], [expected], attributes, name=name)
        for data, sizes, axes, expected, attributes, name in SHARED
    ),
    *(
        Case(
            "Interpolate",
            opset,
            [RAMP, *sizes, i64([-1])],
            [f32([[[[0, 8]]]])],
            v4("nearest"),
            name="negative-axis",
            departs="negative axis",
        )
        for opset, sizes in ((4, [to(2), by(1)]), (11, [to(2)]))
    ),
    *(
        Case("Interpolate", 11, [RAMP, to(1, 2), AXES], [f32([[[[f0, f1]]]])], attributes, name=name, departs=departs)
        for attributes, name, f0, f1, departs in (
            # weights 1/4, 3/4, 3/4, 1/4 of the elements at 0.5 +- 2, without those outside
            (
                v4("linear", antialias=True),
                "linear-antialias",
                (0 * 3 + 4 * 3 + 8) / 7,
                (4 + 8 * 3 + 12 * 3) / 7,
                "antialias",
            ),
            (v4("linear", antialias=False), "linear-no-antialias", 2, 10, ""),
        )
    ),
    Case(
        "Interpolate",
        11,
        [RAMP, to(1, 2), AXES],
        [f32([[[[(3 * 0 + 3 * 4 + 8) / 7, (4 + 3 * 8 + 3 * 12) / 7]]]])],
        v4("bilinear_pillow"),
        name="bilinear-pillow",
    ),
    Case(
        "Interpolate",
        11,
        [f32([[[[0, 16]]]]), to(1, 4), AXES],
        # Keys' cubic with a = -0.5 at distances 0.25, 0.75 and 1.25, without elements outside
        [
            f32(
                [
                    [
                        [
                            [
                                16 * -0.0703125 / (0.8671875 - 0.0703125),
                                16 * 0.2265625 / (0.8671875 + 0.2265625),
                                16 * 0.8671875 / (0.8671875 + 0.2265625),
                                16 * 0.8671875 / (0.8671875 - 0.0703125),
                            ]
                        ]
                    ]
                ]
            )
        ],
        v4("bicubic_pillow", cube_coeff=-0.5),
        name="bicubic-pillow",
    ),
    Case(
        "Interpolate",
        11,
        [f32([[[[0, 16]]]]), to(1, 4), AXES],
        # Keys' cubic with a = -0.75 at distances 0.25, 0.75 and 1.25, what lies outside left out
        [
            f32(
                [
                    [
                        [
                            [
                                16 * -0.10546875 / (0.87890625 - 0.10546875),
                                16 * 0.26171875 / (0.87890625 + 0.26171875),
                                16 * 0.87890625 / (0.87890625 + 0.26171875),
                                16 * 0.87890625 / (0.87890625 - 0.10546875),
                            ]
                        ]
                    ]
                ]
            )
        ],
        v4("bicubic_pillow"),
        name="bicubic-pillow-coefficient",
        departs="cube_coeff",
    ),
    Case(
        "Interpolate",
        11,
        [u8([[[[0, 4, 8, 13]]]]), to(1, 2), AXES],
        [u8([[[[3, 10]]]])],
        v4("bilinear_pillow"),
        name="pillow-u8-rounds",
    ),
    Case(
        "Interpolate",
        11,
        [f32(np.ones((1, 48, 80, 2))), by(0.5, 2.0), i64([1, 2])],
        [f32(np.ones((1, 24, 160, 2)))],
        v4("bicubic_pillow", "scales"),
        name="page",
        source="page",
    ),
    Case(
        "Interpolate",
        1,
        [RAMP, to(1, 8)],
        [f32([[[[0, 2, 4, 6, 8, 10, 12, 12]]]])],
        v1("linear"),
        name="linear-asymmetric",
    ),
    Case(
        "Interpolate",
        1,
        [RAMP, to(1, 7)],
        [f32([[[[0, 2, 4, 6, 8, 10, 12]]]])],
        v1("linear", True),
        name="linear-align-corners",
    ),
    Case("Interpolate", 1, [RAMP, to(1, 3)], [f32([[[[0, 8, 12]]]])], v1("nearest"), name="nearest-shrinking"),
    *(
        Case(
            "Interpolate",
            1,
            [f32([[[[1, 2], [3, 4]]]]), to(3, 4)],
            [f32([[[[0, 0, 0, 0], [0, 0, 1, 2], [0, 0, 3, 4]]]])],
            v1("nearest", pads_begin=pads),
            name=f"pads-{len(pads)}",
            departs="pads" if len(pads) == 2 else "",
        )
        for pads in ((1, 2), (0, 0, 1, 2))
    ),
    Case(
        "Interpolate",
        1,
        [f32([[[[1, 2], [3, 4]]]]), to(3, 3)],
        [f32([[[[0, 0, 0], [0, 1, 2], [0, 3, 4]]]])],
        v1("nearest", pads_begin=(1,)),
        name="pads-1",
        departs="pads",
    ),
    Case(
        "Interpolate",
        1,
        [RAMP, to(1, 8)],
        [f32([[[[0, 0, 4, 4, 8, 8, 12, 12]]]])],
        v1("nearest"),
        name="nearest-growing",
    ),
    Case(
        "Interpolate",
        1,
        [f32([[[[0, 0, 8, 8]]]]), to(1, 8)],
        [f32([[[[0, -0.75, 0, 4, 8, 8.75, 8, 8]]]])],
        v1("cubic"),
        name="cubic",
    ),
    Case(
        "Interpolate",
        1,
        [RAMP, to(1, 2, 1, 8)],
        [f32([[[[0, 0, 4, 4, 8, 8, 12, 12]], [[0, 0, 4, 4, 8, 8, 12, 12]]]])],
        v1("nearest", axes=(0, 2, 1, 3)),
        name="sizes go with the axes in ascending order",
    ),
    Case(
        "Interpolate",
        1,
        [RAMP, to(1, 2)],
        [f32([[[[2, 10]]]])],
        v1("area"),
        name="area",
        departs="area",
    ),
    Case(
        "Interpolate",
        1,
        [f32([[[0, 4, 8, 12]]]), to(8)],
        [f32([[[0, 1, 3, 5, 7, 9, 11, 12]]])],
        {"mode": "linear", "axes": (2,), "align_corners": False},
        name="linear-half-pixel-but-for-planes",
    ),
    Case(
        "Interpolate",
        4,
        [RAMP, to(1, 2), by(1, 1), AXES],
        [f32([[[[(4 * 3 + 8) / 7, (4 + 8 * 3 + 12 * 3) / 7]]]])],
        v4("linear", antialias=True),
        name="linear-antialias",
        departs="antialias",
    ),
    *(
        Case(
            "Interpolate",
            opset,
            [RAMP[None], *inputs],
            [f32([[[[[0, 1, 3, 5, 7, 9, 11, 12]]]]])],
            attributes,
            name="linear-antialias-growing",
            departs="antialias",
        )
        for opset, inputs, attributes in (
            (1, [to(8)], v1("linear", axes=(4,), antialias=True)),
            (4, [to(8), by(1), i64([4])], v4("linear", antialias=True)),
            (11, [to(8), i64([4])], v4("linear", antialias=True)),
        )
    ),
    *(
        Case(
            "Interpolate",
            opset,
            [f32([[[[0, 6, 12, 18]]]]), *sizes, AXES],
            # The positions (x + 0.5) / 1.2 - 0.5; the first is outside.
            [f32([[[[0, 4.5, 9.5, 14.5]]]])],
            v4("linear_onnx", "scales"),
            name="scale-that-keeps-the-size",
            departs="kept axis",
        )
        for opset, sizes in ((4, [to(1, 1), by(1, 1.2)]), (11, [by(1, 1.2)]))
    ),
    Case(
        "Interpolate",
        11,
        [i32([[[[0, 4, 8, 13]]]]), to(1, 3), AXES],
        [i32([[[[1, 6, 12]]]])],
        v4("bilinear_pillow"),
        name="pillow-i32-rounds",
        departs="pillow",
    ),
]

INVALID = [
    Invalid("Interpolate", 11, ["f32[1,1,0,4]", to(2, 2), AXES], "axis 2 is empty", v4("nearest"), input=0),
    Invalid(
        "Interpolate",
        1,
        ["f32[1,2,4,4]", to(8)],
        "target_spatial_shape has 1 element, expected 2 as axes has",
        v1("linear"),
        input=1,
    ),
    Invalid(
        "Interpolate",
        1,
        ["f32[1,2,4]", to(8, 8)],
        "axis 3 is outside a tensor of rank 3",
        v1("linear"),
        attribute="axes",
    ),
    Invalid(
        "Interpolate",
        1,
        ["f32[1,2,4,4]", to(8, 8)],
        "axes are 2, 2, expected each only once",
        {"mode": "linear", "axes": (2, 2)},
        attribute="axes",
    ),
    Invalid(
        "Interpolate",
        4,
        ["f32[1,2,4,4]", to(8, 8), by(1, 1), i64([2, 4])],
        "axis 4 is outside a tensor of rank 4",
        v4("nearest"),
        input=3,
    ),
    Invalid(
        "Interpolate",
        4,
        ["f32[1,2,4,4]", to(8), by(1, 1), AXES],
        "sizes has 1 element, expected 2, one for each axis",
        v4("nearest"),
        input=1,
    ),
    Invalid(
        "Interpolate",
        4,
        ["f32[1,2,4,4]", to(8, 8), by(1), AXES],
        "scales has 1 element, expected 2, one for each axis",
        v4("nearest", "scales"),
        input=2,
    ),
    Invalid(
        "Interpolate",
        4,
        ["f32[1,2,4,4]", to(8, 8), i64([1, 1]), AXES],
        "input 2 (scales) is i64, expected any float type",
        v4("nearest"),
        input=2,
    ),
    Invalid(
        "Interpolate",
        4,
        ["f32[1,2,4,4]", to(8, 8), by(1, 1), AXES],
        "pads_begin is -1, expected >= 0",
        v4("nearest", pads_begin=(-1,)),
        attribute="pads_begin",
    ),
    Invalid(
        "Interpolate",
        11,
        ["f32[1,2,4,4]", by(2, 2), AXES],
        "scales_or_sizes is f32, expected integers for shape_calculation_mode sizes",
        v4("nearest"),
        input=1,
    ),
    Invalid(
        "Interpolate",
        11,
        ["f32[1,2,4,4]", to(2, 2), AXES],
        "scales_or_sizes is i64, expected floats for shape_calculation_mode scales",
        v4("nearest", "scales"),
        input=1,
    ),
    Invalid(
        "Interpolate",
        11,
        ["f32[1,2,4,4]", to(2), i64([3])],
        "bilinear_pillow resizes 2 axes, got 1",
        v4("bilinear_pillow"),
        attribute="mode",
    ),
]
