"""Views of buffers, against NumPy's: shapes, strides and offsets, with known sizes and with symbolic ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

from irrun.runtime.expressions import Expressions, StageWriter
from irrun.runtime.symbolic import Symbols, SymInt
from irrun.runtime.view import View
from irrun.tensor import Array
from tests.kernels.merged import merged

Random = np.random.Generator
Change = Callable[[Any], Any]
"""A function of arrays or views."""

I32 = np.dtype(np.int32)


def place_of(x: Array, base: Array) -> int:
    return int(x.__array_interface__["data"][0] - base.__array_interface__["data"][0])


def check(shape: Sequence[int], strides: Sequence[int], offset: int, x: Array, base: Array) -> None:
    """Strides count along axes of several elements only, and an array without elements is nowhere."""
    assert tuple(shape) == x.shape
    if x.size:
        assert offset == place_of(x, base)
        own = zip(x.shape, strides, x.strides, strict=True)
        assert all(size == 1 or stride == wanted for size, stride, wanted in own)


def joined(axis: int) -> Change:
    def change(x: Any) -> Any:
        return x.reshape((*x.shape[:axis], x.shape[axis] * x.shape[axis + 1], *x.shape[axis + 2 :]))

    return change


def broadcast(x: Any) -> Any:
    shape = (3, *x.shape)
    return x.broadcast_to(shape) if isinstance(x, View) else np.broadcast_to(x, shape)


def moved(source: int, target: int) -> Change:
    return lambda x: x.moveaxis(source, target) if isinstance(x, View) else np.moveaxis(x, source, target)


def part(random: Random, x: Array) -> Change:
    """Some indices, slices and new axes; a bound is a number, or depends on the size."""
    keys: list[Any] = []
    for axis in range(int(random.integers(1, x.ndim + 1))):
        number = int(random.integers(-3, 4))
        choices: list[Callable[[Any], Any]] = [
            lambda _: slice(None),
            lambda _: slice(None, None, -1),
            lambda _: slice(None, None, 2),
            lambda x, axis=axis: slice(x.shape[axis] // 2, None),
            lambda x, axis=axis: slice(None, x.shape[axis] - 1),
            lambda _, number=number: slice(number, None),
            lambda _, number=number: slice(None, number),
            lambda _, number=number: slice(-1, number, -2),
        ]
        if x.shape[axis]:
            choices += [lambda _: 0, lambda _: -1, lambda x, axis=axis: x.shape[axis] // 2]
        keys.append(choices[random.integers(len(choices))])
        if random.random() < 0.2:
            keys.append(lambda _: None)
    if random.random() < 0.3:
        keys.append(lambda _: Ellipsis)
    return lambda x: x[tuple(key(x) for key in keys)]


def changed(random: Random, x: Array) -> Change:
    order = random.permutation(x.ndim).tolist()
    kinds: list[Change] = [lambda x: x.transpose(order), broadcast, lambda x: x.T]
    if x.ndim:
        a, b = (int(axis) for axis in random.integers(-x.ndim, x.ndim, 2))
        kinds += [part(random, x), part(random, x), lambda x: x.swapaxes(a, b), moved(a, b)]
    if x.ndim > 1:
        axis = int(random.integers(x.ndim - 1))
        kinds += [joined(axis), joined(axis)]
    return kinds[random.integers(len(kinds))]


def changes(random: Random, base: Array, count: int) -> tuple[list[Change], Array]:
    """Some changes, one after the other, none of which copies, and what they make of an array."""
    found: list[Change] = []
    x = base
    while len(found) < count:
        change = changed(random, x)
        made = change(x)
        if made.ndim < 7 and (np.shares_memory(made, base) or not made.size):
            found.append(change)
            x = made
    return found, x


@merged()
@pytest.mark.parametrize("seed", range(60))
def test_views_are_those_of_numpy(seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(5):
        base = np.zeros(random.integers(1, 6, random.integers(1, 5)), np.int32)
        found, expected = changes(random, base, 4)
        view = View.contiguous(0, base.shape, I32)
        for change in found:
            view = change(view)
        check(view.shape, view.strides, view.offset, expected, base)
        assert (view.ndim, view.size, view.dtype) == (expected.ndim, expected.size, I32)
        assert view.is_contiguous == expected.flags.c_contiguous or not expected.size


@merged()
@pytest.mark.parametrize("seed", range(60))
def test_symbolic_views_are_those_of_numpy(seed: int) -> None:
    """Views that are made once, for other sizes too where the guards hold."""
    random = np.random.default_rng(seed)
    base = np.zeros(random.integers(1, 6, random.integers(1, 5)), np.int32)
    found, expected = changes(random, base, 4)
    symbols = Symbols()
    sizes = [symbols.unknown(size, 0) for size in base.shape]
    view = View.contiguous(0, sizes, I32)
    for change in found:
        view = change(view)
    expressions = Expressions(symbols)
    for number in (*view.shape, *view.strides, view.offset):
        if isinstance(number, SymInt):
            expressions.number(number)
    evaluate, _ = StageWriter(expressions, 0).function()

    def matches(base: Array) -> bool:
        values = evaluate([*base.shape, *symbols.hints[base.ndim :]])
        if values is None:
            return False

        def known(number: Any) -> int:
            return values[expressions.number(number)] if isinstance(number, SymInt) else number

        x = base
        for change in found:
            x = change(x)
        check([*map(known, view.shape)], [*map(known, view.strides)], known(view.offset), x, base)
        return True

    assert matches(base)
    check([int(n) for n in view.shape], [int(n) for n in view.strides], int(view.offset), expected, base)
    for _ in range(20):
        matches(np.zeros(random.integers(1, 9, base.ndim), np.int32))


def test_symbolic_views_hold_for_other_sizes() -> None:
    symbols = Symbols()
    rows, columns = symbols.unknown(5, 0), symbols.unknown(7, 0)
    view = View.contiguous(0, (rows, columns, 4), I32).transpose(1, 0, 2)[1:].swapaxes(0, 1).reshape(rows, -1, 2, 2)
    assert [repr(size) for size in view.shape] == ["<s0 = 5>", "<-1+s1 = 6>", "2", "2"]
    assert [repr(stride) for stride in view.strides] == ["<16*s1 = 112>", "16", "8", "4"]
    assert view.offset == 16
    evaluate, _ = StageWriter(Expressions(symbols), 0).function()
    assert evaluate([30, 20, *symbols.hints[2:]]) == []


def shapes_of(random: Random, size: int) -> list[int]:
    """A random shape of so many elements."""
    shape: list[int] = []
    while size > 1:
        factor = int(random.choice([each for each in range(1, size + 1) if size % each == 0]))
        shape.append(factor)
        size //= factor
    return shape + [1] * int(random.integers(0, 2))


@merged()
@pytest.mark.parametrize("seed", range(60))
def test_there_is_no_view_where_numpy_copies(seed: int) -> None:
    random = np.random.default_rng(seed)
    outcomes = set()
    for _ in range(40):
        base = np.zeros(random.choice([1, 2, 3, 4, 6], random.integers(1, 4)), np.int32)
        found, x = changes(random, base, int(random.integers(0, 4)))
        if not x.size:
            continue
        view = View.contiguous(0, base.shape, I32)
        for change in found:
            view = change(view)
        shape = shapes_of(random, x.size)
        if shape and random.random() < 0.3:
            shape[random.integers(len(shape))] = -1
        wanted, got = x.reshape(shape), view.viewed(shape)
        outcomes.add(got is None)
        if got is None:
            assert not np.shares_memory(wanted, base)
            with pytest.raises(ValueError, match="without a copy"):
                view.reshape(shape)
        else:
            assert np.shares_memory(wanted, base)
            check(got.shape, got.strides, got.offset, wanted, base)
    assert outcomes == {False, True}


def test_shapes_that_do_not_broadcast() -> None:
    x = View.contiguous(0, (3, 1), I32)
    assert x.broadcast_to((2, 3, 5)).strides == (0, 4, 0)
    for shape in ((3,), (2, 5), (3, 1, 1)):
        with pytest.raises(ValueError, match="does not broadcast"):
            x.broadcast_to(shape)


def test_a_view_without_elements() -> None:
    x = View.contiguous(0, (3, 0, 4), I32).transpose(2, 0, 1)
    assert (x.size, math.prod(x.shape)) == (0, 0)
    found = x.viewed((0, 6))
    assert found is not None
    assert found.shape == (0, 6)
