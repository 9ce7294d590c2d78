"""Concatenations that extend another one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Handle
from irrun.model import Compiled
from tests.nets import Net
from tests.optimize.checking import check

ONLY = ["fuse-concat"]
SIZES = "20,30"


def concat(net: Net, channels: int, *inputs: Handle, batch: str = "2", sizes: str = SIZES) -> Handle:
    return net.layer("Concat", inputs, f"{batch},{channels},{sizes}", axis=1)


def new(net: Net, name: str, channels: int = 8, batch: str = "2", sizes: str = SIZES) -> Handle:
    return net.parameter(name, f"{batch},{channels},{sizes}")


def inputs(compiled: Compiled) -> list[int]:
    """Return the numbers of inputs of the concatenations."""
    return sorted(len(step.inputs) for step in compiled.plan.steps if step.node.type == "Concat")


def test_inputs_that_are_repeated(tmp_path: Path) -> None:
    """The order of the layers does not matter; a Concat in another order is left alone."""
    net = Net()
    a, b, c, d = (new(net, name) for name in "abcd")
    three, four, two = concat(net, 24, a, b, c), concat(net, 32, a, b, c, d), concat(net, 16, a, b)
    results = (three, four, two, concat(net, 24, b, a, c))
    net.result(*(net.layer("ReLU", [each], str(each.fact.shape)[1:-1]) for each in results))
    assert inputs(check(net, tmp_path, ONLY, {"Concat": 4, "ReLU": 4})) == [2, 2, 2, 3]


@pytest.mark.parametrize("batch", ["1", "2"])
def test_a_chain(tmp_path: Path, batch: str) -> None:
    net = Net()
    one = concat(net, 24, new(net, "a", 16, batch), new(net, "b", 8, batch), batch=batch)
    two = concat(net, 36, one, new(net, "c", 8, batch), new(net, "d", 4, batch), batch=batch)
    three = concat(net, 44, two, net.layer("Sigmoid", [new(net, "e", 8, batch)], f"{batch},8,{SIZES}"), batch=batch)
    net.result(net.layer("ReLU", [three], f"{batch},44,{SIZES}"))
    check(net, tmp_path, ONLY, {"Concat": 3, "Sigmoid": 1, "ReLU": 1})


def test_shorter_parts_are_read_meanwhile(tmp_path: Path) -> None:
    net = Net()
    link, channels = net.convolution(new(net, "x", 8), net.normal(16, 8, 1, 1), f"2,16,{SIZES}"), 16
    for _ in range(4):
        scaled = net.layer("Multiply", [link, net.normal(1, channels, 1, 1)], f"2,{channels},{SIZES}")
        relu = net.layer("ReLU", [scaled], f"2,{channels},{SIZES}")
        made = net.convolution(relu, net.normal(8, channels, 1, 1), f"2,8,{SIZES}")
        link, channels = concat(net, channels + 8, link, made), channels + 8
    net.result(link)
    check(net, tmp_path, ONLY, {"Convolution": 5, "Multiply": 4, "ReLU": 4, "Concat": 4}, atol=1e-4)


def test_results_of_parts_are_independent(tmp_path: Path) -> None:
    net = Net()
    one = concat(net, 24, new(net, "a", 16, "1"), new(net, "b", 8, "1"), batch="1")
    two = concat(net, 32, one, new(net, "c", 8, "1"), batch="1")
    net.result(one, two, concat(net, 40, two, new(net, "d", 8, "1"), batch="1"))
    compiled = check(net, tmp_path, ONLY, {"Concat": 3})
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


def test_two_that_extend_the_same(tmp_path: Path) -> None:
    net = Net()
    one = concat(net, 24, new(net, "a", 16), new(net, "b", 8))
    net.result(concat(net, 32, one, new(net, "c", 8)), concat(net, 36, one, new(net, "d", 12)))
    check(net, tmp_path, ONLY, {"Concat": 3})


def test_channels_that_are_put_in_front(tmp_path: Path) -> None:
    net = Net()
    one = concat(net, 24, new(net, "a", 16), new(net, "b", 8))
    net.result(concat(net, 32, new(net, "c", 8), one))
    check(net, tmp_path, ONLY, {"Concat": 2})


def test_a_link_that_takes_its_own_part_again(tmp_path: Path) -> None:
    net = Net()
    one = concat(net, 24, new(net, "a", 16), new(net, "b", 8))
    two = concat(net, 48, one, one)
    net.result(concat(net, 72, two, one))
    check(net, tmp_path, ONLY, {"Concat": 3})


def test_another_axis(tmp_path: Path) -> None:
    net = Net()
    one = net.layer("Concat", [new(net, "a"), new(net, "b")], "2,8,40,30", axis=2)
    net.result(net.layer("Concat", [one, new(net, "c")], "2,8,60,30", axis=-2))
    check(net, tmp_path, ONLY, {"Concat": 2})


def test_an_axis_in_between(tmp_path: Path) -> None:
    net = Net()
    one = concat(net, 16, new(net, "a"), new(net, "b"))
    two = concat(net, 24, one, new(net, "c"))
    long = net.layer("Concat", [two, new(net, "d", 24)], "2,24,40,30", axis=2)
    net.result(concat(net, 32, long, new(net, "e", 8, sizes="40,30"), sizes="40,30"))
    check(net, tmp_path, ONLY, {"Concat": 4})


@pytest.mark.parametrize("shape", ["?,{},20,30", "2,{},?,?"])
def test_sizes_that_are_not_known(tmp_path: Path, shape: str) -> None:
    net = Net()
    a, b, c = (net.parameter(name, shape.format(8)) for name in "abc")
    one = net.layer("Concat", [a, b], shape.format(16), axis=1)
    net.result(net.layer("Concat", [one, c], shape.format(24), axis=1))
    sizes: dict[str, tuple[int, ...]] = dict.fromkeys("abc", (2, 8, 20, 30))
    check(net, tmp_path, ONLY, {"Concat": 2}, sizes=sizes)


def test_a_reader_that_wants_its_channels_together(tmp_path: Path) -> None:
    net = Net()
    one = concat(net, 24, new(net, "a", 16), new(net, "b", 8))
    shape = net.constant(np.array([2, 24, 600]))
    net.result(net.layer("Reshape", [one, shape], "2,24,600", special_zero=False))
    net.result(concat(net, 32, one, new(net, "c", 8)))
    check(net, tmp_path, ONLY, {"Concat": 2, "Reshape": 1})
