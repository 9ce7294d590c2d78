"""irrun's own time: for each step of a plan, over what the kernels take, and for reading and planning many layers.

The plan whose kernels do nothing is that of a chain of Add and ReLU layers, whose ``run`` is replaced before the model
is compiled. The chain of real operations is compared with the same NumPy calls in a plain loop.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from exports import tiny
from openvino import Model, save_model
from openvino import opset13 as ops

import irrun.model
from irrun.ops._declared.activation.relu import ReLU
from irrun.ops._declared.arithmetic.add import Add

AS_WRITTEN = {"OPTIMIZE": False}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=200)
    parser.add_argument("--layers", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        steps, took = nothing(Path(folder, "nothing"), options.steps, options.repeat)
        print(f"a plan of {steps} kernels that do nothing: {took:.2f} us a step")
        for line in real(Path(folder, "real"), options.repeat):
            print(line)
        print(planning(Path(folder, "deep"), options.layers))


def nothing(stem: Path, count: int, repeat: int) -> tuple[int, float]:
    """The number of steps, and microseconds of each over a plain call of a function that does nothing."""
    data = ops.parameter([1, 4], np.float32, name="data")
    x: Any = data
    for index in range(count):
        x = ops.relu(x) if index % 2 else ops.add(x, ops.constant(np.full((1, 4), index, np.float32)))
    save_model(Model([x], [data], "nothing"), stem.with_suffix(".xml"))
    model = irrun.model.load(stem.with_suffix(".xml"))
    kernels = ReLU.run, Add.run
    ReLU.run, Add.run = lambda _self, x: x, lambda _self, x, _y: x  # type: ignore[assignment]
    try:
        compiled = irrun.model.build(model, AS_WRITTEN)
        request = compiled.session()
        value = np.zeros((1, 4), np.float32)
        whole = microseconds(lambda: request.run([value]), repeat)
        one, two = (lambda x: x), (lambda x, _y: x)
        bare = microseconds(lambda: [one(two(value, value)) for _ in range(count // 2)], repeat)
    finally:
        ReLU.run, Add.run = kernels  # type: ignore[method-assign]
    steps = len(compiled.plan.steps)
    return steps, (whole - bare) / steps


def real(stem: Path, repeat: int) -> list[str]:
    """A chain of elementwise operations on few elements, as written and as compiled by default."""
    count = 100
    tiny.elementwise(stem, count)
    value = np.load(f"{stem}.npz")["0:data"]
    factor, bound = np.full((1, 256), 1.01, np.float32), np.float32(-0.5)
    calls: list[Callable[[Any], Any]] = [
        lambda x: np.multiply(x, factor),
        lambda x: np.add(x, factor),
        lambda x: np.maximum(x, bound),
        np.tanh,
    ]

    def bare() -> None:
        x = value
        for index in range(count):
            x = calls[index % 4](x)

    numpy = microseconds(bare, repeat)
    lines = [f"{count} elementwise operations on 256 elements: NumPy alone {numpy:.1f} us"]
    for title, config in (("as written", AS_WRITTEN), ("optimised", {})):
        compiled = irrun.model.build(irrun.model.load(stem.with_suffix(".xml")), config)
        request = compiled.session()
        took = microseconds(lambda request=request: request.run([value]), repeat)  # type: ignore[misc]
        steps = len(compiled.plan.steps)
        lines.append(f"    {title}: {took:.1f} us, {steps} steps, {(took - numpy) / count:+.2f} us an operation")
    return lines


def planning(stem: Path, layers: int) -> str:
    tiny.deep(stem, layers)
    began = time.perf_counter()
    model = irrun.model.load(stem.with_suffix(".xml"))
    read = time.perf_counter()
    compiled = irrun.model.build(model)
    planned = time.perf_counter()
    count = len(model.bound.graph)
    times = f"{read - began:.2f} s to read and infer, {planned - read:.2f} s to plan"
    return f"{count:,} layers: {times}, {planned - began:.2f} s in all ({len(compiled.plan.steps):,} steps)"


def microseconds(call: Callable[[], object], repeat: int) -> float:
    """The median of the calls."""
    times = []
    for _ in range(repeat):
        began = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - began)
    return statistics.median(times) / 1000


if __name__ == "__main__":
    main()
