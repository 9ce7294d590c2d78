"""Each pass on all small shapes that it meets, compared bit by bit with the model as written.

Values are small integers, of which sums and products in f32 are exact in any order.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import numpy as np
import pytest

import irrun.model
from irrun.tensor.element_type import F32, I64
from tests.nets import Net
from tests.plugins.tiers import Tier

Instance = tuple[Net, dict[str, tuple[int, ...]]]
WINDOW: Final = {"auto_pad": "explicit", "dilations": "1,1"}


class Whole(Net):
    """A net whose weights and inputs are small integers."""

    def normal(self, *shape: int) -> object:  # type: ignore[override]
        return self.constant(self.random.integers(-3, 4, shape).astype(np.float32))

    def inputs(self, sizes: dict[str, tuple[int, ...]] | None = None) -> dict[str, np.ndarray]:
        return {name: np.rint(array * 2) for name, array in super().inputs(sizes).items()}


def inputs_by_type(compiled: irrun.model.Compiled) -> Counter[tuple[str, int]]:
    """Return the number of steps of each operation type and number of inputs."""
    return Counter((step.node.type, len(step.inputs)) for step in compiled.plan.steps)


def text(shape: tuple[int, ...]) -> str:
    return ",".join(map(str, shape))


def shapes(most_rank: int = 3, sizes: tuple[int, ...] = (1, 2, 3)) -> Iterator[tuple[int, ...]]:
    for rank in range(1, most_rank + 1):
        yield from itertools.product(sizes, repeat=rank)


def transposed() -> Iterator[Instance]:
    for shape in shapes(3, (1, 2)):
        for order in itertools.permutations(range(len(shape))):
            net = Whole()
            made = text(tuple(shape[axis] for axis in order))
            x = net.layer("Transpose", [net.parameter("x", text(shape)), net.constant(np.array(order))], made)
            net.result(net.layer("Negative", [x], made))
            yield net, {}


def transposed_twice() -> Iterator[Instance]:
    for shape in shapes(3, (1, 2)):
        for orders in itertools.product(itertools.permutations(range(len(shape))), repeat=2):
            net = Whole()
            x = net.parameter("x", text(shape))
            for order in orders:
                made = text(tuple(shape[axis] for axis in order))
                net.result(
                    net.layer("Negative", [net.layer("Transpose", [x, net.constant(np.array(order))], made)], made)
                )
            yield net, {}


def reshaped() -> Iterator[Instance]:
    for shape in shapes(3, (1, 2, 3)):
        size = int(np.prod(shape))
        for target in shapes(3, (1, 2, 3, 4, 6)):
            if np.prod(target) == size:
                net = Whole()
                inputs = [net.parameter("x", text(shape)), net.constant(np.array(target))]
                x = net.layer("Reshape", inputs, text(target), special_zero=False)
                net.result(net.layer("Negative", [x], text(target)))
                yield net, {}


def shaped_by_values() -> Iterator[Instance]:
    for shape in shapes(3, (1, 2)):
        for axis in range(len(shape)):
            net = Whole()
            x = net.parameter("x", text(shape))
            sizes = net.layers("ShapeOf", [x], [(I64, str(len(shape)))], 3, output_type="i64")[0]
            inputs = [sizes, net.constant(np.array([axis])), net.constant(np.array(0))]
            size = net.layers("Gather", inputs, [(I64, "1")], 8, batch_dims=0)[0]
            inputs = [size, net.constant(np.array([-1]))]
            target = net.layers("Concat", inputs, [(I64, "2")], axis=0)[0]
            made = (shape[axis], int(np.prod(shape)) // shape[axis])
            net.result(net.layer("Reshape", [x, target], text(made), special_zero=False))
            yield net, {}


def pooled() -> Iterator[Instance]:
    for size, kernel, stride, pad, rounding in itertools.product(
        range(1, 6), (1, 2, 3), (1, 2), (0, 1), ("floor", "ceil")
    ):
        span = size + 2 * pad - kernel
        if span < 0 or pad >= kernel:
            continue
        made = (-(-span // stride) if rounding == "ceil" else span // stride) + 1
        if (made - 1) * stride >= size + pad:
            continue
        net = Whole()
        attributes = {"strides": f"{stride},1", "kernel": f"{kernel},1", "pads_begin": f"{pad},0"}
        attributes |= {"pads_end": f"{pad},0", "rounding_type": rounding, "auto_pad": "explicit"}
        x = net.parameter("x", f"1,2,{size},2")
        net.result(net.layer("MaxPool", [x], f"1,2,{made},2", **attributes))
        yield net, {}


def joined() -> Iterator[Instance]:
    for rank in (1, 2, 3):
        for axis, sizes in itertools.product(range(rank), itertools.product((0, 1, 2), repeat=3)):
            net = Whole()
            parts = [
                net.parameter(name, text(tuple(size if at == axis else 2 for at in range(rank))))
                for name, size in zip("abc", sizes, strict=True)
            ]
            first = text(tuple(sum(sizes[:2]) if at == axis else 2 for at in range(rank)))
            made = text(tuple(sum(sizes) if at == axis else 2 for at in range(rank)))
            x = net.layer("Concat", parts[:2], first, axis=axis)
            net.result(x, net.layer("Concat", parts, made, axis=axis))
            yield net, {}


def convolved() -> Iterator[Instance]:
    for kernel, stride, pad, channels, count in itertools.product((1, 2, 3), (1, 2), (0, 1), (1, 2, 3), (1, 2)):
        size = (4 + 2 * pad - kernel) // stride + 1
        made = f"1,{count},{size},{size}"
        net = Whole()
        x, weights = net.parameter("x", f"1,{channels},4,4"), net.normal(count, channels, kernel, kernel)
        pads = {"pads_begin": f"{pad},{pad}", "pads_end": f"{pad},{pad}"}
        x = net.layer("Convolution", [x, weights], made, strides=f"{stride},{stride}", **WINDOW, **pads)
        x = net.layer("Multiply", [x, net.normal(1, count, 1, 1)], made)
        x = net.layer("Add", [x, net.normal(1, count, 1, 1)], made)
        net.result(net.layer("ReLU", [net.layer("Add", [x, net.parameter("r", made)], made)], made))
        yield net, {}


def convolved_after_an_activation() -> Iterator[Instance]:
    for channels, count, factor in itertools.product((1, 2, 3), (1, 2, 3), (1, 2)):
        net = Whole()
        shape, made = f"1,{channels},3,3", f"1,{count},3,3"
        factors = net.constant(np.full((1, channels, 1, 1), factor, np.float32))
        x = net.layer("Multiply", [net.parameter("x", shape), factors], shape)
        x = net.layer("ReLU", [net.layer("Add", [x, net.normal(1, channels, 1, 1)], shape)], shape)
        net.result(net.convolution(x, net.normal(count, channels, 1, 1), made))
        yield net, {}


def convolved_backwards() -> Iterator[Instance]:
    for kernel, stride, channels, count in itertools.product((1, 2, 3), (1, 2, 3), (1, 2), (1, 2)):
        size = (3 - 1) * stride + kernel
        made = f"1,{count},{size},{size}"
        net = Whole()
        weights = net.normal(channels, count, kernel, kernel)
        zeros = {"pads_begin": "0,0", "pads_end": "0,0", "strides": f"{stride},{stride}"}
        x = net.layer(
            "ConvolutionBackpropData", [net.parameter("x", f"1,{channels},3,3"), weights], made, **WINDOW, **zeros
        )
        net.result(net.layer("ReLU", [net.layer("Add", [x, net.normal(1, count, 1, 1)], made)], made))
        yield net, {}


def convolved_twice() -> Iterator[Instance]:
    for channels, first, second in itertools.product((1, 2, 3), (1, 2, 3), (1, 2, 3)):
        net = Whole()
        x = net.parameter("x", f"1,{channels},3,3")
        for count in (first, second):
            made = f"1,{count},3,3"
            net.result(net.layer("ReLU", [net.convolution(x, net.normal(count, channels, 1, 1), made)], made))
        yield net, {}


def multiplied() -> Iterator[Instance]:
    for rows, depth, columns, transposed in itertools.product((1, 2, 3), (1, 2, 3), (1, 2, 3), (False, True)):
        net = Whole()
        weights = net.normal(columns, depth) if transposed else net.normal(depth, columns)
        made = f"{rows},{columns}"
        inputs = [net.parameter("x", f"{rows},{depth}"), weights]
        x = net.layer("MatMul", inputs, made, transpose_a=False, transpose_b=transposed)
        x = net.layer("Add", [x, net.normal(1, columns)], made)
        net.result(net.layer("ReLU", [net.layer("Add", [x, net.parameter("r", made)], made)], made))
        yield net, {}


def chained() -> Iterator[Instance]:
    second = ("Add", "Multiply", "Subtract", "Maximum")
    for sizes, one, other in itertools.product(((1,), (2, 3), (1, 2, 1)), second, second):
        for operand in (sizes, (1,) * len(sizes)):
            net, shape = Whole(), text(sizes)
            x = net.layer(one, [net.parameter("x", shape), net.normal(*operand)], shape)
            x = net.layer("Abs", [x], shape)
            net.result(net.layer(other, [x, net.parameter("y", shape)], shape))
            yield net, {}


def appended() -> Iterator[Instance]:
    for axis, rows, start in itertools.product((0, 1, 2), (0, 1, 2), (0, 1, 2)):
        shape = ["2", "2", "2"]
        shape[axis] = "?"
        net = Whole()
        declared = {"variable_id": "v", "variable_type": "f32", "variable_shape": ",".join(shape)}
        first = net.normal(*(start if at == axis else 2 for at in range(3)))
        past = net.layer("ReadValue", [first], ",".join(shape), 6, **declared)
        whole = net.layer("Concat", [past, net.parameter("x", ",".join(shape))], ",".join(shape), axis=axis)
        net.layer("Assign", [whole], ",".join(shape), 6, variable_id="v")
        net.result(whole)
        yield net, {"x": tuple(rows if at == axis else 2 for at in range(3))}


def repeated_heads() -> Iterator[Instance]:
    for batch, groups, count, queries, keys in itertools.product((1, 2), (1, 2), (1, 2, 3), (1, 2), (1, 2)):
        net, heads = Whole(), groups * count
        inputs = [net.parameter("q", f"{batch},{heads},{queries},4")]
        for name in ("k", "v"):
            x = net.parameter(name, f"{batch},{groups},{keys},4")
            x = net.layer("Unsqueeze", [x, net.constant(np.array(2))], f"{batch},{groups},1,{keys},4")
            target = net.constant(np.array([batch, groups, count, keys, 4]))
            x = net.layer("Broadcast", [x, target], f"{batch},{groups},{count},{keys},4", 3, mode="bidirectional")
            target = net.constant(np.array([batch, heads, keys, 4]))
            inputs.append(net.layer("Reshape", [x, target], f"{batch},{heads},{keys},4", special_zero=False))
        net.result(net.layer("ScaledDotProductAttention", inputs, f"{batch},{heads},{queries},4", 13, causal=False))
        yield net, {}


def turned() -> Iterator[Instance]:
    """Rotary embeddings: halves of a Slice or of a split, negated, concatenated, and products in any order."""
    for heads, rows, half, how, swapped in itertools.product((1, 2), (1, 2), (1, 2, 3), ("S", "V", "T"), range(8)):
        net, shape, part = Whole(), f"1,{heads},{rows},{2 * half}", f"1,{heads},{rows},{half}"
        x = net.parameter("x", shape)
        cos, sin = (net.parameter(name, f"1,1,{rows},{2 * half}") for name in ("c", "s"))
        if how == "S":
            bounds = ([0, half], [half, 2**31])
            steps = [net.constant(np.array([each])) for each in (1, 3)]
            ends = [[net.constant(np.array([each])) for each in pair] for pair in bounds]
            first, second = (net.layer("Slice", [x, *pair, *steps], part, 8) for pair in ends)
        else:
            lengths = [net.constant(np.array([half, -1]))] if how == "V" else []
            type, attributes = ("VariadicSplit", {}) if how == "V" else ("Split", {"num_splits": 2})
            inputs = [x, net.constant(np.array(-1)), *lengths]
            first, second = net.layers(type, inputs, [(F32, part), (F32, part)], **attributes)
        if swapped & 1:
            second = net.layer("Negative", [second], part)
        else:
            second = net.layer("Multiply", [second, net.constant(np.array(-1.0))], part)
        joined = net.layer("Concat", [second, first], shape, axis=-1)
        one = net.layer("Multiply", [cos, x] if swapped & 2 else [x, cos], shape)
        other = net.layer("Multiply", [joined, sin] if swapped & 4 else [sin, joined], shape)
        net.result(net.layer("Add", [other, one] if swapped & 3 == 3 else [one, other], shape))
        yield net, {}


def recurrent() -> Iterator[Instance]:
    for batch, length, size, hidden in itertools.product((1, 2), (1, 2, 3), (1, 2), (1, 2)):
        net = Whole()
        state = f"{batch},1,{hidden}"
        inputs = [net.parameter("x", f"{batch},{length},{size}"), net.parameter("h", state), net.parameter("c", state)]
        inputs += [net.constant(np.full(batch, length)), net.normal(1, 4 * hidden, size)]
        inputs += [net.normal(1, 4 * hidden, hidden), net.normal(1, 4 * hidden)]
        outputs = [(F32, f"{batch},1,{length},{hidden}"), (F32, state), (F32, state)]
        net.result(*net.layers("LSTMSequence", inputs, outputs, 5, hidden_size=hidden, direction="forward"))
        yield net, {}


CASES: Final[Mapping[str, tuple[Callable[[], Iterator[Instance]], ...]]] = {
    "append-in-place": (appended,),
    "fold-known-values": (shaped_by_values,),
    "fuse-concat": (joined,),
    "fuse-convolution": (convolved, convolved_after_an_activation),
    "fuse-elementwise": (chained,),
    "fuse-matmul": (multiplied,),
    "fuse-recurrence": (recurrent,),
    "fuse-rotary": (turned,),
    "fuse-transposed-convolution": (convolved_backwards,),
    "join-convolutions": (convolved_twice,),
    "merge-duplicates": (transposed_twice,),
    "pool-values-only": (pooled,),
    "precompute-views": (reshaped, transposed),
    "remove-needless": (reshaped, transposed),
    "share-keys": (repeated_heads,),
}
BEFORE: Final = {"join-convolutions": ("fuse-convolution",), "share-keys": ("fuse-attention",)}
ROUNDED: Final = ("fuse-recurrence", "share-keys")
"""Passes of layers that compute exponentials, which are compared within a few roundings."""


@pytest.mark.parametrize(("name", "build"), [(name, build) for name, builds in CASES.items() for build in builds])
def test_results_are_kept(tmp_path: Path, tier: Tier, name: str, build: Callable[[], Iterator[Instance]]) -> None:
    changed = 0
    for net, sizes in tier.part(list(build()), 12):
        passes = (*BEFORE.get(name, ()), name)
        fast = net.compile(tmp_path, *passes, TIER="numpy")
        plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False, "TIER": "numpy"})
        without = net.compile(tmp_path, *passes[:-1], TIER="numpy") if len(passes) > 1 else plain
        changed += inputs_by_type(fast) != inputs_by_type(without)
        one, other = fast.session(), plain.session()
        for _ in range(3):
            inputs = net.inputs(sizes)
            for got, wanted in zip(one.run(inputs).to_tuple(), other.run(inputs).to_tuple(), strict=True):
                assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
                if name in ROUNDED:
                    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-6)
                else:
                    assert (got + 0.0).tobytes() == (wanted + 0.0).tobytes()
    assert changed > 0
