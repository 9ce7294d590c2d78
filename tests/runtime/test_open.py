"""Plans with open sizes: few programs compute them, whatever the sizes; what lowerings and kernels must declare."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.tensor.element_type import BOOLEAN, F32, I32, I64
from tests.nets import Net
from tests.runtime.test_tiers import both, products

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

from irrun.ops._declared.matrix.matmul import MatMul
from irrun.runtime.instance import Instance
from irrun.runtime.lower import lower, lowering_of
from irrun.runtime.lowering.builder import Builder, lowers
from irrun.runtime.packs import Packs
from irrun.runtime.program import assembled
from irrun.runtime.request import Refused, Request
from irrun.runtime.view import Interpreted
from irrun_kernels.native import DECLARED, NOWHERE, Address, KernelFunction, Read, Write
from irrun_kernels.stacks import Matrices


def whole(net: Net, type: str, inputs: list[Handle], shape: str, opset: int = 1, **attributes: object) -> Handle:
    return net.layers(type, inputs, [(I64, shape)], opset, **attributes)[0]


def heads(net: Net) -> None:
    """Attention without a fused operation: the shape of a Reshape is computed from that of the input."""
    x = net.parameter("x", "?,?,24")
    data = products(net, x, 2, "?,?,24")
    shape = whole(net, "ShapeOf", [x], "3", 3, output_type="i64")
    front = whole(net, "Gather", [shape, net.constant(np.array([0, 1])), net.constant(np.array(0))], "2", 8)
    target = whole(net, "Concat", [front, net.constant(np.array([3, 8]))], "4", axis=0)
    split = net.layer("Reshape", [data, target], "?,?,3,8", special_zero=False)
    moved = net.layer("Transpose", [split, net.constant(np.array([0, 2, 1, 3]))], "?,3,?,8")
    scores = net.layer("MatMul", [moved, moved], "?,3,?,?", transpose_b=True)
    made = net.layer("MatMul", [net.layer("SoftMax", [scores], "?,3,?,?", axis=3), moved], "?,3,?,8")
    back = net.layer("Transpose", [made, net.constant(np.array([0, 2, 1, 3]))], "?,?,3,8")
    rows = net.layer("Reshape", [back, net.constant(np.array([0, 0, -1]))], "?,?,24", special_zero=True)
    net.result(products(net, rows, 1, "?,?,24"), net.layer("Concat", [rows, x], "?,?,24", axis=1))


@pytest.mark.parametrize("seed", range(2))
def test_few_programs_compute_all_sizes(tmp_path: Path, seed: int) -> None:
    net, random = Net(), np.random.default_rng(seed)
    heads(net)
    one, other = both(net, tmp_path)
    for _ in range(30):
        inputs = net.inputs({"x": (int(random.integers(1, 5)), int(random.integers(1, 90)), 24)})
        for got, wanted in zip(other(inputs).to_tuple(), one(inputs).to_tuple(), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-3, atol=1e-4)
        assert other.executor.last == "compiled"
    assert sum(len(list(programs)) for programs in other.executor.programs) <= 4
    assert not any(programs.bailouts for programs in other.executor.programs)


def test_a_program_computes_other_sizes_than_it_was_lowered_for(tmp_path: Path) -> None:
    net = Net()
    heads(net)
    plain, compiled = both(net, tmp_path)
    plan = compiled.plan

    def drawn(batch: int, rows: int) -> np.ndarray[Any, Any]:
        return net.inputs({"x": (batch, rows, 24)})["x"]

    program = lower(plan, Packs(), Request([drawn(2, 40)]))
    assert program.is_open
    assert not any(isinstance(item, Interpreted) for item in program.items)
    instance = Instance(program, 2)
    for batch, rows in ((2, 40), (3, 17), (2, 40), (4, 200), (5, 2)):
        x = drawn(batch, rows)
        found = instance.run(Request([x]), 2)
        assert found is not None
        for got, wanted in zip(found, plain([x]).to_tuple(), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-3, atol=1e-4)
    with pytest.raises(Refused, match="the program is for other shapes of inputs"):
        instance.run(Request([drawn(2, 40).astype(np.float64)]), 2)


def test_arithmetic_of_sizes_takes_no_step(tmp_path: Path) -> None:
    """Conversions and maxima of shapes, as exporters write masks; also where a guard fixes all sizes."""
    net = Net()
    x, y = net.parameter("x", "?,?,24"), net.parameter("y", "1,?,24")
    shape, other = (whole(net, "ShapeOf", [each], "3", 3, output_type="i64") for each in (x, y))
    length = whole(net, "Gather", [shape, net.constant(np.array(1)), net.constant(np.array(0))], "", 8)
    (count,) = net.layers("Convert", [length], [(I32, "")], destination_type="i32")
    ends = [net.constant(np.array(number, np.int32)) for number in (0, 1)]
    (places,) = net.layers("Range", [ends[0], count, ends[1]], [(I32, "?")], 4, output_type="i32")
    column = net.layer("Unsqueeze", [net.layer("Convert", [places], "?", destination_type="f32"), ends[1]], "?,1")
    target = whole(net, "Maximum", [shape, other], "3")
    wide = net.layer("Broadcast", [y, target], "?,?,24", 3, mode="numpy")
    net.result(products(net, net.layer("Add", [net.layer("Add", [x, wide], "?,?,24"), column], "?,?,24"), 2, "?,?,24"))
    one, compiled = both(net, tmp_path)
    for batch, rows in ((2, 5), (3, 7), (1, 1), (4, 1)):
        inputs = net.inputs({"x": (batch, rows, 24), "y": (1, rows, 24)})
        np.testing.assert_allclose(compiled(inputs)[0], one(inputs)[0], rtol=1e-3, atol=1e-4)
        assert not compiled.executor.account["interpreted"]
        assert not compiled.executor.account["runs_by_tier"]["numpy"]


@pytest.mark.parametrize("kind", ["Divide", "FloorMod", "Mod", "truncated"])
def test_divisions_of_sizes_take_no_step(tmp_path: Path, kind: str) -> None:
    """As exporters write the number of blocks of a sequence, and what is missing of the last one."""
    net = Net()
    x = net.parameter("x", "?,?,24")
    shape = whole(net, "ShapeOf", [x], "3", 3, output_type="i64")
    length = whole(net, "Gather", [shape, net.constant(np.array([1])), net.constant(np.array(0))], "1", 8)
    four, unit = (net.constant(np.array([number])) for number in (4, 1))
    if kind == "truncated":
        count = whole(net, "Divide", [length, four], "1", m_pythondiv="false")
    else:
        count = whole(net, kind, [length, four], "1")
    blocks = whole(net, "Add", [whole(net, "Floor", [count], "1"), unit], "1")
    target = whole(net, "Concat", [net.constant(np.array([1])), blocks, net.constant(np.array([24]))], "3", axis=0)
    table = net.layer("Broadcast", [net.normal(1, 1, 24), target], "1,?,24", 3, mode="numpy")
    net.result(products(net, net.layer("Concat", [x, table], "?,?,24", axis=1), 2, "?,?,24"))
    one, compiled = both(net, tmp_path)
    for rows in (5, 7, 8, 3, 64):
        inputs = net.inputs({"x": (1, rows, 24)})
        np.testing.assert_allclose(compiled(inputs)[0], one(inputs)[0], rtol=1e-3, atol=1e-4)
        assert not compiled.executor.account["interpreted"]
        assert not compiled.executor.account["runs_by_tier"]["numpy"]
    assert sum(len(list(programs)) for programs in compiled.executor.programs) <= 2


def test_comparisons_of_sizes_take_no_step(tmp_path: Path) -> None:
    """As exporters write the sizes of two halves, of which the first may be longer and the other empty."""
    net = Net()
    x = net.parameter("x", "?,24")
    shape = whole(net, "ShapeOf", [x], "2", 3, output_type="i64")
    rows = whole(net, "Gather", [shape, net.constant(np.array([0])), net.constant(np.array(0))], "1", 8)
    none, two = (net.constant(np.array([number])) for number in (0, 2))
    (is_odd,) = net.layers("Greater", [whole(net, "Mod", [rows, two], "1"), none], [(BOOLEAN, "1")])
    more = whole(net, "Convert", [is_odd], "1", destination_type="i64")
    first = whole(net, "Add", [whole(net, "Divide", [rows, two], "1"), more], "1")
    sizes = whole(net, "Concat", [first, net.constant(np.array([-1]))], "2", axis=0)
    halves = net.layers("VariadicSplit", [x, net.constant(np.array(0)), sizes], [(F32, "?,24")] * 2)
    (is_some,) = net.layers(
        "Convert", [whole(net, "Subtract", [rows, first], "1")], [(BOOLEAN, "1")], 1, destination_type="boolean"
    )
    scale = net.layer("Select", [is_some, net.constant(np.float32([2])), net.constant(np.float32([3]))], "1")
    net.result(net.layer("Multiply", [products(net, halves[0], 2, "?,24"), scale], "?,24"), halves[1])
    one, compiled = both(net, tmp_path)
    for count in (5, 7, 8, 3, 64, 1):
        inputs = net.inputs({"x": (count, 24)})
        for got, wanted in zip(compiled(inputs).to_tuple(), one(inputs).to_tuple(), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-3, atol=1e-4)
        assert not compiled.executor.account["interpreted"]
        assert not compiled.executor.account["runs_by_tier"]["numpy"]


@pytest.mark.parametrize("kind", ["ReduceMin", "ReduceMax"])
def test_the_least_and_the_greatest_of_sizes_take_no_step(tmp_path: Path, kind: str) -> None:
    """As exporters of detectors write the number of candidates that are kept: all, but not more than a limit."""
    net = Net()
    data = products(net, net.parameter("x", "?,24"), 2, "?,24")
    shape = whole(net, "ShapeOf", [data], "2", 3, output_type="i64")
    rows = whole(net, "Gather", [shape, net.constant(np.array([0])), net.constant(np.array(0))], "1", 8)
    numbers = whole(net, "Concat", [rows, net.constant(np.array([6]))], "2", axis=0)
    count = whole(net, kind, [numbers, net.constant(np.array([0]))], "", keep_dims=False)
    ends = whole(net, "Concat", [whole(net, "Unsqueeze", [count, net.constant(np.array([0]))], "1")], "1", axis=0)
    starts, steps = (net.constant(np.array([number])) for number in (0, 1))
    net.result(net.layer("Slice", [data, starts, ends, steps], "?,24", 8))
    one, compiled = both(net, tmp_path)
    for size in (5, 7, 8, 3, 64, 6):
        inputs = net.inputs({"x": (size, 24)})
        np.testing.assert_allclose(compiled(inputs)[0], one(inputs)[0], rtol=1e-3, atol=1e-4)
        assert not compiled.executor.account["interpreted"]
        assert not compiled.executor.account["runs_by_tier"]["numpy"]


def test_lengths_that_depend_on_values(tmp_path: Path) -> None:
    """Sizes in the middle of a run, of which a program is for those that satisfy its guards."""
    net, random = Net(), np.random.default_rng(3)
    data = products(net, net.parameter("x", "?,24"), 4, "?,24")
    places = whole(net, "NonZero", [net.layer("ReLU", [data], "?,24")], "2,?", 3, output_type="i64")
    rows = whole(net, "Gather", [places, net.constant(np.array(0)), net.constant(np.array(0))], "?", 8)
    picked = net.layer("Gather", [data, rows, net.constant(np.array(0))], "?,24", 8)
    for _ in range(4):
        picked = net.layer("MatMul", [picked, net.normal(24, 24)], "?,24")
    net.result(net.layer("SoftMax", [picked], "?,24", axis=1))
    one, other = both(net, tmp_path)
    for _ in range(20):
        inputs = net.inputs({"x": (int(random.integers(1, 30)), 24)})
        np.testing.assert_allclose(other(inputs)[0], one(inputs)[0], rtol=1e-3, atol=1e-4)
    assert other.executor.last == "compiled"
    assert sum(len(list(programs)) for programs in other.executor.programs) <= 4
    assert sum(programs.bailouts.total() for programs in other.executor.programs) <= 2


def test_a_program_is_for_any_number_of_rows_that_are_found(tmp_path: Path) -> None:
    """As the experts of a layer find tokens: many, one, or none."""
    net, random = Net(), np.random.default_rng(5)
    x = net.parameter("x", "?,24")
    total = net.layer("Multiply", [x, net.constant(np.float32(0))], "?,24")
    for expert in range(3):
        score = net.layer("Gather", [x, net.constant(np.array(expert)), net.constant(np.array(1))], "?", 8)
        places = whole(net, "NonZero", [net.layer("ReLU", [score], "?")], "1,?", 3, output_type="i64")
        rows = whole(net, "Squeeze", [places, net.constant(np.array([0]))], "?")
        tokens = net.layer("Gather", [x, rows, net.constant(np.array(0))], "?,24", 8)
        wide = net.layer("Swish", [net.layer("MatMul", [tokens, net.normal(24, 48)], "?,48")], "?,48", 4)
        made = net.layer("MatMul", [wide, net.normal(48, 24)], "?,24")
        at = whole(net, "Unsqueeze", [rows, net.constant(np.array([1]))], "?,1")
        total = net.layer("ScatterNDUpdate", [total, at, made], "?,24", 15, reduction="sum")
    net.result(total)
    one, other = both(net, tmp_path)
    other(net.inputs({"x": (9, 24)}))
    for tokens in (8, 5, 8, 3, 8, 2, 7):
        inputs = net.inputs({"x": (tokens, 24)})
        inputs["x"][:, :3] = random.choice([-1, 1], (tokens, 3), p=[0.6, 0.4])
        np.testing.assert_allclose(other(inputs)[0], one(inputs)[0], rtol=1e-3, atol=1e-4)
    none = {"x": np.full((8, 24), -1, np.float32)}
    np.testing.assert_array_equal(other(none)[0], np.zeros((8, 24)))
    assert other.executor.account["runs_by_tier"]["compiled"] == 8
    assert sum(len(list(programs)) for programs in other.executor.programs) == 1


def test_a_program_is_for_any_number_of_regions_that_are_found(tmp_path: Path) -> None:
    """As the levels of a pyramid of features get the regions of their sizes: many, one, or none."""
    net, random = Net(), np.random.default_rng(6)
    image, boxes = net.parameter("image", "1,24,6,6"), net.parameter("boxes", "?,4")
    pixels = net.layer("Reshape", [image, net.constant(np.array([36, 24]))], "36,24", special_zero=False)
    features = products(net, pixels, 3, "36,24")
    level = net.layer("Reshape", [features, net.constant(np.array([1, 24, 6, 6]))], "1,24,6,6", special_zero=False)
    left = net.layer("Gather", [boxes, net.constant(np.array(0)), net.constant(np.array(1))], "?", 8)
    places = whole(net, "NonZero", [net.layer("ReLU", [left], "?")], "1,?", 3, output_type="i64")
    rows = whole(net, "Squeeze", [places, net.constant(np.array([0]))], "?")
    chosen = net.layer("Gather", [boxes, rows, net.constant(np.array(0))], "?,4", 8)
    batches = whole(net, "Multiply", [rows, net.constant(np.array([0]))], "?")
    sizes = {"pooled_h": 2, "pooled_w": 2, "sampling_ratio": 2, "spatial_scale": 0.5, "mode": "avg"}
    net.result(net.layer("ROIAlign", [level, chosen, batches], "?,24,2,2", 9, aligned_mode="asymmetric", **sizes))
    one, other = both(net, tmp_path)
    for regions in (9, 8, 0, 5, 8, 0, 1):
        inputs = net.inputs({"boxes": (8, 4)})
        inputs["boxes"] = np.sort(random.uniform(1, 12, (8, 2, 2)), axis=1).reshape(8, 4).astype(np.float32)
        inputs["boxes"][regions:, 0] = -1
        np.testing.assert_allclose(other(inputs)[0], one(inputs)[0], rtol=1e-3, atol=1e-4)
    assert not other.executor.account["interpreted"]
    assert all(len(list(programs)) == 1 for programs in other.executor.programs)


def test_an_operation_is_lowered_once() -> None:
    before = lowering_of(MatMul)
    with pytest.raises(TypeError, match=r"MatMul is lowered twice: .*lower_matmul_of_stacks.*, .*another"):

        @lowers(MatMul)
        def another(*_: Any) -> None: ...

    assert lowering_of(MatMul) is before


class Undeclared(NamedTuple):
    x: Read[Address]
    y: Matrices


class Declared(NamedTuple):
    x: Read[Matrices]
    count: int
    out: Write[Address]


def test_addresses_are_declared_as_read_or_written() -> None:
    known = list(DECLARED)
    try:
        with pytest.raises(TypeError, match="Undeclared has an address that is not declared as Read, Write or Update"):
            KernelFunction(Undeclared, lambda *_: None)
        kernel = KernelFunction(Declared, lambda *_: None)
    finally:
        DECLARED[:] = known
    assert kernel.accesses == ["read", *[""] * len(Matrices._fields), "write"]
    assert kernel.flat(Declared(Matrices(), 3, Address(2, 8))) == [NOWHERE, *[0] * 5, 3, Address(2, 8)]
    builder = Builder()
    with pytest.raises(TypeError, match=r"argument count of .* is Address\(.*\), and is declared as a number"):
        builder.call(kernel, Declared(Matrices(), Address(1), Address(2)), 1)
    with pytest.raises(TypeError, match=r"argument out of .* is 64, and is declared as write"):
        builder.call(kernel, Declared(Matrices(), 3, 64), 1)
    assert not builder.items
    assert not assembled(builder, [], []).items
