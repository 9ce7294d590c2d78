"""Sizes for open dims that fit together: found from the numbers at the layers that restrict them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import WrittenBody
from irrun.model import build, load
from irrun.model.sizes import Sizes, fitting_sizes
from irrun.tensor import Dim, Fact, Shape
from irrun.tensor.element_type import BOOLEAN, F32
from tests.nets import Net

WINDOW = {"strides": "1,1", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0"}


def found(net: Net, folder: Path, given: dict[int, tuple[int, ...]] | None = None, usual: int = 1) -> Sizes | None:
    """Return the sizes for a network, after a run with them."""
    model = load(net.save(folder / "net.xml"))
    sizes = fitting_sizes(model.graph, model.facts, model.weights, given, usual)
    if sizes is not None:
        types = [port.element_type.dtype for port in model.inputs]
        build(model, {"TIER": "numpy"})([np.zeros(size, type) for size, type in zip(sizes, types, strict=True)])
    return sizes


def product_width(net: Net) -> None:
    """The width of the weights of a product."""
    net.result(net.layer("MatMul", [net.parameter("x", "?,?"), net.normal(16, 8)], "?,8", transpose_b=False))


def embedding_widths(net: Net) -> None:
    """Two inputs that are concatenated to the width of a product."""
    joined = net.layer("Concat", [net.parameter("x", "?,?"), net.parameter("y", "?,5")], "?,?", axis=1)
    net.result(net.layer("MatMul", [joined, net.normal(12, 3)], "?,3"))


def heads(net: Net) -> None:
    """A width that is a multiple of heads of a size, as in attention."""
    x = net.parameter("x", "?,?,?")
    net.result(net.layer("Reshape", [x, net.constant([0, -1, 12, 8])], "?,?,12,8", special_zero=True))


def factors(net: Net) -> None:
    """A number of elements that an unknown product of sizes divides."""
    net.result(net.layer("Reshape", [net.parameter("x", "?,?"), net.constant([-1, 32, 16])], "?,32,16"))


def equal_rows(net: Net) -> None:
    """Sizes that have to be equal, one of which has to be that of a constant."""
    x, y = net.parameter("x", "?,?"), net.parameter("y", "?,?")
    joined = net.layer("Concat", [x, y], "?,?", axis=0)
    net.result(net.layer("MatMul", [joined, net.normal(6, 2)], "?,2"))


def filters(net: Net) -> None:
    """Channels and spatial sizes that filters have, and batches of one."""
    x = net.parameter("x", "?,?,?,?")
    net.result(net.layer("Convolution", [x, net.normal(2, 3, 7, 5)], "?,2,?,?", **WINDOW))


def deep_windows(net: Net) -> None:
    """Spatial sizes that are halved three times before a window."""
    x = net.parameter("x", "?,2,?,?")
    for _ in range(3):
        window = {**WINDOW, "strides": "2,2", "kernel": "2,2", "rounding_type": "floor"}
        x = net.layer("MaxPool", [x], "?,2,?,?", **window)
    net.result(net.layer("Convolution", [x, net.normal(2, 2, 3, 3)], "?,2,?,?", **WINDOW))


def window_partition(net: Net) -> None:
    """Height and width that are multiples of the size of a window."""
    x = net.parameter("x", "?,?,?,4")
    net.result(
        net.layer(
            "SpaceToDepth",
            [net.layer("Transpose", [x, net.constant([0, 3, 1, 2])], "?,4,?,?")],
            "?,?,?,?",
            mode="blocks_first",
            block_size=6,
        )
    )


def branches(net: Net) -> None:
    """A width that a branch of an If requires."""
    condition, x = net.parameter("condition", "", BOOLEAN), net.parameter("x", "?,?")
    bodies = {}
    for tag, rows in (("then_body", 9), ("else_body", 3)):
        body = net.body()
        inner = body.parameter("inner", "?,?")
        if rows == 9:
            inner = body.layer("MatMul", [inner, body.normal(9, 3)], "?,3")
        body.result(inner)
        ends = (
            [{"external_port_id": 1, "internal_layer_id": 0}],
            [{"external_port_id": 2, "internal_layer_id": body.ir.last}],
        )
        bodies[tag] = WrittenBody(body.ir, *ends)
    net.result(net.layer("If", [condition, x], "?,?", opset=8, bodies=bodies))


def iterations(net: Net) -> None:
    """A width that the body of a TensorIterator requires."""
    cut = {"axis": 0, "stride": 1, "part_size": 1, "start": 0, "end": -1}
    body = net.body()
    body.result(body.layer("MatMul", [body.parameter("slice", "1,?"), body.normal(10, 6)], "1,6"))
    ends = [
        [{"external_port_id": 0, "internal_layer_id": 0, **cut}],
        [{"external_port_id": 1, "internal_layer_id": body.ir.last, **cut}],
    ]
    net.result(
        net.layer("TensorIterator", [net.parameter("x", "?,?")], "?,6", bodies={"body": WrittenBody(body.ir, *ends)})
    )


def past_and_mask(net: Net) -> None:
    """A mask that covers the past and the new tokens of a language model."""
    past, new, mask = net.parameter("past", "?,2"), net.parameter("new", "?,2"), net.parameter("mask", "2..9,1")
    net.result(net.layer("Concat", [net.layer("Concat", [past, new], "?,2", axis=0), mask], "?,3", axis=1))


KINDS: dict[Callable[[Net], None], Sizes] = {
    product_width: ((1, 16),),
    embedding_widths: ((1, 7), (1, 5)),
    heads: ((1, 8, 12),),
    factors: ((16, 32),),
    equal_rows: ((1, 6), (1, 6)),
    filters: ((1, 3, 7, 5),),
    deep_windows: ((1, 2, 24, 24),),
    window_partition: ((1, 6, 6, 4),),
    branches: ((), (1, 9)),
    iterations: ((1, 10),),
    past_and_mask: ((1, 2), (1, 2), (2, 1)),
}


@pytest.mark.parametrize("write", KINDS, ids=lambda kind: kind.__name__)
def test_sizes_that_fit(write: Callable[[Net], None], tmp_path: Path) -> None:
    net = Net()
    write(net)
    assert found(net, tmp_path) == KINDS[write]


def test_given_inputs_keep_their_shapes(tmp_path: Path) -> None:
    net = Net()
    embedding_widths(net)
    assert found(net, tmp_path, {0: (4, 7)}) == ((4, 7), (4, 5))


def test_usual_sizes_are_kept_where_they_fit(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("ReLU", [net.parameter("x", "?,2..5,3")], "?,2..5,3"))
    assert found(net, tmp_path, usual=7) == ((7, 5, 3),)
    assert found(net, tmp_path) == ((1, 2, 3),)
    window_partition(other := Net())
    assert found(other, tmp_path, usual=7) == ((7, 6, 6, 4),)


def test_equal_symbols_have_equal_sizes(tmp_path: Path) -> None:
    net = Net()
    product_width(net)
    model = load(net.save(tmp_path / "net.xml"))
    rows = Dim.symbol("n", 1, 40)
    facts = {id: Fact(F32, Shape([rows, rows])) for id in model.graph.parameters}
    model = model.with_inputs(facts)
    assert fitting_sizes(model.graph, model.facts, model.weights) == ((16, 16),)


def contradiction(net: Net) -> None:
    """A size that is a multiple of 3, and 1 or 8."""
    x = net.parameter("x", "?")
    net.result(net.layer("Reshape", [x, net.constant([3, -1])], "3,?", special_zero=True))
    net.result(net.layer("Add", [x, net.normal(8)], "8"))


def test_none_where_nothing_fits(tmp_path: Path) -> None:
    net = Net()
    contradiction(net)
    assert found(net, tmp_path) is None


def test_none_for_a_dynamic_rank(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("ReLU", [net.parameter("x", "...")], "..."))
    model = load(net.save(tmp_path / "net.xml"))
    assert fitting_sizes(model.graph, model.facts, model.weights) is None
    assert fitting_sizes(model.graph, model.facts, model.weights, {0: (2, 3)}) == ((2, 3),)
