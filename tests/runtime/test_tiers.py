"""Both tiers compute the same, and the compiled one comes when it is ready."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun
from irrun.model.config import ConfigError
from irrun.runtime import tiers
from irrun.runtime.observers import Profiler
from irrun.runtime.tiers import HOT, can_compile
from tests.optimize.nets import Net

needs_numba = pytest.mark.skipif(not can_compile(), reason="compiled kernels need numba, the extra jit")


def layered(net: Net) -> None:
    """A convolution, a pooling, a product, a softmax."""
    image = net.layer("Convolution", [net.parameter("x", "1,3,12,12"), net.normal(20, 3, 3, 3)], "1,20,12,12", **SAME)
    bent = net.layer("ReLU", [image], "1,20,12,12")
    flat = net.layer("Reshape", [bent, net.constant(np.array([20, 144]))], "20,144", special_zero=False)
    net.result(net.layer("SoftMax", [net.layer("MatMul", [flat, net.normal(144, 17)], "20,17")], "20,17", axis=1))


SAME: dict[str, Any] = {
    "strides": "1,1",
    "dilations": "1,1",
    "pads_begin": "1,1",
    "pads_end": "1,1",
    "auto_pad": "explicit",
}


def both(net: Net, folder: Path) -> tuple[irrun.CompiledModel, irrun.CompiledModel]:
    net.ir.save(folder / "net.xml")
    one, other = (irrun.compile_model(folder / "net.xml", {"TIER": tier}) for tier in ("numpy", "compiled"))
    return one, other


@needs_numba
def test_a_plan_moves_up_when_it_is_hot(tmp_path: Path) -> None:
    net = Net()
    layered(net)
    compiled = net.compile(tmp_path, TIER="auto")
    expected = net.compile(tmp_path, TIER="numpy")
    inputs = net.inputs()
    for _ in range(HOT):
        compiled(inputs)
        assert compiled.tiers.last == "numpy"
    compiled.prepare()
    np.testing.assert_allclose(compiled(inputs)[0], expected(inputs)[0], rtol=1e-4, atol=1e-6)
    assert (compiled.tiers.last, expected.tiers.last) == ("compiled", "numpy")


@needs_numba
def test_it_moves_up_by_itself(tmp_path: Path) -> None:
    net = Net()
    layered(net)
    compiled = net.compile(tmp_path, TIER="auto")
    inputs = net.inputs()
    for _ in range(HOT + 1):
        compiled(inputs)
    for thread in threading.enumerate():
        if thread.name == "irrun-compile":
            thread.join(120)
    compiled(inputs)
    assert compiled.tiers.last == "compiled"


def test_without_numba_everything_is_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "can_compile", lambda: False)
    net = Net()
    layered(net)
    compiled = net.compile(tmp_path, TIER="compiled")
    compiled(net.inputs())
    assert compiled.tiers.last == "numpy"


def test_a_tier_that_does_not_exist(tmp_path: Path) -> None:
    net = Net()
    layered(net)
    with pytest.raises(ConfigError, match="TIER is 'fast', expected auto, numpy or compiled"):
        net.compile(tmp_path, TIER="fast")


@needs_numba
def test_a_step_without_a_kernel_is_left_to_numpy(tmp_path: Path) -> None:
    net = Net()
    data = net.layer("Tanh", [net.parameter("x", "5,40")], "5,40")
    summed = net.layer("CumSum", [data, net.constant(np.array(1))], "5,40", 3)
    net.result(net.layer("Sigmoid", [summed], "5,40"))
    one, other = both(net, tmp_path)
    inputs = net.inputs()
    np.testing.assert_allclose(other(inputs)[0], one(inputs)[0], rtol=1e-5, atol=1e-6)
    assert other.tiers.last == "compiled"


@needs_numba
def test_results_are_the_callers_own(tmp_path: Path) -> None:
    net = Net()
    layered(net)
    _, other = both(net, tmp_path)
    request = other.create_infer_request()
    first = request.infer(net.inputs())[0]
    kept = first.copy()
    request.infer(net.inputs())
    np.testing.assert_array_equal(first, kept)
    assert first.flags.writeable


@needs_numba
def test_every_step_is_observed(tmp_path: Path) -> None:
    net = Net()
    layered(net)
    _, other = both(net, tmp_path)
    request = other.create_infer_request()
    profiler = Profiler()
    request.observers.append(profiler)
    request.infer(net.inputs())
    assert [timing.step for timing in profiler.timings] == list(other.plan.steps)
    assert all(timing.outputs for timing in profiler.timings)
