"""Graphs that compute what an operation should, where OpenVINO's CPU plugin departs from its specification.

They are built with OpenVINO's own functions: ``workarounds.py`` runs them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, Final

import numpy as np

from tests.cases import Case, f32, i64
from tests.lab.releases.shown import Key

Op = Callable[..., Any]
"""Adds the operation of a case, given its inputs and other values of attributes."""

Build = Callable[..., Any]
"""Returns the results of a model, given an ``Op`` and the inputs of the case as nodes."""


class _Opset:
    """The functions of OpenVINO's newest opset, which are loaded when the first one is called."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module("openvino.opset16"), name)


o: Final = _Opset()


def _back(node: Any, like: Any) -> Any:
    return o.convert(node, like.get_element_type())


def _through(type: str, *ports: int) -> Build:
    """Convert inputs before, and the first output after."""

    def build(op: Op, *x: Any) -> Any:
        wanted = ports or range(len(x))
        found = op(*[o.convert(node, type) if place in wanted else node for place, node in enumerate(x)])
        return [_back(found.output(0), x[0]), *found.outputs()[1:]]

    return build


def _none(node: Any) -> Any:
    """Return NaN where a node is NaN, and 0 elsewhere."""
    return o.select(o.is_nan(node), node, _f32(0))


def _f32(value: Any) -> Any:
    return o.constant(np.array(value, np.float32))


def _i64(*values: int) -> Any:
    return o.constant(np.array(values, np.int64))


def _nan_kept(op: Op, *x: Any) -> Any:
    return o.select(o.is_nan(x[0]), x[0], op(*x))


def _nan_spread(axis: int) -> Build:
    def build(op: Op, *x: Any) -> Any:
        if not x[0].shape:
            return o.add(op(*x), _none(x[0]))
        finite = o.less_equal(x[0], _f32(np.finfo(np.float32).max))
        data = o.select(finite, x[0], _f32(0))
        return o.add(op(data, *x[1:]), o.reduce_sum(o.select(finite, _f32(0), _f32(np.nan)), _i64(axis), True))

    return build


def _nan_added(op: Op, *x: Any) -> Any:
    return o.add(op(*x), o.reduce_sum(_none(x[0]), x[1]))


def _nan_of_row(op: Op, *x: Any) -> Any:
    lost = o.reduce_sum(_none(x[0]), _i64(1), True)
    return [o.add(output, lost) for output in op(*x).outputs()]


def _numpy(*ports: int) -> Build:
    def build(op: Op, *x: Any) -> Any:
        wide = [o.unsqueeze(node, _i64(1)) if place in ports else node for place, node in enumerate(x)]
        return op(*wide, auto_broadcast="numpy")

    return build


def _flat(op: Op, *x: Any) -> Any:
    return o.reshape(op(o.reshape(x[0], _i64(-1), False), *x[1:]), _i64(*x[0].shape), False)


def _left_out(_op: Op, *x: Any) -> Any:
    return o.reshape(x[0], _i64(*x[0].shape), False) if x[0].shape else o.squeeze(o.unsqueeze(x[0], _i64(0)), _i64(0))


def _zeros_before(op: Op, *x: Any) -> Any:
    """Pad one axis in front by a Concat."""
    shape = [*x[0].shape[:-1], 1]
    return op(o.concat([o.constant(np.zeros(shape, np.float32)), x[0]], -1), x[1], auto_pad="valid")


def _padding(begin: int, end: int) -> Build:
    return lambda op, *x: op(*x[:2], pads_begin=[begin], pads_end=[end], auto_pad="explicit")


def _square(op: Op, x: Any) -> Any:
    half = op(o.multiply(x, _f32(0.5)))
    return o.select(o.is_nan(x), x, o.multiply(half, half))


def _gelu(op: Op, x: Any) -> Any:
    return o.select(o.greater(o.abs(x), _f32(10)), o.maximum(x, _f32(0)), op(x))


def _signs(padding: int) -> Build:
    """Convolve signs in f32; elements of the padding are bits too."""

    def build(_op: Op, x: Any, kernel: Any) -> Any:
        signs = [o.subtract(o.multiply(o.convert(node, "f32"), _f32(2)), _f32(1)) for node in (x, kernel)]
        ends = _i64(0, 0, 0, padding)
        padded = o.pad(signs[0], ends, ends, "constant", _f32(-1))
        return _back(o.convolution(padded, signs[1], [1, 1], [0, 0], [0, 0], [1, 1]), x)

    return build


def _floor_mod(op: Op, a: Any, b: Any) -> Any:
    other = o.less(o.multiply(o.sign(a), o.sign(b)), _f32(0))
    return o.select(o.is_inf(b), o.select(other, b, a), op(a, b))


def _hard(_op: Op, x: Any, alpha: Any, beta: Any) -> Any:
    return o.clamp(o.add(o.multiply(x, alpha), beta), 0.0, 1.0)


def _selu(_op: Op, x: Any, alpha: Any, scale: Any) -> Any:
    negative = o.multiply(alpha, o.subtract(o.exp(o.minimum(x, _f32(0))), _f32(1)))
    return o.multiply(scale, o.add(o.maximum(x, _f32(0)), negative))


def _away(_op: Op, x: Any) -> Any:
    size = o.abs(x)
    whole = o.floor(size)
    more = o.convert(o.greater_equal(o.subtract(size, whole), _f32(0.5)), "f32")
    return o.multiply(o.add(whole, more), o.sign(x))


def _attention(_op: Op, q: Any, k: Any, v: Any) -> Any:
    scores = o.multiply(o.matmul(q, k, False, True), _f32(q.shape[-1] ** -0.5))
    return o.matmul(o.softmax(scores, -1), v, False, False)


def _first(mode: str) -> Build:
    def build(_op: Op, x: Any, _axes: Any) -> Any:
        found = o.topk(x, o.constant(np.int64(1)), 0, mode, "value")
        return o.squeeze(found.output(0), _i64(0))

    return build


def _logical(name: str) -> Build:
    return lambda _op, x, axes: o.convert(getattr(o, name)(o.convert(x, "f32"), axes), "boolean")


def _lrn(op: Op, x: Any, axes: Any) -> Any:
    """Leave out the bias: (b + s)^beta is b^beta (1 + s / b)^beta."""
    return o.multiply(op(x, axes, bias=1.0, alpha=3.0 / 1.5), _f32(1.5**-1.0))


def _lrn_alone(_op: Op, x: Any, _axes: Any) -> Any:
    return o.divide(x, o.power(o.add(o.multiply(_f32(3.0), o.multiply(x, x)), _f32(1)), _f32(1)))


def _pooled_indices(op: Op, *x: Any) -> Any:
    found = op(*x, index_element_type="i32")
    return [found.output(0), o.convert(found.output(1), "i64")]


def _mean(op: Op, x: Any, indices: Any, updates: Any, axis: Any) -> Any:
    found = op(o.convert(x, "f32"), indices, o.convert(updates, "f32"), axis)
    return _back(found, x)


def _zero_padded(axis: int, count: int) -> Build:
    def build(op: Op, *x: Any) -> Any:
        ends = [count if place == axis else 0 for place in range(len(x[0].shape))]
        return op(o.pad(x[0], _i64(*([0] * len(ends))), _i64(*ends), "constant", _f32(0)), *x[1:])

    return build


def _smaller(op: Op, x: Any) -> Any:
    return op(o.multiply(x, _f32(2.0**-64)), bias=float(2.0**-128))


def _with(**changed: Any) -> Build:
    return lambda op, *x: op(*x, **changed).outputs()


_IDENTITY: Final = (
    "ReduceL1-4 ReduceL2-4 ReduceLogicalAnd-1 ReduceLogicalOr-1 ReduceMax-1 ReduceMean-1 ReduceMin-1 ReduceProd-1"
    " ReduceSum-1"
)
_WRAPS: Final = "Abs-1 Add-1 MatMul-1 Multiply-1 Negative-1 Power-1 SquaredDifference-1 Subtract-1"

BUILT: Final[dict[Key, Build]] = {
    **{(version, "8-bit"): _through("i32") for version in _WRAPS.split()},
    **{(version, "8-bit"): _through("i32", 0) for version in ("ReduceMean-1", "ReduceSum-1")},
    **{(version, "no axes"): _left_out for version in (*_IDENTITY.split(), "DFT-7", "Unsqueeze-1")},
    **{(version, "scalar"): _left_out for version in ("Broadcast-1", "Broadcast-3", "Pad-1", "Pad-12")},
    **{
        (version, "nan"): _nan_kept
        for version in [
            "Clamp-1",
            "ReLU-1",
            "HSigmoid-5",
            "HardSigmoid-1",
            "Exp-1",
            "FakeQuantize-1",
            "FakeConvert-13",
            "Maximum-1",
            "Minimum-1",
        ]
    },
    ("Greater-1", "nan"): lambda _op, a, b: o.less(b, a),
    ("GreaterEqual-1", "nan"): lambda _op, a, b: o.less_equal(b, a),
    ("SoftMax-1", "beside nan"): lambda op, x: _nan_spread(1)(partial(op, axis=1), x),
    ("SoftMax-8", "beside nan"): _nan_spread(1),
    ("LogSoftmax-5", "beside nan"): _nan_spread(0),
    ("NormalizeL2-1", "beside nan"): _nan_spread(-1),
    ("ReduceMax-1", "nan"): _nan_added,
    ("ReduceMin-1", "nan"): _nan_added,
    ("ReduceMax-1", "infinite"): _first("max"),
    ("ReduceMin-1", "infinite"): _first("min"),
    **{(version, "nan"): _nan_of_row for version in ("GRUCell-3", "RNNCell-1", "LSTMCell-4")},
    ("Equal-1", "pdpd"): _numpy(1),
    ("Subtract-1", "pdpd"): _numpy(1),
    ("Select-1", "pdpd"): _numpy(0, 2),
    **{(version, "rank 7"): _flat for version in ("Convert-1", "ConvertLike-1", "Divide-1", "FakeQuantize-1")},
    ("FakeQuantize-1", "equal limits"): _flat,
    ("FakeQuantize-1", "swapped limits"): _flat,
    ("FakeQuantize-1", "none"): _with(auto_broadcast="numpy"),
    ("FakeQuantize-1", "of integers"): _through("f32", 0),
    ("FakeQuantize-1", "one output limit"): lambda op, *x: op(*x[:4], o.broadcast(x[4], _i64(1, 2))),
    ("Divide-1", "floor"): lambda _op, a, b: o.divide(o.subtract(a, o.floor_mod(a, b)), b),
    **{(version, "integers"): _through("f32") for version in ("Log-1", "Sin-1", "Sinh-1")},
    ("GroupedMatMul-17", "integers"): _through("f32", 0, 1),
    ("Convolution-1", "negative padding"): lambda op, x, w: op(
        o.slice(x, _i64(1), _i64(5), _i64(1), _i64(2)), w, pads_begin=[0]
    ),
    ("Convolution-1", "beside nan"): _zeros_before,
    ("ConvolutionBackpropData-1", "output_shape"): _padding(1, 1),
    ("GroupConvolutionBackpropData-1", "output_shape"): _padding(1, 1),
    ("GroupConvolutionBackpropData-1", "one group"): lambda _op, x, w: o.convolution_backprop_data(
        x, o.squeeze(w, _i64(0)), [1], None, [0], [0], [1]
    ),
    ("BatchNormInference-1", "order"): lambda _op, *x: o.batch_norm_inference(*x, 1.0),
    ("AdaptiveMaxPool-8", "i64"): _pooled_indices,
    ("Exp-1", "limits"): _square,
    ("Gelu-2", "infinite"): _gelu,
    ("Gelu-7", "infinite"): _gelu,
    ("Mod-1", "infinite"): lambda op, a, b: o.select(o.is_inf(b), a, op(a, b)),
    ("FloorMod-1", "infinite"): _floor_mod,
    ("BinaryConvolution-1", "bits"): _signs(1),
    ("BinaryConvolution-1", "integers"): _signs(0),
    ("HardSigmoid-1", "parameters"): _hard,
    ("HardSigmoid-1", "falling"): _hard,
    ("Selu-1", "parameters"): _selu,
    ("Round-5", "away"): _away,
    ("ScaledDotProductAttention-13", "one key"): _attention,
    ("ReduceLogicalAnd-1", "varying axes"): _logical("reduce_min"),
    ("ReduceLogicalOr-1", "varying axes"): _logical("reduce_max"),
    ("LRN-1", "bias"): _lrn,
    ("LRN-1", "no axes"): _lrn_alone,
    ("LRN-1", "axes"): lambda op, x, _axes: op(x, _i64(1)),
    ("MVN-2", "reduction_axes"): lambda _op, x: o.mvn(x, _i64(1), False, 1e-9, "inside_sqrt"),
    ("MVN-6", "no axes"): lambda _op, x, _axes: o.subtract(x, x),
    ("GRN-1", "norm"): _smaller,
    ("Range-1", "away"): lambda op, a, b, step: op(a, o.maximum(a, b), step),
    ("Range-4", "away"): lambda op, a, b, step: op(a, o.maximum(a, b), step),
    ("Range-4", "convert"): lambda op, *x: op(*[o.convert(node, "i32") for node in x]),
    ("Interpolate-1", "area"): lambda _op, x, sizes: o.adaptive_avg_pool(x, sizes),
    ("Interpolate-4", "negative axis"): lambda op, x, sizes, scales, _axes: op(x, sizes, scales, _i64(3)),
    ("Interpolate-11", "negative axis"): lambda op, x, sizes, _axes: op(x, sizes, _i64(3)),
    ("ScatterElementsUpdate-12", "mean"): _mean,
    ("ScatterNDUpdate-4", "one update"): lambda op, x, i, u: op(x, o.unsqueeze(i, _i64(0)), u),
    ("ScatterNDUpdate-15", "one update"): lambda op, x, i, u: op(x, o.unsqueeze(i, _i64(0)), u),
    ("ScatterUpdate-3", "scalar"): lambda op, x, i, u, axis: op(
        x, o.unsqueeze(i, _i64(0)), o.unsqueeze(u, _i64(0)), axis
    ),
    ("Roll-7", "one shift"): lambda op, x, _shift, axes: op(x, _i64(1, 1), axes),
    ("Unique-10", "bytes"): _through("i32", 0),
    ("Pad-12", "cropped"): lambda _op, x, *_: o.slice(x, _i64(0), _i64(0), _i64(1), _i64(0)),
    ("Eye-9", "no batch"): lambda op, *x: op(*x[:3]),
    ("RDFT-9", "size"): lambda op, *x: _zero_padded(0, 2)(op, *x[:2]),
    ("IRDFT-9", "size"): _zero_padded(0, 3),
    ("ISTFT-16", "odd frames"): lambda op, *x: op(*x, _i64(1)),
    ("GatherND-5", "batch"): lambda op, x, i: op(o.broadcast(x, _i64(2, 3)), i),
    ("GatherND-8", "batch"): lambda op, x, i: op(o.broadcast(x, _i64(2, 3)), i),
    **{
        (version, "empty"): lambda _op, x, *_: o.slice(x, _i64(0), _i64(0), _i64(1), _i64(0))
        for version in ("Gather-1", "Gather-7", "Gather-8")
    },
}
"""The workarounds that are other graphs."""


def _having(**changed: Any) -> Callable[[Case], Case]:
    return lambda case: replace(case, attributes={**case.attributes, **changed})


def _above(case: Case) -> Case:
    threshold = np.nextafter(np.float32(0.5), np.float32(1))
    return replace(case, inputs=[*case.inputs[:3], np.asarray(threshold), *case.inputs[4:]])


def _finite(case: Case) -> Case:
    """Return another case without infinities, which are another departure."""
    data, found = f32([[[-2, -2, 1, 1]]]), f32([[[-2, -2, 1, 1, 1]]])
    return replace(_having(dilations=(1,))(case), inputs=[data], expected=[found, case.expected[1]])


def _masked(case: Case) -> Case:
    """Return another case without numbers of 64 bits, which are another departure."""
    masks = _having(**dict.fromkeys(_MASKS, (0,)))(case)
    return replace(masks, inputs=[i64([7, 1, 2]), *case.inputs[1:]], expected=[i64([7, 2])])


_NEXT: Final = float(np.nextafter(np.float32(0.5), np.float32(1)))
_MASKS: Final = ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask")

CHANGED: Final[dict[Key, Callable[[Case], Case]]] = {
    ("AUGRUCell", "case"): _having(activations=("sigmoid", "tanh")),
    ("AvgPool-16", "dilations"): _having(dilations=(1,)),
    ("MaxPool-8", "dilations"): _finite,
    ("MaxPool-14", "dilations"): _having(dilations=(1,)),
    ("Clamp-1", "8-bit"): _having(min=3.0),
    ("Einsum-7", "blanks"): _having(equation="ij,j->ij"),
    ("Interpolate-1", "pads"): _having(pads_begin=(0, 0, 1, 2), pads_end=(0, 0, 0, 0)),
    **{(f"MulticlassNms-{opset}", "equal overlap"): _having(iou_threshold=_NEXT) for opset in (8, 9)},
    **{(f"NonMaxSuppression-{opset}", "equal overlap"): _above for opset in (1, 3, 4, 5, 9)},
    **{(f"PriorBox-{opset}", "scale_all_sizes"): _having(max_size=()) for opset in (1, 8)},
    ("StridedSlice-1", "masks"): _masked,
    ("SliceScatter-15", "bounds"): lambda case: replace(case, dynamic=True),
    **{
        key: lambda case: replace(case, dynamic=False)
        for key in (
            ("MaxPool-8", "dynamic sizes"),
            ("MaxPool-14", "dynamic sizes"),
            ("GRUSequence-5", "dynamic"),
            ("LSTMSequence-5", "dynamic"),
            ("RNNSequence-5", "dynamic"),
        )
    },
}
"""The workarounds that are the same operation with other attributes, constants or shapes."""

ORDINARY: Final[dict[Key, str]] = {
    ("EmbeddingSegmentsSum-3", "zeros"): "EmbeddingSegmentsSum-3-zeros",
    **{(version, "negative"): "Gather-8-negative-indices" for version in ("Gather-1", "Gather-7")},
    ("NonMaxSuppression-1", "no limit"): "NonMaxSuppression-1-two classes",
    ("NonMaxSuppression-3", "no limit"): "NonMaxSuppression-3-corners in any order, sorted per class",
    ("NonMaxSuppression-4", "no limit"): "NonMaxSuppression-4-plain",
    ("NonMaxSuppression-5", "no limit"): "NonMaxSuppression-5-plain",
    ("NonMaxSuppression-9", "no limit"): "NonMaxSuppression-9-best of each class",
}
"""The workarounds that a case of an operation is, where no file shows the departure."""
