"""Models of any size: many outputs of one layer, chains of bodies, many Parameters, many comments."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from irrun.document.writer import Handle, WrittenBody
from irrun.tensor.element_type import F32
from tests.nets import Net


def split(count: int, size: int, *, version: str = "11") -> str:
    """A Split into ``count`` parts of size 1, declared as ``size``, with a Result for each.

    The axis is the size of an empty Parameter, so that no weights are needed.
    """
    net = Net("n", version)
    x, empty = net.parameter("x", str(count)), net.parameter("empty", "0")
    axis = net.layer("Squeeze", [net.layer("ShapeOf", [empty])])
    net.result(*net.layers("Split", [x, axis], [(F32, str(size))] * count, num_splits=count))
    return net.ir.text


def twins(count: int) -> str:
    """As ``split``, where every two outputs have the same id."""
    ids = r'((?:<port id|from-layer="4" from-port)=)"(\d+)"'
    return re.sub(ids, lambda found: f'{found[1]}"{_shared(int(found[2]))}"', split(count, 2))


def _shared(id: int) -> int:
    return 2 + (id - 2) // 2 if id > 2 else id


def chain(count: int, declared: Callable[[int], int]) -> str:
    """A chain of ReLUs over 4 elements, with the declared size of each output."""
    net = Net("n")
    at = net.parameter("x", "4")
    for index in range(count):
        at = net.layer("ReLU", [at], str(declared(index)))
    net.result(at)
    return net.ir.text


def bodies(count: int, wrong: Callable[[int], int]) -> str:
    """A chain of TensorIterators over 4 elements; the body of each declares ``wrong`` instead, and so does its port."""
    net = Net("n")
    at = x = net.parameter("x", "4")
    for index in range(count):
        body, size = net.body(), str(wrong(index))
        body.result(body.layer("ReLU", [body.parameter("x", "4")], size))
        maps = [{"external_port_id": 0, "internal_layer_id": 0}], [{"external_port_id": 1, "internal_layer_id": 2}]
        arrives = Handle(at.layer, at.port, x.fact)
        at = net.layer("TensorIterator", [arrives], size, bodies={"body": WrittenBody(body.ir, *maps)})
    net.result(Handle(at.layer, at.port, x.fact))
    return net.ir.text


def joined(count: int) -> str:
    """As many ReLUs with wrong dims, added up along a chain with wrong dims."""
    net = Net("n")
    x = net.parameter("x", "4")
    wrong = [net.layer("ReLU", [x], "5") for _ in range(count)]
    at = wrong[0]
    for each in wrong:
        at = net.layer("Add", [each, at], "5")
    net.result(at)
    return net.ir.text


def inputs(count: int) -> str:
    """As many Parameters, each with a ReLU and a Result."""
    net = Net("n")
    for index in range(count):
        net.result(net.layer("ReLU", [net.parameter(f"x{index}", "4")]))
    return net.ir.text


def overlapping(count: int) -> str:
    """As many constants of 16 bytes, each one byte behind the one before."""
    net = Net("n")
    net.result(net.parameter("x", "4"))
    for index in range(count):
        place = {"element_type": "f32", "shape": "4", "offset": index, "size": 16}
        net.layers("Const", [], [(F32, "4")], name=f"c{index}", **place)
    return net.ir.text


MANY: Final[dict[str, Callable[[int], str]]] = {
    "outputs of one layer": lambda n: split(n, 1),
    "outputs of one layer in version 10": lambda n: split(n, 1, version="10"),
    "wrong outputs of one layer": lambda n: split(n, 2),
    "outputs of one id": twins,
    "bodies with wrong dims": lambda n: bodies(n, lambda _: 5),
    "bodies with other wrong dims": lambda n: bodies(n, lambda i: 5 + i % 2),
    "wrong dims that alternate": lambda n: chain(n, lambda i: 4 + i % 2),
    "wrong dims that differ": lambda n: chain(n, lambda i: 5 + i),
    "wrong dims of pairs": lambda n: chain(n, lambda i: 5 + i // 2),
    "wrong dims that meet": joined,
    "inputs": inputs,
    "comments for the whole file": lambda n: "<!-- irrun: ignore-file[IR401] -->\n" * n + inputs(1).partition("\n")[2],
    "comments for groups": lambda n: "<!-- irrun: ignore-file[IR4, IR5] -->\n" * n + inputs(1).partition("\n")[2],
}
