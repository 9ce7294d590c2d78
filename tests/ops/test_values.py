"""Values and shapes of forms that few models have: empty images, volumes, trailing ones, sizes of other types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from irrun.ops import OpError
from irrun.ops.calling import infer, run
from irrun.ops.registry import resolve
from irrun.tensor import Array, Dim, ElementType, Fact, Shape, Undecided
from irrun.tensor.element_type import F32, I8, I32, I64, U8, U64
from tests.cases import f32, i64

RESIZED = {"mode": "linear", "shape_calculation_mode": "sizes", "coordinate_transformation_mode": "half_pixel"}


def computed(type: str, opset: int, attributes: dict[str, Any], *arrays: Array) -> Array:
    op = resolve(type, f"opset{opset}")(**attributes)
    (array,) = run(op, list(arrays), [F32])
    return array


@pytest.mark.parametrize("mode", ["linear", "linear_onnx", "nearest", "cubic"])
def test_images_without_pixels(mode: str) -> None:
    sizes = i64([0, 1, 4, 6])
    given = [np.zeros((0, 1, 2, 3), np.float32), sizes, f32([1, 1, 2, 2]), i64([0, 1, 2, 3])]
    assert computed("Interpolate", 4, {**RESIZED, "mode": mode}, *given).shape == (0, 1, 4, 6)


def test_volumes() -> None:
    data = np.arange(2, dtype=np.float32).reshape(1, 1, 1, 1, 2)
    given = [np.tile(data, (1, 1, 2, 2, 1)), i64([2, 2, 4]), f32([1, 1, 2]), i64([2, 3, 4])]
    wide = computed("Interpolate", 4, RESIZED, *given)
    np.testing.assert_allclose(wide, np.broadcast_to(f32([0, 0.25, 0.75, 1]), (1, 1, 2, 2, 4)), atol=1e-6)


def test_trailing_ones_of_the_second_operand() -> None:
    op = resolve("Multiply", "opset1")(auto_broadcast="pdpd")
    (fact,) = infer(op, [Fact(F32, Shape([2, 3])), Fact(F32, Shape([2, 3, 1, 1]))])
    assert str(fact.shape) == "[2,3]"
    (array,) = run(op, [np.ones((2, 3), np.float32), np.full((2, 1, 1, 1), 3, np.float32)], [F32])
    np.testing.assert_array_equal(array, np.full((2, 3), 3))
    (fact,) = infer(
        resolve("Broadcast", "opset1")(mode="pdpd"), [Fact(F32, Shape([2, 1, 1])), Fact.of(I64, i64([2, 3]))]
    )
    assert str(fact.shape) == "[2,3]"
    given = [f32([[[1]], [[2]]]), i64([2, 3])]
    np.testing.assert_array_equal(computed("Broadcast", 1, {"mode": "pdpd"}, *given), [[1, 1, 1], [2, 2, 2]])


@pytest.mark.parametrize(
    ("dim", "type", "converted"),
    [
        (Dim(0, 10), I32, Dim(0, 10)),
        (Dim(0, 300), U8, Dim(0, 255)),
        (Dim.exactly(300), U8, Dim.exactly(44)),
        (Dim.exactly(200), I8, Dim.exactly(-56)),
        (Dim(0), I32, Dim(0)),
        (Dim(-5, -1), U8, Dim(0, 255)),
    ],
)
def test_sizes_of_narrow_types(dim: Dim, type: ElementType, converted: Dim) -> None:
    given = np.empty(1, object)
    given[0] = dim
    (found,) = resolve("Convert", "opset1")(destination_type=type).run(given)
    assert (found.lo, found.hi) == (converted.lo, converted.hi)


@pytest.mark.parametrize(("dim", "type"), [(Dim(0, 10), F32), (Dim(-5, -1), U64)])
def test_sizes_that_no_dim_holds(dim: Dim, type: ElementType) -> None:
    given = np.empty(1, object)
    given[0] = dim
    with pytest.raises(Undecided):
        resolve("Convert", "opset1")(destination_type=type).run(given)


ANY = Fact(F32, Shape.unknown())
ONE, FIRST = Fact.of(I64, i64([1])), Fact.of(I64, i64([0]))
OPEN = Fact(I64, Shape([Dim()]))


@pytest.mark.parametrize(
    ("type", "opset", "attributes", "inputs", "shapes"),
    [
        ("Einsum", 7, {"equation": "...ij,jk->...ik"}, [ANY, Fact(F32, Shape([3, 4]))], "[...]"),
        ("Einsum", 7, {"equation": "ij->ji"}, [ANY], "[?,?]"),
        ("Slice", 8, {}, [Fact(F32, Shape([4, 5])), OPEN, ONE, ONE, FIRST], "[0..4,5]"),
        ("AdaptiveAvgPool", 8, {}, [Fact(F32, Shape([1, 2, 8, 8])), OPEN], "[1,2,?,?]"),
        ("VariadicSplit", 1, {}, [Fact(F32, Shape([4])), Fact.of(I64, i64(0)), OPEN], "[0..4] [0..4]"),
        (
            *("EmbeddingSegmentsSum", 3, {}),
            [Fact(F32, Shape([5, 2])), Fact(I64, Shape.unknown()), Fact(I64, Shape([4])), Fact(I64, Shape([]))],
            "[?,2]",
        ),
        ("GroupedMatMul", 17, {}, [ANY, ANY], "[...]"),
    ],
)
def test_open_shapes(type: str, opset: int, attributes: dict[str, Any], inputs: list[Fact], shapes: str) -> None:
    op = resolve(type, f"opset{opset}")(**attributes)
    context = {"output_count": 2} if "output_count" in op.spec.infer_asks else {}
    assert " ".join(str(fact.shape) for fact in infer(op, inputs, **context)) == shapes


def test_an_input_that_is_missing() -> None:
    with pytest.raises(OpError, match=r"input 0 \(.*\) is missing"):
        infer(resolve("Add", "opset1")(), [None, ANY])


def test_constants_without_weights() -> None:
    op = resolve("Const", "opset1")(element_type=F32, shape=Shape([2, 3]), offset=0, size=24)
    (fact,) = infer(op, [], weights=lambda *_: None)
    assert str(fact) == "f32[2,3]"
