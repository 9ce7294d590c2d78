"""Checks of builders and operators of nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.openvino.comparing import Check

X = np.array([[1, -2, 3], [4, 5, -6]], np.float32)


def built(ov: Any, make: Any, *arrays: Any, opset: int = 13) -> Any:
    """Return the types, shapes and results of a model of Parameters for the arrays."""
    ops = getattr(ov, f"opset{opset}")
    given = arrays or (X,)
    parameters = [ops.parameter(list(array.shape), ov.Type(array.dtype), name=f"p{i}") for i, array in enumerate(given)]
    made = make(ops, *parameters)
    results = list(made) if isinstance(made, list) else [made]
    model = ov.Model(results, parameters, "built")
    outputs = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(list(given))
    return [[port.partial_shape, port.element_type] for port in model.outputs] + [
        outputs[i] for i in range(len(results))
    ]


def of(make: Any, *arrays: Any, opset: int = 13) -> Check:
    return lambda ov: built(ov, make, *arrays, opset=opset)


I = np.array([[1, 2, 3], [4, 5, 6]], np.int32)  # noqa: E741

B = np.array([[True, False, True], [False, True, True]])

IMAGE = np.arange(1 * 2 * 5 * 5, dtype=np.float32).reshape(1, 2, 5, 5) / 10

FILTERS = np.linspace(-1, 1, 3 * 2 * 3 * 3, dtype=np.float32).reshape(3, 2, 3, 3)

_UNARY = [
    "abs",
    "acos",
    "asin",
    "atan",
    "ceiling",
    "cos",
    "cosh",
    "elu",
    "erf",
    "exp",
    "floor",
    "gelu",
    "hsigmoid",
    "hswish",
    "log_softmax",
    "mish",
    "negative",
    "relu",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "softplus",
    "softsign",
    "sqrt",
    "swish",
    "tan",
    "tanh",
]

_BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "power",
    "squared_difference",
    "floor_mod",
    "mod",
    "equal",
    "not_equal",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
]

_REDUCE = ["reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "reduce_l1", "reduce_l2"]

POSITIVE = np.array([[0.11, 0.2, 0.52], [0.31, 0.9, 0.7]], np.float32)

DIVISORS = np.array([[2, 4, 5], [3, 2, 4]], np.float32)


def _unary(name: str) -> Check:
    if name == "elu":
        return of(lambda ops, p: ops.elu(p, 1.5))
    if name == "log_softmax":
        return of(lambda ops, p: ops.log_softmax(p, 1))
    if name == "gelu":
        return of(lambda ops, p: ops.gelu(p, "tanh"))
    return of(lambda ops, p: getattr(ops, name)(p), POSITIVE)


BUILDERS: dict[str, Check] = {
    **{f"build {name}": _unary(name) for name in _UNARY},
    **{f"build {name}": of(lambda ops, a, b, name=name: getattr(ops, name)(a, b), X, DIVISORS) for name in _BINARY},
    **{f"build {name}": of(lambda ops, p, name=name: getattr(ops, name)(p, [1], True)) for name in _REDUCE},
    "build with node keyword": of(lambda ops, p: ops.relu(node=p)),
    "build with name": of(lambda ops, p: ops.relu(p, name="mine")),
    "build add number": of(lambda ops, p: ops.add(p, np.float32(1))),
    "build reshape": of(lambda ops, p: ops.reshape(p, [3, -1], False)),
    "build reshape by keyword": of(lambda ops, p: ops.reshape(node=p, output_shape=[0, 3], special_zero=True)),
    "build transpose": of(lambda ops, p: ops.transpose(p, [1, 0])),
    "build concat": of(lambda ops, p, q: ops.concat([p, q], 1), X, X),
    "build concat axis": of(lambda ops, p, q: ops.concat([p, q], axis=-2), X, X),
    "build split": of(lambda ops, p: ops.split(p, 1, 3).outputs()),
    "build variadic split": of(lambda ops, p: ops.variadic_split(p, 1, [1, 2]).outputs()),
    "build matmul": of(lambda ops, p, q: ops.matmul(p, q, False, True), X, X),
    "build matmul of constant": of(
        lambda ops, p: ops.matmul(p, ops.constant(np.ones((3, 2), np.float32)), False, False)
    ),
    "build softmax": of(lambda ops, p: ops.softmax(p, 1)),
    "build softmax axis": of(lambda ops, p: ops.softmax(p, axis=-1), opset=8),
    "build clamp": of(lambda ops, p: ops.clamp(p, -1, 2)),
    "build convert": of(lambda ops, p: ops.convert(p, "i32")),
    "build convert type": of(lambda ops, p: ops.convert(p, np.int64)),
    "build gather": of(lambda ops, p: ops.gather(p, ops.constant([1, 0]), ops.constant(1))),
    "build gather lists": of(lambda ops, p: ops.gather(p, [1, 0], 1)),
    "build squeeze": of(lambda ops, p: ops.squeeze(ops.unsqueeze(p, 0), 0)),
    "build unsqueeze": of(lambda ops, p: ops.unsqueeze(p, [0, 3])),
    "build shape of": of(lambda ops, p: ops.shape_of(p)),
    "build shape of i32": of(lambda ops, p: ops.shape_of(p, output_type="i32")),
    "build broadcast": of(lambda ops, p: ops.broadcast(p, [2, 2, 3])),
    **{
        f"build broadcast of opset{opset} with axes, {mode}": of(
            lambda ops, p, mode=mode: ops.broadcast(p, [2, 3], np.array([0, 1]), *mode), opset=opset
        )
        for opset in (1, 2, 3)
        for mode in ((), ("NUMPY",), ("EXPLICIT",))
    },
    **{
        f"build broadcast of opset{opset} has mode": lambda ov, opset=opset: (
            getattr(ov, f"opset{opset}").broadcast(np.ones(2, np.float32), np.array([3, 2])).get_attributes()
        )
        for opset in (1, 2, 3)
    },
    "build average pooling by position without bins": of(
        lambda ops, p, regions: ops.psroi_pooling(p, regions, 2, 2, 0.5, 0, 0, "average"),
        np.arange(8 * 36, dtype=np.float32).reshape(1, 8, 6, 6),
        np.array([[0, 0, 0, 8, 8]], np.float32),
    ),
    "build tile": of(lambda ops, p: ops.tile(p, [1, 2])),
    "build topk": of(lambda ops, p: ops.topk(p, 2, 1, "max", "value").outputs()),
    "build topk types": of(
        lambda ops, p: ops.topk(p, k=1, axis=0, mode="min", sort="index", index_element_type="i64").outputs()
    ),
    "build strided slice": of(lambda ops, p: ops.strided_slice(p, [0, 1], [2, 3], [1, 1], [0, 0], [0, 0])),
    "build slice": of(lambda ops, p: ops.slice(p, [0, 1], [2, 3], [1, 1]), opset=8),
    "build pad": of(lambda ops, p: ops.pad(p, [1, 0], [0, 1], "constant", np.float32(7))),
    "build pad of other type": of(lambda ops, p: ops.pad(p, [1, 0], [0, 1], "constant", 7.0)),
    "build pad reflect": of(lambda ops, p: ops.pad(p, [1, 1], [1, 1], "reflect")),
    "build select": of(lambda ops, c, a, b: ops.select(c, a, b), B, X, POSITIVE),
    "build logical and": of(lambda ops, a, b: ops.logical_and(a, b), B, ~B),
    "build logical not": of(lambda ops, a: ops.logical_not(a), B),
    "build reduce logical or": of(lambda ops, a: ops.reduce_logical_or(a, [1]), B),
    "build one hot": of(lambda ops, a: ops.one_hot(a, 8, 1.0, 0.0, -1), I),
    "build cum sum": of(lambda ops, p: ops.cum_sum(p, 1)),
    "build range": lambda ov: built(ov, lambda ops, p: ops.add(p, ops.range(0, 3, 1, "f32"))),
    "build convolution": of(lambda ops, p: ops.convolution(p, FILTERS, [1, 1], [1, 1], [1, 1], [1, 1]), IMAGE),
    "build convolution named": of(
        lambda ops, p: ops.convolution(
            data=p,
            filters=FILTERS,
            strides=[2, 2],
            pads_begin=[0, 0],
            pads_end=[0, 0],
            dilations=[1, 1],
            auto_pad="valid",
        ),
        IMAGE,
    ),
    "build convolution same": of(
        lambda ops, p: ops.convolution(p, FILTERS, [2, 2], [0, 0], [0, 0], [1, 1], "SAME_UPPER"), IMAGE
    ),
    "build group convolution": of(
        lambda ops, p: ops.group_convolution(p, np.ones((2, 1, 1, 3, 3), np.float32), [1, 1], [1, 1], [1, 1], [1, 1]),
        IMAGE,
    ),
    "build deconvolution": of(
        lambda ops, p: ops.convolution_backprop_data(p, np.ones((2, 3, 2, 2), np.float32), [2, 2]), IMAGE
    ),
    "build max pool": of(lambda ops, p: ops.max_pool(p, [2, 2], [1, 1], [0, 0], [0, 0], [2, 2]).output(0), IMAGE),
    "build max pool 1": of(lambda ops, p: ops.max_pool(p, [2, 2], [0, 0], [0, 0], [2, 2]), IMAGE, opset=1),
    "build avg pool": of(lambda ops, p: ops.avg_pool(p, [2, 2], [0, 0], [0, 0], [2, 2], True), IMAGE),
    "build batch norm": of(
        lambda ops, p: ops.batch_norm_inference(
            p, *[np.array(v, np.float32) for v in ([1, 2], [0, 1], [0.5, 0.5], [1, 4])], 1e-3
        ),
        IMAGE,
    ),
    "build interpolate": of(lambda ops, p: ops.interpolate(p, [10, 10], "nearest", "sizes", axes=[2, 3]), IMAGE),
    "build mvn": of(lambda ops, p: ops.mvn(p, [1], True, 1e-6, "inside_sqrt")),
    "build normalize": of(lambda ops, p: ops.normalize_l2(p, 1, 1e-6, "add")),
    "build lrn": of(lambda ops, p: ops.lrn(p, [1], 1e-4, 0.75, 1.0, 5), IMAGE),
    "build prelu": of(lambda ops, p: ops.prelu(p, np.float32(0.1))),
    "build hard sigmoid": of(lambda ops, p: ops.hard_sigmoid(p, np.float32(0.2), np.float32(0.5))),
    "build selu": of(lambda ops, p: ops.selu(p, np.float32(1.67), np.float32(1.05))),
    "build fake quantize": of(lambda ops, p: ops.fake_quantize(p, *[np.float32(v) for v in (-4, 4, -4, 4)], 16)),
    "build depth to space": of(lambda ops, p: ops.depth_to_space(ops.concat([p, p], 1), "blocks_first", 2), IMAGE),
    "build space to depth": of(
        lambda ops, p: ops.space_to_depth(ops.pad(p, [0, 0, 0, 0], [0, 0, 1, 1], "edge"), "depth_first", 2), IMAGE
    ),
    "build scatter": of(lambda ops, p: ops.scatter_elements_update(p, [[0], [1]], np.array([[9], [8]], np.float32), 1)),
    "build scatter update": of(lambda ops, p: ops.scatter_update(p, [1], np.array([[9, 9, 9]], np.float32), 0)),
    "build gather elements": of(lambda ops, p: ops.gather_elements(p, ops.constant(np.array([[0, 1], [2, 0]])), 1)),
    "build gather nd": of(lambda ops, p: ops.gather_nd(p, ops.constant(np.array([[0, 1], [1, 2]])))),
    "build einsum": of(lambda ops, p, q: ops.einsum([p, q], "ij,kj->ik"), X, X),
    "build non max suppression": of(
        lambda ops, p: ops.non_max_suppression(
            p, np.ones((1, 1, 2), np.float32), ops.constant(2), np.float32(0.5), np.float32(0.0)
        ).output(2),
        np.array([[[0, 0, 1, 1], [0, 0, 1, 1]]], np.float32),
    ),
    "build lstm cell": of(
        lambda ops, p: ops.lstm_cell(
            p,
            *[np.zeros((2, 2), np.float32)] * 2,
            np.ones((8, 3), np.float32),
            np.ones((8, 2), np.float32),
            np.zeros(8, np.float32),
            2,
        ).outputs()
    ),
    "build gru cell": of(
        lambda ops, p: ops.gru_cell(
            p,
            np.zeros((2, 2), np.float32),
            np.ones((6, 3), np.float32),
            np.ones((6, 2), np.float32),
            np.zeros(6, np.float32),
            2,
        )
    ),
    "build lstm sequence": of(
        lambda ops, p: ops.lstm_sequence(
            p,
            *[np.zeros((1, 1, 2), np.float32)] * 2,
            ops.constant(np.array([5])),
            *[np.full(s, 0.1, np.float32) for s in ((1, 8, 5), (1, 8, 2), (1, 8))],
            2,
            "FORWARD",
        ).outputs(),
        IMAGE[:, 0],
        opset=5,
    ),
    "build attention": of(lambda ops, p: ops.scaled_dot_product_attention(p, p, p, causal=True), IMAGE),
    "build group norm": of(
        lambda ops, p: ops.group_normalization(p, np.ones(2, np.float32), np.zeros(2, np.float32), 1, 1e-5), IMAGE
    ),
    "build bitwise": of(lambda ops, p: ops.bitwise_and(p, ops.constant(np.array([1], np.int32))), I),
    "build rms free": of(
        lambda ops, p: ops.divide(p, ops.sqrt(ops.reduce_mean(ops.multiply(p, p), [1], keep_dims=True)))
    ),
    "build roll": of(lambda ops, p: ops.roll(p, [1], [1])),
    "build reverse sequence": of(lambda ops, p: ops.reverse_sequence(p, ops.constant(np.array([2, 3])), 0, 1)),
    "build space to batch": of(lambda ops, p: ops.space_to_batch(p, [1, 3], [0, 0], [0, 0])),
    "build dft": of(lambda ops, p: ops.rdft(p, [1])),
    "build eye": lambda ov: built(ov, lambda ops, p: ops.matmul(p, ops.eye(3, 3, 0, "f32"), False, False)),
    "build is finite": of(lambda ops, p: ops.is_finite(p)),
    "build identity free": of(lambda ops, p: p),
    "build unknown": lambda ov: ov.opset13.no_such_op,
    "build too new": lambda ov: ov.opset1.slice,
    "build misfit": lambda ov: ov.opset13.add(ov.opset13.parameter([2]), ov.opset13.parameter([3])),
    "build mixed types": lambda ov: ov.opset13.add(ov.opset13.parameter([2]), ov.opset13.parameter([2], np.int32)),
    "build missing input": lambda ov: ov.opset13.add(ov.opset13.parameter([2])),
    "build unknown keyword": lambda ov: ov.opset13.relu(ov.opset13.parameter([2]), zzz=1),
    "build bad attribute": lambda ov: ov.opset13.split(ov.opset13.parameter([4]), 0, 3),
    "build too many": lambda ov: ov.opset13.relu(ov.opset13.parameter([2]), "name", 3, 4),
}

OPERATORS: dict[str, Check] = {
    "operator +": of(lambda ops, p, q: p + q, X, POSITIVE),
    "operator -": of(lambda ops, p, q: p - q, X, POSITIVE),
    "operator *": of(lambda ops, p, q: p * q, X, POSITIVE),
    "operator /": of(lambda ops, p, q: p / q, X, POSITIVE),
    "operator **": of(lambda ops, p: p**2, POSITIVE),
    "operator with number": of(lambda ops, p: p + 1.0),
    "operator with int": of(lambda ops, p: p * 2),
    "operator reversed": of(lambda ops, p: 1 - p),
    "operator reversed /": of(lambda ops, p: 2 / p, POSITIVE),
    "operator with array": of(lambda ops, p: p + np.ones((2, 3), np.float32)),
    "operator with array first": of(lambda ops, p: np.ones((2, 3), np.float32) + p),
    "operator negative": of(lambda ops, p: -p),
    "operator compares": of(lambda ops, p, q: [p < q, p > q, p <= q, p >= q], X, POSITIVE),
    "operator of output": of(lambda ops, p: ops.relu(p.output(0))),
    "operator chain": of(lambda ops, p: (p + 1) * (p - 1) / 2),
    "operator int": of(lambda ops, p: p + 1, I),
}


CHECKS = {**BUILDERS, **OPERATORS}
