"""Weights of few bits that stay packed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle
from irrun.kernels.dynamic_quantization import quantized
from irrun.model.config import ConfigError, read_config
from irrun.optimize import packed
from irrun.optimize.packed import TABLES
from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import BF16, F8E5M2, F16, F32, I4, I8, I64, NF4, U4, U8
from irrun.tensor.rounding import decode, round_to
from tests.engines import TIERS
from tests.kernels.merged import merged
from tests.nets import Net
from tests.optimize.checking import types

ONLY = ["keep-packed"]
RANGE = {U8: (0, 255), I8: (-128, 127), U4: (0, 15), I4: (-8, 7)}
INPUTS, OUTPUTS, GROUP = 96, 80, 32


def text(shape: tuple[int, ...]) -> str:
    return ",".join(map(str, shape))


def whole(net: Net, kind: ElementType, shape: tuple[int, ...], near: bool = False) -> Handle:
    if kind in TABLES:
        return net.constant(round_to(net.random.standard_normal(shape, dtype=np.float32) / 3, kind.name), kind)
    low, high = RANGE[kind]
    if near:
        middle = (low + high + 1) // 2
        low, high = middle - 2, middle + 2
    return net.constant(net.random.integers(low, high + 1, shape).astype(kind.dtype), kind)


def decompressed(
    net: Net,
    kind: ElementType,
    stored: tuple[int, ...],
    side: tuple[int, ...],
    *,
    with_zero: bool,
    through: ElementType = F16,
    final: tuple[int, ...] | None = None,
) -> Handle:
    """Add the layers that weight compression writes; the result is f32."""
    value = net.layers("Convert", [whole(net, kind, stored)], [(through, text(stored))], destination_type=through)[0]
    if with_zero:
        zero = whole(net, kind, side, near=True)
        zero = net.layers("Convert", [zero], [(through, text(side))], destination_type=through)[0]
        value = net.layers("Subtract", [value, zero], [(through, text(stored))])[0]
    scale = net.constant((0.01 + net.random.random(side) / 100).astype(np.float16).astype(np.float32), through)
    value = net.layers("Multiply", [value, scale], [(through, text(stored))])[0]
    if final is not None:
        target = net.constant(np.array(final))
        value = net.layers("Reshape", [value, target], [(through, text(final))], special_zero=False)[0]
    if through is not F32:
        value = net.layer("Convert", [value], text(final or stored), destination_type=F32)
    return value


def weights(net: Net, kind: ElementType, form: str, transposed: bool, with_zero: bool, through: ElementType) -> Handle:
    """Add a matrix [INPUTS, OUTPUTS], or its transpose, with one scale, a scale per channel, or a scale per group."""
    matrix = (OUTPUTS, INPUTS) if transposed else (INPUTS, OUTPUTS)
    if form == "groups":
        count = INPUTS // GROUP
        stored = (OUTPUTS, count, GROUP) if transposed else (count, GROUP, OUTPUTS)
        side = (OUTPUTS, count, 1) if transposed else (count, 1, OUTPUTS)
        return decompressed(net, kind, stored, side, with_zero=with_zero, through=through, final=matrix)
    channels = (OUTPUTS, 1) if transposed else (1, OUTPUTS)
    side = channels if form == "channels" else (1, 1)
    return decompressed(net, kind, matrix, side, with_zero=with_zero, through=through)


def same(net: Net, folder: Path, want: dict[str, int], sizes: Any = None, **config: Any) -> irrun.model.Compiled:
    """Compile with the pass alone; check its steps and that every plan returns the outputs of the unoptimised model."""
    alone = net.compile(folder, *ONLY, **config)
    assert types(alone) == want
    plain = irrun.model.build(folder / "net.xml", {"OPTIMIZE": False})
    every = irrun.model.build(folder / "net.xml", config)
    for _ in range(2):
        inputs = net.inputs(sizes)
        for expected, *results in zip(*(model(inputs).to_tuple() for model in (plain, alone, every)), strict=True):
            for got in results:
                assert got.dtype == expected.dtype
                np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)
    return alone


def held(compiled: irrun.model.Compiled) -> int:
    """Return the bytes of all constants that a plan holds, including those in its steps."""
    arrays: dict[int, Array] = {}

    def look(value: Any, depth: int = 0) -> None:
        if isinstance(value, np.ndarray):
            owner = value if value.base is None or not isinstance(value.base, np.ndarray) else value.base
            if owner.nbytes >= value.nbytes:
                arrays[value.__array_interface__["data"][0]] = value
        elif depth < 3 and hasattr(value, "__dict__"):
            for item in vars(value).values():
                look(item, depth + 1)

    for item in (*compiled.plan.slots, *compiled.plan.constants.values(), *(s.node.op for s in compiled.plan.steps)):
        look(item)
    return sum(array.nbytes for array in arrays.values())


@merged()
@pytest.mark.parametrize("kind", [*RANGE, *TABLES], ids=str)
@pytest.mark.parametrize("form", ["channels", "tensor", "groups"])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("with_zero", [False, True])
def test_products(tmp_path: Path, kind: ElementType, form: str, transposed: bool, with_zero: bool) -> None:
    net = Net()
    matrix = weights(net, kind, form, transposed, with_zero, F16 if with_zero else F32)
    flat = net.layer("MatMul", [net.parameter("x", f"5,{INPUTS}"), matrix], f"5,{OUTPUTS}", transpose_b=transposed)
    deep = net.parameter("y", f"2,3,{INPUTS}")
    net.result(flat, net.layer("MatMul", [deep, matrix], f"2,3,{OUTPUTS}", transpose_b=transposed))
    compiled = same(net, tmp_path, {"FusedPackedMatMul": 2}, LOW_MEMORY=True)
    assert held(compiled) < 2.5 * INPUTS * OUTPUTS


@merged()
@pytest.mark.parametrize("rows", [1, 6, 200])
@pytest.mark.parametrize("form", ["channels", "groups"])
def test_bias_residual_and_activation(tmp_path: Path, rows: int, form: str) -> None:
    net = Net()
    shape = f"1,{rows},{OUTPUTS}"
    matrix = weights(net, U8, form, True, True, F16)
    made = net.layer("MatMul", [net.parameter("x", f"1,{rows},{INPUTS}"), matrix], shape, transpose_b=True)
    scaled = net.layer("Multiply", [made, net.normal(OUTPUTS)], shape)
    added = net.layer("Add", [scaled, net.normal(1, 1, OUTPUTS)], shape)
    summed = net.layer("Add", [net.parameter("y", shape), added], shape)
    net.result(net.layer("Gelu", [summed], shape, 7, approximation_mode="erf"))
    same(net, tmp_path, {"FusedPackedMatMul": 1}, LOW_MEMORY=True)


def test_one_product_after_the_other(tmp_path: Path) -> None:
    net = Net()
    first = weights(net, U4, "groups", True, True, F16)
    made = net.layer("MatMul", [net.parameter("x", f"7,{INPUTS}"), first], f"7,{OUTPUTS}", transpose_b=True)
    second = decompressed(net, I8, (64, OUTPUTS), (64, 1), with_zero=False)
    net.result(net.layer("MatMul", [made, second], "7,64", transpose_b=True))
    same(net, tmp_path, {"FusedPackedMatMul": 2}, LOW_MEMORY=True)


def test_halves_only_in_low_memory(tmp_path: Path) -> None:
    net = Net()
    stored = net.constant(net.random.standard_normal((OUTPUTS, INPUTS), dtype=np.float32), F16)
    matrix = net.layer("Convert", [stored], f"{OUTPUTS},{INPUTS}", destination_type=F32)
    x = net.parameter("x", f"5,{INPUTS}")
    net.result(net.layer("MatMul", [x, matrix], f"5,{OUTPUTS}", transpose_b=True))
    assert held(same(net, tmp_path, {"FusedPackedMatMul": 1}, LOW_MEMORY=True)) == 2 * INPUTS * OUTPUTS
    assert held(same(net, tmp_path, {"MatMul": 1})) >= 4 * INPUTS * OUTPUTS


@merged()
@pytest.mark.parametrize("form", ["rows", "groups", "halves"])
@pytest.mark.parametrize("opset", [1, 7, 8])
def test_rows_that_are_gathered(tmp_path: Path, form: str, opset: int) -> None:
    net = Net()
    words = 90
    if form == "halves":
        stored = net.constant(net.random.standard_normal((words, INPUTS), dtype=np.float32), F16)
        table = net.layer("Convert", [stored], f"{words},{INPUTS}", destination_type=F32)
    elif form == "groups":
        shape = (words, INPUTS // GROUP, GROUP)
        table = decompressed(net, U4, shape, (*shape[:2], 1), with_zero=True, final=(words, INPUTS))
    else:
        table = decompressed(net, U8, (words, INPUTS), (1, 1), with_zero=True)
    indices = net.parameter("i", "2,3", I64)
    attributes = {} if opset == 1 else {"batch_dims": 0}
    axis = net.constant(np.array(0))
    net.result(net.layer("Gather", [table, indices, axis], f"2,3,{INPUTS}", opset, **attributes))
    compiled = net.compile(tmp_path, *ONLY, LOW_MEMORY=True)
    assert types(compiled) == {"FusedPackedGather": 1}
    assert held(compiled) < 3 * words * INPUTS
    plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False})
    picked = {"i": np.array([[0, words - 1, 5], [-1, words, -words - 1]])}
    np.testing.assert_array_equal(compiled(picked)[0], plain(picked)[0])


@merged()
@pytest.mark.parametrize("kind", TABLES, ids=str)
@pytest.mark.parametrize("through", [F16, F32, BF16], ids=str)
@pytest.mark.parametrize("form", ["rows", "groups"])
def test_rows_of_numbers_of_a_table(tmp_path: Path, kind: ElementType, through: ElementType, form: str) -> None:
    """A Convert to f16 rounds the numbers of nf4, except to weights of products."""
    net = Net()
    stored = (90, INPUTS) if form == "rows" else (90, INPUTS // GROUP, GROUP)
    table = decompressed(net, kind, stored, (*stored[:-1], 1), with_zero=False, through=through, final=(90, INPUTS))
    indices, axis = net.parameter("i", "2,3", I64), net.constant(np.array(0))
    net.result(net.layer("Gather", [table, indices, axis], f"2,3,{INPUTS}", 8, batch_dims=0))
    compiled = net.compile(tmp_path, *ONLY, LOW_MEMORY=True)
    assert types(compiled) == {"FusedPackedGather": 1}
    assert held(compiled) < 1.5 * 90 * INPUTS
    unpacked = net.compile(tmp_path, "fuse-elementwise", LOW_MEMORY=True)
    picked = {"i": np.array([[0, 89, 5], [-1, 3, -90]])}
    np.testing.assert_array_equal(compiled(picked)[0], unpacked(picked)[0])


@merged()
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("rows", [1, 7])
@pytest.mark.parametrize("is_shared", [False, True])
def test_the_table_of_nf4(tmp_path: Path, tier: str, rows: int, is_shared: bool) -> None:
    """A product multiplies the f32 of nf4, unless a Gather consumes the same weights."""
    net = Net()
    codes = net.random.integers(0, 16, (OUTPUTS, INPUTS)).astype(np.uint8)
    numbers = decode(codes, "nf4")
    value = net.constant(numbers, NF4)
    shape = f"{OUTPUTS},{INPUTS}"
    value = net.layers("Convert", [value], [(F16, shape)], destination_type=F16)[0]
    scale = np.exp2(net.random.integers(-3, 3, (OUTPUTS, 1))).astype(np.float32)
    value = net.layers("Multiply", [value, net.constant(scale, F16)], [(F16, shape)])[0]
    value = net.layer("Convert", [value], shape, destination_type=F32)
    net.result(
        net.layer("MatMul", [net.parameter("x", f"{rows},{INPUTS}"), value], f"{rows},{OUTPUTS}", transpose_b=True)
    )
    if is_shared:
        picks = [value, net.parameter("i", "3", I64), net.constant(np.array(0))]
        net.result(net.layer("Gather", picks, f"3,{INPUTS}", 8, batch_dims=0))
        numbers = numbers.astype(np.float16)
    compiled = net.compile(tmp_path, TIER=tier, LOW_MEMORY=True)
    assert types(compiled)["FusedPackedMatMul"] == 1
    x = np.zeros((rows, INPUTS), np.float32)
    x[np.arange(rows), np.arange(rows) * 5] = 1
    inputs = {"x": x, "i": np.array([3, 0, 9])} if is_shared else {"x": x}
    expected = (numbers.astype(np.float64) * scale)[:, np.arange(rows) * 5].T
    np.testing.assert_array_equal(compiled(inputs)[0], expected)


@pytest.mark.parametrize("tier", TIERS)
def test_numbers_that_are_not_finite(tmp_path: Path, tier: str) -> None:
    net = Net()
    numbers = round_to(net.random.standard_normal((OUTPUTS, INPUTS), dtype=np.float32), "f8e5m2")
    numbers[3, 5], numbers[4, 5] = np.inf, np.nan
    value = net.layer("Convert", [net.constant(numbers, F8E5M2)], f"{OUTPUTS},{INPUTS}", destination_type=F32)
    net.result(net.layer("MatMul", [net.parameter("x", f"1,{INPUTS}"), value], f"1,{OUTPUTS}", transpose_b=True))
    compiled = net.compile(tmp_path, TIER=tier, LOW_MEMORY=True)
    x = np.ones((1, INPUTS), np.float32)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(compiled({"x": x})[0], x.astype(np.float64) @ numbers.T, rtol=1e-5, atol=1e-4)


def test_rows_in_half_precision_are_rounded(tmp_path: Path) -> None:
    net = Net()
    stored = net.layers("Convert", [whole(net, U8, (90, 64))], [(F16, "90,64")], destination_type=F16)[0]
    scale = net.constant(net.random.random((90, 1), dtype=np.float32), F16)
    table = net.layers("Multiply", [stored, scale], [(F16, "90,64")])[0]
    axis = net.constant(np.array(0))
    net.result(*net.layers("Gather", [table, net.parameter("i", "4", I64), axis], [(F16, "4,64")], 8, batch_dims=0))
    compiled = net.compile(tmp_path, LOW_MEMORY=True)
    assert types(compiled) == {"FusedPackedGather": 1}
    plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False})
    picked = {"i": np.array([3, 0, 89, 3])}
    assert compiled(picked)[0].dtype == np.float16
    np.testing.assert_array_equal(compiled(picked)[0], plain(picked)[0])


def test_an_embedding_that_is_the_head_too(tmp_path: Path) -> None:
    net = Net()
    table = decompressed(net, U8, (90, 64), (90, 1), with_zero=True)
    axis = net.constant(np.array(0))
    rows = net.layer("Gather", [table, net.parameter("i", "3", I64), axis], "3,64", 8, batch_dims=0)
    net.result(net.layer("MatMul", [rows, table], "3,90", transpose_b=True))
    compiled = net.compile(tmp_path, *ONLY, LOW_MEMORY=True)
    assert types(compiled) == {"FusedPackedGather": 1, "FusedPackedMatMul": 1}
    plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False})
    picked = {"i": np.array([3, 0, 89])}
    np.testing.assert_allclose(compiled(picked)[0], plain(picked)[0], rtol=1e-4, atol=1e-4)


def test_what_cannot_stay_packed(tmp_path: Path) -> None:
    """A scale for each input, a vector, a transposed first factor, and weights with another consumer."""
    net = Net()
    by_input = decompressed(net, U8, (OUTPUTS, INPUTS), (1, INPUTS), with_zero=True)
    plain = decompressed(net, U8, (OUTPUTS, INPUTS), (OUTPUTS, 1), with_zero=True)
    x, vector, transposed = net.parameter("x", f"5,{INPUTS}"), net.parameter("v", f"{INPUTS}"), f"{INPUTS},5"
    other = decompressed(net, U8, (OUTPUTS, INPUTS), (OUTPUTS, 1), with_zero=True)
    third = decompressed(net, U8, (OUTPUTS, INPUTS), (OUTPUTS, 1), with_zero=True)
    net.result(
        net.layer("MatMul", [x, by_input], f"5,{OUTPUTS}", transpose_b=True),
        net.layer("MatMul", [vector, plain], f"{OUTPUTS}", transpose_b=True),
        net.layer(
            "MatMul", [net.parameter("t", transposed), third], f"5,{OUTPUTS}", transpose_a=True, transpose_b=True
        ),
        net.layer("MatMul", [x, other], f"5,{OUTPUTS}", transpose_b=True),
        net.layer("Add", [net.parameter("w", f"{OUTPUTS},{INPUTS}"), other], f"{OUTPUTS},{INPUTS}"),
    )
    same(net, tmp_path, {"MatMul": 4, "Add": 1}, LOW_MEMORY=True)


def test_without_the_pass_weights_are_decompressed_once(tmp_path: Path) -> None:
    net = Net()
    matrix = weights(net, U8, "channels", True, True, F16)
    net.result(net.layer("MatMul", [net.parameter("x", f"1,{INPUTS}"), matrix], f"1,{OUTPUTS}", transpose_b=True))
    assert types(net.compile(tmp_path, "fuse-matmul", LOW_MEMORY=True)) == {"FusedMatMul": 1}
    assert types(irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False, "LOW_MEMORY": True})) == {"MatMul": 1}


def test_what_no_step_takes_packed_is_decompressed() -> None:
    value = packed.Packed(np.array([[1, 2, 3]], np.uint8), np.array([[2]], np.float32), np.array([[0.5]]), (3, 1))
    np.testing.assert_array_equal(value.unpacked(), [[-0.5], [0], [0.5]])


@merged()
@pytest.mark.parametrize(("rows", "kept"), [("?", True), ("1", True), ("48", True), ("49", False), ("60..90", False)])
def test_few_rows_or_an_unknown_number(tmp_path: Path, rows: str, kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "LEAST_OF_ALL", 0)
    monkeypatch.setattr(packed, "LEAST_ELEMENTS", 0)
    net = Net()
    matrix = weights(net, U8, "channels", True, True, F16)
    made = net.layer("MatMul", [net.parameter("x", f"{rows},{INPUTS}"), matrix], f"{rows},{OUTPUTS}", transpose_b=True)
    net.result(made)
    sizes = {"x": (64, INPUTS)} if rows in ("?", "60..90") else None
    same(net, tmp_path, {"FusedPackedMatMul" if kept else "MatMul": 1}, sizes)
    same(net, tmp_path, {"FusedPackedMatMul": 1}, sizes, LOW_MEMORY=True)


@pytest.mark.parametrize("tier", TIERS)
def test_without_compiled_kernels_tables_are_looked_up_once(
    tmp_path: Path, tier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "LEAST_OF_ALL", 0)
    monkeypatch.setattr(packed, "LEAST_ELEMENTS", 0)
    net = Net()
    value = net.layer("Convert", [whole(net, NF4, (OUTPUTS, INPUTS))], f"{OUTPUTS},{INPUTS}", destination_type=F32)
    net.result(net.layer("MatMul", [net.parameter("x", f"1,{INPUTS}"), value], f"1,{OUTPUTS}", transpose_b=True))
    assert ("FusedPackedMatMul" in types(net.compile(tmp_path, TIER=tier))) == (tier == "compiled")
    assert "FusedPackedMatMul" in types(net.compile(tmp_path, TIER=tier, LOW_MEMORY=True))


def test_small_weights_become_floats(tmp_path: Path) -> None:
    net = Net()
    matrix = weights(net, U8, "channels", True, True, F16)
    net.result(net.layer("MatMul", [net.parameter("x", f"1,{INPUTS}"), matrix], f"1,{OUTPUTS}", transpose_b=True))
    same(net, tmp_path, {"MatMul": 1})


def test_plans_for_the_shapes_that_come_share_what_is_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "LEAST_OF_ALL", 0)
    monkeypatch.setattr(packed, "LEAST_ELEMENTS", 0)
    net = Net()
    matrix = weights(net, U8, "channels", True, True, F16)
    net.result(net.layer("MatMul", [net.parameter("x", f"?,{INPUTS}"), matrix], f"?,{OUTPUTS}", transpose_b=True))
    compiled = net.compile(tmp_path)
    x = net.inputs({"x": (100, INPUTS)})
    before, after = compiled(x)[0], compiled(x)[0]
    np.testing.assert_allclose(after, before, rtol=1e-5)
    special = compiled.plans.of([x["x"]])[0]
    assert special is not compiled.plan
    assert [step.node.type for step in special.steps] == ["FusedPackedMatMul"]
    assert special.steps[0].node.op.weights.stored.base is not None
    assert np.shares_memory(special.steps[0].node.op.weights.stored, compiled.plan.steps[0].node.op.weights.stored)


def test_low_memory_is_a_switch(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("ReLU", [net.parameter("x", "2")], "2"))
    assert net.compile(tmp_path, LOW_MEMORY="YES").config.optimize.low_memory
    assert not net.compile(tmp_path).config.optimize.low_memory
    with pytest.raises(RuntimeError, match="LOW_MEMORY is 3, expected True or False"):
        net.compile(tmp_path, LOW_MEMORY=3)


@merged()
@pytest.mark.parametrize("kind", [I8, U8, I4, U4])
@pytest.mark.parametrize("precision", ["f32", "bf16"])
def test_activations_are_quantised_where_that_is_asked_for(tmp_path: Path, kind: ElementType, precision: str) -> None:
    net = Net()
    matrix = weights(net, kind, "groups", True, kind in (U8, U4), F16)
    data = net.layer("MatMul", [net.parameter("x", f"9,{INPUTS}"), matrix], f"9,{OUTPUTS}", transpose_b=True)
    net.result(data)
    net.save(tmp_path / "net.xml")
    values = net.inputs()["x"]
    levels, scales = quantized(values, 16)
    plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False})
    exact = plain({"x": (levels * np.repeat(scales, 16, 1)).astype(np.float32)})[0]
    results = []
    for tier in TIERS:
        config = {"DYNAMIC_QUANTIZATION_GROUP_SIZE": 16, "INFERENCE_PRECISION_HINT": precision, "TIER": tier}
        compiled = irrun.model.build(tmp_path / "net.xml", {**config, "LOW_MEMORY": True})
        assert types(compiled) == {"FusedPackedMatMul": 1}
        results.append(compiled({"x": values})[0])
        np.testing.assert_allclose(results[-1], exact, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(results[0], results[-1])
    assert np.abs(results[0] - plain({"x": values})[0]).max() > 1e-3


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"DYNAMIC_QUANTIZATION_GROUP_SIZE": -1},
            "DYNAMIC_QUANTIZATION_GROUP_SIZE is -1, expected an integer of at least 0",
        ),
        (
            {"DYNAMIC_QUANTIZATION_GROUP_SIZE": 32, "OPTIMIZE": False},
            "DYNAMIC_QUANTIZATION_GROUP_SIZE is 32, but OPTIMIZE is False: the file as written is not rounded",
        ),
    ],
)
def test_group_sizes_that_cannot_be(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_config(config)
    assert str(caught.value) == message
