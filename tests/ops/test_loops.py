"""Loop, TensorIterator and If as operations, whose bodies are plain functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from irrun.ops import OpError
from irrun.ops._declared.infrastructure.iteration import run_loop
from irrun.ops.calling import infer
from irrun.ops.context import BodyCall, BodyInput, BodyOutput, BodyPorts
from irrun.ops.registry import resolve
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import BOOLEAN, F32, I64
from tests.cases import f32

ROWS = Fact(F32, Shape([6, 2]))
ROW = Fact(F32, Shape([1, 2]))
ANY = Fact(F32, Shape.unknown())
TRUE, FALSE = Fact.of(BOOLEAN, np.array(True)), Fact.of(BOOLEAN, np.array(False))


def count(value: int) -> Fact:
    return Fact.of(I64, np.array(value))


def same(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(values)


def iterated(entry: BodyInput, output: BodyOutput, *inputs: Fact, back: bool = False) -> str:
    """Return the shape of the output of a TensorIterator whose body returns its input."""
    ports = BodyPorts((entry,), (output,), ((0, 0),) if back else (), 1, 1)
    (fact,) = infer(resolve("TensorIterator", "opset1")(), inputs, bodies={"body": BodyCall(ports, same, (ANY,))})
    return str(fact.shape)


@pytest.mark.parametrize(
    ("entry", "output", "given", "shape"),
    [
        (BodyInput(0, 0, 0), BodyOutput(0, 0, 0), ROWS, "[6,2]"),
        (BodyInput(0, 0, 0, part_size=2, stride=2), BodyOutput(0, 0), ROWS, "[2,2]"),
        (BodyInput(0, 0, 0, 1, -2), BodyOutput(0, 0, 0), ROWS, "[4,2]"),
        (BodyInput(0, 0, 0), BodyOutput(0, 0, 0), ANY, "[...]"),
        (BodyInput(0, 0, 0), BodyOutput(0, 0), ANY, "[...]"),
    ],
)
def test_slices(entry: BodyInput, output: BodyOutput, given: Fact, shape: str) -> None:
    assert iterated(entry, output, given) == shape


@pytest.mark.parametrize(
    ("entry", "output", "message"),
    [
        (BodyInput(0, 1), BodyOutput(0, 0), "the port map uses input 1, which is not connected"),
        (BodyInput(0, 0, 0, stride=0), BodyOutput(0, 0), "the stride of a port map is 0"),
        (
            BodyInput(0, 0, 0, part_size=3),
            BodyOutput(0, 0),
            "the port map has part_size 3, expected 1 to its stride of 1",
        ),
        (BodyInput(0, 0, 0, stride=4), BodyOutput(0, 0), "a length of 6 cannot be cut by a stride of 4"),
        (
            BodyInput(0, None),
            BodyOutput(0, 0),
            "external_port_id is -1 in a port map of TensorIterator, expected one of",
        ),
    ],
)
def test_slices_that_cannot_be(entry: BodyInput, output: BodyOutput, message: str) -> None:
    with pytest.raises(OpError) as raised:
        iterated(entry, output, ROWS)
    assert str(raised.value).startswith(message)


def test_inputs_of_different_lengths() -> None:
    ports = BodyPorts((BodyInput(0, 0, 0), BodyInput(1, 1, 0)), (BodyOutput(0, 0),), (), 2, 2)
    op = resolve("TensorIterator", "opset1")()
    with pytest.raises(OpError, match="the inputs are cut into 6 and into 1 slices"):
        infer(op, [ROWS, ROW], bodies={"body": BodyCall(ports, same, (ANY, ANY))})


def looped(
    trip: Fact, go: Fact, going: Fact | None, *, grows: bool = False, given: Fact = ROW, joined: int | None = None
) -> str:
    """Return the shape of the output of a Loop that carries a tensor, which may get a row with each iteration."""

    def body(values: Sequence[Any]) -> tuple[Any, ...]:
        (fact,) = values
        if grows and fact is not None and fact.shape.dims is not None:
            fact = Fact(fact.type, Shape([fact.shape[0] + 1, *fact.shape[1:]]))
        return (fact,) if going is None else (fact, going)

    outputs = (BodyOutput(0, 0, joined), *(() if going is None else (BodyOutput(1, None),)))
    ports = BodyPorts((BodyInput(0, 2),), outputs, ((0, 0),), 1, len(outputs))
    op = resolve("Loop", "opset5")()
    (fact,) = infer(op, [trip, go, given], bodies={"body": BodyCall(ports, body, (ANY,))})
    return str(fact.shape)


@pytest.mark.parametrize(
    ("trip", "go", "going", "shape"),
    [
        (count(3), TRUE, TRUE, "[3,2]"),
        (count(3), TRUE, None, "[3,2]"),
        (count(3), FALSE, TRUE, "[0,2]"),
        (count(3), TRUE, FALSE, "[1,2]"),
        (count(-1), TRUE, FALSE, "[1,2]"),
        (count(3), Fact(BOOLEAN, Shape([])), TRUE, "[0..3,2]"),
        (count(3), TRUE, Fact(BOOLEAN, Shape([])), "[1..3,2]"),
        (count(-1), TRUE, Fact(BOOLEAN, Shape([])), "[?,2]"),
        (Fact(I64, Shape([])), TRUE, TRUE, "[?,2]"),
    ],
)
def test_numbers_of_iterations(trip: Fact, go: Fact, going: Fact | None, shape: str) -> None:
    assert looped(trip, go, going, joined=0) == shape


def test_carried_tensors_that_grow_get_open_sizes() -> None:
    assert looped(count(3), TRUE, TRUE, grows=True) == "[1..,2]"
    assert looped(count(3), TRUE, TRUE, given=ANY) == "[...]"
    assert looped(count(3), TRUE, TRUE, given=ANY, joined=0) == "[...]"


@pytest.mark.parametrize(
    ("trip", "going", "message"),
    [
        (count(-1), TRUE, "the loop never ends: trip_count is -1 and its condition is always true"),
        (Fact(I64, Shape([2])), TRUE, "input 0 has shape [2], expected one element"),
        (count(3), Fact(BOOLEAN, Shape([2])), "the condition of the body has shape [2], expected one element"),
    ],
)
def test_loops_that_cannot_be(trip: Fact, going: Fact, message: str) -> None:
    with pytest.raises(OpError) as raised:
        looped(trip, TRUE, going)
    assert str(raised.value) == message


def test_no_iteration_returns_what_a_back_edge_begins_with() -> None:
    def run(output: BodyOutput, given: Array, most: int, result: Fact = ROW) -> Array:
        ports = BodyPorts((BodyInput(0, 0),), (output,), ((0, 0),), 1, 1)
        call = BodyCall(ports, lambda values: (values[0] + 1,), (ROW,), (result,))
        (found,) = run_loop(call, [given], most, None, True)
        return found

    np.testing.assert_array_equal(run(BodyOutput(0, 0), f32([[1, 2]]), 2), [[3, 4]])
    np.testing.assert_array_equal(run(BodyOutput(0, 0), f32([[1, 2]]), 0), [[1, 2]])
    np.testing.assert_array_equal(run(BodyOutput(0, 0, 0), f32([[1, 2]]), 2), [[2, 3], [3, 4]])
    np.testing.assert_array_equal(run(BodyOutput(0, 0, 0, stride=-1), f32([[1, 2]]), 2), [[3, 4], [2, 3]])
    assert run(BodyOutput(0, 0, 0), f32([[1, 2]]), 0).shape == (0, 2)
    assert run(BodyOutput(0, 0, 0), f32([[1, 2]]), 0, ANY).shape == (0,)


def test_slices_end_before_the_iterations() -> None:
    ports = BodyPorts((BodyInput(0, 0, 0),), (BodyOutput(0, 0),), (), 1, 1)
    with pytest.raises(OpError, match="input 0 has 2 slices along axis 0, expected 3 or more"):
        run_loop(BodyCall(ports, same, (ROW,), (ROW,)), [f32([[1], [2]])], 3, None, True)


@pytest.mark.parametrize(
    ("condition", "shapes"),
    [(TRUE, ["[1,2]"]), (FALSE, ["[6,2]"]), (Fact(BOOLEAN, Shape([])), ["[1..6,2]"])],
)
def test_branches(condition: Fact, shapes: list[str]) -> None:
    def branch(input: int) -> BodyCall:
        return BodyCall(BodyPorts((BodyInput(0, input),), (BodyOutput(0, 0),), (), 1, 1), same, (ANY,))

    bodies = {"then_body": branch(1), "else_body": branch(2)}
    found = infer(resolve("If", "opset8")(), [condition, ROW, ROWS], bodies=bodies)
    assert [str(fact.shape) for fact in found] == shapes


def test_branches_that_cannot_be() -> None:
    def branch(input: int, outputs: int) -> BodyCall:
        ports = BodyPorts((BodyInput(0, input),), tuple(BodyOutput(0, at) for at in range(outputs)), (), 1, 1)
        return BodyCall(ports, same, (ANY,))

    op = resolve("If", "opset8")()
    for then, message in (
        (branch(1, 2), "the bodies return 2 and 1 outputs, expected the same number"),
        (branch(5, 1), "the port map uses input 5, which is not connected"),
    ):
        with pytest.raises(OpError, match=message):
            infer(op, [Fact(BOOLEAN, Shape([])), ROW], bodies={"then_body": then, "else_body": branch(1, 1)})
