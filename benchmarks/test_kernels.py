"""Kernels by themselves, and OpenVINO's CPU plugin on the same layer where it is installed, side by side.

    pytest benchmarks
    pytest benchmarks -k "softmax or attention" --threads 1
    pytest benchmarks --benchmark-autosave; pytest benchmarks --benchmark-compare

No time is asserted. What is computed is: both must come to the same values before they are measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

from irrun.kernels.activation import gelu, gelu_tanh, sigmoid, swish
from irrun.kernels.attention import attention
from irrun.kernels.convolution import Convolution
from irrun.kernels.interpolate import Axis, linear_onnx, nearest, resample
from irrun.kernels.normalization import mean_variance, softmax
from irrun.kernels.pooling import axis_windows, max_pool
from irrun.kernels.recurrent import DirectionWeights, Lstm, run_sequence
from irrun.kernels.threads import threads
from irrun.kernels.windows import Geometry

try:
    import openvino
    from openvino import opset13
except ImportError:
    openvino = None

Array = np.ndarray[Any, Any]

CONVOLUTIONS: Final = [
    # channels, filters, size, kernel, stride, padding, groups
    (3, 64, 224, 7, 2, 3, 1),
    (3, 64, 224, 3, 1, 1, 1),
    (3, 32, 224, 3, 2, 1, 1),
    (64, 64, 56, 3, 1, 1, 1),
    (128, 128, 28, 3, 1, 1, 1),
    (256, 256, 14, 3, 1, 1, 1),
    (512, 512, 7, 3, 1, 1, 1),
    (64, 64, 224, 3, 1, 1, 1),
    (128, 128, 112, 3, 1, 1, 1),
    (256, 256, 56, 3, 1, 1, 1),
    (512, 512, 28, 3, 1, 1, 1),
    (512, 512, 14, 3, 1, 1, 1),
    (128, 32, 28, 3, 1, 1, 1),
    (128, 128, 56, 3, 2, 1, 1),
    (512, 512, 14, 3, 2, 1, 1),
    (64, 256, 56, 1, 1, 0, 1),
    (256, 64, 56, 1, 1, 0, 1),
    (512, 128, 28, 1, 1, 0, 1),
    (1024, 256, 14, 1, 1, 0, 1),
    (2048, 512, 7, 1, 1, 0, 1),
    (512, 2048, 7, 1, 1, 0, 1),
    (256, 512, 56, 1, 2, 0, 1),
    (96, 96, 112, 3, 2, 1, 96),
    (144, 144, 56, 3, 1, 1, 144),
    (384, 384, 14, 3, 1, 1, 384),
    (960, 960, 7, 3, 1, 1, 960),
    (240, 240, 28, 1, 1, 0, 3),
]


class Entry(NamedTuple):
    """A kernel, what it takes, and the same as a graph: its node from its inputs.

    ``run`` returns the output; ``work`` is the number of floating-point operations of one run, 0 where they are not
    what counts.
    """

    run: Callable[[], Array]
    inputs: tuple[Array, ...]
    graph: Callable[..., Any]
    work: float = 0.0


def normal(*shape: int) -> Array:
    return np.random.default_rng(shape).standard_normal(shape, dtype=np.float32)


def convolution(channels: int, filters: int, size: int, kernel: int, stride: int, padding: int, groups: int) -> Entry:
    """With bias and ReLU, on channels last."""
    x = normal(1, size, size, channels).transpose(0, 3, 1, 2)
    weights, bias = normal(groups, filters // groups, channels // groups, kernel, kernel), normal(filters)
    steps, pads = (stride, stride), (padding, padding)

    def act(block: Array) -> None:
        np.maximum(block, 0, out=block)

    count = (size + 2 * padding - kernel) // stride + 1
    geometry = Geometry((kernel, kernel), steps, (1, 1), pads, (size, size), (count, count))
    prepared = Convolution(weights, bias, act, accurate=False)
    out = prepared(x, geometry)

    def graph(data: Any) -> Any:
        where = (list(steps), list(pads), list(pads), [1, 1])
        if groups == 1:
            node = opset13.convolution(data, weights[0], *where)
        else:
            node = opset13.group_convolution(data, weights, *where)
        return opset13.relu(opset13.add(node, bias.reshape(1, -1, 1, 1)))

    work = 2.0 * out.size * channels // groups * kernel * kernel
    return Entry(lambda: prepared(x, geometry), (np.ascontiguousarray(x),), graph, work)


def elementwise(kernel: Callable[[Array], Array], graph: Callable[..., Any]) -> Entry:
    x = normal(128, 3072)
    return Entry(lambda: kernel(x), (x,), graph)


def softmax_of(*shape: int) -> Entry:
    x = normal(1, *shape)
    return Entry(lambda: softmax(x, -1), (x,), lambda d: opset13.softmax(d, -1))


def normalization() -> Entry:
    x, axes = normal(1, 128, 768), np.array([2])
    return Entry(
        lambda: mean_variance(x, (2,), 1e-5),
        (x,),
        lambda d: opset13.mvn(d, axes, True, 1e-5, "inside_sqrt"),
    )


def attention_of(heads: int, queries: int, keys: int, size: int, causal: bool) -> Entry:
    q, k, v = normal(1, heads, queries, size), normal(1, heads, keys, size), normal(2, heads, keys, size)[:1]
    return Entry(
        lambda: attention(q, k, v, None, 0.125, causal=causal),
        (q, k, v),
        lambda a, b, c: opset13.scaled_dot_product_attention(a, b, c, causal=causal),
        4.0 * q.size * keys / (2 if causal else 1),
    )


def pooling() -> Entry:
    x = normal(1, 112, 112, 64).transpose(0, 3, 1, 2)
    windows = axis_windows(Geometry((3, 3), (2, 2), (1, 1), (1, 1), (112, 112), (56, 56)))
    return Entry(
        lambda: max_pool(x, windows),
        (np.ascontiguousarray(x),),
        lambda d: opset13.max_pool(d, [2, 2], [1, 1], [1, 1], [1, 1], [3, 3]).output(0),
    )


def interpolation(mode: str) -> Entry:
    x = normal(1, 64, 56, 56)
    axes = [Axis(2, 56, 112, 2.0), Axis(3, 56, 112, 2.0)]
    coordinates = "asymmetric" if mode == "nearest" else "half_pixel"

    def run() -> Array:
        return resample(x, axes, nearest(coordinates, "floor") if mode == "nearest" else linear_onnx(coordinates))

    def graph(data: Any) -> Any:
        return opset13.interpolate(
            data,
            np.array([112, 112]),
            mode,
            "sizes",
            axes=np.array([2, 3]),
            coordinate_transformation_mode=coordinates,
            nearest_mode="floor",
        )

    return Entry(run, (x,), graph)


def lstm(batch: int, steps: int, size: int, hidden: int) -> Entry:
    """Bidirectional."""
    x, state = normal(batch, steps, size), np.zeros((batch, 2, hidden), np.float32)
    w, r, b = normal(2, 4 * hidden, size) / 20, normal(2, 4 * hidden, hidden) / 20, normal(2, 4 * hidden)
    lengths = np.full(batch, steps)
    cell = Lstm(("sigmoid", "tanh", "tanh"))
    weights = [DirectionWeights(*parts) for parts in zip(w, r, b, strict=True)]
    return Entry(
        lambda: run_sequence(cell, x, (state, state), lengths, weights, (False, True))[0],
        (x,),
        lambda d: opset13.lstm_sequence(d, state, state, lengths, w, r, b, hidden, "bidirectional").output(0),
        2.0 * batch * steps * (w.size + r.size),
    )


def _cases() -> dict[str, Callable[[], Entry]]:
    """By name, each made when it is measured and not before."""
    cases: dict[str, Callable[[], Entry]] = {}
    for of in CONVOLUTIONS:
        channels, filters, size, kernel, stride, _, groups = of
        kind = f"{kernel}x{kernel}/{stride} {channels}->{filters} @{size}" + (f" groups {groups}" if groups > 1 else "")
        cases[f"convolution {kind}"] = partial(convolution, *of)
    activations: Mapping[str, tuple[Callable[[Array], Array], Callable[..., Any]]] = {
        "gelu": (gelu, lambda d: opset13.gelu(d, "erf")),
        "gelu tanh": (gelu_tanh, lambda d: opset13.gelu(d, "tanh")),
        "sigmoid": (sigmoid, lambda d: opset13.sigmoid(d)),
        "swish": (swish, lambda d: opset13.swish(d)),
        "relu": (lambda x: np.maximum(x, 0), lambda d: opset13.relu(d)),
    }
    for name, (run, graph) in activations.items():
        cases[f"{name} 128x3072"] = partial(elementwise, run, graph)
    for shape in ((12, 128, 128), (12, 1024, 1024)):
        cases[f"softmax {'x'.join(map(str, shape))}"] = partial(softmax_of, *shape)
    cases["mean variance 128x768"] = normalization
    cases["attention 12x128x128x64"] = partial(attention_of, 12, 128, 128, 64, False)
    cases["attention 12x1024x1024x64 causal"] = partial(attention_of, 12, 1024, 1024, 64, True)
    cases["max pool 3x3/2 64@112"] = pooling
    for mode in ("nearest", "linear_onnx"):
        cases[f"interpolate {mode} x2 64@56"] = partial(interpolation, mode)
    for batch, steps, size, hidden in ((1, 64, 128, 256), (8, 64, 128, 256), (1, 128, 512, 512)):
        cases[f"lstm batch {batch} steps {steps} hidden {hidden}"] = partial(lstm, batch, steps, size, hidden)
    return cases


CASES: Final = _cases()


def native(entry: Entry) -> Callable[[], Array]:
    """The same in OpenVINO's CPU plugin, with as many threads."""
    parameters = [opset13.parameter(list(array.shape), np.float32) for array in entry.inputs]
    model = openvino.Model([entry.graph(*parameters)], parameters)
    settings = {"INFERENCE_NUM_THREADS": threads(), "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    request = openvino.Core().compile_model(model, "CPU", settings).create_infer_request()
    for index, array in enumerate(entry.inputs):
        request.set_input_tensor(index, openvino.Tensor(array))

    def run() -> Array:
        request.infer()
        return np.asarray(request.get_output_tensor(0).data)

    return run


@pytest.mark.parametrize("engine", ["irrun", "openvino"])
@pytest.mark.parametrize("name", CASES)
def test_kernel(benchmark: Any, name: str, engine: str) -> None:
    if engine == "openvino" and openvino is None:
        pytest.skip("OpenVINO is not installed")
    entry = CASES[name]()
    run = entry.run
    if engine == "openvino":
        run = native(entry)
        np.testing.assert_allclose(entry.run(), run(), rtol=1e-3, atol=1e-3 * float(np.abs(run()).max()))
    benchmark.group = name
    benchmark(run)
    if entry.work and benchmark.stats is not None:
        benchmark.extra_info["gigaflops_per_second"] = entry.work / benchmark.stats.stats.min / 1e9
