"""Layers between two others of a small network, and what they are compared on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from irrun.document.writer import Handle
from irrun.model import Loaded, load
from irrun.tensor import Array
from tests.cases import f32
from tests.nets import Net

Build = Callable[[Net, Handle], Handle]
X = {0: f32([[1.0, -2.0, 3.0, 0.5], [0.25, 4.0, -1.0, 2.0]])}
WEIGHTS = np.random.default_rng(1).standard_normal((4, 4)).astype(np.float32)


def net(path: Path, build: Build, prefix: str = "") -> Loaded:
    made = Net()
    at = build(made, made.layer("MatMul", [made.parameter("x", "2,4"), made.constant(WEIGHTS)], name=f"{prefix}first"))
    made.result(made.layer("Tanh", [at], name=f"{prefix}last", tensor="y"))
    return load(made.save(path))


def norm(eps: float, name: str, axis: int = 1, mode: str = "inside_sqrt") -> Build:
    return lambda made, x: made.layer(
        "MVN", [x, made.constant([axis])], opset=6, name=name, normalize_variance=True, eps=eps, eps_mode=mode
    )


def product(values: Array, name: str, constant: str = "w") -> Build:
    return lambda made, x: made.layer("MatMul", [x, made.constant(values, name=constant)], name=name)


def layer(type: str, name: str) -> Build:
    return lambda made, x: made.layer(type, [x], name=name)


def nothing(_made: Net, x: Handle) -> Handle:
    return x


def less(swapped: bool, name: str) -> Build:
    def build(made: Net, x: Handle) -> Handle:
        halves = made.layers("Split", [x, made.constant(1)], 2, num_splits=2)
        return made.layer("Subtract", halves[::-1] if swapped else halves, name=name)

    return build


def shifted(values: Array, name: str, *, first: bool = False) -> Build:
    def build(made: Net, x: Handle) -> Handle:
        shift = made.constant(values, name="b")
        return made.layer("Add", [shift, x] if first else [x, shift], name=name)

    return build


def turned(values: Array, name: str) -> Build:
    return lambda made, x: made.layer("MatMul", [x, made.constant(values.T, name="t")], name=name, transpose_b=True)


def halved(values: Array, name: str) -> Build:
    """Return a product with the wrong flag, of weights with a factor that a later layer takes back."""

    def build(made: Net, x: Handle) -> Handle:
        small = made.layer("MatMul", [x, made.constant(values / 2, name="half")], name=name, transpose_b=True)
        return made.layer("Multiply", [small, made.constant(f32(2))], name=f"{name}_back")

    return build


def scaled(name: str, *, quantised: bool) -> Build:
    """Return a scaled tensor in another shape, or a quantised one without the scale."""

    def build(made: Net, x: Handle) -> Handle:
        if not quantised:
            x = made.layer("Multiply", [x, made.constant(f32([1, 3, -1, 2]))], name=name)
        x = made.layer("Reshape", [x, made.constant([1, 2, 4])], special_zero=False, name="shaped")
        if quantised:
            limits = [made.constant(f32(limit)) for limit in (-20, 20, -20, 20)]
            x = made.layer("FakeQuantize", [x, *limits], name="fq", levels=256)
        return made.layer("MatMul", [x, made.constant(WEIGHTS)], name="p")

    return build


def activated(name: str, *, quantised: bool) -> Build:
    """Return an activation, or what was quantised for its range."""

    def build(made: Net, x: Handle) -> Handle:
        if not quantised:
            return made.layer("Gelu", [x], opset=7, name=name, approximation_mode="ERF")
        return made.layer("FakeQuantize", [x, *(made.constant(f32(at)) for at in (-0.2, 20, -0.2, 20))], levels=256)

    return build


def attention(name: str) -> Build:
    def build(made: Net, x: Handle) -> Handle:
        heads = made.layer("Reshape", [x, made.constant([1, 2, 4])], special_zero=False)
        mask = made.constant(np.array([[True, False], [True, True]]), "boolean")
        return made.layer("ScaledDotProductAttention", [heads, heads, heads, mask], opset=13, name=name, causal=False)

    return build


def attention_parts(axis: int) -> Build:
    def build(made: Net, x: Handle) -> Handle:
        heads = made.layer("Reshape", [x, made.constant([1, 2, 4])], special_zero=False)
        small = made.layer("Multiply", [heads, made.constant(f32(0.5))])
        scores = made.layer("MatMul", [small, heads], transpose_b=True)
        seen = made.constant(np.array([[0, -np.inf], [0, 0]], np.float32))
        soft = made.layer("Softmax", [made.layer("Add", [scores, seen])], opset=8, name="soft", axis=axis)
        return made.layer("MatMul", [soft, heads], name="out")

    return build


def masked(hidden: float | None) -> Build:
    """Return attention without the nearest of four keys, as parts if the number that hides it is given."""

    def build(made: Net, x: Handle) -> Handle:
        heads = made.layer("Reshape", [x, made.constant([1, 4, 2])], special_zero=False)
        near = made.layer("MatMul", [heads, heads], transpose_b=True)
        mask = made.layer("Less", [near, made.layer("ReduceMax", [near, made.constant([2])], keep_dims=True)])
        if hidden is None:
            return made.layer(
                "ScaledDotProductAttention", [heads, heads, heads, mask], opset=13, name="a", causal=False
            )
        scores = made.layer("Multiply", [near, made.constant(f32(np.sqrt(0.5)))])
        added = made.layer("Select", [mask, made.constant(f32(0)), made.constant(f32(hidden))], name="masked")
        soft = made.layer("Softmax", [made.layer("Add", [scores, added])], opset=8, axis=-1)
        return made.layer("MatMul", [soft, heads])

    return build


SCALES, SHIFTS = f32([1.5, 0.5]), f32([0.1, -0.2])


def norm_parts(eps: float, mode: str = "inside_sqrt") -> Build:
    def build(made: Net, x: Handle) -> Handle:
        axis, number = made.constant([1]), made.constant(f32([eps]), name="epsilon")
        centred = made.layer("Subtract", [x, made.layer("ReduceMean", [x, axis], keep_dims=True)])
        square = made.layer("Multiply", [centred, centred])
        variance = made.layer("ReduceMean", [square, axis], keep_dims=True)
        if mode == "inside_sqrt":
            variance = made.layer("Add", [variance, number], name="with_epsilon")
        root = made.layer("Sqrt", [variance])
        return made.layer("Divide", [centred, root if mode == "inside_sqrt" else made.layer("Add", [root, number])])

    return build


def groups(made: Net, x: Handle) -> Handle:
    inputs = [made.layer("Reshape", [x, made.constant([1, 2, 4])], special_zero=False)]
    inputs += [made.constant(SCALES, name="scale"), made.constant(SHIFTS, name="shift")]
    return made.layer("GroupNormalization", inputs, opset=12, name="g", num_groups=1, epsilon=1e-5)


def group_parts(shifts: Array, eps: float) -> Build:
    def build(made: Net, x: Handle) -> Handle:
        whole = made.layer("Reshape", [x, made.constant([1, 1, 8])], special_zero=False)
        normal = norm(eps, "mvn", 2)(made, whole)
        normal = made.layer("Reshape", [normal, made.constant([1, 2, 4])], special_zero=False)
        normal = made.layer("Multiply", [normal, made.constant(SCALES.reshape(1, 2, 1), name="by")], name="by_scale")
        return made.layer("Add", [normal, made.constant(shifts.reshape(1, 2, 1), name="plus")], name="plus_shift")

    return build


def reduced(type: str, *, is_moved: bool) -> Build:
    """Return a reduction over rows, behind a transposition or not, in a Reshape of the one or the other kind."""

    def build(made: Net, x: Handle) -> Handle:
        if is_moved:
            x = made.layer("Transpose", [x, made.constant([1, 0])])
        axis = made.constant([1 if is_moved else 0])
        at = made.layer(type, [x, axis], name=f"{type}_{is_moved}", keep_dims=is_moved)
        return made.layer("Reshape", [at, made.constant([1, -1])], special_zero=is_moved)

    return build
