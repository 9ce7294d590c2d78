"""Random cases of element-wise operations and activations, by seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tests.cases import Case
from tests.ops.random_draws import FLOATS, SIGNED, SPECIAL, UNSIGNED, WIDE, Random, case, generator


def _unary(
    type: str,
    opset: int,
    types: Sequence[str] = FLOATS,
    low: float = -4,
    high: float = 4,
    special: Sequence[float] = SPECIAL,
    attributes: Callable[[Random], dict[str, Any]] = lambda _: {},
) -> None:
    @generator(f"{type}-{opset}")
    def _(random: Random) -> Case:
        return case(
            type, opset, [random.array(random.pick(types), random.shape(), low, high, special)], attributes(random)
        )


_NOT_NAN: Final = SPECIAL[:4]
_FINITE: Final = SPECIAL[:2]

for _type, _opset in (("Asin", 1), ("Acos", 1), ("Atanh", 4)):
    _unary(_type, _opset, low=-1.2, high=1.2)
for _type, _opset in (("Atan", 1), ("Erf", 1), ("Tanh", 1), ("Asinh", 4)):
    _unary(_type, _opset)
for _type, _opset in (("Cos", 1), ("Sin", 1), ("Tan", 1), ("Cosh", 1), ("Sinh", 1)):
    _unary(_type, _opset, low=-1.5, high=1.5)
for _type, _opset in (("Ceiling", 1), ("Floor", 1), ("Sign", 1), ("Negative", 1), ("Abs", 1)):
    _unary(_type, _opset, (*FLOATS, *SIGNED))
_unary("Acosh", 4, low=0.5, high=9)
_unary("ErfInv", 17, low=-0.9, high=0.9, special=_FINITE)
_unary("Exp", 1, high=20, special=_NOT_NAN)
_unary("Log", 1, low=-0.1, high=99)
_unary("Sqrt", 1, (*FLOATS, *WIDE), low=0, high=99)
_unary("Round", 5, attributes=lambda r: {"mode": r.pick(("half_to_even", "half_away_from_zero"))})
_unary("ReLU", 1, (*FLOATS, *SIGNED), special=_NOT_NAN)
_unary("Sigmoid", 1, low=-90, high=90)
_unary("HSigmoid", 5, special=_NOT_NAN)
_unary("HSwish", 4, special=_FINITE)
_unary("Mish", 4, low=-30, high=30, special=_FINITE)
_unary("SoftPlus", 4, low=-60, high=60)
_unary("SoftSign", 9, special=_FINITE)
_unary("Gelu", 2, special=_FINITE)
_unary("Gelu", 7, special=_FINITE, attributes=lambda r: {"approximation_mode": r.pick(("erf", "tanh"))})
_unary("Elu", 1, special=_FINITE, attributes=lambda r: {"alpha": r.number(0, 3)})
_unary("Clamp", 1, (*FLOATS, *WIDE), -9, 9, _NOT_NAN, lambda r: {"min": r.number(-5, 0), "max": r.number(0, 5)})
_unary("Identity", 16, (*FLOATS, *SIGNED, *UNSIGNED, "boolean"))
_unary("IsFinite", 10)
_unary("IsNaN", 10)
_unary("IsInf", 10, attributes=lambda r: {"detect_negative": r.chance(0.5), "detect_positive": r.chance(0.5)})
_unary("LogicalNot", 1, ("boolean",))
_unary("BitwiseNot", 13, (*SIGNED, *UNSIGNED, "boolean"), high=99)


def _binary(
    type: str,
    opset: int,
    types: Sequence[str],
    *,
    low: float = -4,
    high: float = 4,
    second: tuple[float, float] | None = None,
    special: Sequence[float] = SPECIAL,
    broadcasts: Sequence[str] = ("numpy", "numpy", "none"),
    attributes: Callable[[Random], dict[str, Any]] = lambda _: {},
) -> None:
    @generator(f"{type}-{opset}")
    def _(random: Random) -> Case:
        kind, mode = random.pick(types), random.pick(broadcasts)
        given = {"auto_broadcast": mode, **attributes(random)}
        if mode == "pdpd":
            one, other, given["axis"] = laid_on(random, random.shape(1))
        else:
            shape = random.shape()
            one, other = (shape, shape) if mode == "none" and shape else random.broadcastable(shape)
        from_, to = second or (low, high)
        args = [random.array(kind, one, low, high, special), random.array(kind, other, from_, to, special)]
        return case(type, opset, args, given, constant=(1,) if random.chance(0.3) else ())


def laid_on(random: Random, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Return a shape, a second shape that PaddlePaddle's rule broadcasts to it, and the axis."""
    start = random.int(0, len(shape) - 1)
    stop = random.int(start + 1, len(shape))
    part = tuple(1 if random.chance(0.2) else size for size in shape[start:stop])
    return shape, part, -1 if stop == len(shape) and random.chance(0.5) else start


_NUMBERS: Final = (*FLOATS, *SIGNED)
_PDPD: Final = ("numpy", "none", "pdpd")

for _type in ("Add", "Multiply", "Maximum"):
    _binary(_type, 1, _NUMBERS, special=_NOT_NAN if _type == "Maximum" else SPECIAL, broadcasts=_PDPD)
_binary("Subtract", 1, _NUMBERS)
_binary("Minimum", 1, _NUMBERS, special=_NOT_NAN)
_binary("SquaredDifference", 1, (*FLOATS, *WIDE))
_binary("Divide", 1, (*FLOATS, "i32", "u8"), low=0, high=99, second=(1, 9), special=())
_binary("FloorMod", 1, _NUMBERS, low=-99, high=99, second=(1, 9), special=())
_binary("Mod", 1, _NUMBERS, low=-99, high=99, second=(1, 9), special=())
_binary("Power", 1, (*FLOATS, "i32"), low=0.5, high=4, second=(0, 3), special=())
_binary("Atan2", 17, FLOATS, special=_FINITE)
for _type in ("Equal", "NotEqual", "Less", "LessEqual"):
    _binary(_type, 1, (*_NUMBERS, "boolean"))
for _type in ("Greater", "GreaterEqual"):
    _binary(_type, 1, (*_NUMBERS, "boolean"), special=_NOT_NAN)
for _type, _opset in (("LogicalAnd", 1), ("LogicalOr", 1), ("LogicalXor", 2), ("LogicalXor", 1), ("Xor", 1)):
    _binary(_type, _opset, ("boolean",))
for _type in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
    _binary(_type, 13, (*SIGNED, *UNSIGNED, "boolean"), low=-50, high=99)
for _type in ("BitwiseLeftShift", "BitwiseRightShift"):
    _binary(_type, 15, (*SIGNED, *UNSIGNED), low=0, high=7, second=(0, 4))


@generator("PReLU-1")
def _prelu(random: Random) -> Case:
    shape = random.shape(2)
    slope = (shape[1],) if random.chance(0.5) else tuple(1 if random.chance(0.4) else size for size in shape)
    if random.chance(0.2):
        slope = (1,)
    kind = random.pick(FLOATS)
    return case("PReLU", 1, [random.array(kind, shape, special=_FINITE), random.array(kind, slope)], constant=(1,))


@generator("HardSigmoid-1")
def _hard_sigmoid(random: Random) -> Case:
    kind = random.pick(FLOATS)
    args = [random.array(kind, random.shape()), random.array(kind, (), 0, 2), random.array(kind, ())]
    return case("HardSigmoid", 1, args, constant=(1, 2))


@generator("Selu-1")
def _selu(random: Random) -> Case:
    kind, shape = random.pick(FLOATS), random.pick(((), (1,)))
    args = [random.array(kind, random.shape()), random.array(kind, shape, 0, 2), random.array(kind, shape, 0, 2)]
    return case("Selu", 1, args, constant=(1, 2))


@generator("Swish-4")
def _swish(random: Random) -> Case:
    kind = random.pick(FLOATS)
    beta = [random.array(kind, (), -2, 2)] if random.chance(0.6) else []
    return case("Swish", 4, [random.array(kind, random.shape(), special=_FINITE), *beta], constant=(1,))


def _along_an_axis(type: str, opset: int, negative: bool) -> None:
    @generator(f"{type}-{opset}")
    def _(random: Random) -> Case:
        shape = random.shape(1)
        axis = random.int(-len(shape) if negative else 0, len(shape) - 1)
        return case(type, opset, [random.array(random.pick(FLOATS), shape, -90, 90)], {"axis": axis}, atol=1e-4)


_along_an_axis("SoftMax", 1, False)
_along_an_axis("SoftMax", 8, True)
_along_an_axis("LogSoftmax", 5, True)
