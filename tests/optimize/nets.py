"""Small models for the tests of the optimiser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import irrun.model
from irrun.document.writer import Handle, Writer
from irrun.optimize import PASSES
from irrun.runtime.tiers import has_kernels
from irrun.tensor import Array, ElementType, Fact, Shape
from irrun.tensor.element_type import F32, I64

TIERS = ("numpy", "compiled") if has_kernels() else ("numpy",)


class Net:
    """Builds a model layer by layer; tensors are f32 by default."""

    def __init__(self) -> None:
        self.ir = Writer("net")
        self.random = np.random.default_rng(0)
        self.shapes: dict[str, str] = {}

    def parameter(self, name: str, shape: str, type: ElementType = F32) -> Handle:
        self.shapes[name] = shape
        return self.ir.parameter(name, type, Shape.parse(shape))

    def constant(self, values: Any) -> Handle:
        array = np.asarray(values)
        kind = I64 if array.dtype.kind == "i" else F32
        return self.ir.constant(array.astype(kind.dtype), kind)

    def normal(self, *shape: int) -> Handle:
        return self.constant(self.random.standard_normal(shape, dtype=np.float32))

    def layer(self, type: str, inputs: Sequence[Handle], shape: str, opset: int = 1, **attributes: object) -> Handle:
        return self.layers(type, inputs, [(F32, shape)], opset, **attributes)[0]

    def layers(
        self,
        type: str,
        inputs: Sequence[Handle],
        outputs: Sequence[tuple[ElementType, str]],
        opset: int = 1,
        **attributes: object,
    ) -> list[Handle]:
        texts = {name.replace("__", "."): _text(value) for name, value in attributes.items()}
        facts = [Fact(kind, Shape.parse(shape)) for kind, shape in outputs]
        return self.ir.layer(type, f"opset{opset}", inputs, facts, texts)

    def result(self, *sources: Handle) -> None:
        for source in sources:
            self.ir.result(source)

    def convolution(self, data: Handle, weights: Handle, shape: str, type: str = "Convolution") -> Handle:
        ones, zeros = "1,1", "0,0"
        return self.layer(
            type,
            [data, weights],
            shape,
            strides=ones,
            dilations=ones,
            pads_begin=zeros,
            pads_end=zeros,
            auto_pad="valid",
        )

    def compile(self, folder: Path, *names: str, **config: Any) -> irrun.model.Compiled:
        """Compile the model with these passes alone, or with all passes if none are named."""
        self.ir.save(folder / "net.xml")
        others = [item.name for item in PASSES if item.name not in names] if names else []
        return irrun.model.build(folder / "net.xml", {"OPTIMIZE": {"disable": others}, **config})

    def inputs(self, sizes: dict[str, tuple[int, ...]] | None = None) -> dict[str, Array]:
        known = {name: Shape.parse(shape) for name, shape in self.shapes.items()}
        shapes = {name: shape.static for name, shape in known.items() if shape.is_static} | (sizes or {})
        return {name: self.random.standard_normal(shape, dtype=np.float32) for name, shape in shapes.items()}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def types(compiled: irrun.model.Compiled) -> Counter[str]:
    """Return the number of steps of each operation type in the plan."""
    return Counter(step.node.type for step in compiled.plan.steps)


def check(
    net: Net,
    folder: Path,
    names: Sequence[str],
    want: dict[str, int],
    *,
    sizes: dict[str, tuple[int, ...]] | None = None,
    rtol: float = 1e-4,
    atol: float = 1e-5,
) -> irrun.model.Compiled:
    """Check that these passes alone, and all passes, keep the outputs, and that the former leave these steps.

    All passes are also checked on the other tier if it is installed.
    """
    alone = net.compile(folder, *names, TIER="numpy")
    assert types(alone) == want
    plain = irrun.model.build(folder / "net.xml", {"OPTIMIZE": False, "TIER": "numpy"})
    whole = [irrun.model.build(folder / "net.xml", {"TIER": tier}) for tier in TIERS]
    for _ in range(2):
        inputs = net.inputs(sizes)
        expected = plain(inputs).to_tuple()
        for compiled in (alone, *whole):
            for got, wanted in zip(compiled(inputs).to_tuple(), expected, strict=True):
                assert got.dtype == wanted.dtype
                np.testing.assert_allclose(got, wanted, rtol=rtol, atol=atol)
    return alone
