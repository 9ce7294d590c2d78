"""Words for arithmetic: elements, products, reductions and normalisation."""

from __future__ import annotations

from typing import Final

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
    formula = _FORMULAS[seen.op.type]
    a, b = (seen.input(port) for port in (0, 1))
    if a is None or b is None or b.rank is None:
        return [f"Each element is {formula}."], []
    scalars = [word for word, fact in (("a", a), ("b", b)) if fact.shape.size == Dim.exactly(1)]
    about = f" {listed(scalars)} is one number." if len(scalars) == 1 else ""
    return [f"Each element is {formula}.{about}"], broadcast(seen, 0, 1)


@says(*_UNARY)
def unary(seen: Seen) -> Words:
    return [f"Each element x becomes {_UNARY[seen.op.type]}."], _same(seen)


@says("Clamp", "Gelu", "Swish", "PReLU", "Elu", "Convert")
def with_parameter(seen: Seen) -> Words:
    op = seen.op
    match op.type:
        case "Clamp":
            text = f"Each element is limited to the range from {op.min:g} to {op.max:g}."
        case "Gelu":
            text = "Each element x becomes x times the normal distribution function of x."
            mode = getattr(op, "approximation_mode", "ERF")
            text += " Approximated by tanh." if mode == "TANH" else ""
        case "Swish":
            fact = seen.input(1)
            beta = None if fact is None else fact.constant
            factor = "" if beta is None else f"{beta.reshape(-1)[0]:g} * " if beta.size else ""
            text = f"Each element x becomes x / (1 + exp(-{factor}x))."
        case "PReLU":
            text = (
                f"Elements below 0 are multiplied by their slope, of {shape_text(seen.input(1))}; others do not change."
            )
        case "Elu":
            text = f"Elements below 0 become {op.alpha:g} * (exp(x) - 1); others do not change."
        case _:
            before = seen.inputs[0].type if seen.inputs[0] is not None else "its type"
            text = f"Each element is converted from {before} to {op.destination_type}."
    return [text], _same(seen)


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
    after = "" if word else " The elements along the axis are positive and add up to 1."
    return [f"Each element x becomes {word}{what}.{after}"], _same(seen)


@says(*_REDUCTIONS)
def reduction(seen: Seen) -> Words:
    sizes, axes = seen.sizes(), seen.ints(1)
    word = _REDUCTIONS[seen.op.type]
    if axes is None:
        return [f"The {word} along axes that are computed at run time."], []
    over = sorted({axis % max(len(sizes), 1) for axis in axes})
    kept = [axis for axis in range(len(sizes)) if axis not in over]
    count = f", {' * '.join(str(sizes[axis]) for axis in over)} elements each" if over and sizes else ""
    shapes = [f"axis {axis}: {sizes[axis]} elements become one" for axis in over if axis < len(sizes)]
    shapes.append(
        "the reduced axes stay with size 1 (keep_dims)"
        if seen.op.keep_dims
        else f"the reduced axes are dropped; {axes_text(kept, len(sizes))} of {nth(sizes)} remain"
    )
    return [f"The {word} along {axes_text(axes, len(sizes))}{count}."], [*shapes, f"together {nth(seen.result)}"]


@says("MVN")
def mvn(seen: Seen) -> Words:
    op, sizes = seen.op, seen.sizes()
    axes = seen.ints(1)
    if axes is None and op.opset == 2:
        axes = list(op.reduction_axes or range(1 if op.across_channels else 2, len(sizes)))
    over = "axes that are computed at run time" if axes is None else axes_text(axes, len(sizes))
    text = f"Subtract the mean along {over}"
    text += f", then divide by the standard deviation (eps {op.eps:g} is added)." if op.normalize_variance else "."
    return [text], _same(seen)


@says("BatchNormInference")
def batch_norm(seen: Seen) -> Words:
    text = f"Each channel: (x - mean) / sqrt(variance + {seen.op.epsilon:g}) * gamma + beta, with constants."
    return [text], [f"The output has the shape of data, {nth(seen.result)}."]


@says("FakeQuantize")
def fake_quantize(seen: Seen) -> Words:
    limits = [fact.constant if fact is not None else None for fact in seen.inputs[1:5]]
    ranges = [f"{value.min():.6g}" if value is not None and value.size else "?" for value in limits]
    many = any(value is not None and value.size > 1 for value in limits)
    note = ", the least of each channel's" if many else ""
    text = (
        f"Round to {seen.op.levels} evenly spaced levels: elements from {ranges[0]} to {ranges[1]} are clipped and "
        f"mapped to the range from {ranges[2]} to {ranges[3]}{note}."
    )
    return [text], _same(seen)


@says("ScaledDotProductAttention")
def attention(seen: Seen) -> Words:
    query, key, value = (seen.sizes(port) for port in (0, 1, 2))
    if not (query and key and value):
        return [seen.op.spec.summary], []
    text = (
        f"Attention: {query[-2]} queries of {query[-1]} numbers are compared with {key[-2]} keys; the softmax of the "
        f"scores weights {value[-2]} values of {value[-1]} numbers."
    )
    mask = " Query i sees keys 0 to i only (causal)." if seen.op.causal else ""
    mask = mask or (f" A mask of {shape_text(seen.input(3))} is added." if len(seen.inputs) > 3 else "")
    return [text + mask], [f"queries {query[-2]}, by size of a value {value[-1]}: {nth(seen.result)}"]


def broadcast(seen: Seen, *ports: int) -> list[str]:
    """Return the rule of NumPy's broadcasting for each axis of the output."""
    shapes = [seen.sizes(port) for port in ports]
    made = seen.result
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
