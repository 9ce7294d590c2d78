"""Rounding of half precision in an expression of constants: at a Convert, not by products."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle
from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import F16, F32, I64, NF4, U8
from irrun.tensor.rounding import round_to
from tests.kernels.merged import merged
from tests.nets import Net

Consumer = Callable[[Net, Handle], None]
FORMS = [{"OPTIMIZE": False}, {}, {"LOW_MEMORY": True}]
WORDS, WIDTH = 96, 64
RANDOM = np.random.default_rng(7)
WHOLE = RANDOM.integers(0, 256, (WORDS, WIDTH)).astype(np.uint8)
TABLE = round_to(RANDOM.standard_normal((WORDS, WIDTH)).astype(np.float32), "nf4")
SCALE = RANDOM.random((WORDS, 1), dtype=np.float32)
ROUNDED = SCALE.astype(np.float16).astype(np.float32)


def half(net: Net, value: Handle, shape: str) -> Handle:
    return net.layers("Convert", [value], [(F16, shape)], destination_type="f16")[0]


def weights(net: Net, stored: Array, kind: ElementType) -> Handle:
    """Stored weights and a scale of f32, both converted to f16, multiplied, and made f32."""
    shape = f"{WORDS},{WIDTH}"
    value = half(net, net.constant(stored, kind), shape)
    scale = half(net, net.constant(SCALE, F32), f"{WORDS},1")
    (product,) = net.layers("Multiply", [value, scale], [(F16, shape)])
    return net.layer("Convert", [product], shape, destination_type="f32")


def gather(net: Net, table: Handle) -> None:
    rows = [table, net.parameter("i", f"{WORDS}", I64), net.constant(0)]
    net.result(net.layer("Gather", rows, f"{WORDS},{WIDTH}", 8, batch_dims=0))


def multiply(net: Net, matrix: Handle) -> None:
    inputs = [net.parameter("x", f"{WIDTH},{WIDTH}"), matrix]
    net.result(net.layer("MatMul", inputs, f"{WIDTH},{WORDS}", transpose_b=True))


def add(net: Net, matrix: Handle) -> None:
    net.result(net.layer("Add", [net.parameter("z", "1,1"), matrix], f"{WORDS},{WIDTH}"))


def outputs(net: Net, folder: Path, config: dict[str, bool]) -> list[Array]:
    """Return the weights as the layers return them for identity inputs."""
    net.save(folder / "net.xml")
    given = {"x": np.eye(WIDTH, dtype=np.float32), "i": np.arange(WORDS), "z": np.zeros((1, 1), np.float32)}
    results = irrun.model.build(folder / "net.xml", config)({name: given[name] for name in net.shapes})
    return [array if array.shape == (WORDS, WIDTH) else array.T for array in results.values()]


@merged()
@pytest.mark.parametrize("config", FORMS, ids=["as written", "optimised", "packed"])
@pytest.mark.parametrize("consumer", [gather, multiply, add])
def test_a_scale_is_rounded_and_the_product_is_not(tmp_path: Path, config: dict[str, bool], consumer: Consumer) -> None:
    net = Net()
    consumer(net, weights(net, WHOLE, U8))
    (got,) = outputs(net, tmp_path, config)
    np.testing.assert_array_equal(got, WHOLE.astype(np.float32) * ROUNDED)


@merged()
@pytest.mark.parametrize("config", FORMS, ids=["as written", "optimised", "packed"])
@pytest.mark.parametrize(
    ("consumers", "is_exact"),
    [
        ((multiply,), True),
        ((gather,), False),
        ((add,), False),
        ((multiply, gather), False),
    ],
)
def test_nf4_keeps_its_table_for_products_alone(
    tmp_path: Path, config: dict[str, bool], consumers: tuple[Consumer, ...], is_exact: bool
) -> None:
    net = Net()
    matrix = weights(net, TABLE, NF4)
    for consumer in consumers:
        consumer(net, matrix)
    values = TABLE if is_exact else TABLE.astype(np.float16).astype(np.float32)
    for got in outputs(net, tmp_path, config):
        np.testing.assert_array_equal(got, values * ROUNDED)


def test_nf4_without_a_scale_is_rounded(tmp_path: Path) -> None:
    net = Net()
    value = half(net, net.constant(TABLE, NF4), f"{WORDS},{WIDTH}")
    multiply(net, net.layer("Convert", [value], f"{WORDS},{WIDTH}", destination_type="f32"))
    (got,) = outputs(net, tmp_path, {})
    np.testing.assert_array_equal(got, TABLE.astype(np.float16).astype(np.float32))


def test_what_leaves_the_expression_is_rounded(tmp_path: Path) -> None:
    net = Net()
    third = half(net, net.constant(np.float32([1 / 3]), F32), "1")
    (ninth,) = net.layers("Multiply", [third, third], [(F16, "1")])
    net.result(ninth, *net.layers("ReLU", [ninth], [(F16, "1")]))
    net.save(tmp_path / "net.xml")
    want = np.float32(np.float16(1 / 3)) ** 2
    for got in irrun.model.build(tmp_path / "net.xml")({}).values():
        assert got.dtype == np.float16
        assert got[0] == np.float16(want)
