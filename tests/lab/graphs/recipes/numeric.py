"""Recipes of reductions, normalizations, products of matrices, and transforms."""

from __future__ import annotations

from typing import Any, Final

from irrun.tensor.element_type import FLOAT
from tests.lab.graphs.call import ABSENT, Call, Recipe
from tests.lab.graphs.grow import Tensor
from tests.lab.graphs.recipes.makers import data, fixed, ints, like, not_empty, pick, some_axes, some_axis


def _reduced(call: Call) -> Any:
    axes = some_axes(call, 1)
    return axes[0] if len(axes) == 1 and call.draw.chance(0.3) else axes


_REDUCTION: Final[Recipe] = {
    "data": data(suits=lambda t: t.rank > 0 and not_empty(t)),
    "axes": ints("axes", _reduced, 1),
}
_FLOAT_REDUCTION: Final[Recipe] = {**_REDUCTION, "data": data(types=FLOAT, suits=lambda t: t.rank > 0 and not_empty(t))}


def _channels(call: Call) -> tuple[int, ...]:
    return (call["data"].shape[1],)


_BATCH_NORM: Final[Recipe] = {
    "data": data(types=FLOAT, suits=lambda t: 2 <= t.rank <= 5 and not_empty(t)),
    "gamma": like("gamma", _channels, -2, 2, 1),
    "beta": like("beta", _channels, -2, 2, 1),
    "mean": like("mean", _channels, -1, 1, 1),
    "variance": like("variance", _channels, 0.1, 3, 1),
    "epsilon": pick(1e-5, 0.1),
}


def _matrix_b(call: Call) -> Tensor:
    """A tensor whose rows match the columns of the first one."""
    a: Tensor = call["a"]
    inner = a.shape[-2] if call["transpose_a"] and a.rank > 1 else a.shape[-1]

    def suits(b: Tensor) -> bool:
        if b.rank == 0 or (b.rank > 2 and a.rank > 2 and b.shape[:-2] != a.shape[:-2]):
            return False
        return b.shape[-1 if call["transpose_b"] or b.rank == 1 else -2] == inner and b.array.size <= 1000

    found = call.grower.find([a.type], suits)
    if found is not None and call.draw.chance(0.6):
        return found
    columns = call.draw.int(1, 6)
    matrix = (columns, inner) if call["transpose_b"] else (inner, columns)
    batch = a.shape[:-2] if call.draw.chance(0.3) else ()
    return call.tensor("b", shape=(inner,) if call.draw.chance(0.1) else (*batch, *matrix))


def _groups(call: Call) -> int:
    size = call.data.shape[1]
    return int(call.draw.pick([number for number in range(1, size + 1) if size % number == 0] or [1]))


def _soft_axis(call: Call) -> int:
    return some_axis(call, negative=call.cls.opset != 1)


_ALONG: Final[Recipe] = {"data": data(types=FLOAT, suits=lambda t: t.rank > 0 and not_empty(t)), "axis": _soft_axis}


def _einsum(call: Call) -> str:
    return str(
        call.draw.pick(
            ("ab->ba", "ab->a", "ab,bc->ac", "ab,ab->ab", "abc,acd->abd", "a...->...", "ab->", "ab,cd->abcd")
        )
    )


def _einsum_inputs(call: Call) -> list[Tensor]:
    first, *others = call["equation"].split("->")[0].split(",")
    tensor = call.tensor("inputs", rank=(1, 2, 3) if "." in first else (len(first),), types=FLOAT)
    sizes = {letter: call.draw.int(1, 4) for letter in "abcd"} | dict(zip(first, tensor.shape, strict=False))
    return [
        tensor,
        *(call.tensor("inputs", shape=[sizes[letter] for letter in part], types=[tensor.type]) for part in others),
    ]


def _complex(call: Call) -> Any:
    """The axes of a transform; the last axis of the data holds complex numbers."""
    rank = call.data.rank - (call.spec.type != "RDFT")
    count = call.draw.int(1, min(rank, 2))
    return sorted(int(axis) for axis in call.draw.source.permutation(rank)[:count])


_DFT: Final[Recipe] = {
    "data": data(types=FLOAT, suits=lambda t: t.rank in (2, 3, 4) and t.shape[-1] == 2 and not_empty(t)),
    "axes": ints("axes", _complex, 1),
    "signal_size": fixed(ABSENT),
}


def _levels(low: float, high: float, name: str) -> Any:
    return like(name, lambda c: c["limits"], low, high, 1)


def _limits(call: Call) -> tuple[int, ...]:
    """The shape of the limits: one for all, or one for each channel."""
    shape = call.data.shape if call.spec.type == "FakeQuantize" else ()
    if len(shape) < 2 or call.draw.chance(0.5):
        return call.draw.pick(((), (1,), (1,) * len(shape)))
    return (1, shape[1], *(1,) * (len(shape) - 2))


RECIPES: Final[dict[str, Recipe]] = {
    **dict.fromkeys(("ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceL1"), _REDUCTION),
    **dict.fromkeys(("ReduceL2", "ReduceProd"), _FLOAT_REDUCTION),
    **{
        type: {"data": data(suits=lambda t: t.rank > 0 and not_empty(t)), "axes": ints("axes", _reduced, 1)}
        for type in ("ReduceLogicalAnd", "ReduceLogicalOr")
    },
    "BatchNormInference": _BATCH_NORM,
    "GRN": {"data": data(types=FLOAT, suits=not_empty), "bias": lambda c: c.draw.number(0.1, 3)},
    "GroupNormalization": {
        "data": data(types=FLOAT, suits=lambda t: 3 <= t.rank <= 5 and not_empty(t)),
        "scale": like("scale", _channels, -2, 2, 1),
        "bias": like("bias", _channels, -2, 2, 1),
        "num_groups": _groups,
        "epsilon": pick(1e-5, 0.1),
    },
    "LRN": {
        "data": data(types=FLOAT, suits=lambda t: 2 <= t.rank <= 4 and not_empty(t)),
        "axes": ints(
            "axes", lambda c: [1] if c.data.rank == 2 or c.draw.chance(0.5) else list(range(2, c.data.rank)), 1
        ),
        "alpha": lambda c: c.draw.number(0.01, 2),
        "beta": pick(0.75, 0.5, 1.2),
        "bias": pick(1.0, 2.0),
        "size": pick(1, 3, 5),
    },
    "MVN-2": {
        "data": data(types=FLOAT, suits=lambda t: 3 <= t.rank <= 5 and not_empty(t)),
        "reduction_axes": fixed(ABSENT),
        "eps": pick(1e-5, 0.1),
    },
    "MVN-6": {
        "data": data(types=FLOAT, suits=lambda t: t.rank >= 1 and not_empty(t)),
        "axes": ints("axes", lambda c: some_axes(c, 1), 1),
        "eps": pick(1e-5, 0.1),
    },
    "NormalizeL2": {
        "data": data(types=FLOAT, suits=lambda t: 1 <= t.rank <= 4 and not_empty(t)),
        "axes": ints("axes", lambda c: some_axes(c, 1), 1),
        "eps": pick(1e-6, 0.5),
    },
    "SoftMax": _ALONG,
    "LogSoftmax": _ALONG,
    "MatMul": {"a": data("a", types=FLOAT, suits=lambda t: t.rank > 0 and not_empty(t)), "b": _matrix_b},
    "Einsum": {"equation": _einsum, "inputs": _einsum_inputs},
    "Inverse": {
        "data": data(suits=lambda t: t.rank >= 2 and t.shape[-1] == t.shape[-2] and not_empty(t)),
        "adjoint": fixed(False),
    },
    "DFT": _DFT,
    "IDFT": _DFT,
    "IRDFT": {
        **_DFT,
        "data": data(
            types=FLOAT, suits=lambda t: t.rank in (2, 3, 4) and t.shape[-1] == 2 and all(s > 1 for s in t.shape)
        ),
    },
    "RDFT": {**_DFT, "data": data(types=FLOAT, suits=lambda t: 1 <= t.rank <= 4 and not_empty(t))},
    "FakeQuantize": {
        "X": data("X", types=FLOAT, low=-9, high=9),
        "limits": _limits,
        "input_low": _levels(-3, -0.1, "input_low"),
        "input_high": _levels(0.1, 3, "input_high"),
        "output_low": _levels(-3, -0.1, "output_low"),
        "output_high": _levels(0.1, 3, "output_high"),
        "levels": pick(2, 16, 255, 256),
        "auto_broadcast": fixed("numpy"),
        "axis": fixed(ABSENT),
    },
    "RMS": {
        "data": data(suits=lambda t: t.rank >= 1 and not_empty(t)),
        "scale": like("scale", lambda c: c.data.shape[-1:], 0.5, 2, 1),
        "output_type": fixed(ABSENT),
        "elementwise_affine": fixed(ABSENT),
    },
}
