"""Both tiers compute the same, and the compiled one comes when it is ready."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import irrun
import irrun.model
from irrun.document.writer import Handle
from irrun.model.config import ConfigError
from irrun.runtime import tiers
from irrun.runtime.executor import HOT
from irrun.runtime.observers import Profiler
from irrun.runtime.tiers import has_kernels
from irrun.tensor.element_type import BOOLEAN, I64, STRING
from tests.nets import Net
from tests.runtime.accounts import counts

needs_kernels = pytest.mark.skipif(not has_kernels(), reason="compiled kernels are those of irrun-kernels")


def layered(net: Net, channels: int = 20) -> None:
    """A convolution, a pooling, a product, a softmax. With few channels there is no work for several threads."""
    image, weights = net.parameter("x", "1,3,12,12"), net.normal(channels, 3, 3, 3)
    shape = f"1,{channels},12,12"
    bent = net.layer("ReLU", [net.layer("Convolution", [image, weights], shape, **SAME)], shape)
    flat = net.layer("Reshape", [bent, net.constant(np.array([channels, 144]))], f"{channels},144", special_zero=False)
    product = net.layer("MatMul", [flat, net.normal(144, 17)], f"{channels},17")
    net.result(net.layer("SoftMax", [product], f"{channels},17", axis=1))


SAME: dict[str, Any] = {
    "strides": "1,1",
    "dilations": "1,1",
    "pads_begin": "1,1",
    "pads_end": "1,1",
    "auto_pad": "explicit",
}


BETWEEN: Final = 60_000
"""Bytes that hold the tensors of ``layered`` and the workspace of its kernels, but not those of sixteen workers."""


def both(net: Net, folder: Path) -> tuple[irrun.model.Compiled, irrun.model.Compiled]:
    net.save(folder / "net.xml")
    one, other = (irrun.model.build(folder / "net.xml", {"TIER": tier}) for tier in ("numpy", "compiled"))
    return one, other


@needs_kernels
def test_a_program_beyond_the_budget_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("irrun.runtime.programs.threads", lambda: 16)
    net = Net()
    layered(net)
    expected = net.compile(tmp_path, TIER="compiled")
    inputs = net.inputs()
    found = expected(inputs)[0]
    assert expected.executor.last == "compiled"
    compiled = net.compile(tmp_path, TIER="compiled", MAX_MEMORY=BETWEEN)
    np.testing.assert_allclose(compiled(inputs)[0], found, rtol=1e-4, atol=1e-6)
    assert compiled.executor.last == "numpy"


@needs_kernels
def test_a_small_plan_is_lowered_when_it_runs_again(tmp_path: Path) -> None:
    net = Net()
    layered(net)
    compiled = net.compile(tmp_path, TIER="auto")
    expected = net.compile(tmp_path, TIER="numpy")
    inputs = net.inputs()
    for _ in range(HOT):
        compiled(inputs)
        assert compiled.executor.last == "numpy"
    np.testing.assert_allclose(compiled(inputs)[0], expected(inputs)[0], rtol=1e-4, atol=1e-6)
    expected(inputs)
    assert (compiled.executor.last, expected.executor.last) == ("compiled", "numpy")


@needs_kernels
def test_a_large_plan_is_lowered_before_its_first_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net = Net()
    layered(net, channels=6000)
    compiled = net.compile(tmp_path, TIER="auto")
    monkeypatch.setattr("irrun.runtime.programs.lower", None)
    compiled(net.inputs())
    assert compiled.executor.last == "compiled"


@pytest.mark.parametrize(
    ("version", "level", "reason"),
    [
        ("0.0.9", None, f"irrun-kernels has version 0.0.9, expected {irrun.__version__}"),
        (irrun.__version__, "this processor is too old", "this processor is too old"),
    ],
)
def test_kernels_that_cannot_be_used_are_told_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, level: str | None, reason: str
) -> None:
    package = pytest.importorskip("irrun_kernels")
    monkeypatch.setattr(package, "__version__", version)
    monkeypatch.setattr("irrun_kernels.processor.unavailable", lambda: level)
    for function in (tiers.why_not, tiers.has_kernels):
        function.cache_clear()
    net = Net()
    layered(net)
    with pytest.warns(RuntimeWarning, match=f"compiled kernels cannot be used, and models run on NumPy: {reason}"):
        compiled = net.compile(tmp_path, TIER="compiled")
    assert net.compile(tmp_path, TIER="compiled").executor.last == "numpy"
    compiled(net.inputs())
    assert compiled.executor.last == "numpy"
    for function in (tiers.why_not, tiers.has_kernels):
        function.cache_clear()


def test_without_kernels_everything_is_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("irrun.runtime.executor.has_kernels", lambda: False)
    net = Net()
    layered(net)
    compiled = net.compile(tmp_path, TIER="compiled")
    compiled(net.inputs())
    assert compiled.executor.last == "numpy"


def test_a_tier_that_does_not_exist(tmp_path: Path) -> None:
    net = Net()
    layered(net)
    with pytest.raises(ConfigError, match="TIER is 'fast', expected auto, numpy or compiled"):
        net.compile(tmp_path, TIER="fast")


@needs_kernels
def test_a_step_without_a_kernel_is_left_to_numpy(tmp_path: Path) -> None:
    net = Net()
    data = net.layer("Tanh", [net.parameter("x", "5,40")], "5,40")
    divided = net.layer("GRN", [data], "5,40", bias=1.0)
    net.result(net.layer("Sigmoid", [divided], "5,40"))
    one, other = both(net, tmp_path)
    inputs = net.inputs()
    np.testing.assert_allclose(other(inputs)[0], one(inputs)[0], rtol=1e-5, atol=1e-6)
    assert other.executor.last == "compiled"


@needs_kernels
def test_blas_has_one_thread_between_calls_of_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """BLAS keeps its threads where all steps are compiled, or all are NumPy's."""
    counts: list[int] = []
    for function in ("threads", "worthwhile"):
        for module in ("irrun.kernels.threads", "irrun.runtime.programs"):
            monkeypatch.setattr(f"{module}.{function}", lambda: 2)
    for module in ("irrun.kernels.threads", "irrun.runtime.instance"):
        monkeypatch.setattr(f"{module}.set_blas_threads", counts.append)
    for is_mixed in (False, True):
        net = Net()
        data = net.layer("MatMul", [net.parameter("x", "64,256"), net.normal(256, 256)], "64,256")
        if is_mixed:
            data = net.layer("GRN", [data], "64,256", bias=1.0)
        net.result(net.layer("MatMul", [data, net.normal(256, 256)], "64,256"))
        for compiled, fewest in zip(both(net, tmp_path), (2, 1 if is_mixed else 2), strict=True):
            for _ in range(3):
                counts.clear()
                compiled(net.inputs())
            assert min(counts) == fewest


@needs_kernels
def test_results_are_the_callers_own(tmp_path: Path) -> None:
    net = Net()
    layered(net)
    _, other = both(net, tmp_path)
    request = other.session()
    first = request.run(net.inputs())[0]
    kept = first.copy()
    request.run(net.inputs())
    np.testing.assert_array_equal(first, kept)
    assert first.flags.writeable


@needs_kernels
def test_every_step_is_observed(tmp_path: Path) -> None:
    net = Net()
    layered(net)
    _, other = both(net, tmp_path)
    request = other.session()
    profiler = Profiler()
    request.observers.append(profiler)
    request.run(net.inputs())
    assert [timing.step for timing in profiler.timings] == list(other.plan.steps)
    assert all(timing.outputs for timing in profiler.timings)


def products(net: Net, data: Handle, count: int, shape: str = "6,24") -> Handle:
    for _ in range(count):
        weights = net.constant(net.random.standard_normal((24, 24), dtype=np.float32) / 8)
        data = net.layer("Tanh", [net.layer("MatMul", [data, weights], shape)], shape)
    return data


def programs_of(model: irrun.model.Compiled) -> Any:
    """The programs of the only plan of a model."""
    (programs,) = model.executor.programs
    return programs


def running(model: irrun.model.Compiled) -> int:
    """The calls of compiled kernels in the only program of a model."""
    from irrun.runtime.view import Call

    (program,) = programs_of(model)
    return sum(isinstance(item, Call) for item in program.items)


@needs_kernels
def test_sizes_that_depend_on_values(tmp_path: Path) -> None:
    net = Net()
    data = products(net, net.parameter("x", "6,24"), 8)
    places = net.layers("NonZero", [net.layer("ReLU", [data], "6,24")], [(I64, "2,?")], 3, output_type="i64")[0]
    rows = net.layers("Gather", [places, net.constant(np.array(0)), net.constant(np.array(0))], [(I64, "?")], 8)[0]
    net.result(net.layer("Gather", [data, rows, net.constant(np.array(0))], "?,24", 8), places)
    one, other = both(net, tmp_path)
    for _ in range(3):
        inputs = net.inputs()
        for got, wanted in zip(other(inputs).to_tuple(), one(inputs).to_tuple(), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
    assert other.executor.last == "compiled"
    assert running(other) >= 8


@needs_kernels
def test_variables_of_fixed_size(tmp_path: Path) -> None:
    net = Net()
    data = products(net, net.parameter("x", "6,24"), 3)
    declared = {"variable_id": "sum", "variable_type": "f32", "variable_shape": "6,24"}
    held = net.layer("ReadValue", [net.normal(6, 24)], "6,24", 6, **declared)
    total = products(net, net.layer("Add", [held, data], "6,24"), 1)
    net.layer("Assign", [total], "6,24", 6, variable_id="sum")
    net.result(total)
    requests = [model.session() for model in both(net, tmp_path)]
    for run in range(6):
        inputs = net.inputs()
        results = [request.run(inputs)[0] for request in requests]
        np.testing.assert_allclose(*results, rtol=1e-4, atol=1e-5)
        states = [next(iter(request.state.values.values())) for request in requests]
        np.testing.assert_allclose(*states, rtol=1e-4, atol=1e-5)
        if run == 3:
            for request in requests:
                request.state.values.update(dict.fromkeys(request.state.values, np.ones((6, 24), np.float32)))
    kept = states[1].copy()
    requests[1].run(net.inputs())
    np.testing.assert_array_equal(states[1], kept)
    assert running(requests[1]._compiled) >= 4


@needs_kernels
def test_open_sizes_have_programs_of_their_own(tmp_path: Path) -> None:
    net = Net()
    image = net.convolution(net.parameter("x", "?,3,?,8"), net.normal(5, 3, 3, 3), "?,5,?,6")
    net.result(net.layer("Sigmoid", [image], "?,5,?,6"))
    one, other = both(net, tmp_path)
    for batch, height in ((1, 8), (1, 8), (1, 8), (2, 8), (2, 9), (2, 9), (3, 9), (1, 8), (2, 9), (2, 10), (2, 11)):
        inputs = net.inputs({"x": (batch, 3, height, 8)})
        np.testing.assert_allclose(other(inputs)[0], one(inputs)[0], rtol=1e-4, atol=1e-5)
        assert other.executor.last == "compiled"
    assert sum(len(list(programs)) for programs in other.executor.programs) == 3
    assert not any(programs.bailouts for programs in other.executor.programs)


@needs_kernels
@pytest.mark.bails_out("a kernel found values that it does not support")
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numpy_computes_a_run_whose_tiles_are_not_finite(value: float) -> None:
    ops, draw = irrun.opset13, np.random.default_rng(9)
    x = ops.parameter([1, 32, 24, 24], np.float32, name="x")
    weights = ops.constant(draw.standard_normal((32, 32, 3, 3), dtype=np.float32))
    y = ops.convolution(x, weights, [1, 1], [1, 1], [1, 1], [1, 1])
    model = irrun.Model([ops.result(y)], [x], "tiles")
    compiled, plain = (irrun.compile_model(model, "CPU", {"TIER": tier}) for tier in ("compiled", "numpy"))
    data = draw.standard_normal((1, 32, 24, 24), dtype=np.float32)
    before = compiled(data)[0]
    broken = data.copy()
    broken[0, 5, 7, 10] = value
    assert compiled.executor.last == "compiled"
    made = compiled(broken)[0]
    assert compiled.executor.last == "numpy"
    bailouts = {"a kernel found values that it does not support": 1}
    assert counts(compiled) == (1, bailouts, bailouts, 1, {})
    assert len(list(programs_of(compiled))) == 1
    assert np.count_nonzero(~np.isfinite(made)) == 32 * 9
    np.testing.assert_array_equal(made, plain(broken)[0])
    np.testing.assert_array_equal(compiled(data)[0], before)
    assert compiled.executor.last == "compiled"


@needs_kernels
def test_runs_on_numpy_have_reasons(tmp_path: Path) -> None:
    net = Net()
    layered(net)
    inputs = net.inputs()
    small = "the plan is small: it is lowered when it runs again"
    compiled = net.compile(tmp_path, TIER="auto")
    for _ in range(HOT + 3):
        compiled(inputs)
    steps = len(compiled.plan.steps)
    assert counts(compiled) == (3, {small: HOT}, {}, steps, {})
    settings: dict[str, dict[str, Any]] = {
        "TIER is numpy": {"TIER": "numpy"},
        "there is a time limit, which is checked before each layer": {"TIER": "compiled", "TIMEOUT": 60},
    }
    for reason, config in settings.items():
        compiled = net.compile(tmp_path, **config)
        compiled(inputs)
        assert counts(compiled) == (0, {reason: 1}, {}, 0, {})


@needs_kernels
def test_steps_on_numpy_have_reasons(tmp_path: Path) -> None:
    net = Net()
    data = net.layer("Tanh", [net.parameter("x", "5,40")], "5,40")
    divided = net.layer("GRN", [data], "5,40", bias=0.1)
    net.result(net.layer("Sigmoid", [divided], "5,40"))
    compiled = net.compile(tmp_path, TIER="compiled")
    compiled(net.inputs())
    assert counts(compiled) == (1, {}, {}, 3, {"no kernel": 1})


@needs_kernels
def test_sizes_that_depend_on_values_are_seen_first(tmp_path: Path) -> None:
    net = Net()
    data = products(net, net.parameter("x", "6,24"), 4)
    places = net.layers("NonZero", [data], [(I64, "2,?")], 3, output_type="i64")[0]
    net.result(net.layer("Convert", [places], "2,?", destination_type="f32"))
    compiled = net.compile(tmp_path, TIER="compiled")
    for _ in range(2):
        compiled(net.inputs())
    assert counts(compiled)[:2] == (1, {"sizes depend on values, and were seen first": 1})
    assert compiled.executor.account["interpreted"] == {}


@needs_kernels
def test_texts_of_a_known_shape_run_beside_kernels(tmp_path: Path) -> None:
    net = Net()
    text = net.parameter("text", "2", STRING)
    net.result(net.layers("Equal", [text, text], [(BOOLEAN, "2")])[0], products(net, net.parameter("x", "6,24"), 4))
    one, other = both(net, tmp_path)
    for words in (["a", "b"], ["c", "d"]):
        inputs = {"text": np.array(words, object), "x": net.random.standard_normal((6, 24), dtype=np.float32)}
        for got, wanted in zip(other(inputs).to_tuple(), one(inputs).to_tuple(), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
    assert counts(other) == (2, {}, {}, 5, {"text": 1})


@pytest.mark.parametrize(
    ("precision", "tier", "expected"),
    [
        ("f32", "numpy", "f32"),
        ("f32", "compiled", "f32"),
        ("bf16", "numpy", "f32 with rounded operands"),
        ("f16", "compiled", "f32 with rounded operands"),
    ],
)
def test_what_multiplies(precision: str, tier: str, expected: str) -> None:
    assert tiers.backend(precision, tier) == expected
