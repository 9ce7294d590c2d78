"""Values that arrive at run time are inferred once, and again when they change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import irrun.model
from irrun.diagnostics import IRError
from irrun.document.writer import Handle, Writer
from irrun.model import Compiled
from irrun.runtime import checked_values
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I64

UNKNOWN = Fact(F32, Shape.unknown())


def compiled(ir: Writer, outputs: Sequence[Handle], **config: object) -> Compiled:
    for output in outputs:
        ir.result(output)
    return irrun.model.build(irrun.model.load(ir.text.encode(), ir.weights), config)


def tile(**config: object) -> Compiled:
    ir = Writer("tile")
    data, repeats = ir.parameter("data", F32, Shape((2,))), ir.parameter("repeats", I64, Shape((1,)))
    return compiled(ir, ir.layer("Tile", "opset1", [data, repeats], [Fact(F32, Shape.unknown(1))]), **config)


@pytest.fixture
def inferences(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    def counted(op: object, *arguments: object, **context: object) -> object:
        found.append(type(op).__name__)
        return infer(op, *arguments, **context)

    infer = checked_values.infer
    monkeypatch.setattr(checked_values, "infer", counted)
    return found


def test_equal_values_are_inferred_once(inferences: list[str]) -> None:
    model = tile()
    data = np.array([1, 2], np.float32)
    inferences.clear()
    for count, expected in [(2, 1), (2, 1), (3, 2), (2, 3)]:
        np.testing.assert_array_equal(model([data, np.array([count])])[0], np.tile(data, count))
        assert inferences == ["Tile"] * expected


def test_a_refused_value_is_refused_again_and_a_sound_one_runs_after_it() -> None:
    model, data = tile(), np.array([1, 2], np.float32)
    for _ in range(2):
        with pytest.raises(IRError, match=r'layer "Tile_2" \(Tile\): input 1 .* holds -3, but a size cannot be'):
            model([data, np.array([-3])])
        np.testing.assert_array_equal(model([data, np.array([1])])[0], data)


def test_outputs_of_run_time_sizes_stay_within_the_budget() -> None:
    model = tile(MAX_MEMORY="1MiB")
    with pytest.raises(IRError, match=r"output 0, f32\[2000000\], takes 7.629 MiB, the budget is 1 MiB"):
        model([np.zeros(2, np.float32), np.array([1_000_000])])


@pytest.mark.parametrize("tier", ["numpy", "compiled"])
def test_lengths_that_do_not_add_up_to_the_axis(tier: str) -> None:
    ir = Writer("split")
    inputs = [
        ir.parameter("x", F32, Shape((5,))),
        ir.constant(np.int64(0), I64),
        ir.parameter("lengths", I64, Shape((2,))),
    ]
    facts = [Fact(F32, Shape.unknown(1))] * 2
    model = compiled(ir, ir.layer("VariadicSplit", "opset1", inputs, facts), TIER=tier)
    x = np.arange(5, dtype=np.float32)
    assert [part.tolist() for part in model([x, np.array([2, 3])]).to_tuple()] == [[0, 1], [2, 3, 4]]
    with pytest.raises(IRError, match="split_lengths add up to 4, expected 5, the size of the axis"):
        model([x, np.array([2, 2])])


def test_a_view_that_changes_nothing_is_still_checked() -> None:
    ir = Writer("squeeze")
    data, axes = ir.parameter("data", F32, Shape(())), ir.parameter("axes", I64, Shape((1,)))
    model = compiled(ir, ir.layer("Squeeze", "opset1", [data, axes], [Fact(F32, Shape(()))]))
    with pytest.raises(IRError, match="axis 0 is outside a tensor of rank 0"):
        model([np.float32(1), np.array([0])])


def test_values_computed_from_shapes_are_not_inferred_again(inferences: list[str]) -> None:
    ir = Writer("rows")
    data = ir.parameter("data", F32, Shape.unknown(2))
    (target,) = ir.layer("ShapeOf", "opset3", [data], [Fact(I64, Shape((2,)))], {"output_type": "i64"})
    (flat,) = ir.layer("Reshape", "opset1", [data, target], [Fact(F32, Shape.unknown(2))], {"special_zero": "false"})
    model = compiled(ir, [flat], OPTIMIZE=False)
    inferences.clear()
    for shape in [(2, 3), (4, 1), (1, 5)]:
        assert model(np.ones(shape, np.float32))[0].shape == shape
    assert inferences == ["ShapeOfV3", "Reshape"]
