"""Element-wise operations of every type: what compiled kernels make of them against the operations' own `run`."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from irrun.ops import Op
from irrun.ops._declared.arithmetic.elementwise import Unary
from irrun.ops.registry import resolve, versions
from irrun.tensor import Array
from irrun.tensor.element_type import BY_NAME
from irrun_kernels.scalars import ELEMENTS, NUMBERS
from tests.kernels.compiled import lowered
from tests.kernels.merged import merged

FLOATS = ("float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
TYPES = (*FLOATS, *INTEGERS, "bool")

ARITHMETIC = ("Add", "Subtract", "Multiply", "Divide", "Mod", "FloorMod", "Maximum", "Minimum", "SquaredDifference")
COMPARISONS = ("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual")
BITWISE = ("BitwiseAnd", "BitwiseOr", "BitwiseXor")
SHIFTS = ("BitwiseLeftShift", "BitwiseRightShift")
LOGICAL = ("LogicalAnd", "LogicalOr", "LogicalXor", "Xor")
WHOLE = ("Abs", "Negative", "Sign", "Floor", "Ceiling", "Sqrt", "ReLU")
_NAMES = {
    resolve(each.name): each.name for each in ELEMENTS if each.operands == each.result == "f" and versions(each.name)
}
_KINDS = [kind for kind in _NAMES if issubclass(kind, Unary) and kind.type not in WHOLE]
CURVES = (
    *((kind.type, "float32") for kind in _KINDS),
    *((kind.type, "float64") for kind in _KINDS if (_NAMES[kind], "d") in NUMBERS),
    ("Gelu", "float32"),
)
"""Every other function of one float, with its types."""

DIFFERENCES = ("Gelu", "HSigmoid", "HSwish", "Swish")
"""Differences of numbers that may be almost equal, whose errors are those of the numbers."""


def op(type: str, **attributes: Any) -> Op:
    return resolve(type, "opset1" if type == "Xor" else None)(**attributes)


def values(dtype: str, count: int, seed: int = 0) -> Array:
    """Numbers of all magnitudes, and those at which functions break."""
    random = np.random.default_rng([seed, count])
    kind = np.dtype(dtype)
    if kind == np.bool_:
        return random.random(count) < 0.5
    if kind.kind == "f":
        made = (random.standard_normal(count) * 10.0 ** random.integers(-3, 3, count)).astype(kind)
        special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, -0.5, 1.5, 2.5, 1.0, -1.0], kind)
    else:
        bounds = np.iinfo(kind)
        made = random.integers(bounds.min, bounds.max, count, kind, endpoint=True)
        near = random.integers(-20 if kind.kind == "i" else 0, 20, count)
        made = np.where(random.random(count) < 0.6, near.astype(kind), made)
        special = np.array([bounds.min, bounds.max, 0, 1, bounds.min + 1, 2, bounds.max - 1], kind)
    places = random.integers(count, size=min(count, 3 * special.size)) if count else np.zeros(0, np.intp)
    made[places] = np.resize(special, places.size)
    return made


def exact(got: Array | None, expected: Any) -> None:
    assert got is not None
    expected = np.asarray(expected)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(got, expected)


def close(got: Array | None, expected: Any, ulps: float, absolute: float = 0) -> None:
    """Within some units in the last place: of the number, of 1, or of the smallest normal number."""
    assert got is not None
    expected = np.asarray(expected)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    step = np.finfo(got.dtype)
    np.testing.assert_allclose(
        got, expected, rtol=ulps * float(step.eps), atol=4 * float(step.tiny) + absolute * float(step.eps)
    )


def check(operation: Op, *inputs: Array, ulps: float = 0, absolute: float = 0) -> None:
    with np.errstate(all="ignore"):
        expected = np.asarray(operation.run(*inputs))
    got = lowered.run(operation, *inputs)
    if ulps and expected.dtype.kind == "f":
        close(got, expected, ulps, absolute)
    else:
        exact(got, expected)


@merged("type")
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("type", [*ARITHMETIC, *COMPARISONS])
def test_two_numbers(type: str, dtype: str) -> None:
    lacks = {"Divide": ("uint64",), **dict.fromkeys(("Mod", "FloorMod"), ("uint64", *FLOATS))}
    if dtype not in lacks.get(type, ()):
        check(op(type), values(dtype, 3000), values(dtype, 3000, 1), ulps=1)


@pytest.mark.parametrize("type", [*LOGICAL, *BITWISE, *COMPARISONS])
def test_two_booleans(type: str) -> None:
    check(op(type), values("bool", 3000), values("bool", 3000, 1))


@merged("type")
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("type", [*BITWISE, *SHIFTS])
def test_bits(type: str, dtype: str) -> None:
    check(op(type), values(dtype, 3000), values(dtype, 3000, 1))


@merged()
@pytest.mark.parametrize("dtype", [*INTEGERS, "bool"])
def test_negated_bits(dtype: str) -> None:
    check(op("BitwiseNot"), values(dtype, 3000))


def test_logical_not() -> None:
    check(op("LogicalNot"), values("bool", 3000))


@merged()
@pytest.mark.parametrize("dtype", sorted(set(INTEGERS) - {"uint64"}))
def test_truncated_quotients(dtype: str) -> None:
    check(op("Divide", m_pythondiv=False), values(dtype, 3000), values(dtype, 3000, 1))


def test_powers() -> None:
    base, exponents = values("float32", 3000), values("float32", 3000, 1)
    check(op("Power"), base, np.clip(exponents, -9, 9), ulps=4)
    check(op("Power"), base, np.rint(np.clip(exponents, -9, 9)), ulps=4)
    special = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 0.5, -0.5, 2, -2, 3, -3, 1e-40], np.float32)
    check(op("Power"), special[:, None], special, ulps=4)


@merged("type")
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("type", WHOLE)
def test_one_number(type: str, dtype: str) -> None:
    if (type, dtype) != ("Sign", "uint64") and (type not in ("Sqrt", "ReLU") or dtype in FLOATS):
        check(op(type), values(dtype, 3000), ulps=1)


@merged()
@pytest.mark.parametrize("dtype", [*FLOATS, "int16"])
@pytest.mark.parametrize("mode", ["half_to_even", "half_away_from_zero"])
def test_rounding(mode: str, dtype: str) -> None:
    halves = np.arange(-100, 100).astype(dtype) / np.dtype(dtype).type(2)
    check(op("Round", mode=mode), np.concatenate([halves.astype(dtype), values(dtype, 1000)]))


@merged()
@pytest.mark.parametrize(("type", "dtype"), CURVES)
def test_curves(type: str, dtype: str) -> None:
    x = values(dtype, 3000)
    fine = np.linspace(-5, 5, 2001, dtype=dtype)
    check(op(type), np.concatenate([x, fine, fine / 100]), ulps=8, absolute=8 if type in DIFFERENCES else 0)


@merged("type")
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("type", ["Sin", "Cos"])
def test_angles_of_any_size(type: str, dtype: str) -> None:
    random = np.random.default_rng(0)
    powers = 2.0 ** random.uniform(-140, 128 if dtype == "float32" else 1020, 4000)
    multiples = np.pi / 2 * np.arange(1, 3e6, 1001)
    check(op(type), np.concatenate([powers, -powers, multiples]).astype(dtype), ulps=8)


@merged()
@pytest.mark.parametrize("dtype", FLOATS)
def test_angles_of_points(dtype: str) -> None:
    special = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 3e-39, 5], dtype)
    check(op("Atan2"), special[:, None], special, ulps=4)
    check(op("Atan2"), values(dtype, 3000), values(dtype, 3000, 1), ulps=4)


@merged()
@pytest.mark.parametrize("dtype", FLOATS)
def test_tests_of_floats(dtype: str) -> None:
    check(op("IsNaN"), values(dtype, 3000))


@merged()
@pytest.mark.parametrize("dtype", TYPES)
def test_select(dtype: str) -> None:
    check(op("Select"), values("bool", 3000), values(dtype, 3000), values(dtype, 3000, 1))
    check(op("Select"), values("bool", 60)[:, None], values(dtype, 50), values(dtype, 3000, 1).reshape(60, 50))
    check(op("Select"), values("bool", 60).reshape(3, 1, 20), values(dtype, 1).reshape(()), values(dtype, 1))


@merged()
@pytest.mark.parametrize(
    ("source", "target"),
    [pair for pair in itertools.product(TYPES, TYPES) if pair[0] not in FLOATS or pair[1] != "uint64"],
)
def test_convert(source: str, target: str) -> None:
    kind = "boolean" if target == "bool" else np.dtype(target).kind + str(8 * np.dtype(target).itemsize)
    x = values(source, 3000)
    if source in FLOATS:
        x = np.concatenate(
            [
                x,
                (x[:500] * 1e9).astype(source),
                2.0 ** np.arange(66).astype(source),
                -(2.0 ** np.arange(66).astype(source)),
            ]
        )
    check(op("Convert", destination_type=BY_NAME[kind]), x)
    check(op("ConvertLike"), x, np.zeros(1, target))


@merged()
@pytest.mark.parametrize("dtype", FLOATS)
def test_clamp(dtype: str) -> None:
    for low, high in ((-3.5, 7.25), (1.5, 7.25), (0.0, np.inf), (-np.inf, 6.0), (-1e30, 1e30)):
        check(op("Clamp", min=low, max=high), values(dtype, 3000))


@merged()
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_prelu(dtype: str) -> None:
    x = values(dtype, 3000).reshape(2, 30, 50)
    for slope in (
        values(dtype, 30),
        values(dtype, 1).reshape(()),
        values(dtype, 50).reshape(1, 1, 50),
        values(dtype, 3000, 1).reshape(x.shape),
    ):
        check(op("PReLU"), x, np.where(np.isfinite(slope), slope, 2).astype(dtype), ulps=1)


def test_activations_with_parameters() -> None:
    x, one = values("float32", 3000), np.float32
    check(op("Elu", alpha=0.7), x, ulps=8)
    check(op("Swish"), x, np.array(one(1.7)), ulps=8, absolute=8)
    with np.errstate(all="ignore"):
        close(lowered.run(op("Swish"), x), x / (1 + np.exp(-x)), 8, 8)
    check(op("HardSigmoid"), x, np.array(one(0.2)), np.array(one(0.5)), ulps=2, absolute=2)
    check(op("Gelu", approximation_mode="tanh"), x, ulps=8, absolute=8)


SHAPES = [
    ((3, 4, 5), (3, 4, 5)),
    ((3, 4, 5), (5,)),
    ((3, 4, 5), (4, 1)),
    ((3, 4, 5), (3, 1, 1)),
    ((3, 1, 5), (4, 1)),
    ((2, 700, 3), (3,)),
    ((700, 3), (700, 1)),
    ((2, 3, 1500), (3, 1)),
    ((2, 3, 1500), (1500,)),
    ((3, 1500), (2, 1, 1500)),
    ((2, 3, 4, 5, 6, 2), (3, 1, 5, 1, 2)),
    ((), (4,)),
    ((), ()),
    ((1, 1), (1,)),
]


@merged()
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int8", "uint16", "int32"])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_broadcast(shapes: tuple[tuple[int, ...], ...], dtype: str) -> None:
    a, b = (values(dtype, int(np.prod(shape)), seed).reshape(shape) for seed, shape in enumerate(shapes))
    check(op("Subtract"), a, b)
    check(op("Subtract"), b, a)
    check(op("Less"), a, b)


@merged()
@pytest.mark.parametrize("dtype", ["float32", "int64", "int8", "uint16", "bool"])
def test_views(dtype: str) -> None:
    """Transposed, reversed and strided inputs, as constants: other inputs have no gaps."""
    whole = values(dtype, 4800).reshape(4, 30, 40)
    type = "LogicalXor" if dtype == "bool" else "Subtract"
    for view in (whole.transpose(2, 0, 1), whole[:, ::-1], whole[::-1, :, ::-3], whole[1:3, :, ::2], whole[:, 3:4].T):
        other = values(dtype, view.size, 1).reshape(view.shape)
        check(op(type), view, other)
        with np.errstate(all="ignore"):
            expected = op(type).run(other, view)
        exact(lowered.run(op(type), other, view, constants=1), expected)


@merged("type")
@pytest.mark.parametrize("type", ["Maximum", "Minimum"])
@pytest.mark.parametrize("size", [1, 4])
def test_the_larger_of_a_number_and_nan_is_nan(type: str, size: int) -> None:
    for x, y in ((np.nan, 1.0), (1.0, np.nan)):
        got = lowered.run(op(type), np.full(4, x, np.float32), np.full(size, y, np.float32))
        assert got is not None
        assert np.isnan(got).all()


@merged()
@pytest.mark.parametrize("shape", [(0,), (3, 0, 2)])
def test_empty(shape: tuple[int, ...]) -> None:
    empty = np.zeros(shape, np.float32)
    check(op("Add"), empty, np.ones(shape[-1:], np.float32))
    check(op("Less"), empty, empty)


@merged()
@pytest.mark.parametrize("constants", [0, 4])
@pytest.mark.parametrize("levels", [2, 256, 100000])
def test_fake_quantize(levels: int, constants: int) -> None:
    data = values("float32", 3000).reshape(3, 20, 50)
    ranges = (-1, 2, -1, 2), (0.1, 0.7, -3, 11.3), (2, -1, 5, 6)
    for limits in ranges:
        given = [np.array([number, number * 1.1, number], np.float32).reshape(3, 1, 1) for number in limits]
        operation = op("FakeQuantize", levels=levels)
        with np.errstate(all="ignore"):
            expected = operation.run(data, *given)
        close(lowered.run(operation, data, *given, constants=constants), expected, 2, 8)


def test_elements_outside_of_the_limits_are_clipped_exactly() -> None:
    low, high = np.float32([-0.3, 7.1, -7.3]), np.float32([0.1, 1e-3, 4.43])
    assert (low + (high - low) != high).all()
    data = np.array([[-9, 0.2, 9, np.inf, -np.inf]] * 3, np.float32)
    limits = np.full((3, 1), -1, np.float32), np.full((3, 1), 1, np.float32), low[:, None], high[:, None]
    for constants in (0, 4):
        found = lowered.run(op("FakeQuantize", levels=256), data, *limits, constants=constants)
        assert found is not None
        np.testing.assert_array_equal(found[:, ::4], np.repeat(low[:, None], 2, 1))
        np.testing.assert_array_equal(found[:, 2:4], np.repeat(high[:, None], 2, 1))
