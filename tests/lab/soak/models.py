"""Models that threads share, and the inputs of a sequence of inferences."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import numpy as np

import irrun.model
from irrun.tensor import Array
from tests.nets import Net

SIZE: Final = "1,20,10,10"
Inputs = dict[str, Array]


def static(net: Net) -> None:
    """A convolution, a product and a softmax."""
    image = net.layer("ReLU", [net.convolution(net.parameter("x", "1,3,12,12"), net.normal(20, 3, 3, 3), SIZE)], SIZE)
    flat = net.layer("Reshape", [image, net.constant(np.array([20, 100]))], "20,100", special_zero=False)
    net.result(net.layer("SoftMax", [net.layer("MatMul", [flat, net.normal(100, 17)], "20,17")], "20,17", axis=1))


def dynamic(net: Net) -> None:
    """Products of any number of rows."""
    x = net.parameter("x", "?,24")
    for _ in range(3):
        x = net.layer("Tanh", [net.layer("MatMul", [x, net.normal(24, 24)], "?,24")], "?,24")
    net.result(x)


def stateful(net: Net) -> None:
    """A variable that is decayed, and to which a product of the input is added."""
    declared = {"variable_id": "sum", "variable_type": "f32", "variable_shape": "6,24"}
    before = net.layer("ReadValue", [net.constant(np.zeros((6, 24), np.float32))], "6,24", 6, **declared)
    decayed = net.layer("Multiply", [before, net.constant(np.full((1, 1), 0.5, np.float32))], "6,24")
    made = net.layer("MatMul", [net.parameter("x", "6,24"), net.normal(24, 24)], "6,24")
    total = net.layer("Add", [decayed, made], "6,24")
    net.layer("Assign", [total], "6,24", 6, variable_id="sum")
    net.result(total)


MODELS: Final[Mapping[str, Callable[[Net], None]]] = {"static": static, "dynamic": dynamic, "stateful": stateful}
PERIOD: Final = 6
"""The inferences after which inputs repeat."""


def compiled(name: str, tier: str, folder: Path) -> irrun.model.Compiled:
    """Return a model whose plans and kernels are those of a model that has run for some time."""
    net = Net()
    MODELS[name](net)
    net.save(folder / f"{name}.xml")
    model = irrun.model.build(folder / f"{name}.xml", {"TIER": tier})
    for rows in range(1, PERIOD + 1):
        for _ in range(3):
            model.session().run(inputs(name, rows - 1))
    return model


@functools.cache
def inputs(name: str, number: int) -> Inputs:
    """Return the inputs of an inference of a sequence."""
    number %= PERIOD
    shape = {"static": (1, 3, 12, 12), "dynamic": (number + 1, 24), "stateful": (6, 24)}[name]
    return {"x": np.random.default_rng(number).standard_normal(shape, dtype=np.float32)}
