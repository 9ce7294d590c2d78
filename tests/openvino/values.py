"""Checks of types, dimensions, shapes and layouts."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from tests.openvino.comparing import Check

_TYPES = [
    "f32",
    "f64",
    "f16",
    "bf16",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "boolean",
    "string",
    "u1",
    "u4",
    "i4",
    "nf4",
    "f8e4m3",
    "f8e5m2",
    "dynamic",
]

_DTYPES = (
    np.float32,
    np.float64,
    np.float16,
    np.int8,
    np.int32,
    np.int64,
    np.uint8,
    np.uint64,
    np.bool_,
    bool,
    int,
    float,
)


def _type(name: str) -> Check:
    def check(ov: Any) -> Any:
        one = getattr(ov.Type, name)
        return [
            *(
                one.get_type_name(),
                one.type_name,
                one.to_string(),
                str(one),
                repr(one),
                one.size,
                one.bitwidth,
                one.get_size(),
            ),
            *(
                one.get_bitwidth(),
                one.is_real(),
                one.real,
                one.is_integral(),
                one.is_integral_number(),
                one.is_signed(),
            ),
            *(
                one.is_quantized(),
                one.is_static(),
                one.is_dynamic(),
                one == one,
                one == ov.Type.f32,
                hash(one) == hash(one),
            ),
        ]

    return check


TYPES: dict[str, Check] = {
    **{f"type {name}": _type(name) for name in _TYPES},
    **{f"dtype of {name}": (lambda ov, name=name: np.dtype(getattr(ov.Type, name).to_dtype())) for name in _TYPES},
    **{f"type of {d.__name__}": (lambda ov, d=d: ov.Type(d)) for d in _DTYPES},
    "type of dtype": lambda ov: ov.Type(np.dtype("int16")),
    "type of text": lambda ov: ov.Type("f32"),
    "type of unknown text": lambda ov: ov.Type("f31"),
    "type equals dtype": lambda ov: [ov.Type.f32 == np.float32, ov.Type.f32 == np.int8, ov.Type.f32 == "f32"],
    "types in a dict": lambda ov: {ov.Type.f32: 1, ov.Type.i8: 2}[ov.Type.i8],
    "types differ": lambda ov: ov.Type.f32 != ov.Type.f16,
    "types compatible": lambda ov: [ov.Type.f32.compatible(ov.Type.dynamic), ov.Type.f32.compatible(ov.Type.i8)],
    "types merge": lambda ov: [
        ov.Type.f32.merge(ov.Type.dynamic),
        ov.Type.f32.merge(ov.Type.f32),
        ov.Type.f32.merge(ov.Type.i8),
    ],
    "undefined type": lambda ov: ov.Type.undefined,
    "type of an array type": lambda ov: ov.Type(np.array([1.0]).dtype),
    "type of no type": lambda ov: ov.Type(3),
}

DIMENSIONS: dict[str, Check] = {
    "dimension": lambda ov: ov.Dimension(5),
    "dimension dynamic": lambda ov: [ov.Dimension(), ov.Dimension(-1), ov.Dimension.dynamic()],
    "dimension interval": lambda ov: [ov.Dimension(2, 5), ov.Dimension(0, 5), ov.Dimension(3, -1)],
    "dimension texts": lambda ov: [
        ov.Dimension("?"),
        ov.Dimension("2..5"),
        ov.Dimension("7"),
        ov.Dimension("..4"),
        ov.Dimension("3.."),
    ],
    "dimension bad text": lambda ov: ov.Dimension("abc"),
    "dimension empty text": lambda ov: ov.Dimension(""),
    "dimension reverse text": lambda ov: ov.Dimension("5..2"),
    "dimension repr": lambda ov: [repr(ov.Dimension(5)), repr(ov.Dimension(2, 5)), repr(ov.Dimension())],
    "dimension str": lambda ov: [
        str(ov.Dimension(5)),
        str(ov.Dimension(2, 5)),
        str(ov.Dimension()),
        ov.Dimension(1, -1).to_string(),
    ],
    "dimension static": lambda ov: [
        ov.Dimension(5).is_static,
        ov.Dimension(5).is_dynamic,
        ov.Dimension(2, 3).is_dynamic,
        ov.Dimension(4, 4).is_static,
    ],
    "dimension length": lambda ov: [ov.Dimension(5).get_length(), len(ov.Dimension(5))],
    "dimension dynamic length": lambda ov: ov.Dimension(2, 5).get_length(),
    "dimension bounds": lambda ov: [
        ov.Dimension(2, 5).min_length,
        ov.Dimension(2, 5).max_length,
        ov.Dimension(2, 5).get_min_length(),
        ov.Dimension(5).get_max_length(),
    ],
    "dimension open bound": lambda ov: [
        ov.Dimension().max_length,
        ov.Dimension().min_length,
        ov.Dimension(2, -1).max_length,
    ],
    "dimension equals int": lambda ov: [
        ov.Dimension(5) == 5,
        ov.Dimension(5) == 6,
        ov.Dimension() == -1,
        ov.Dimension(5) != 5,
    ],
    "dimension equals": lambda ov: [
        ov.Dimension(2, 5) == ov.Dimension(2, 5),
        ov.Dimension() == ov.Dimension(),
        ov.Dimension(2) == ov.Dimension(2, 2),
    ],
    "dimension compatible": lambda ov: [
        ov.Dimension(2, 5).compatible(ov.Dimension(4)),
        ov.Dimension(2, 5).compatible(ov.Dimension(6)),
        ov.Dimension().compatible(ov.Dimension(1)),
    ],
    "dimension relaxes": lambda ov: [
        ov.Dimension(2, 5).relaxes(ov.Dimension(3)),
        ov.Dimension(3).relaxes(ov.Dimension(2, 5)),
    ],
    "dimension refines": lambda ov: [
        ov.Dimension(3).refines(ov.Dimension(2, 5)),
        ov.Dimension().refines(ov.Dimension(3)),
    ],
    "dimension same scheme": lambda ov: [
        ov.Dimension(3).same_scheme(ov.Dimension(3)),
        ov.Dimension().same_scheme(ov.Dimension()),
        ov.Dimension(2).same_scheme(ov.Dimension(3)),
    ],
    "dimension sum": lambda ov: ov.Dimension(3) + ov.Dimension(2),
    "dimension from list": lambda ov: ov.Dimension([1]),
    "dimension from float": lambda ov: ov.Dimension(1.5),
    "dimension hash": lambda ov: len({ov.Dimension(3)}),
    "dimension symbol": lambda ov: ov.Dimension().has_symbol(),
}

SHAPES: dict[str, Check] = {
    "shape": lambda ov: ov.Shape([1, 2, 3]),
    "shape empty": lambda ov: [ov.Shape(), ov.Shape([]), len(ov.Shape())],
    "shape of text": lambda ov: ov.Shape("[1,2]"),
    "shape of bad text": lambda ov: ov.Shape("[1,?]"),
    "shape of tuple": lambda ov: ov.Shape((4, 5)),
    "shape of array": lambda ov: ov.Shape(np.array([4, 5])),
    "shape negative": lambda ov: ov.Shape([-1, 2]),
    "shape text": lambda ov: [str(ov.Shape([1, 2])), repr(ov.Shape([1, 2])), ov.Shape([1, 2]).to_string()],
    "shape items": lambda ov: [
        ov.Shape([7, 8])[0],
        ov.Shape([7, 8])[-1],
        list(ov.Shape([7, 8])),
        len(ov.Shape([7, 8])),
    ],
    "shape slice": lambda ov: ov.Shape([7, 8, 9])[1:],
    "shape equals": lambda ov: [
        ov.Shape([1]) == [1],
        ov.Shape([1]) == (1,),
        ov.Shape([1]) == ov.Shape([1]),
        ov.Shape([1]) == ov.Shape([2]),
        ov.Shape([1]) != [1],
    ],
    "shape as tuple": lambda ov: tuple(ov.Shape([3, 4])),
    "shape in array": lambda ov: np.zeros(ov.Shape([2, 3])).shape,
    "shape product": lambda ov: int(np.prod(ov.Shape([2, 3]))),
    "shape set item": lambda ov: _with_item(ov.Shape([1, 2]), 0, 9),
    "partial shape": lambda ov: [
        ov.PartialShape([1, -1]),
        ov.PartialShape([1, (2, 5)]),
        ov.PartialShape([1, "?"]),
        ov.PartialShape([ov.Dimension(3)]),
    ],
    "partial shape of text": lambda ov: [
        ov.PartialShape("[1,?,2..5]"),
        ov.PartialShape("1,3"),
        ov.PartialShape("..."),
        ov.PartialShape("?,..4"),
        ov.PartialShape("[]"),
    ],
    "partial shape of bad text": lambda ov: ov.PartialShape("1,x"),
    "partial shape of shape": lambda ov: ov.PartialShape(ov.Shape([1, 2])),
    "partial shape of partial shape": lambda ov: ov.PartialShape(ov.PartialShape([1, -1])),
    "partial shape dynamic": lambda ov: [
        ov.PartialShape.dynamic(),
        ov.PartialShape.dynamic(3),
        ov.PartialShape.dynamic(ov.Dimension(2)),
    ],
    "partial shape of list of lists": lambda ov: ov.PartialShape([[2, 5], 3]),
    "partial shape of none": lambda ov: ov.PartialShape([None, 3]),
    "partial shape of floats": lambda ov: ov.PartialShape([1.5]),
    "partial shape bad list": lambda ov: ov.PartialShape([(1, 2, 3)]),
    "partial shape text": lambda ov: [
        str(ov.PartialShape([1, -1])),
        repr(ov.PartialShape([1, (2, 5)])),
        ov.PartialShape.dynamic().to_string(),
    ],
    "partial shape static": lambda ov: [
        ov.PartialShape([1]).is_static,
        ov.PartialShape([-1]).is_static,
        ov.PartialShape([-1]).is_dynamic,
        ov.PartialShape.dynamic().is_dynamic,
    ],
    "partial shape rank": lambda ov: [
        ov.PartialShape([1, 2]).rank,
        ov.PartialShape.dynamic().rank,
        ov.PartialShape([1, 2]).rank.get_length(),
        ov.PartialShape([1]).rank.is_static,
    ],
    "partial shape to shape": lambda ov: [ov.PartialShape([1, 2]).to_shape(), ov.PartialShape([1, 2]).get_shape()],
    "partial shape to no shape": lambda ov: ov.PartialShape([-1]).to_shape(),
    "partial shape min max": lambda ov: [
        ov.PartialShape([1, (2, 5)]).get_min_shape(),
        ov.PartialShape([1, (2, 5)]).get_max_shape(),
        ov.PartialShape([-1]).get_min_shape(),
    ],
    "partial shape items": lambda ov: [
        ov.PartialShape([1, -1])[0],
        ov.PartialShape([1, -1])[-1],
        ov.PartialShape([1, -1]).get_dimension(1),
        len(ov.PartialShape([1, -1])),
    ],
    "partial shape slice": lambda ov: list(ov.PartialShape([1, -1, 3])[1:]),
    "partial shape iterates": lambda ov: [item.is_dynamic for item in ov.PartialShape([1, -1])],
    "partial shape beyond": lambda ov: ov.PartialShape([1])[4],
    "partial shape set item": lambda ov: _with_item(ov.PartialShape([1, 2]), 1, ov.Dimension(-1)),
    "partial shape set int": lambda ov: _with_item(ov.PartialShape([1, 2]), 1, 7),
    "partial shape set tuple": lambda ov: _with_item(ov.PartialShape([1, 2]), 1, (2, 7)),
    "partial shape length of dynamic": lambda ov: len(ov.PartialShape.dynamic()),
    "partial shape equals": lambda ov: [
        ov.PartialShape([1]) == ov.PartialShape([1]),
        ov.PartialShape([1]) == [1],
        ov.PartialShape([1]) == ov.Shape([1]),
        ov.PartialShape([-1]) == ov.PartialShape([-1]),
        ov.PartialShape([1]) == (1,),
    ],
    "partial shape compatible": lambda ov: [
        ov.PartialShape([1, -1]).compatible(ov.PartialShape([1, 5])),
        ov.PartialShape([1]).compatible(ov.PartialShape([2])),
        ov.PartialShape.dynamic().compatible(ov.PartialShape([1])),
    ],
    "partial shape relaxes": lambda ov: [
        ov.PartialShape([-1]).relaxes(ov.PartialShape([2])),
        ov.PartialShape([2]).refines(ov.PartialShape([-1])),
        ov.PartialShape([2]).same_scheme(ov.PartialShape([2])),
    ],
    "partial shape non negative": lambda ov: ov.PartialShape([1, -1]).all_non_negative,
    "partial shape copies": lambda ov: [copy.copy(ov.PartialShape([1, -1])), copy.deepcopy(ov.PartialShape([2]))],
    "strides": lambda ov: [ov.Strides([1, 2]), len(ov.Strides([1, 2])), list(ov.Strides([1, 2]))],
    "coordinate": lambda ov: [
        list(ov.Coordinate([1, 2])),
        list(ov.CoordinateDiff([1, -2])),
        list(ov.AxisVector([0, 1])),
        sorted(ov.AxisSet([1, 0])),
    ],
}

LAYOUTS: dict[str, Check] = {
    "layout": lambda ov: ov.Layout("NCHW"),
    "layout lower": lambda ov: ov.Layout("nchw"),
    "layout brackets": lambda ov: ov.Layout("[N,C,H,W]"),
    "layout dots": lambda ov: [ov.Layout("N...C"), ov.Layout("...C"), ov.Layout("N?HW")],
    "layout long names": lambda ov: ov.Layout("[batch,channels,?,height]"),
    "layout equals": lambda ov: [
        ov.Layout("NCHW") == ov.Layout("nchw"),
        ov.Layout("NCHW") == "NCHW",
        ov.Layout("NCHW") != "NHWC",
        ov.Layout("NCHW") == ov.Layout("NHWC"),
    ],
    "layout index": lambda ov: [
        ov.Layout("NCHW").get_index_by_name("H"),
        ov.Layout("N...C").get_index_by_name("C"),
        ov.Layout("NHWC").get_index_by_name("c"),
    ],
    "layout unknown index": lambda ov: ov.Layout("NCHW").get_index_by_name("D"),
    "layout has": lambda ov: [
        ov.Layout("NCHW").has_name("C"),
        ov.Layout("NCHW").has_name("D"),
        ov.Layout("[batch,x]").has_name("batch"),
    ],
    "layout repeated": lambda ov: ov.Layout("NCC"),
    "layout bad": lambda ov: ov.Layout("[N,C"),
    "layout bad sign": lambda ov: ov.Layout("N*C"),
    "layout empty": lambda ov: [ov.Layout().empty, ov.Layout("NC").empty, ov.Layout("").empty],
    "layout scalar": lambda ov: [ov.Layout.scalar(), ov.Layout.scalar().to_string()],
    "layout text": lambda ov: [str(ov.Layout("NCHW")), repr(ov.Layout("NCHW")), ov.Layout("nchw").to_string()],
    "layout helpers": lambda ov: [
        ov.layout_helpers.has_batch(ov.Layout("NCHW")),
        ov.layout_helpers.channels_idx(ov.Layout("NHWC")),
        ov.layout_helpers.height_idx(ov.Layout("NCHW")),
        ov.layout_helpers.has_depth(ov.Layout("NCHW")),
    ],
    "layout helper absent": lambda ov: ov.layout_helpers.depth_idx(ov.Layout("NCHW")),
}


def _with_item(shape: Any, index: int, value: Any) -> Any:
    shape[index] = value
    return shape


CHECKS = {**TYPES, **DIMENSIONS, **SHAPES, **LAYOUTS}
