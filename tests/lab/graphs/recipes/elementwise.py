"""Recipes of element-wise operations."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.tensor import ElementType
from irrun.tensor.element_type import BOOLEAN, FLOAT, STRING
from tests.lab.graphs.call import ABSENT, Call, Recipe
from tests.lab.graphs.grow import Tensor
from tests.lab.graphs.recipes.makers import data, fixed, like, maybe, pick
from tests.lab.graphs.theme import RUNNABLE
from tests.lab.graphs.values import holds

DOMAINS: Final = {
    "Acos": (-1, 1),
    "Acosh": (1.1, 9),
    "Asin": (-1, 1),
    "Atanh": (-0.9, 0.9),
    "Cos": (-9, 9),
    "Cosh": (-5, 5),
    "ErfInv": (-0.9, 0.9),
    "Exp": (-9, 9),
    "Log": (0.05, 99),
    "Sin": (-9, 9),
    "Sinh": (-5, 5),
    "Sqrt": (0, 999),
    "Tan": (-1.3, 1.3),
}
"""Intervals in which a function of one variable is defined and smooth."""

FLOATS_ONLY: Final = ("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cos", "Cosh", "Erf", "ErfInv", "Exp", "Log")
PLAIN: Final = (
    *("Abs", "Asinh", "Atan", "Ceiling", "Erf", "Floor", "Gelu", "HSigmoid", "HSwish", "Identity", "IsFinite"),
    *("IsInf", "IsNaN", "LogicalNot", "BitwiseNot", "Mish", "Negative", "ReLU", "Round", "Sigmoid", "Sign", "SoftPlus"),
    *("SoftSign", "Tanh", "Elu", "NonZero", "ShapeOf"),
)
"""Operations of one tensor that need nothing but it."""

_SECOND: Final = {
    "Divide": (0.3, 9),
    "FloorMod": (1, 9),
    "Mod": (1, 9),
    "BitwiseLeftShift": (0, 3),
    "BitwiseRightShift": (0, 3),
}
_FIRST: Final = {
    "Power": (0.4, 4),
    "BitwiseLeftShift": (0, 99),
    "BitwiseRightShift": (0, 999),
    "Divide": (0, 999),
    "FloorMod": (0, 999),
    "Mod": (-999, 999),
}
_BINARY: Final = (
    *("Add", "Atan2", "BitwiseAnd", "BitwiseLeftShift", "BitwiseOr", "BitwiseRightShift", "BitwiseXor", "Divide"),
    *("Equal", "FloorMod", "Greater", "GreaterEqual", "Less", "LessEqual", "LogicalAnd", "LogicalOr", "LogicalXor"),
    *("Maximum", "Minimum", "Mod", "Multiply", "NotEqual", "Power", "SquaredDifference", "Subtract", "Xor"),
)


def _first(call: Call) -> Tensor:
    low, high = _FIRST.get(call.spec.type, (-np.inf, np.inf))
    return call.tensor("a", low=low, high=high)


def _second(call: Call) -> Tensor:
    """A tensor that broadcasts with the first one."""
    a: Tensor = call["a"]
    low, high = _SECOND.get(call.spec.type, (-np.inf, np.inf))
    if call.spec.type == "Power":
        low, high = 0, 2
    if call["auto_broadcast"] == "pdpd":
        return call.tensor("b", shape=call["laid"][0], low=low, high=high)
    if call["auto_broadcast"] == "none" or call.draw.chance(0.3):
        return call.tensor("b", shape=a.shape, low=low, high=high)
    if call.draw.chance(0.5):
        found = call.grower.find(
            [a.type],
            lambda b: (
                _broadcast(a, b)
                and (
                    b.array.size == 0 or (b.array.min() >= low and b.array.max() <= high)
                    if b.array.dtype.kind in "iuf"
                    else True
                )
            ),
        )
        if found is not None:
            return found
    part = tuple(1 if call.draw.chance(0.25) else size for size in a.shape)[call.draw.int(0, a.rank) :]
    return call.tensor("b", shape=part, low=low, high=high)


def _broadcast(a: Tensor, b: Tensor) -> bool:
    try:
        return bool(np.prod(np.broadcast_shapes(a.shape, b.shape)) <= 2000)
    except ValueError:
        return False


def _laid(call: Call) -> tuple[tuple[int, ...], int]:
    """The shape and the axis of a tensor that is laid on the first one as PaddlePaddle does."""
    shape = call.data.shape
    if not shape:
        return (), 0
    start = call.draw.int(0, len(shape) - 1)
    stop = call.draw.int(start + 1, len(shape))
    return shape[start:stop], -1 if stop == len(shape) and call.draw.chance(0.5) else start


def _mode(call: Call) -> str:
    modes = ["numpy"] * 8 + ["none"] + (["pdpd"] if call.spec.type in ("Add", "Multiply", "Maximum") else [])
    return str(call.draw.pick(modes))


BINARY: Final[Recipe] = {
    "a": _first,
    "b": _second,
    "auto_broadcast": _mode,
    "laid": _laid,
    "axis": lambda call: call["laid"][1] if call["auto_broadcast"] == "pdpd" else ABSENT,
}


def _slope(call: Call) -> Tensor:
    shape = call.data.shape
    forms = [(1,), shape[1:2] or (1,), shape]
    return call.tensor("slope", shape=call.draw.pick(forms), low=-1, high=1, types=[call.data.type], constant=1)


def _promoted(call: Call) -> Tensor:
    return call.tensor("input_1", types=FLOAT if call.data.type.is_float else call.types("input_1") - FLOAT - {BOOLEAN})


def _target(call: Call) -> ElementType | None:
    """A type that holds the values of the data."""
    kinds = [kind for kind in RUNNABLE if kind is not STRING and holds(kind, call.data.array)]
    return call.grower.theme.type(call.draw, kinds)


def _example(call: Call) -> Tensor:
    kinds = [kind for kind in call.types("like") if holds(kind, call.data.array)]
    return call.tensor("like", types=kinds)


RECIPES: Final[dict[str, Recipe]] = {
    **{type: {} for type in PLAIN},
    **{type: {"data": data(low=low, high=high, types=FLOAT)} for type, (low, high) in DOMAINS.items()},
    **dict.fromkeys(_BINARY, BINARY),
    "Asinh": {"data": data(types=FLOAT)},
    "Atan": {"data": data(types=FLOAT)},
    "Erf": {"data": data(types=FLOAT)},
    "Tanh": {"data": data(types=FLOAT)},
    "HSigmoid": {"data": data(types=FLOAT)},
    "HSwish": {"data": data(types=FLOAT)},
    "Mish": {"data": data(types=FLOAT)},
    "Sigmoid": {"data": data(types=FLOAT)},
    "Elu": {"data": data(types=FLOAT)},
    "ReLU": {},
    "Clamp": {
        "min": lambda call: float(call.draw.int(-5, 0)) if not call.data.type.is_float else call.draw.number(-5, 0),
        "max": lambda call: float(call.draw.int(0, 5)) if not call.data.type.is_float else call.draw.number(0, 5),
    },
    "HardSigmoid": {
        "data": data(types=FLOAT),
        "alpha": like("alpha", lambda _: (), 0, 2, constant=1),
        "beta": like("beta", lambda _: (), -1, 1, constant=1),
    },
    "Selu": {
        "alpha": like("alpha", lambda c: c.draw.pick(((), (1,))), 0.1, 2, constant=1),
        "lambda": like("lambda", lambda c: c["alpha"].shape, 0.1, 2, constant=1),
    },
    "Swish": {"beta": maybe(like("beta", lambda _: (), -2, 2, constant=1))},
    "PReLU": {"data": data(rank=(1, 2, 3, 4, 5), types=FLOAT), "slope": _slope},
    "Select": {
        "cond": data("cond", types=[BOOLEAN]),
        "then": lambda c: c.tensor("then", shape=c["cond"].shape),
        "else": lambda c: c.tensor("else", shape=c.draw.pick((c["cond"].shape, c["cond"].shape[-1:], ()))),
        "auto_broadcast": fixed("numpy"),
        "axis": fixed(ABSENT),
    },
    "Convert": {"data": data(suits=lambda t: t.type is not STRING), "destination_type": _target},
    "ConvertLike": {"like": _example},
    "ConvertPromoteTypes": {
        "input_1": _promoted,
        "promote_unsafe": pick(True),
        "pytorch_scalar_promotion": pick(False),
    },
    "FakeConvert": {
        "data": data(low=-99, high=99),
        "scale": like(
            "scale", lambda c: tuple(1 if c.draw.chance(0.5) else s for s in c.data.shape), 0.5, 4, constant=1
        ),
        "shift": maybe(like("shift", lambda c: c["scale"].shape, constant=1)),
    },
}
