"""Random graphs on the compiled tier, compared with the kernels of NumPy layer by layer.

Three in four graphs are made of operations that have compiled kernels, with sizes around those of vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple
from unittest.mock import patch

import numpy as np

import irrun.model
from irrun.kernels import threads
from irrun.ops import OpError
from irrun.runtime.lowering import builder
from irrun.tensor import Array, ElementType
from tests.lab.graphs.compare import Tolerance
from tests.lab.graphs.engines import external
from tests.lab.graphs.generate import STEPS, generate, operations, step
from tests.lab.graphs.graph import Graph, Input, pruned
from tests.lab.graphs.grow import Grower, Rejected
from tests.lab.graphs.theme import Theme
from tests.lab.graphs.write import write
from tests.ops.random_draws import Random

SAMPLES: Final = 40
"""The number of computations with noise if results differ."""

_TRIES: Final = 8

_KINDS: Final = (
    *("Abs", "Add", "AvgPool", "BatchNormInference", "Clamp", "Concat", "Convolution", "ConvolutionBackpropData"),
    *("Divide", "Elu", "Exp", "FakeQuantize", "Gather", "Gelu", "GroupConvolution", "GroupConvolutionBackpropData"),
    *("HSigmoid", "HSwish", "Interpolate", "LRN", "LSTMSequence", "Log", "MVN", "MatMul", "MaxPool", "Maximum"),
    *("Minimum", "Mish", "Multiply", "Negative", "Pad", "Power", "ReLU", "ReduceMax", "ReduceMean", "ReduceSum"),
    *("Reshape", "ScaledDotProductAttention", "ShuffleChannels", "Sigmoid", "SoftMax", "Split", "Sqrt", "Squeeze"),
    *("StridedSlice", "Subtract", "Swish", "Tanh", "Transpose", "Unsqueeze", "VariadicSplit"),
)
"""Operations that have compiled kernels, and those that move what these compute."""


class Wide(Random):
    """Draws sizes around those of vectors and tiles."""

    def shape(self, least: int = 0, most: int = 5) -> tuple[int, ...]:
        sizes = [1, 1, *super().shape(least, most)]
        for _ in range(2):
            sizes[self.int(2, len(sizes) - 1) if len(sizes) > 2 else 0] = self.pick((1, 6, 8, 15, 16, 17, 31, 33, 65))
        return tuple(sizes[2:])


class Form(NamedTuple):
    """The settings of a run. ``finely`` cuts the work into as many tasks as possible."""

    optimize: bool
    threads: int
    finely: bool
    precision: str = "f32"


def graph_of(seed: int) -> Graph:
    """The graph of a seed, always the same."""
    return generate(seed // 4) if seed % 4 == 3 else _compiled_graph(seed)


def form_of(seed: int, precision: str = "f32") -> Form:
    """Return the settings for the graph of a seed. Without optimisation nothing is rounded."""
    optimize = seed % 5 > 0 or precision != "f32"
    return Form(optimize, threads=1 + seed // 2 % 2, finely=seed // 4 % 2 > 0, precision=precision)


def _compiled_graph(seed: int) -> Graph:
    draw = Wide(seed)
    known = [name for name in sorted(operations()) if name.split("-")[0] in _KINDS]
    theme = Theme(
        layers=draw.int(2, 12),
        types=[ElementType.named(name) for name in ("f32", "f32", "f32", "i64", "boolean")],
        operations=[name for name in known if draw.chance(0.4)] or known,
        dynamic=0,
        constant=draw.pick((0.1, 0.3, 0.6)),
        motifs=draw.pick((0.1, 0.4)),
        bodies=0,
        states=False,
    )
    grower = Grower(draw, theme)
    made = 0
    for _ in range(_TRIES * theme.layers):
        try:
            with grower.attempt():
                step(grower)
            made += 1
        except Rejected:
            pass
        if made == theme.layers:
            break
    ends = [tensor for tensor in grower.tensors if tensor.source not in grower.used] or grower.tensors[-1:]
    return pruned(grower.graph(ends))


def laid(array: Array, draw: Random) -> Array:
    """The same array in some layout: misaligned, transposed, reversed or with gaps in memory, or as it is."""
    kind = draw.pick(("same", "misaligned", "transposed", "reversed", "gaps"))
    if array.dtype.kind in "OU" or not array.ndim or kind == "same":
        return array
    if kind == "transposed":
        return np.asfortranarray(array)
    if kind == "reversed":
        return array[::-1].copy()[::-1]
    if kind == "gaps":
        return np.repeat(array, 2, axis=-1)[..., ::2]
    memory = np.empty(array.nbytes + 1, np.uint8)
    moved = memory[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


def difference(seed: int, folder: Path, precision: str = "f32") -> str | None:
    """Return the difference of the compiled tier on the graph of a seed; None if there is none.

    In ``bf16`` it is compared with the other tier, whose steps are the same.
    """
    graph = graph_of(seed)
    form, draw = form_of(seed, precision), Random(seed)
    write(graph, folder / "model.xml")
    feeds = [laid(external(node.fact.type, node.value), draw) for node in graph.nodes if isinstance(node, Input)]
    with _running(form):
        try:
            results = _results(folder / "model.xml", feeds, form)
        except (OpError, irrun.IRError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError) as error:
            return f"{type(error).__name__}: {error}"
    if form.precision != "f32":
        other = _results(folder / "model.xml", feeds, form, "numpy")
        return None if _is_near(results, other) else f"{form}: {results} on the compiled tier, {other} on the other"
    tolerance = Tolerance(graph, STEPS, SAMPLES)
    text = None if _is_rounding(results, tolerance.want) else tolerance.difference(results)
    return None if text is None else f"{form}: {text}"


def _is_near(got: Sequence[Sequence[Array]], want: Sequence[Sequence[Array]]) -> bool:
    """Return whether all numbers are within half a unit in the last place of bf16 of the largest one of the output.

    An operand at a tie may be rounded up on one tier and down on the other. Below that, rounding to f32 may differ.
    """
    pairs = [pair for run in zip(got, want, strict=True) for pair in zip(*run, strict=True)]
    return all(
        a.dtype == b.dtype
        and a.shape == b.shape
        and (
            np.allclose(a, b, rtol=0, atol=2.0**-9 * np.abs(b).max(initial=1e-2, where=np.isfinite(b)), equal_nan=True)
            if a.dtype.kind == "f"
            else np.array_equal(a, b)
        )
        for a, b in pairs
    )


def _is_rounding(got: Sequence[Sequence[Array]], want: Sequence[Sequence[Array]]) -> bool:
    """Return whether rounding to f32, of each element or of the largest one, explains the differences."""
    pairs = [pair for run in zip(got, want, strict=True) for pair in zip(*run, strict=True)]
    return all(
        a.dtype == b.dtype
        and a.shape == b.shape
        and (
            np.allclose(
                a, b, rtol=1e-5, atol=1e-6 * max(1, np.abs(b).max(initial=0, where=np.isfinite(b))), equal_nan=True
            )
            if a.dtype.kind == "f"
            else np.array_equal(a, b)
        )
        for a, b in pairs
    )


@contextmanager
def _running(form: Form) -> Iterator[None]:
    before = threads.threads()
    threads.set_threads(form.threads)
    least = 1 if form.finely else builder._LEAST_NANOSECONDS
    with patch.object(builder, "_LEAST_NANOSECONDS", least):
        yield
    threads.set_threads(before)


def _results(path: Path, feeds: Sequence[Array], form: Form, tier: str = "compiled") -> list[list[Array]]:
    config = {"OPTIMIZE": form.optimize, "TIER": tier, "INFERENCE_PRECISION_HINT": form.precision}
    compiled = irrun.model.build(irrun.model.load(path), config)
    request = compiled.session()
    return [list(request.run(feeds).to_tuple()) for _ in range(STEPS)]
