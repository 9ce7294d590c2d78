"""Words for arithmetic: elements, products, reductions and normalisation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from irrun.ops._declared.arithmetic.elementwise import FloatFunction, Whole
from irrun.reporting.explain.words.register import Seen, Words, axes_text, listed, nth, says, shape_text
from irrun.tensor import Dim

_FORMULAS: Final = {
    "Add": "a + b",
    "Subtract": "a - b",
    "Multiply": "a * b",
    "Divide": "a / b",
    "Maximum": "max(a, b)",
    "Minimum": "min(a, b)",
    "Power": "a to the power of b",
    "Mod": "the remainder of a / b with the sign of a",
    "FloorMod": "the remainder of a / b with the sign of b",
    "SquaredDifference": "(a - b) squared",
    "Equal": "a == b",
    "NotEqual": "a != b",
    "Less": "a < b",
    "LessEqual": "a <= b",
    "Greater": "a > b",
    "GreaterEqual": "a >= b",
    "LogicalAnd": "a and b",
    "LogicalOr": "a or b",
    "LogicalXor": "a xor b",
    "BitwiseAnd": "a & b",
    "BitwiseOr": "a | b",
}
_UNARY: Final = {
    "ReLU": "max(x, 0)",
    "Sigmoid": "1 / (1 + exp(-x))",
    "Tanh": "the hyperbolic tangent of x",
    "Exp": "exp(x)",
    "Log": "the natural logarithm of x",
    "Sqrt": "the square root of x",
    "Abs": "the magnitude of x",
    "Negative": "-x",
    "Floor": "x rounded down",
    "Ceiling": "x rounded up",
    "Sin": "sin(x)",
    "Cos": "cos(x)",
    "Erf": "the error function of x",
    "LogicalNot": "not x",
    "HSwish": "x * min(max(x + 3, 0), 6) / 6",
    "SoftPlus": "log(1 + exp(x))",
    "Mish": "x * tanh(log(1 + exp(x)))",
}
_REDUCTIONS: Final = {
    "ReduceMean": "mean",
    "ReduceSum": "sum",
    "ReduceMax": "maximum",
    "ReduceMin": "minimum",
    "ReduceProd": "product",
    "ReduceL1": "sum of magnitudes",
    "ReduceL2": "root of the sum of squares",
    "ReduceLogicalAnd": "conjunction",
    "ReduceLogicalOr": "disjunction",
}


@says(*_FORMULAS)
def binary(seen: Seen) -> Words:
    formula = _FORMULAS[seen.op.type] + _rounding(seen)
    a, b = (seen.input(port) for port in (0, 1))
    if a is None or b is None or b.rank is None:
        return [f"Each element is {formula}."], []
    scalars = [word for word, fact in (("a", a), ("b", b)) if fact.shape.size == Dim.exactly(1)]
    about = f" {listed(scalars)} is one number." if len(scalars) == 1 else ""
    return [f"Each element is {formula}.{about}"], broadcast(seen, 0, 1)


def _rounding(seen: Seen) -> str:
    """Return how a function of two integers becomes an integer."""
    if not seen.is_whole or seen.op.type not in ("Divide", "Power"):
        return ""
    if seen.op.type == "Power":
        return ", truncated"
    return ", rounded down" if seen.op.m_pythondiv else ", rounded toward zero"


@says(*_UNARY)
def unary(seen: Seen) -> Words:
    text = _UNARY[seen.op.type]
    if seen.is_whole and isinstance(seen.op, FloatFunction):
        text += ", truncated" if type(seen.op).whole is np.trunc else ", rounded to nearest"
    elif seen.is_whole and isinstance(seen.op, Whole):
        text = "itself, as an integer"
    return [f"Each element x becomes {text}."], _same(seen)


@says("Clamp", "Gelu", "Swish", "PReLU", "Elu", "Convert")
def with_parameter(seen: Seen) -> Words:
    op = seen.op
    match op.type:
        case "Clamp":
            low, high = op.min, op.max
            if seen.is_whole:
                low, high = np.ceil(low), np.floor(high)
            text = f"Each element is limited to the range from {low:.6g} to {high:.6g}."
        case "Gelu":
            text = "Each element x becomes x times the normal distribution function of x."
            mode = getattr(op, "approximation_mode", "erf")
            text += " Approximated by tanh." if mode == "tanh" else ""
        case "Swish":
            fact = seen.input(1)
            beta = seen.numbers(1)
            factor = "" if fact is None else f"{beta[0]} * " if beta else "beta * "
            inner = f"({factor}x)" if factor.startswith("-") else f"{factor}x"
            text = f"Each element x becomes x / (1 + exp(-{inner}))."
        case "PReLU":
            text = (
                f"Elements below 0 are multiplied by their slope, of {shape_text(seen.input(1))}{_nearest(seen)}; "
                "others do not change."
            )
        case "Elu":
            text = f"Elements below 0 become {op.alpha:.6g} * (exp(x) - 1){_nearest(seen)}; others do not change."
        case _:
            before = seen.inputs[0].type if seen.inputs[0] is not None else "its type"
            text = f"Each element is converted from {before} to {op.destination_type}{_converted(seen)}."
    return [text], _same(seen)


def _nearest(seen: Seen) -> str:
    """Return how a function of integers that is computed with reals becomes integers."""
    return ", rounded to nearest" if seen.is_whole else ""


def _converted(seen: Seen) -> str:
    before, after = seen.inputs[0], seen.op.destination_type
    if before is None:
        return ""
    if after.kind == "boolean" and before.type.kind != "boolean":
        return ", false for 0 and NaN" if before.type.is_float else ", false for 0"
    if before.type.is_float and after.is_integer:
        return ", truncated toward zero"
    if before.type.is_integer and after.is_integer and after.bits < before.type.bits:
        return f", modulo 2^{after.bits}"
    return ", rounded to nearest" if before.type.is_float and after.bits < before.type.bits else ""


@says("Select")
def select(seen: Seen) -> Words:
    return ["Each element is that of `then` where the condition is true, that of `else` where it is false."], broadcast(
        seen, 0, 1, 2
    )


@says("MatMul")
def matmul(seen: Seen) -> Words:
    op, a, b = seen.op, seen.sizes(0), seen.sizes(1)
    if not a or not b:
        return [op.spec.summary], []
    left = [Dim.exactly(1), *a] if len(a) == 1 else [*a[:-2], a[-1], a[-2]] if op.transpose_a else a
    right = [*b, Dim.exactly(1)] if len(b) == 1 else [*b[:-2], b[-1], b[-2]] if op.transpose_b else b
    turned = [word for word, flag in (("a", op.transpose_a), ("b", op.transpose_b)) if flag]
    first = f"The matrix product of {left[-2]}x{left[-1]} and {right[-2]}x{right[-1]}"
    first += f", after the last two axes of {listed(turned)} are swapped." if turned else "."
    shapes = [f"each element is the sum of {left[-1]} products"]
    if len(left) > 2 or len(right) > 2:
        shapes.append(f"the axes before the last two, {nth(left[:-2])} and {nth(right[:-2])}, are broadcast")
    rows = [str(left[-2])] if len(a) > 1 else []
    columns = [str(right[-1])] if len(b) > 1 else []
    if rows or columns:
        shapes.append(f"rows of a and columns of b: {' x '.join([*rows, *columns])}")
    return [first], [*shapes, f"together {nth(seen.result)}"]


@says("SoftMax", "LogSoftmax")
def softmax(seen: Seen) -> Words:
    sizes = seen.sizes()
    axis = seen.op.axis % len(sizes) if sizes else seen.op.axis
    what = f"exp(x) divided by the sum of exp(x) along axis {axis}, which has {sizes[axis] if sizes else 1} elements"
    word = "the logarithm of " if seen.op.type == "LogSoftmax" else ""
    after = "" if word or seen.is_whole else " The elements along the axis are positive and add up to 1."
    return [f"Each element x becomes {word}{what}{_nearest(seen)}.{after}"], _same(seen)


@says(*_REDUCTIONS)
def reduction(seen: Seen) -> Words:
    sizes, axes = seen.sizes(), seen.ints(1)
    word = _REDUCTIONS[seen.op.type]
    if axes is None:
        return [f"The {word} along axes that are computed at run time."], []
    if not axes:
        return ["There are no axes: each element stays as it is."], _same(seen)
    over = sorted({axis % max(len(sizes), 1) for axis in axes})
    kept = [axis for axis in range(len(sizes)) if axis not in over]
    count = f", {' * '.join(str(sizes[axis]) for axis in over)} elements each" if over and sizes else ""
    shapes = [f"axis {axis}: {sizes[axis]} elements become one" for axis in over if axis < len(sizes)]
    shapes.append(
        "the reduced axes stay with size 1 (keep_dims)"
        if seen.op.keep_dims
        else f"the reduced axes are dropped; {axes_text(kept, len(sizes))} of {nth(sizes)} remain"
    )
    rounded = ", truncated toward zero" if seen.is_whole and seen.op.type == "ReduceMean" else ""
    text = f"The {word} along {axes_text(axes, len(sizes))}{count}{rounded}."
    return [text], [*shapes, f"together {nth(seen.result)}"]


@says("MVN")
def mvn(seen: Seen) -> Words:
    op, sizes = seen.op, seen.sizes()
    axes = seen.ints(1)
    if axes is None and op.opset == 2:
        axes = list(op.reduction_axes or range(1 if op.across_channels else 2, len(sizes)))
    over = "axes that are computed at run time" if axes is None else axes_text(axes, len(sizes))
    text = f"Subtract the mean along {over}"
    if op.normalize_variance:
        place = "the standard deviation" if getattr(op, "eps_mode", "") == "outside_sqrt" else "the variance"
        text += f", then divide by the standard deviation (eps {op.eps:.6g} is added to {place})"
    text += f"{_nearest(seen)}."
    return [text], _same(seen)


@says("BatchNormInference")
def batch_norm(seen: Seen) -> Words:
    text = f"Each channel: (x - mean) / sqrt(variance + {seen.op.epsilon:.6g}) * gamma + beta."
    return [text], [f"The output has the shape of data, {nth(seen.result)}."]


@says("FakeQuantize")
def fake_quantize(seen: Seen) -> Words:
    limits = [_limit(seen, port) for port in range(1, 5)]
    text = (
        f"Clip to the range from {limits[0]} to {limits[1]}, round to {seen.op.levels} evenly spaced levels of it, and "
        f"map them to the range from {limits[2]} to {limits[3]}."
    )
    return [text], _same(seen)


def _limit(seen: Seen, port: int) -> str:
    """Return a limit: a number, or the least and the greatest of several."""
    fact = seen.input(port)
    values = None if fact is None else fact.constant
    if values is None or not values.size:
        return str(seen.op.spec.input(port).name)
    if values.size == 1:
        return f"{values.reshape(-1)[0]:.6g}"
    return f"{values.size} limits of {values.min():.6g} to {values.max():.6g}"


@says("ScaledDotProductAttention")
def attention(seen: Seen) -> Words:
    query, key, value = (seen.sizes(port) for port in (0, 1, 2))
    if not (query and key and value):
        return [seen.op.spec.summary], []
    text = (
        f"Attention: {query[-2]} queries of {query[-1]} numbers are compared with {key[-2]} keys; the softmax of the "
        f"scores weights {value[-2]} values of {value[-1]} numbers."
    )
    texts = [text, *_scores(seen, query[-1])]
    return texts, [f"queries {query[-2]}, by size of a value {value[-1]}: {nth(seen.result)}"]


def _scores(seen: Seen, size: Dim) -> Iterator[str]:
    """Yield what becomes of the products of queries and keys before the softmax."""
    scale, mask, sink = seen.input(4), seen.input(3), seen.input(5)
    if scale is None:
        yield f"A score is the product of a query and a key, divided by the root of {size}."
    else:
        yield f"A score is the product of a query and a key, times {(seen.numbers(4) or ['the input `scale`'])[0]}."
    if seen.op.causal:
        yield f"Query i sees keys 0 to i only (causal){'; the mask is ignored' if mask is not None else ''}."
    elif mask is not None and mask.type.kind == "boolean":
        yield f"A mask of {shape_text(mask)} is true where a query sees a key; other keys have no weight."
    elif mask is not None:
        yield f"A mask of {shape_text(mask)} is added to the scores."
    if sink is not None:
        yield f"A further score for each query, of {shape_text(sink)}, takes part in the softmax, without a value."


def broadcast(seen: Seen, *ports: int) -> list[str]:
    """Return the rule of NumPy's broadcasting for each axis of the output."""
    shapes = [seen.sizes(port) for port in ports]
    made, rule = seen.result, getattr(seen.op, "auto_broadcast", "numpy")
    if rule == "pdpd" and len(shapes) == 2 and shapes[0] != shapes[1]:
        begin = len(shapes[0]) - len(shapes[1]) if seen.op.axis == -1 else seen.op.axis
        return [f"b of {nth(shapes[1])} is repeated from axis {begin} of a on, {nth(shapes[0])} (pdpd)."]
    if rule != "numpy" and shapes.count(made) < len(shapes):
        return [f"The output has the shape {nth(made)} (auto_broadcast {rule})."]
    if all(shape == made for shape in shapes):
        return [f"All have the shape {nth(made)}."]
    texts = []
    for axis in range(len(made)):
        behind = len(made) - axis
        sizes = [shape[-behind] if behind <= len(shape) else None for shape in shapes]
        texts.append(f"axis {axis}: {listed(['none' if size is None else size for size in sizes])} give {made[axis]}")
    return [f"Shapes are aligned at the last axis and broadcast: {listed([nth(shape) for shape in shapes])}.", *texts]


def _same(seen: Seen) -> list[str]:
    return [f"The output has the shape of the input, {nth(seen.result)}."]
