"""Folding where the operation refuses the values: the value stays unknown, and inference continues."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Writer
from irrun.inference.fold import fold
from irrun.inference.symbolic import with_value
from irrun.ops.calling import infer
from irrun.ops.registry import resolve
from irrun.tensor import UNBOUNDED, Dim, Fact, Shape
from irrun.tensor.element_type import BOOLEAN, F32, I32, I64, U8, U64, ElementType


def test_a_target_shape_with_a_negative_size(tmp_path: Path) -> None:
    ir = Writer("broadcast")
    data = ir.constant(np.ones(1, np.float32), F32)
    target = ir.constant(np.array([2, -3]), I64)
    (spread,) = ir.layer("Broadcast", "opset3", [data, target], [Fact(F32, Shape([2, 3]))], {"mode": "numpy"})
    ir.result(spread)
    ir.save(tmp_path / "model.xml")
    report = irrun.lint(tmp_path / "model.xml")
    assert all(item.layer is None or item.layer.type in ("Broadcast", "Result") for item in report)
    assert len(report) == 1


def test_a_constant_of_more_axes_than_an_array_has(tmp_path: Path) -> None:
    ir = Writer("unsqueeze")
    data = ir.constant(np.ones(1, np.float32), F32)
    axes = ir.constant(np.arange(1, 66), I64)
    (deep,) = ir.layer("Unsqueeze", "opset1", [data, axes], [Fact(F32, Shape([1] * 60))])
    ir.result(deep)
    ir.save(tmp_path / "model.xml")
    model = irrun.model.load(tmp_path / "model.xml")
    assert model.outputs[0].partial_shape.rank == 66
    assert model.facts.results()[0].value is None


@pytest.mark.parametrize(("reduction", "want"), [("min", 1), ("max", 9)])
def test_smallest_and_largest_of_updates_beside_sizes_that_are_not_known(reduction: str, want: int) -> None:
    op = resolve("ScatterElementsUpdate", "opset12")(reduction=reduction, use_init_val=False)
    data = np.empty(3, object)
    data[:] = [Dim.anything(), 2, Dim.anything()]
    constants = [Fact.of(I64, np.array(values)) for values in ([0, 0], [1, 9], 0)]
    inputs = [Fact(I64, Shape([3]), data), *constants]
    (made,) = fold(op, inputs, infer(op, inputs, output_count=1))
    assert made.value is not None
    assert made.value.tolist()[:2] == [want, 2]
    assert not made.value[2].is_static


def dims(*sizes: int | Dim, type: ElementType = I64) -> Fact:
    """A tensor of partly known integers."""
    values = np.empty(len(sizes), object)
    values[:] = sizes
    return Fact(type, Shape([len(sizes)]), values)


def known(*values: int, type: ElementType = I64) -> Fact:
    return Fact.of(type, np.array(values, type.dtype))


def folded(type: str, *inputs: Fact, version: str = "opset1", **attributes: object) -> Fact:
    op = resolve(type, version)(**attributes)
    (fact,) = fold(op, inputs, infer(op, inputs))
    return fact


@pytest.mark.parametrize(("size", "value"), [(64 * 4096 - 1, 0), (64 * 4096, None)])
def test_more_constants_than_are_read(size: int, value: int | None) -> None:
    fact = folded("ReduceSum", Fact.of(F32, np.zeros(size, np.float32)), Fact.of(I64, np.array(0)), keep_dims=False)
    assert (None if fact.constant is None else fact.constant.item()) == value


@pytest.mark.parametrize(("size", "is_known"), [(4096, True), (4097, False)])
def test_a_large_output_has_no_value(size: int, is_known: bool) -> None:
    fact = folded("Add", Fact.of(I64, np.ones(size, np.int64)), known(1))
    assert (fact.value is not None) is is_known


def test_arrays_that_the_operation_cannot_combine() -> None:
    outputs = (Fact(I64, Shape([2])),)
    assert fold(resolve("Add", "opset1")(), [known(0, 1), known(0, 1, 2)], outputs) == outputs


@pytest.mark.parametrize("left", [known(0, 1), dims(Dim.anything(), 2)], ids=["known", "partly known"])
def test_a_result_of_another_shape_is_not_kept(left: Fact) -> None:
    outputs = (Fact(I64, Shape([3])),)
    assert fold(resolve("Add", "opset1")(), [left, known(0, 1)], outputs) == outputs


def test_comparisons_of_sizes() -> None:
    fact = folded("Less", dims(Dim(5, 9), 2), known(1, 4))
    assert fact.constant is not None
    assert fact.constant.tolist() == [False, True]
    assert folded("Less", dims(Dim(5, 9), 2), known(6, 4)).value is None


def test_unknown_booleans_stay_unknown() -> None:
    op = resolve("Concat", "opset1")(axis=0)
    parts = [Fact(BOOLEAN, Shape([1])), Fact.of(BOOLEAN, np.array([True]))]
    outputs = infer(op, parts)
    assert fold(op, parts, outputs) == outputs
    assert with_value(outputs[0], np.array([True, Dim.anything()], object)) == outputs[0]


@pytest.mark.parametrize(
    ("left", "right", "want"),
    [
        (dims(Dim(0, 5), 2**31 - 1, type=I32), known(1, 1, type=I32), [Dim(1, 6), Dim(-(2**31))]),
        (dims(Dim(0, 5), -(2**31), type=I32), known(-1, -1, type=I32), [Dim(-1, 4), Dim(2**31 - 1)]),
        (dims(Dim(0, 5), 2, type=U8), known(250, 254, type=U8), [Dim(250, 255), Dim(0)]),
        (dims(Dim(0, 2**31 - 1), 2, type=I32), known(1, 1, type=I32), [Dim(-(2**31), 2**31 - 1), Dim(3)]),
        (dims(Dim(0, UNBOUNDED), 2, type=I32), known(1, 1, type=I32), [Dim(1, UNBOUNDED), Dim(3)]),
        (dims(Dim(-UNBOUNDED, 0), 2, type=I32), known(0, 1, type=I32), [Dim(-UNBOUNDED, 0), Dim(3)]),
        (dims(Dim(0, UNBOUNDED), 2, type=U8), known(1, 1, type=U8), [Dim(0, 255), Dim(3)]),
        (dims(Dim(0, 6), 2, type=U8), known(250, 253, type=U8), [Dim(0, 255), Dim(255)]),
    ],
)
def test_values_wrap_around(left: Fact, right: Fact, want: list[Dim]) -> None:
    fact = folded("Add", left, right)
    assert fact.value is not None
    assert [(Dim.of(item).lo, Dim.of(item).hi) for item in fact.value.tolist()] == [(dim.lo, dim.hi) for dim in want]


@pytest.mark.parametrize(("type", "least"), [(I64, -(2**63)), (I64, 1 - 2**63), (U64, 2**63), (U64, 2**64 - 1)])
def test_integers_beyond_those_of_a_dim(type: ElementType, least: int) -> None:
    constant = np.array([least, 5], type.dtype)
    assert folded("Minimum", Fact(type, Shape([2])), Fact.of(type, constant)).constant is None


@pytest.mark.parametrize(("size", "is_known"), [(64, True), (65, False)])
def test_unknown_integers_up_to_a_number(size: int, is_known: bool) -> None:
    head = known(7)
    op = resolve("Concat", "opset1")(axis=0)
    parts = [head, Fact(I64, Shape([size]))]
    (fact,) = fold(op, parts, infer(op, parts))
    assert (fact.value is not None) is is_known


def test_sizes_between_bounds_are_kept() -> None:
    fact = folded("Add", dims(Dim(0, 4), Dim(0, 9)), known(0, 1))
    assert fact.value is not None
    assert [str(item) for item in fact.value.tolist()] == ["0..4", "1..10"]
    fact = folded("Add", dims(Dim(0, 4), Dim(0, 9)), known(0, 0))
    assert fact.value is not None
    assert [str(item) for item in fact.value.tolist()] == ["0..4", "0..9"]
    assert folded("Add", dims(Dim.anything(), Dim(-3, 4)), known(0, 0)).value is None


@pytest.mark.parametrize("type", [I32, I64])
def test_what_cancels_is_known(type: ElementType) -> None:
    n, m = Dim.symbol("n"), Dim.symbol("m")
    values = np.empty((2, 2), object)
    values[:] = [[n, m], [n + 1, 7]]
    table = Fact(type, Shape([2, 2]), values)
    zeros = folded("Subtract", table, table)
    assert zeros.constant is not None
    assert zeros.constant.dtype == type.dtype
    assert zeros.constant.tolist() == [[0, 0], [0, 0]]
    doubled = folded("Add", table, table)
    assert doubled.value is not None
    assert doubled.value.tolist() == [[n * 2, m * 2], [n * 2 + 2, 14]]


def test_a_result_of_another_integer_type_is_converted() -> None:
    fact = with_value(Fact(I32, Shape([2])), np.array([1, 2], np.int64))
    assert fact.value is not None
    assert (fact.value.dtype, fact.value.tolist()) == (np.int32, [1, 2])
