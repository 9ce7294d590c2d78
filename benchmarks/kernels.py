"""Kernels by themselves, and OpenVINO's CPU plugin on the same layer where it is installed: best times, side by side.

    python benchmarks/kernels.py [--threads N] [--only PART_OF_A_NAME]

Both run in turns in one process, so that a busy machine slows both down.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import threadpoolctl

from irrun.kernels.activation import gelu, gelu_tanh, relu, sigmoid, softmax, swish
from irrun.kernels.attention import attention
from irrun.kernels.interpolate import Axis, linear_onnx, nearest
from irrun.kernels.normalization import mean_variance
from irrun.kernels.pooling import max_pool
from irrun.kernels.prepared_convolution import prepare_convolution
from irrun.kernels.recurrent import Lstm, Weights, run_sequence
from irrun.kernels.threads import set_threads, threads

try:
    import openvino
    from openvino import opset13
except ImportError:
    openvino = None

Array = np.ndarray[Any, Any]
DRAW = np.random.default_rng(0)

CONVOLUTIONS = [
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
    """A kernel, the floating-point operations of one run, and the same as a graph: its node from its inputs."""

    name: str
    run: Callable[[], object]
    work: float
    inputs: tuple[Array, ...]
    graph: Callable[..., Any] | None


def normal(*shape: int) -> Array:
    return DRAW.standard_normal(shape, dtype=np.float32)


def convolution(channels: int, filters: int, size: int, kernel: int, stride: int, padding: int, groups: int) -> Entry:
    x = normal(1, size, size, channels).transpose(0, 3, 1, 2)
    weights, bias = normal(groups, filters // groups, channels // groups, kernel, kernel), normal(filters)
    steps, pads = (stride, stride), (padding, padding)

    def act(block: Array) -> None:
        relu(block, block)

    prepared = prepare_convolution(weights, steps, (1, 1), pads, pads, groups, x.shape, bias=bias, activation=act)
    out = prepared(x)

    def graph(data: Any) -> Any:
        where = (list(steps), list(pads), list(pads), [1, 1])
        if groups == 1:
            node = opset13.convolution(data, weights[0], *where)
        else:
            node = opset13.group_convolution(data, weights, *where)
        return opset13.relu(opset13.add(node, bias.reshape(1, -1, 1, 1)))

    kind = f"{kernel}x{kernel}/{stride} {channels}->{filters} @{size}" + (f" groups {groups}" if groups > 1 else "")
    work = 2.0 * out.size * channels // groups * kernel * kernel
    return Entry(f"convolution {kind}", lambda: prepared(x, out), work, (np.ascontiguousarray(x),), graph)


def elementwise() -> Iterator[Entry]:
    x = normal(128, 3072)
    out = np.empty_like(x)
    yield Entry("gelu 128x3072", lambda: gelu(x, out), 0, (x,), lambda d: opset13.gelu(d, "erf"))
    yield Entry("gelu tanh 128x3072", lambda: gelu_tanh(x, out), 0, (x,), lambda d: opset13.gelu(d, "tanh"))
    yield Entry("sigmoid 128x3072", lambda: sigmoid(x, out), 0, (x,), opset13.sigmoid)
    yield Entry("swish 128x3072", lambda: swish(x, None, out), 0, (x,), opset13.swish)
    yield Entry("relu 128x3072", lambda: relu(x, out), 0, (x,), opset13.relu)
    for shape in ((12, 128, 128), (12, 1024, 1024)):
        yield softmax_of(normal(1, *shape))
    rows = normal(1, 128, 768)
    kept = np.empty_like(rows)
    axes = np.array([2])
    yield Entry(
        "mean variance 128x768",
        lambda: mean_variance(rows, (2,), 1e-5, False, kept),
        0,
        (rows,),
        lambda d: opset13.mvn(d, axes, True, 1e-5, "inside_sqrt"),
    )


def softmax_of(x: Array) -> Entry:
    out = np.empty_like(x)
    return Entry(
        "softmax " + "x".join(map(str, x.shape[1:])),
        lambda: softmax(x, -1, out),
        0,
        (x,),
        lambda d: opset13.softmax(d, -1),
    )


def attentions() -> Iterator[Entry]:
    for heads, queries, keys, size, causal in ((12, 128, 128, 64, False), (12, 1024, 1024, 64, True)):
        q, k, v = normal(1, heads, queries, size), normal(1, heads, keys, size), normal(1, heads, keys, size)
        yield attention_of(q, k, v, causal)


def attention_of(q: Array, k: Array, v: Array, causal: bool) -> Entry:
    out = np.empty_like(q)
    return Entry(
        f"attention {q.shape[1]}x{q.shape[2]}x{k.shape[2]}x{q.shape[3]}" + (" causal" if causal else ""),
        lambda: attention(q, k, v, None, 0.125, causal=causal, out=out),
        4.0 * q.size * k.shape[2] / (2 if causal else 1),
        (q, k, v),
        lambda a, b, c: opset13.scaled_dot_product_attention(a, b, c, causal=causal),
    )


def spatial() -> Iterator[Entry]:
    x = normal(1, 112, 112, 64).transpose(0, 3, 1, 2)
    where = ((3, 3), (2, 2), (1, 1), (1, 1), (56, 56))
    out = max_pool(x, *where)
    plain = np.ascontiguousarray(x)
    yield Entry(
        "max pool 3x3/2 64@112",
        lambda: max_pool(x, *where, out),
        0,
        (plain,),
        lambda d: opset13.max_pool(d, [2, 2], [1, 1], [1, 1], [1, 1], [3, 3]).output(0),
    )
    small = normal(1, 64, 56, 56)
    axes = [Axis(2, 56, 112, 2.0), Axis(3, 56, 112, 2.0)]
    for name, run, mode in (
        ("nearest", lambda: nearest(small, axes, "asymmetric", "floor"), "nearest"),
        ("linear", lambda: linear_onnx(small, axes, "half_pixel"), "linear_onnx"),
    ):
        yield Entry(f"interpolate {name} x2 64@56", run, 0, (small,), interpolation(mode))


def interpolation(mode: str) -> Callable[[Any], Any]:
    coordinates = "asymmetric" if mode == "nearest" else "half_pixel"
    return lambda d: opset13.interpolate(
        d,
        np.array([112, 112]),
        mode,
        "sizes",
        axes=np.array([2, 3]),
        coordinate_transformation_mode=coordinates,
        nearest_mode="floor",
    )


def sequences() -> Iterator[Entry]:
    for batch, steps, size, hidden in ((1, 64, 128, 256), (8, 64, 128, 256), (1, 128, 512, 512)):
        x = normal(batch, steps, size)
        state = np.zeros((batch, 2, hidden), np.float32)
        w, r, b = normal(2, 4 * hidden, size) / 20, normal(2, 4 * hidden, hidden) / 20, normal(2, 4 * hidden)
        yield lstm(x, state, w, r, b)


def lstm(x: Array, state: Array, w: Array, r: Array, b: Array) -> Entry:
    lengths = np.full(len(x), x.shape[1])
    cell = Lstm(("sigmoid", "tanh", "tanh"))
    weights = [Weights(*parts) for parts in zip(w, r, b, strict=True)]
    hidden = state.shape[-1]
    return Entry(
        f"bidirectional lstm batch {len(x)} steps {x.shape[1]} hidden {hidden}",
        lambda: run_sequence(cell, x, (state, state), lengths, weights, (False, True)),
        2.0 * x.shape[0] * x.shape[1] * (w.size + r.size),
        (x,),
        lambda d: opset13.lstm_sequence(d, state, state, lengths, w, r, b, hidden, "bidirectional").output(0),
    )


def native(entry: Entry) -> Callable[[], object] | None:
    """One inference of the native plugin with the same number of threads."""
    if openvino is None or entry.graph is None:
        return None
    parameters = [opset13.parameter(list(array.shape), np.float32) for array in entry.inputs]
    model = openvino.Model([entry.graph(*parameters)], parameters)
    settings = {"INFERENCE_NUM_THREADS": threads(), "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    request = openvino.Core().compile_model(model, "CPU", settings).create_infer_request()
    for index, array in enumerate(entry.inputs):
        request.set_input_tensor(index, openvino.Tensor(array))
    infer: Callable[[], object] = request.infer
    return infer


def best_times(runs: list[Callable[[], object]], seconds: float = 1.0) -> list[float]:
    """The shortest time of each in milliseconds; they take turns, a few runs at a time."""
    best = [float("inf")] * len(runs)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for index, run in enumerate(runs):
            for _ in range(4):
                start = time.perf_counter()
                run()
                best[index] = min(best[index], time.perf_counter() - start)
    return [value * 1000 for value in best]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=threads())
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    set_threads(given.threads)
    blas = ", ".join(f"{of['internal_api']} {of.get('architecture', '')}" for of in threadpoolctl.threadpool_info())
    print(f"{given.threads} threads; {blas}\n")
    print(f"{'kernel':54} {'ms':>8} {'GFLOP/s':>8} {'OpenVINO ms':>12} {'ratio':>6}")
    entries = [convolution(*of) for of in CONVOLUTIONS if given.only in "convolution"]
    makers = (elementwise, attentions, spatial, sequences)
    for entry in (*entries, *(entry for maker in makers for entry in maker())):
        if given.only not in entry.name:
            continue
        other = native(entry)
        times = best_times([entry.run] if other is None else [entry.run, other])
        rate = f"{entry.work / times[0] / 1e6:8.0f}" if entry.work else " " * 8
        beside = f"{times[1]:12.3f} {times[0] / times[1]:6.2f}" if len(times) > 1 else ""
        print(f"{entry.name:54} {times[0]:8.3f} {rate} {beside}", flush=True)


if __name__ == "__main__":
    main()
