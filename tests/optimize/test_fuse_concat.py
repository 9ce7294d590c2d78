"""Chains of Concat layers that append to one buffer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.model import Compiled
from irrun.ops._declared.fused.fused_concat import FusedConcat
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import F32
from tests.nets import Net
from tests.optimize.checking import check, types

ONLY = ["fuse-concat"]
SIZES = "20,30"


def concat(net: Net, channels: int, *inputs: Handle, batch: str = "2", sizes: str = SIZES) -> Handle:
    return net.layer("Concat", inputs, f"{batch},{channels},{sizes}", axis=1)


def new(net: Net, name: str, channels: int = 8, batch: str = "2", sizes: str = SIZES) -> Handle:
    return net.parameter(name, f"{batch},{channels},{sizes}")


def rooms(compiled: Compiled) -> list[tuple[int | None, bool]]:
    """Return the buffer of each Concat step, and True if it appends to the buffer."""
    ops = [step.node.op for step in compiled.plan.steps]
    return [(op.room, op.grows) for op in ops if isinstance(op, FusedConcat)]


@pytest.mark.parametrize("batch", ["1", "2"])
def test_a_chain_grows_in_the_memory_of_the_first(tmp_path: Path, batch: str) -> None:
    net = Net()
    one = concat(net, 24, new(net, "a", 16, batch), new(net, "b", 8, batch), batch=batch)
    two = concat(net, 36, one, new(net, "c", 8, batch), new(net, "d", 4, batch), batch=batch)
    three = concat(net, 44, two, net.layer("Sigmoid", [new(net, "e", 8, batch)], f"{batch},8,{SIZES}"), batch=batch)
    net.result(net.layer("ReLU", [three], f"{batch},44,{SIZES}"))
    compiled = check(net, tmp_path, ONLY, {"FusedConcat": 3, "Sigmoid": 1, "ReLU": 1})
    assert rooms(compiled) == [(44, False), (44, True), (44, True)]


def test_inputs_that_are_repeated(tmp_path: Path) -> None:
    """The order of the layers does not matter; a Concat in another order is left alone."""
    net = Net()
    a, b, c, d = (new(net, name) for name in "abcd")
    three, four, two = concat(net, 24, a, b, c), concat(net, 32, a, b, c, d), concat(net, 16, a, b)
    results = (three, four, two, concat(net, 24, b, a, c))
    net.result(*(net.layer("ReLU", [each], str(each.fact.shape)[1:-1]) for each in results))
    compiled = check(net, tmp_path, ONLY, {"FusedConcat": 4, "ReLU": 4})
    assert sorted(rooms(compiled), key=str) == [(32, False), (32, True), (32, True), (None, False)]


def test_shorter_parts_are_read_meanwhile(tmp_path: Path) -> None:
    net = Net()
    link, channels = net.convolution(new(net, "x", 8), net.normal(16, 8, 1, 1), f"2,16,{SIZES}"), 16
    for _ in range(4):
        scaled = net.layer("Multiply", [link, net.normal(1, channels, 1, 1)], f"2,{channels},{SIZES}")
        relu = net.layer("ReLU", [scaled], f"2,{channels},{SIZES}")
        made = net.convolution(relu, net.normal(8, channels, 1, 1), f"2,8,{SIZES}")
        link, channels = concat(net, channels + 8, link, made), channels + 8
    net.result(link)
    want = {"Convolution": 5, "Multiply": 4, "ReLU": 4, "FusedConcat": 4}
    compiled = check(net, tmp_path, ONLY, want, atol=1e-4)
    assert rooms(compiled) == rooms(net.compile(tmp_path)) == [(48, False), (48, True), (48, True), (48, True)]


def test_results_of_parts_are_independent(tmp_path: Path) -> None:
    net = Net()
    one = concat(net, 24, new(net, "a", 16, "1"), new(net, "b", 8, "1"), batch="1")
    two = concat(net, 32, one, new(net, "c", 8, "1"), batch="1")
    net.result(one, two, concat(net, 40, two, new(net, "d", 8, "1"), batch="1"))
    compiled = check(net, tmp_path, ONLY, {"FusedConcat": 3})
    assert rooms(compiled) == [(40, False), (40, True), (40, True)]
    request = compiled.session()
    inputs = net.inputs()
    before = request.run(inputs).to_tuple()
    whole = np.concatenate([inputs[name] for name in "abcd"], axis=1)
    request.run(net.inputs())
    before[0][:] = 7
    before[1][:, :8] = 5
    request.run(net.inputs())
    np.testing.assert_array_equal(before[0], np.full((1, 24, 20, 30), 7))
    np.testing.assert_array_equal(before[1][:, 8:], whole[:, 8:32])
    np.testing.assert_array_equal(before[2], whole)


def test_two_that_would_grow_the_same(tmp_path: Path) -> None:
    net = Net()
    one = concat(net, 24, new(net, "a", 16), new(net, "b", 8))
    net.result(concat(net, 32, one, new(net, "c", 8)), concat(net, 36, one, new(net, "d", 12)))
    assert rooms(check(net, tmp_path, ONLY, {"FusedConcat": 3})) == [(None, False)] * 3


def test_channels_that_are_put_in_front_do_not_grow(tmp_path: Path) -> None:
    net = Net()
    one = concat(net, 24, new(net, "a", 16), new(net, "b", 8))
    net.result(concat(net, 32, new(net, "c", 8), one))
    assert rooms(check(net, tmp_path, ONLY, {"FusedConcat": 2})) == [(None, False)] * 2


def test_a_link_that_takes_its_own_part_again(tmp_path: Path) -> None:
    net = Net()
    one = concat(net, 24, new(net, "a", 16), new(net, "b", 8))
    two = concat(net, 48, one, one)
    net.result(concat(net, 72, two, one))
    assert rooms(check(net, tmp_path, ONLY, {"FusedConcat": 3})) == [(72, False), (72, True), (72, True)]


def test_another_axis_does_not_grow(tmp_path: Path) -> None:
    net = Net()
    one = net.layer("Concat", [new(net, "a"), new(net, "b")], "2,8,40,30", axis=2)
    net.result(net.layer("Concat", [one, new(net, "c")], "2,8,60,30", axis=-2))
    assert rooms(check(net, tmp_path, ONLY, {"FusedConcat": 2})) == [(None, False)] * 2


def test_an_axis_in_between_ends_the_chain(tmp_path: Path) -> None:
    net = Net()
    one = concat(net, 16, new(net, "a"), new(net, "b"))
    two = concat(net, 24, one, new(net, "c"))
    long = net.layer("Concat", [two, new(net, "d", 24)], "2,24,40,30", axis=2)
    net.result(concat(net, 32, long, new(net, "e", 8, sizes="40,30"), sizes="40,30"))
    compiled = check(net, tmp_path, ONLY, {"FusedConcat": 4})
    assert rooms(compiled) == [(24, False), (24, True), (None, False), (None, False)]


@pytest.mark.parametrize("shape", ["?,{},20,30", "2,{},?,?"])
def test_sizes_that_are_not_known_do_not_grow(tmp_path: Path, shape: str) -> None:
    net = Net()
    a, b, c = (net.parameter(name, shape.format(8)) for name in "abc")
    one = net.layer("Concat", [a, b], shape.format(16), axis=1)
    net.result(net.layer("Concat", [one, c], shape.format(24), axis=1))
    sizes: dict[str, tuple[int, ...]] = dict.fromkeys("abc", (2, 8, 20, 30))
    assert rooms(check(net, tmp_path, ONLY, {"FusedConcat": 2}, sizes=sizes)) == [(None, False)] * 2


def test_a_reader_that_wants_its_channels_together_keeps_the_chain_from_growing(tmp_path: Path) -> None:
    net = Net()
    one = concat(net, 24, new(net, "a", 16), new(net, "b", 8))
    shape = net.constant(np.array([2, 24, 600]))
    net.result(net.layer("Reshape", [one, shape], "2,24,600", special_zero=False))
    net.result(concat(net, 32, one, new(net, "c", 8)))
    assert rooms(check(net, tmp_path, ONLY, {"FusedConcat": 2, "Reshape": 1})) == [(None, False)] * 2


def test_a_small_chain_stays(tmp_path: Path) -> None:
    net = Net()
    one = concat(net, 2, new(net, "a", 1, sizes="2,2"), new(net, "b", 1, sizes="2,2"), sizes="2,2")
    net.result(concat(net, 3, one, new(net, "c", 1, sizes="2,2"), sizes="2,2"))
    assert types(check(net, tmp_path, ONLY, {"Concat": 2})) == {"Concat": 2}


def fused(channels: int, room: int, grows: bool) -> FusedConcat:
    return FusedConcat(fact=Fact(F32, Shape([1, channels, 3, 5])), axis=1, room=room, grows=grows)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 3, 1, 2), (0, 2, 3, 1)], ids=["NCHW", "NHWC", "NWCH"])
def test_a_link_copies_nothing_that_is_there(order: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)

    def tensor(channels: int) -> Array:
        """Return [1, channels, 3, 5] with an order of axes in memory."""
        sizes = [(1, channels, 3, 5)[axis] for axis in np.argsort(order)]
        return random.standard_normal(sizes, dtype=np.float32).transpose(order)

    a, b, c = tensor(2), tensor(1), tensor(3)
    short = fused(3, 6, grows=False).run(a, b)
    long = fused(6, 6, grows=True).run(short, c)
    np.testing.assert_array_equal(short, np.concatenate([a, b], axis=1))
    np.testing.assert_array_equal(long, np.concatenate([a, b, c], axis=1))
    assert np.shares_memory(short, long)
