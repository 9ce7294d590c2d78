"""Symbolic integers: results of arithmetic hold every integer that the operands may be."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irrun.tensor import DYNAMIC, Dim, Fact, Shape, StoredFact
from irrun.tensor.dim import UNBOUNDED, NegativeSize, Undecided
from irrun.tensor.element_type import F16, F32, I64, STRING, ElementType

SMALL = st.integers(-6, 6)
BINARY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "ceil_div": lambda a, b: Dim.of(a).ceil_div(b) if isinstance(a, Dim) or isinstance(b, Dim) else -(-a // b),
    "maximum": lambda a, b: Dim.of(a).maximum(b) if isinstance(a, Dim) or isinstance(b, Dim) else max(a, b),
    "minimum": lambda a, b: Dim.of(a).minimum(b) if isinstance(a, Dim) or isinstance(b, Dim) else min(a, b),
}


@st.composite
def dims(draw: st.DrawFn, name: str) -> tuple[Dim, int]:
    """A dim, exact, within bounds or named, and an integer that it may be."""
    low, value, high = sorted(draw(SMALL) for _ in range(3))
    match draw(st.integers(0, 3)):
        case 0:
            return Dim.exactly(value), value
        case 1:
            return Dim.symbol(name, low, high), value
        case 2:
            return Dim.symbol(name, low), value
    return Dim.symbol(name, low, high) * 2 + 1, value * 2 + 1


@pytest.mark.parametrize("symbol", BINARY)
@given(left=dims("a"), right=dims("b"))
def test_arithmetic_holds_every_integer(symbol: str, left: tuple[Dim, int], right: tuple[Dim, int]) -> None:
    (a, x), (b, y) = left, right
    if symbol in ("//", "%", "ceil_div") and y == 0:
        return
    function = BINARY[symbol]
    expected = function(x, y)
    for result in (function(a, b), function(a, y), function(x, b)):
        assert result.admits(expected)
    assert a.compatible(b) or x != y
    merged = a.merge(b)
    assert x != y or (merged is not None and merged.admits(x))
    assert a.union(b).admits(x)
    assert a.union(b).admits(y)


@given(left=dims("a"), right=dims("b"))
def test_comparisons_are_right_or_undecided(left: tuple[Dim, int], right: tuple[Dim, int]) -> None:
    (a, x), (b, y) = left, right
    for decided, expected in (
        (lambda: a < b, x < y),
        (lambda: a <= b, x <= y),
        (lambda: a > b, x > y),
        (lambda: a >= b, x >= y),
        (lambda: bool(a), bool(x)),
    ):
        try:
            assert decided() == expected
        except Undecided:
            assert not (a.is_static and b.is_static)


def test_division_by_what_may_be_zero_is_any_integer() -> None:
    a, unknown = Dim.exactly(7), Dim.symbol("u", 0, 3)
    for result in (a // unknown, a % unknown, a // Dim.exactly(0), a % Dim.exactly(0)):
        assert (result.lo, result.hi) == (-UNBOUNDED, UNBOUNDED)


def test_remainders_by_few_divisors_have_exact_bounds() -> None:
    for a, b in (((100, 100), (15, 16)), ((15, 16), (7, 7)), ((10, 10), (2, 6)), ((1, 9), (20, 99))):
        every = {x % y for x in range(a[0], a[1] + 1) for y in range(b[0], b[1] + 1)}
        found = Dim(*a) % Dim(*b)
        assert (found.lo, found.hi) == (min(every), max(every))
    assert (Dim(300, 400) % Dim(7, 99)).hi == 98
    assert (Dim(-3, 5) % Dim(4, 9)).hi == 8
    unbounded = Dim(300, UNBOUNDED) % Dim(7, UNBOUNDED)
    assert (unbounded.lo, unbounded.hi) == (0, UNBOUNDED - 1)


def test_symbols_cancel() -> None:
    n = Dim.symbol("n", 1)
    assert (n * 6) // 2 == n * 3
    assert (n * 6) // (n * 2) == Dim.exactly(3)
    assert (n * 6) % (n * 2) == Dim.exactly(0)
    assert n - n == Dim.exactly(0)
    assert n * 5 - n * 2 == n * 3
    assert (n + 1) // (n + 1) == Dim.exactly(1)
    assert abs(-n) == n
    assert abs(Dim.symbol("m", -3, 2)).hi == 3
    assert 10 // Dim.exactly(3) == 3
    assert 10 % Dim.exactly(3) == 1
    assert (n == object()) is False


def test_axes_that_are_broadcast_together() -> None:
    m, n = Dim.symbol("m", 0, 5), Dim.symbol("n", 1, 7)
    assert m.broadcast(n) == n.broadcast(m)
    assert m.broadcast(m) == m
    assert m.broadcast(n) not in (m, n)
    assert (m.broadcast(n).lo, m.broadcast(n).hi) == (0, 7)
    assert m.broadcast(Dim()) != m.broadcast(Dim())
    k = Dim.symbol("k", 0, 7)
    assert m.broadcast(n).broadcast(m) == m.broadcast(n)
    assert m.broadcast(n).broadcast(k) == n.broadcast(k.broadcast(m)) != m.broadcast(n)
    assert (m.broadcast(n) + 1).broadcast(k) == k.broadcast(n.broadcast(m) + 1)
    again = m
    for _ in range(100):
        again = again.broadcast(n).broadcast(k)
    assert again == pickle.loads(pickle.dumps(m)).broadcast(n).broadcast(k)


def test_too_many_terms_leave_bounds() -> None:
    total = Dim.exactly(0)
    for index in range(12):
        total = total + Dim.symbol(f"s{index}", 1, 2)
    assert total.expr is None
    assert (total.lo, total.hi) == (12, 24)
    assert (total // 5).expr is None
    square = total * total
    assert (square.lo, square.hi) == (144, 576)


def test_texts() -> None:
    n = Dim.symbol("n")
    assert [str(dim) for dim in (Dim(3), Dim(), Dim(2, 5), Dim(2, UNBOUNDED))] == ["3", "?", "2..5", "2.."]
    assert repr(n * 2) == "Dim(? = 2*n)"
    assert hash(Dim(3)) == hash(3)
    assert hash(n) == hash(Dim.symbol("n"))
    with pytest.raises(Undecided):
        int(n)
    with pytest.raises(TypeError):
        Dim.exactly(1.5)  # type: ignore[arg-type]


def test_shapes() -> None:
    unknown, static, named = Shape(None), Shape([2, 3]), Shape([2, Dim()])
    assert unknown.merge(static) == static.merge(unknown) == static
    assert static.merge(Shape([2, 4])) is None
    assert named.merge(static) == static
    assert static.union(Shape([2])) == unknown
    assert str(static.union(Shape([4, 3]))) == "[2..4,3]"
    assert str(unknown) == "[...]"
    assert str(Shape.unknown()) == "[...]"
    assert hash(static) != hash(named)
    assert str(unknown.size) == "?"
    assert static.size == 6
    assert hash(static) == hash(Shape([2, 3]))
    assert unknown.compatible(static)
    assert unknown.named("x") is unknown
    assert Shape.parse("...") == unknown
    assert str(Shape.parse(" [1, 2..5, ..4, 3.., -1] ")) == "[1,2..5,0..4,3..,?]"
    for text in ("5..2", "-2", "x", "1,,2"):
        with pytest.raises(ValueError):  # noqa: PT011
            Shape.parse(text)
    with pytest.raises(TypeError, match=r"^the rank is dynamic$"):
        len(unknown)


def test_facts() -> None:
    values = np.array([1, 2], np.int64)
    fact = Fact.of(I64, values)
    partial = Fact(I64, Shape([2]), np.array([Dim(0, 4), 2], object))
    assert fact.admits(values)
    assert not fact.admits(values + 1)
    assert not fact.admits(values.astype(np.int32))
    assert not Fact(I64, Shape([3])).admits(values)
    assert Fact(I64, Shape(None)).admits(values)
    assert partial.admits(np.array([4, 2]))
    assert not partial.admits(np.array([5, 2]))
    assert partial.constant is None
    square = Fact(I64, Shape([2, 2]), np.array([[Dim(0, 4), 2], [3, Dim(1, 2)]], object))
    assert square.admits(np.array([[4, 2], [3, 1]]))
    assert not square.admits(np.array([[4, 2], [3, 0]]))
    assert Fact.of(F32, np.array([np.nan], np.float32)).admits(np.array([np.nan], np.float32))
    strings = Fact.of(STRING, np.array(["a"], object))
    assert strings.constant is strings.value
    assert fact == Fact.of(I64, values.copy())
    assert fact != Fact.of(I64, values + 1)
    assert fact != Fact(I64, Shape([2]))
    assert fact != Fact(F32, Shape([2]))
    assert fact != object()
    assert Fact(I64, Shape([2])) == Fact(I64, Shape([2]))
    assert Fact(I64, Shape([2])) not in (Fact(F32, Shape([2])), Fact(I64, Shape([3])), fact)
    assert (str(fact), repr(fact), repr(Fact(I64, Shape([2])))) == ("i64[2]", "Fact(i64[2] known)", "Fact(i64[2])")
    assert str(partial.as_shape()) == "[0..4,2]"
    assert Fact(I64, Shape([65])).dims() is None
    assert Fact(I64, Shape(None)).dims() is None
    assert Fact(I64, Shape([Dim()])).dims() is None
    assert len(Fact(I64, Shape([64])).dims() or ()) == 64
    assert Fact.unknown().type is DYNAMIC


def test_sizes_are_not_negative() -> None:
    assert Dim(-2, 3).as_dimension().lo == 0
    assert Dim(2, 3).as_dimension() is not None
    with pytest.raises(NegativeSize, match="a size of the result is -1, which is negative") as caught:
        Shape([-1])
    assert caught.value.size == -1
    with pytest.raises(Undecided):
        range(Dim())  # type: ignore[arg-type]
    assert list(range(Dim(3))) == [0, 1, 2]
    assert repr(Dim.symbol("n") * Dim.symbol("m") * 3 + 1) == "Dim(1.. = 1+3*m*n)"


def test_shapes_of_known_rank() -> None:
    assert str(Shape.unknown(2)) == "[?,?]"
    assert Shape([2, 3]).static == (2, 3)
    assert Shape([Dim(1, 4), 3]).lower == (1, 3)
    assert str(Shape([Dim(1, 4), 3]).size) == "3..12"
    named = Shape([Dim(1, 4), 3]).named("x")
    assert repr(named) == "Shape([1..4,3])"
    assert repr(named[0]) == "Dim(1..4 = x[0])"
    assert list(named)[1] == 3
    assert str(Shape([2, 3])[1:][0]) == "3"
    assert not Shape([2]).compatible(Shape([2, 3]))
    assert Shape([2]) != [2]


def test_what_facts_know() -> None:
    fact = Fact.of(I64, np.array([[1, 2]]))
    assert (fact.ints(), fact.is_constant, fact.least_bytes, fact.stored) == ((1, 2), True, 16, None)
    unknown = Fact(I64, Shape([Dim(3, 5)]))
    assert (unknown.ints(), unknown.is_constant, unknown.least_bytes) == (None, False, 24)
    assert Fact.unknown().least_bytes == 0
    assert [str(dim) for dim in Fact(I64, Shape([2])).dims() or ()] == ["?", "?"]
    assert [str(dim) for dim in fact.dims() or ()] == ["1", "2"]
    stored = StoredFact(F16, Shape([2, 3]), np.ones((2, 3), np.float16), lambda stored: stored.astype(np.float32))
    assert (stored.is_constant, stored.least_bytes) == (True, 12)
    assert (repr(F16), F16.is_float, I64.is_float, I64.is_integer) == ("f16", True, False, True)
    assert (fact.rank, Fact.unknown().rank) == (2, None)


def test_element_types_are_single_and_named_as_openvino_names_them() -> None:
    assert pickle.loads(pickle.dumps(F32)) is copy.deepcopy(F32) is F32
    assert ElementType.named("f32").get_type_name() == "f32"
    assert F32.to_dtype() == np.float32
