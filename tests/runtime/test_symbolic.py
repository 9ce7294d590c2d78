"""Sizes that are known when a run begins: arithmetic, guards, and the functions that compute them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

from irrun.runtime.expressions import Expressions, StageWriter
from irrun.runtime.symbolic import (
    NotWhole,
    Symbols,
    SymFloat,
    SymInt,
    as_many,
    hint_of,
    largest,
    least,
    of_sizes,
)
from tests.kernels.merged import merged

Formula = Callable[[Sequence[Any]], Any]
"""An integer, computed from some sizes, which may be plain or symbolic."""


class Cut(NamedTuple):
    each: int
    count: int


@of_sizes
def cut(size: int, *, most: int) -> Cut:
    each = max(1, min(size, most))
    return Cut(each, -(-size // each))


@of_sizes
def divisors(size: int) -> int:
    return sum(size % each == 0 for each in range(1, size + 1))


def sizes_of(*hints: int, stage: int = 0) -> tuple[Symbols, list[Any]]:
    symbols = Symbols()
    return symbols, [symbols.unknown(hint, stage) for hint in hints]


def formula(random: np.random.Generator, depth: int) -> Formula:
    """A random one of three sizes."""
    if depth == 0:
        place, number = int(random.integers(3)), int(random.integers(-3, 6))
        return (lambda sizes: sizes[place]) if random.random() < 0.7 else (lambda _: number)
    a, b = formula(random, depth - 1), formula(random, depth - 1)
    number = int(random.integers(1, 7))
    kinds: list[Formula] = [
        lambda s: a(s) + b(s),
        lambda s: a(s) - b(s),
        lambda s: a(s) * b(s),
        lambda s: number - a(s) * number,
        lambda s: -a(s) // number,
        lambda s: a(s) % number,
        lambda s: divmod(a(s), largest(b(s), 1))[0],
        lambda s: least(a(s), b(s), number),
        lambda s: cut(largest(a(s), 0), most=number).count,
        lambda s: cut(largest(b(s), 0), most=number).each + divisors(s[0]),
    ]
    return kinds[int(random.integers(len(kinds)))]


@merged()
@pytest.mark.parametrize("seed", range(40))
def test_a_compiled_function_computes_what_integers_do(seed: int) -> None:
    random = np.random.default_rng(seed)
    symbols, sizes = sizes_of(5, 3)
    sizes.append(symbols.unknown(7, 1))
    formulas = [formula(random, 3) for _ in range(6)]
    values = [each(sizes) for each in formulas]
    assert [hint_of(value) for value in values] == [each([5, 3, 7]) for each in formulas]
    expressions = Expressions(symbols)
    places = [expressions.number(value) if isinstance(value, SymInt) else None for value in values]
    functions = [StageWriter(expressions, stage).function() for stage in (0, 1)]
    for _ in range(10):
        plain = random.integers(0, 40, 3).tolist()
        atoms = list(symbols.hints)
        for size, number in zip(sizes, plain, strict=True):
            atoms[size.atom] = number
        known: dict[int, int] = {}
        for evaluate, numbers in functions:
            found = evaluate(atoms)
            assert found is not None
            known.update(zip(numbers, found, strict=True))
        got = [value if place is None else known[place] for value, place in zip(values, places, strict=True)]
        assert got == [each(plain) for each in formulas]


def test_arithmetic_is_that_of_polynomials() -> None:
    symbols, (a, b) = sizes_of(5, 3)
    assert ((a + b) * (a - b)).terms == (a * a - b * b).terms
    assert (3 * a + 2 - a - 2 * a) == 2
    assert (a - a) == 0
    assert isinstance(a - a, int)
    assert (2 * a * b + 4 * a).hint == 50
    assert (2 - a).hint == -3
    assert abs(a - b).terms == (a - b).terms
    assert [guard.relation for guard in symbols.guards.values()] == [">="]


def test_exact_divisions_compute_nothing() -> None:
    symbols, (a, b) = sizes_of(5, 3)
    assert ((6 * a * b + 4 * a) // (2 * a)).terms == (3 * b + 2).terms
    assert ((6 * a * b + 4 * a) % (2 * a)) == 0
    assert (a + b) // (a + b) == 1
    assert not symbols.applied
    assert not symbols.guards
    assert (a // 2).hint == 2
    assert (7 % b).hint == 1
    assert (7 // b).hint == 2
    assert len(symbols.applied) == 3
    assert ((a // 2).terms, len(symbols.applied)) == ((a // 2).terms, 3)


RELATIONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


@merged()
@pytest.mark.parametrize("seed", range(30))
def test_a_program_is_for_the_sizes_that_compare_alike(seed: int) -> None:
    random = np.random.default_rng(seed)
    hints = random.integers(1, 6, 3).tolist()
    symbols, sizes = sizes_of(*hints)
    asked = [
        (RELATIONS[random.integers(6)], formula(random, 1), formula(random, int(random.integers(2)))) for _ in range(3)
    ]

    def answers(given: Sequence[Any]) -> list[bool]:
        return [bool(relation(left(given), right(given))) for relation, left, right in asked]

    expected = answers(sizes)
    assert expected == answers(hints)
    evaluate, _ = StageWriter(Expressions(symbols), 0).function()
    for _ in range(60):
        plain = random.integers(0, 8, 3).tolist()
        assert (evaluate([*plain, *symbols.hints[3:]]) is not None) == (answers(plain) == expected)


def test_comparisons_that_hold_for_all_sizes_are_no_guards() -> None:
    symbols, (a, b) = sizes_of(5, 3)
    assert a >= 0
    assert a * b + 1 > 0
    assert a + b > -1
    assert a == a + 0
    assert a.__eq__("a") is NotImplemented
    assert not symbols.guards


def test_an_index_fixes_a_size() -> None:
    symbols, (a, b) = sizes_of(5, 3)
    assert list(range(a - b)) == [0, 1]
    evaluate, _ = StageWriter(Expressions(symbols), 0).function()
    assert [evaluate([*pair]) for pair in ((5, 3), (6, 4), (6, 3))] == [[], [], None]


def test_a_size_that_must_not_be_fixed() -> None:
    symbols, (a,) = sizes_of(5)
    symbols.forbids_fixing = True
    for attempt in (lambda: int(a), lambda: [0, 1][a], lambda: float(a), lambda: a / 2, lambda: 2 / a, lambda: a**2):
        with pytest.raises(NotWhole):
            attempt()
    assert not symbols.guards


def test_functions_of_sizes() -> None:
    symbols, (a, b) = sizes_of(50, 3)
    assert cut(50, most=16) == Cut(16, 4)
    found = cut(a * b, most=16)
    assert (type(found), found.each.hint, found.count.hint) == (Cut, 16, 10)
    assert divisors(a).hint == 6
    assert largest(a, b, 60).hint == 60
    assert least(3, 2) == 2
    assert not symbols.guards
    expressions = Expressions(symbols)
    for each in (*found, divisors(a)):
        expressions.number(each)
    assert len(expressions.items) == 3
    evaluate, numbers = StageWriter(expressions, 0).function()
    assert evaluate([6, 2, *symbols.hints[2:]]) == [12, 1, 4]
    assert numbers == [0, 1, 2]


def test_numbers_are_known_from_the_last_stage_of_their_sizes() -> None:
    symbols, (a,) = sizes_of(5)
    late = symbols.unknown(2, 2)
    assert [each.stage for each in (a, late, a * late, least(a, late), divisors(a))] == [0, 2, 2, 2, 0]
    expressions = Expressions(symbols)
    assert [expressions.number(each) for each in (a * 2, least(a, late), a * 2)] == [0, 1, 0]
    assert [StageWriter(expressions, stage).function()[1] for stage in range(3)] == [[0], [], [1]]


@of_sizes
def root(size: int) -> float:
    return math.sqrt(size)


@of_sizes
def rounded(number: float) -> int:
    return round(number)


def test_floats_of_sizes_are_known_to_functions_only() -> None:
    symbols, (size,) = sizes_of(9)
    number = root(size + 0)
    assert isinstance(number, SymFloat)
    assert hint_of(number) == 3.0
    for use in (lambda: number + 1, lambda: 2 * number, lambda: number < 4, lambda: number == 3, lambda: int(number)):
        with pytest.raises(NotWhole):
            use()
    assert not symbols.guards
    expressions = Expressions(symbols)
    places = [expressions.number(each) for each in (number, 2 * rounded(number))]
    evaluate, numbers = StageWriter(expressions, 0).function()
    assert numbers == places
    for each, expected in ((16, (4.0, 8)), (7, (math.sqrt(7), 6))):
        values = evaluate([each, None, None])
        assert values is not None
        assert np.array(values[:1]).view(np.float64)[0] == expected[0]
        assert values[1] == expected[1]


def test_sizes_that_calls_find_may_be_anything() -> None:
    symbols = Symbols()
    found, other, size = symbols.unknown(1, 2), symbols.unknown(1, 3), symbols.unknown(1, 0)
    assert found != 1
    assert found * 0 + found != 0
    assert found != other
    assert 4 * found != 4
    assert found * size == size * found
    assert as_many(4 * found * other) > as_many(4 * other) > as_many(size * 0 + 4)
    assert not -found > 0
    assert not symbols.guards
    assert size == 1
    assert [guard.relation for guard in symbols.guards.values()] == ["=="]
