"""Several layers at once, as converters and compressors write them: what optimisers look for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from irrun.tensor.element_type import BOOLEAN, F16, F32, FLOAT, I64
from tests.lab.graphs.adapt import ints, number
from tests.lab.graphs.grow import Grower, Rejected, Tensor
from tests.lab.graphs.theme import RUNNABLE
from tests.lab.graphs.weights import decompressed, fake_quantized, weights

Motif = Callable[[Grower], object]


def _data(grower: Grower, least: int, most: int, width: int = 1) -> Tensor:
    """A tensor of floats with some axes, none of them empty."""
    kinds = FLOAT & RUNNABLE
    found = grower.find(kinds, lambda t: least <= t.rank <= most and t.array.size > 0 and t.shape[-1] >= width)
    if found is None or grower.draw.chance(0.15):
        shape = [max(size, width) for size in grower.draw.shape(least, most)]
        found = grower.fresh(kinds, [max(size, 1) for size in shape])
    return found


def linear(grower: Grower) -> Tensor:
    """A product with a constant matrix, a bias, an activation."""
    data = _data(grower, 2, 4)
    columns, transposed = grower.draw.int(1, 8), grower.draw.chance(0.7)
    shape = (columns, data.shape[-1]) if transposed else (data.shape[-1], columns)
    matrix = weights(grower, data, shape, groups=transposed, axis=0 if transposed else 1)
    made = grower.one("MatMul", 1, data, matrix, transpose_b=transposed)
    return _finish(grower, made, (columns,) if grower.draw.chance(0.7) else (1,) * (data.rank - 1) + (columns,))


def convolution(grower: Grower) -> Tensor:
    """A convolution, a bias, a normalization of the batch, an activation, a residual."""
    draw, data = grower.draw, _data(grower, 3, 5)
    if data.rank < 3:
        raise Rejected("no spatial axes")
    axes = data.rank - 2
    taps = tuple(1 if size < 3 else draw.pick((1, 3)) for size in data.shape[2:])
    filters = data.shape[1] if draw.chance(0.5) else draw.int(1, 6)
    depthwise = filters == data.shape[1] and draw.chance(0.4)
    shape = (filters, 1, 1, *taps) if depthwise else (filters, data.shape[1], *taps)
    window = {
        "strides": (1,) * axes,
        "dilations": (1,) * axes,
        "pads_begin": tuple(size // 2 for size in taps),
        "pads_end": tuple(size // 2 for size in taps),
        "auto_pad": "explicit",
    }
    kind = "GroupConvolution" if depthwise else "Convolution"
    made = grower.one(kind, 1, data, weights(grower, data, shape), **window)
    made = _finish(grower, made, (1, filters, *(1,) * axes))
    return grower.one("Add", 1, made, data) if made.shape == data.shape and draw.chance(0.5) else made


def _finish(grower: Grower, made: Tensor, bias: tuple[int, ...]) -> Tensor:
    draw = grower.draw
    if draw.chance(0.7):
        made = grower.one("Add", 1, made, grower.fresh([made.type], bias, constant=1))
    if draw.chance(0.2):
        made = grower.one("Multiply", 1, made, grower.fresh([made.type], bias, constant=1))
    name, version, given = draw.pick(
        (
            ("ReLU", 1, {}),
            ("Clamp", 1, {"min": 0.0, "max": 6.0}),
            ("Sigmoid", 1, {}),
            ("Tanh", 1, {}),
            ("HSwish", 4, {}),
            ("Gelu", 7, {"approximation_mode": "erf"}),
            ("Elu", 1, {"alpha": 1.0}),
            ("Swish", 4, {}),
            ("Mish", 4, {}),
            ("Identity", 16, {}),
        )
    )
    return grower.one(name, version, made, **given)


def _mean(grower: Grower, data: Tensor) -> Tensor:
    return grower.one("ReduceMean", 1, data, ints(grower, [-1]), keep_dims=True)


def layer_norm(grower: Grower) -> Tensor:
    """(x - mean) / sqrt(variance + eps) * scale + shift, written out."""
    data = _data(grower, 2, 4, 2)
    centred = grower.one("Subtract", 1, data, _mean(grower, data))
    if grower.draw.chance(0.5):
        square = grower.one("Power", 1, centred, number(grower, data, 2))
    else:
        square = grower.one("Multiply", 1, centred, centred)
    return _scaled(grower, centred, _root(grower, _mean(grower, square)))


def rms_norm(grower: Grower) -> Tensor:
    """x / sqrt(mean(x²) + eps) * scale, written out."""
    data = _data(grower, 2, 4, 2)
    square = grower.one("Power", 1, data, number(grower, data, 2))
    return _scaled(grower, data, _root(grower, _mean(grower, square)))


def _root(grower: Grower, variance: Tensor) -> Tensor:
    shifted = grower.one("Add", 1, variance, number(grower, variance, 1e-2))
    if grower.draw.chance(0.5):
        return grower.one("Sqrt", 1, shifted)
    return grower.one("Power", 1, shifted, number(grower, variance, 0.5))


def _scaled(grower: Grower, data: Tensor, root: Tensor) -> Tensor:
    if grower.draw.chance(0.5):
        made = grower.one("Divide", 1, data, root)
    else:
        made = grower.one("Multiply", 1, data, grower.one("Power", 1, root, number(grower, root, -1)))
    made = grower.one("Multiply", 1, made, grower.fresh([data.type], data.shape[-1:], 0.5, 2, 1))
    return (
        grower.one("Add", 1, made, grower.fresh([data.type], data.shape[-1:], constant=1))
        if grower.draw.chance(0.5)
        else made
    )


def attention(grower: Grower) -> Tensor:
    """softmax(q · kᵀ · scale + mask) · v, written out."""
    query = _data(grower, 3, 4)
    length = grower.draw.int(1, 5)
    key = grower.fresh([query.type], (*query.shape[:-2], length, query.shape[-1]))
    value = grower.fresh([query.type], (*query.shape[:-2], length, grower.draw.int(1, 4)))
    scores = grower.one("MatMul", 1, query, key, transpose_b=True)
    scores = grower.one("Multiply", 1, scores, number(grower, query, 1 / math.sqrt(query.shape[-1])))
    if grower.draw.chance(0.5):
        scores = grower.one("Add", 1, scores, grower.fresh([query.type], scores.shape[-2:]))
    return grower.one("MatMul", 1, grower.one("SoftMax", 8, scores, axis=-1), value)


def gelu(grower: Grower) -> Tensor:
    """x * (erf(x / sqrt(2)) + 1) / 2, written out."""
    data = _data(grower, 1, 4)
    curve = grower.one("Erf", 1, grower.one("Divide", 1, data, number(grower, data, math.sqrt(2))))
    product = grower.one("Multiply", 1, data, grower.one("Add", 1, curve, number(grower, data, 1)))
    return grower.one("Multiply", 1, product, number(grower, data, 0.5))


def hard_swish(grower: Grower) -> Tensor:
    """x * clamp(x + 3, 0, 6) / 6, written out."""
    data = _data(grower, 1, 4)
    clipped = grower.one("Clamp", 1, grower.one("Add", 1, data, number(grower, data, 3)), min=0.0, max=6.0)
    product = grower.one("Multiply", 1, data, clipped)
    if grower.draw.chance(0.5):
        return grower.one("Divide", 1, product, number(grower, data, 6))
    return grower.one("Multiply", 1, product, number(grower, data, 1 / 6))


def swish(grower: Grower) -> Tensor:
    data = _data(grower, 1, 4)
    return grower.one("Multiply", 1, data, grower.one("Sigmoid", 1, data))


def shuffle(grower: Grower) -> Tensor:
    """A shuffle of channels as Reshape, Transpose, Reshape."""
    data = _data(grower, 3, 4)
    groups = grower.draw.pick([size for size in (1, 2, 3) if data.shape[1] % size == 0])
    parts = (data.shape[0], groups, data.shape[1] // groups, *data.shape[2:])
    split = grower.one("Reshape", 1, data, ints(grower, parts), special_zero=False)
    order = [0, 2, 1, *range(3, len(parts))]
    return grower.one(
        "Reshape",
        1,
        grower.one("Transpose", 1, split, ints(grower, order)),
        ints(grower, data.shape),
        special_zero=False,
    )


def branches(grower: Grower) -> Tensor:
    """A tensor split in two, one part changed, and put together again."""
    data = _data(grower, 2, 4, 2)
    cut = grower.draw.int(1, data.shape[-1] - 1)
    lengths = ints(grower, [cut, data.shape[-1] - cut])
    first, second = grower.add("VariadicSplit", 1, [data, ints(grower, data.rank - 1), lengths], outputs=2)
    first = grower.one(grower.draw.pick(("ReLU", "Sigmoid", "Negative", "Abs")), 1, first)
    return grower.add("Concat", 1, [first, second] if grower.draw.chance(0.5) else [second, first], {"axis": -1})[0]


def dense_block(grower: Grower) -> Tensor:
    """Convolutions each of which reads all before it, joined along the channels."""
    data = _data(grower, 4, 4)
    for _ in range(grower.draw.int(1, 3)):
        shape = (grower.draw.int(1, 3), data.shape[1], 1, 1)
        window = {"strides": (1, 1), "dilations": (1, 1), "pads_begin": (0, 0), "pads_end": (0, 0)}
        made = grower.one("Convolution", 1, data, weights(grower, data, shape), auto_pad="explicit", **window)
        data = grower.add("Concat", 1, [data, grower.one("ReLU", 1, made)], {"axis": 1})[0]
    return data


def parallel_convolutions(grower: Grower) -> list[Tensor]:
    """Several convolutions with kernels of one element of the same tensor."""
    data = _data(grower, 4, 4)
    window = {"strides": (1, 1), "dilations": (1, 1), "pads_begin": (0, 0), "pads_end": (0, 0), "auto_pad": "explicit"}
    return [
        grower.one(
            "Convolution", 1, data, weights(grower, data, (grower.draw.int(1, 3), data.shape[1], 1, 1)), **window
        )
        for _ in range(grower.draw.int(2, 3))
    ]


def embedding(grower: Grower) -> Tensor:
    """Rows of a table that is compressed."""
    kind = grower.theme.type(grower.draw, [F32, F16])
    assert kind is not None
    table = decompressed(grower, kind, (grower.draw.int(2, 8), grower.draw.int(1, 8)))
    rows = ints(grower, grower.draw.source.integers(0, table.shape[0], 3).tolist())
    found = grower.find([I64], lambda t: t.array.size > 0 and t.array.min() >= 0 and t.array.max() < table.shape[0])
    return grower.one("Gather", 8, table, found or rows, ints(grower, 0))


def masked(grower: Grower) -> Tensor:
    """A tensor where a comparison holds, a number elsewhere."""
    data = _data(grower, 1, 4)
    mask = grower.one(grower.draw.pick(("Greater", "LessEqual")), 1, data, number(grower, data, 0))
    assert mask.type is BOOLEAN
    return grower.one("Select", 1, mask, data, number(grower, data, -1))


def quantized(grower: Grower) -> Tensor:
    """A tensor, and the weights that it is multiplied with, both through FakeQuantize."""
    data = _data(grower, 2, 4)
    if data.type is not F32:
        raise Rejected("quantization of f32 only")
    matrix = grower.fresh([F32], (grower.draw.int(1, 6), data.shape[-1]), -1, 1, 1)
    scale = (matrix.shape[0], 1) if grower.draw.chance(0.5) else ()
    return grower.one(
        "MatMul",
        1,
        fake_quantized(grower, data, (), 4, 256),
        fake_quantized(grower, matrix, scale, 1, 255),
        transpose_b=True,
    )


MOTIFS: Final[tuple[Motif, ...]] = (
    *(linear, linear, convolution, convolution, layer_norm, rms_norm, attention, gelu, hard_swish, swish, shuffle),
    *(branches, dense_block, parallel_convolutions, embedding, masked, quantized),
)
