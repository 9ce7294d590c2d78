"""Results of symbolic arithmetic are as narrow as the operands allow, and named where they can be."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from irrun.tensor import Dim, Shape
from irrun.tensor.dim import UNBOUNDED, NegativeSize, Undecided

INTERVALS = [(lo, hi) for lo in range(-3, 4) for hi in range(lo, 4)]
UP = UNBOUNDED
M, N = Dim.symbol("m", 1, 8), Dim.symbol("n")


def bounds(dim: Dim) -> tuple[int, int]:
    return dim.lo, dim.hi


EXACT: dict[str, tuple[Callable[[Any, Any], Any], Callable[[int, int], int]]] = {
    "+": (lambda a, b: a + b, lambda x, y: x + y),
    "-": (lambda a, b: a - b, lambda x, y: x - y),
    "*": (lambda a, b: a * b, lambda x, y: x * y),
    "minimum": (lambda a, b: a.minimum(b), min),
    "maximum": (lambda a, b: a.maximum(b), max),
    "union": (lambda a, b: a.union(b), min),
}


@pytest.mark.parametrize("name", EXACT)
def test_bounds_are_tight(name: str) -> None:
    symbolic, concrete = EXACT[name]
    for (a, b), (c, d) in itertools.product(INTERVALS, repeat=2):
        values = [concrete(x, y) for x in (a, b) for y in (c, d)]
        values = [a, b, c, d] if name == "union" else values
        assert bounds(symbolic(Dim(a, b), Dim(c, d))) == (min(values), max(values)), (a, b, c, d)


def test_bounds_of_a_quotient_are_tight() -> None:
    for (a, b), (c, d) in itertools.product(INTERVALS, repeat=2):
        quotient, rounded_up = Dim(a, b) // Dim(c, d), Dim(a, b).ceil_div(Dim(c, d))
        if c > 0:
            exact = [x // y for x in (a, b) for y in (c, d)]
            assert bounds(quotient) == (min(exact), max(exact)), (a, b, c, d)
            exact = [-(-x // y) for x in (a, b) for y in (c, d)]
            assert bounds(rounded_up) == (min(exact), max(exact)), (a, b, c, d)
        elif a == b and c == d and c:
            assert bounds(quotient) == (a // c, a // c)
        else:
            assert bounds(quotient) == (-UP, UP), (a, b, c, d)


def test_bounds_of_a_remainder() -> None:
    for (a, b), (c, d) in itertools.product(INTERVALS, repeat=2):
        remainder = Dim(a, b) % Dim(c, d)
        if a == b and c == d and c:
            assert remainder == a % c
        elif c <= 0:
            assert bounds(remainder) == (-UP, UP)
        elif a < 0:
            assert bounds(remainder) == (0, d - 1)
        else:
            every = {number % divisor for number in range(a, b + 1) for divisor in range(c, d + 1)}
            assert bounds(remainder) == (min(every), max(every))


def test_bounds_of_a_sign_change() -> None:
    for a, b in INTERVALS:
        assert bounds(-Dim(a, b)) == (-b, -a)
        values = [abs(value) for value in range(a, b + 1)]
        least, most = bounds(abs(Dim(a, b)))
        assert most == max(values)
        assert least <= min(values)
        assert least >= a


def test_relations_of_intervals() -> None:
    for (a, b), (c, d) in itertools.product(INTERVALS, repeat=2):
        common = set(range(a, b + 1)) & set(range(c, d + 1))
        merged = Dim(a, b).merge(Dim(c, d))
        assert Dim(a, b).compatible(Dim(c, d)) == bool(common)
        assert (merged is not None) == bool(common)
        assert merged is None or bounds(merged) == (min(common), max(common))
        assert [Dim(a, b).admits(value) for value in range(-4, 5)] == [a <= value <= b for value in range(-4, 5)]


ORDER: dict[str, tuple[Callable[[Any, Any], bool], Callable[[int, int], bool]]] = {
    "<": (lambda a, b: a < b, lambda x, y: x < y),
    "<=": (lambda a, b: a <= b, lambda x, y: x <= y),
    ">": (lambda a, b: a > b, lambda x, y: x > y),
    ">=": (lambda a, b: a >= b, lambda x, y: x >= y),
}


@pytest.mark.parametrize("name", ORDER)
def test_comparisons_are_decided_where_the_intervals_decide(name: str) -> None:
    symbolic, concrete = ORDER[name]
    for (a, b), (c, d) in itertools.product(INTERVALS, repeat=2):
        answers = {concrete(x, y) for x in (a, b) for y in (c, d)}
        if len(answers) == 1:
            assert symbolic(Dim(a, b), Dim(c, d)) is answers.pop(), (a, b, c, d)
        else:
            with pytest.raises(Undecided):
                symbolic(Dim(a, b), Dim(c, d))


def test_truth_is_decided_where_the_interval_decides() -> None:
    for a, b in INTERVALS:
        if a <= 0 <= b and a != b:
            with pytest.raises(Undecided, match=f"whether {Dim(a, b)}".replace("?", r"\?") + " is zero"):
                bool(Dim(a, b))
        else:
            assert bool(Dim(a, b)) is (a != 0)


def test_sizes_of_axes() -> None:
    for a, b in INTERVALS:
        if b < 0:
            with pytest.raises(NegativeSize):
                Dim(a, b).as_dimension()
        else:
            assert bounds(Dim(a, b).as_dimension()) == (max(a, 0), b)
    shifted = N - 3
    assert repr(shifted.as_dimension()) == repr(shifted) == "Dim(? = -3+n)"
    assert shifted.as_dimension() == shifted
    assert N.as_dimension() is N


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda: Dim(3, UP) + 4, (7, UP)),
        (lambda: Dim(3, UP) - 4, (-1, UP)),
        (lambda: 4 - Dim(3, UP), (-UP, 1)),
        (lambda: Dim(3, 5) + Dim(2, UP), (5, UP)),
        (lambda: Dim(3, 5) - Dim(2, UP), (-UP, 3)),
        (lambda: Dim.anything() + 1, (-UP, UP)),
        (lambda: Dim.anything() - 1, (-UP, UP)),
        (lambda: Dim(2, UP) * 3, (6, UP)),
        (lambda: Dim(2, UP) * -3, (-UP, -6)),
        (lambda: Dim(2**62, 2**62 + 1) * 4, (UP, UP)),
        (lambda: Dim(3, UP) // 2, (1, UP)),
        (lambda: Dim.anything() // 2, (-UP, UP)),
        (lambda: Dim(3, 9) // Dim(2, UP), (0, 4)),
        (lambda: Dim(3, UP) // Dim(2, UP), (0, UP)),
        (lambda: Dim(3, UP) % 4, (0, 3)),
        (lambda: Dim.anything() % 4, (0, 3)),
        (lambda: Dim(3, UP).ceil_div(2), (2, UP)),
        (lambda: Dim.anything().maximum(3), (3, UP)),
        (lambda: Dim.anything().minimum(3), (-UP, 3)),
        (lambda: abs(Dim.anything()), (-UP, UP)),
        (lambda: Dim(0, 2**70), (0, UP)),
        (lambda: Dim(-(2**70), 0), (-UP, 0)),
    ],
)
def test_what_has_no_bound_stays_without(compute: Callable[[], Dim], expected: tuple[int, int]) -> None:
    assert bounds(compute()) == expected


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda: N + 2, "Dim(2.. = 2+n)"),
        (lambda: 2 - N, "Dim(..2 = 2+-1*n)"),
        (lambda: M * N, "Dim(? = m*n)"),
        (lambda: M * M * 2 - M, "Dim(-6..127 = -1*m+2*m*m)"),
        (lambda: N // 2, "Dim(? = (n // 2))"),
        (lambda: N % 2, "Dim(0..1 = (n % 2))"),
        (lambda: M // M, "Dim(1)"),
        (lambda: M * N // M, "Dim(? = n)"),
        (lambda: M * 6 // 4, "Dim(1..12 = (6*m // 4))"),
        (lambda: M * 6 % 3, "Dim(0)"),
        (lambda: M.minimum(4), "Dim(1..4 = (m min 4))"),
        (lambda: M.maximum(4), "Dim(4..8 = (m max 4))"),
        (lambda: M.minimum(9), "Dim(1..8 = m)"),
        (lambda: M.minimum(8), "Dim(1..8 = m)"),
        (lambda: M.minimum(1), "Dim(1)"),
        (lambda: M.maximum(1), "Dim(1..8 = m)"),
        (lambda: M.maximum(8), "Dim(8)"),
        (lambda: M.minimum(M), "Dim(1..8 = m)"),
        (lambda: M.maximum(M), "Dim(1..8 = m)"),
        (lambda: Dim(1, 8).minimum(4), "Dim(1..4)"),
        (lambda: abs(M), "Dim(1..8 = m)"),
        (lambda: abs(N), "Dim(? = n)"),
        (lambda: M * 0, "Dim(0)"),
        (lambda: M - M + 3, "Dim(3)"),
        (lambda: Dim(1, 4), "Dim(1..4)"),
        (lambda: Dim(0, 4) + M, "Dim(1..12)"),
    ],
)
def test_expressions(compute: Callable[[], Dim], expected: str) -> None:
    assert repr(compute()) == expected


def test_merging_keeps_the_expression_that_is_known() -> None:
    plain = Dim(0, 5)
    assert repr(M.merge(plain)) == repr(plain.merge(M)) == "Dim(1..5 = m)"
    assert repr(M.merge(Dim.symbol("k", 0, 5))) == "Dim(1..5 = m)"


def test_a_union_keeps_an_expression_that_both_have() -> None:
    assert repr(M.union(Dim.symbol("m", 0, 3))) == "Dim(0..8 = m)"
    assert repr(M.union(Dim.symbol("k", 0, 3))) == "Dim(0..8)"
    assert repr(Dim(1, 2).union(Dim(4, 5))) == "Dim(1..5)"


def test_sums_of_many_terms_have_no_expression() -> None:
    total = sum((Dim.symbol(f"s{index}", 0, 2) for index in range(8)), Dim.exactly(0))
    assert repr(total) == "Dim(0..16 = s0+s1+s2+s3+s4+s5+s6+s7)"
    assert repr(total + Dim.symbol("s8", 0, 2)) == "Dim(0..18)"
    assert repr(total - total) == "Dim(0)"


def test_operators_of_long_expressions_have_no_expression() -> None:
    long, longer = Dim.symbol("x" * 192), Dim.symbol("x" * 193)
    assert (long // 2).expr == (((f"({'x' * 192} // 2)",), 1),)
    assert len(f"({'x' * 192} // 2)") == 199
    assert (longer // 2).expr is None


def test_equality_and_hashes() -> None:
    assert Dim(3) == 3 == Dim(3, 3)
    assert Dim(3, 4) != 3
    assert Dim(3) != Dim(3, 4)
    assert Dim(3, 4) != Dim(3, 4)
    assert Dim.symbol("a", 0, 4) == Dim.symbol("a", 0, 4)
    assert Dim.symbol("a", 0, 4) != Dim.symbol("b", 0, 4)
    assert len({Dim.symbol("a", 0, 4), Dim.symbol("b", 0, 4), Dim.symbol("a", 0, 4), Dim(3), Dim(3, 3)}) == 3
    assert hash(Dim(2, 4)) != hash(Dim(2, 5))


def test_what_is_undecided_says_so() -> None:
    for ask, message in (
        (lambda: Dim(2, 4) < 3, "2..4 < 3"),
        (lambda: int(Dim(2, 4)), "the value of 2..4"),
        (lambda: bool(Dim(0, 4)), "whether 0..4 is zero"),
    ):
        with pytest.raises(Undecided) as caught:
            ask()
        assert str(caught.value) == message


def test_small_sizes_are_shared() -> None:
    assert Dim(4095) is Dim(4095)
    assert Dim(0) is Dim(0)
    assert Dim(4096) is not Dim(4096)
    assert Dim(-1) is not Dim(-1)
    assert Dim.of(N) is N


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("[]", ()),
        ("0", ((0, 0),)),
        ("?", ((0, UP),)),
        ("-1", ((0, UP),)),
        ("0..0", ((0, 0),)),
        (" 2..5 , 7", ((2, 5), (7, 7))),
        ("..", ((0, UP),)),
        ("3..3", ((3, 3),)),
    ],
)
def test_texts_of_shapes(text: str, expected: tuple[tuple[int, int], ...]) -> None:
    dims = Shape.parse(text).dims
    assert dims is not None
    assert tuple(map(bounds, dims)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5..2", "5..2 is not an interval of sizes"),
        ("-3..2", "-3 is not a size"),
        ("-2", "-2 is not a size"),
    ],
)
def test_refused_texts_of_shapes(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="not a") as caught:
        Shape.parse(text)
    assert str(caught.value) == message


def test_shapes_admit_sizes_within_their_bounds() -> None:
    shape = Shape([2, Dim(1, 3)])
    assert [shape.admits(sizes) for sizes in ((2, 1), (2, 3), (2, 4), (1, 1), (2,), (2, 1, 1))] == [
        *(True, True),
        *(False,) * 4,
    ]
    assert Shape(None).admits((1, 2))
    assert Shape([]).admits(())


def test_relations_of_shapes() -> None:
    unknown, wide, narrow = Shape(None), Shape([Dim(0, 4), 3]), Shape([Dim(2, 6), 3])
    assert wide.compatible(narrow)
    assert not wide.compatible(Shape([Dim(5, 6), 3]))
    assert not wide.compatible(Shape([4]))
    assert unknown.compatible(wide)
    assert wide.compatible(unknown)
    assert str(wide.merge(narrow)) == "[2..4,3]"
    assert unknown.merge(wide) is wide
    assert wide.merge(unknown) is wide
    assert wide.merge(Shape([Dim(5, 6), 3])) is None
    assert str(wide.union(narrow)) == "[0..6,3]"
    assert [str(wide.union(other)) for other in (unknown, Shape([3]))] == ["[...]", "[...]"]
    assert str(unknown.union(wide)) == "[...]"
    assert (unknown.is_static, wide.is_static, Shape([2, 3]).is_static, Shape([]).is_static) == (
        *(False, False),
        *(True, True),
    )
    assert [shape.rank for shape in (unknown, wide, Shape([]))] == [None, 2, 0]


def test_unknown_axes_get_names() -> None:
    shape = Shape([Dim(), 3, Dim(2, 5)])
    assert [repr(dim) for dim in shape.named("x")] == ["Dim(? = x[0])", "Dim(3)", "Dim(2..5 = x[2])"]
    static = Shape([2, 3])
    assert static.named("x") is static
