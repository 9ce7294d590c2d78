"""The builder of the models that tests write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import irrun.model
from irrun.document.writer import Handle, Writer, WrittenBody
from irrun.inference.fold import fold
from irrun.ops import Op
from irrun.ops.calling import infer
from irrun.ops.registry import resolve
from irrun.optimize import PASSES
from irrun.tensor import Array, ElementType, Fact, Shape
from irrun.tensor.element_type import F32, I64


class Net:
    """Writes a model layer by layer, and returns the output ports of a layer as inputs for others.

    The outputs of a layer are inferred, with the values of shape arithmetic, unless they are declared: types are f32 by
    default. Those of an operation that irrun does not know, of one with bodies, and of a layer with a fault, must be.
    """

    def __init__(self, name: str = "net", version: str = "11", notes: Mapping[str, object] | None = None) -> None:
        self.ir = Writer(name, version, notes)
        self.random = np.random.default_rng(0)
        self.shapes: dict[str, str] = {}
        """The declared shapes of the inputs."""

    def parameter(self, name: str, shape: str, type: ElementType | str = F32, tensor: str = "") -> Handle:
        """Add an input; its tensor has its name by default."""
        self.shapes[tensor or name] = shape
        fact = Fact(_named(type), Shape.parse(shape))
        texts = {"shape": shape, "element_type": fact.type.name}
        return self.ir.layer("Parameter", "opset1", [], [fact], texts, name=name, names=[tensor or name])[0]

    def constant(self, values: Any, type: ElementType | str | None = None, name: str = "") -> Handle:
        """Add a constant: of i64 if the values are integers, of f32 otherwise, unless it has a type."""
        array = np.asarray(values)
        kind = (I64 if array.dtype.kind == "i" else F32) if type is None else _named(type)
        array = array.astype(kind.dtype)
        handle = self.ir.constant(array, kind, name)
        return handle._replace(fact=Fact.of(kind, array))

    def normal(self, *shape: int) -> Handle:
        """Add a constant with values of the standard normal distribution."""
        return self.constant(self.random.standard_normal(shape, dtype=np.float32))

    def zeros(self, *shape: int) -> Handle:
        return self.constant(np.zeros(shape, np.float32))

    def layer(
        self, type: str, inputs: Sequence[Handle], shape: str | None = None, opset: int | str = 1, **attributes: Any
    ) -> Handle:
        """Add a layer with one output, of f32 where ``shape`` declares it."""
        return self.layers(type, inputs, None if shape is None else [(F32, shape)], opset, **attributes)[0]

    def layers(
        self,
        type: str,
        inputs: Sequence[Handle],
        outputs: Sequence[tuple[ElementType, str]] | int | None = None,
        opset: int | str = 1,
        *,
        name: str = "",
        tensor: str | Sequence[str] = "",
        bodies: Mapping[str, WrittenBody] | None = None,
        **attributes: Any,
    ) -> list[Handle]:
        """Add a layer with several outputs. ``outputs`` declares them, or is their number where inputs leave it open.

        ``tensor`` names the tensor of the output, or of each. Attributes are as in the IR, with ``__`` for a dot.
        """
        version = opset if isinstance(opset, str) else f"opset{opset}"
        texts = {key.replace("__", "."): _text(value) for key, value in attributes.items()}
        if outputs is None or isinstance(outputs, int):
            texts, facts = _inferred(type, version, [item.fact for item in inputs], texts, outputs or 1)
        else:
            facts = [Fact(kind, Shape.parse(shape)) for kind, shape in outputs]
        names = [tensor] if isinstance(tensor, str) else tensor
        return self.ir.layer(type, version, inputs, facts, texts, name=name, names=names, bodies=bodies)

    def convolution(self, data: Handle, weights: Handle, shape: str | None = None, type: str = "Convolution") -> Handle:
        """Add a convolution of two spatial axes, without strides, dilations and padding."""
        window = {"strides": "1,1", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0", "auto_pad": "valid"}
        return self.layer(type, [data, weights], shape, **window)

    def result(self, *sources: Handle, name: str = "") -> None:
        for source in sources:
            self.ir.result(source, name)

    def body(self) -> Net:
        """Return a builder of a sub-graph, which shares the weights."""
        inner = Net(self.ir.name)
        inner.ir = self.ir.body()
        return inner

    def save(self, path: Path) -> Path:
        self.ir.save(path)
        return path

    def compile(self, folder: Path, *names: str, **config: Any) -> irrun.model.Compiled:
        """Compile the model with these passes alone, or with all passes if none are named."""
        others = [item.name for item in PASSES if item.name not in names] if names else []
        return irrun.model.build(self.save(folder / "net.xml"), {"OPTIMIZE": {"disable": others}, **config})

    def inputs(self, sizes: dict[str, tuple[int, ...]] | None = None) -> dict[str, Array]:
        """Draw an array for each input; ``sizes`` are those of dynamic ones."""
        known = {name: Shape.parse(shape) for name, shape in self.shapes.items()}
        shapes = {name: shape.static for name, shape in known.items() if shape.is_static} | (sizes or {})
        return {name: self.random.standard_normal(shape, dtype=np.float32) for name, shape in shapes.items()}


def _named(type: ElementType | str) -> ElementType:
    return ElementType.named(type) if isinstance(type, str) else type


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)


def _inferred(
    type: str, version: str, inputs: Sequence[Fact], texts: Mapping[str, str], outputs: int
) -> tuple[dict[str, str], Sequence[Fact]]:
    """Return the attributes with those that have defaults, and the facts of the outputs."""
    cls = resolve(type, version)
    known = {spec.name: spec for spec in cls.spec.attributes}
    op = cls(**{known[name].field: known[name].parse(text) for name, text in texts.items()})
    context = {"output_count": outputs} if "output_count" in op.spec.infer_asks else {}
    return written(op), fold(op, inputs, infer(op, inputs, **context))


def written(op: Op) -> dict[str, str]:
    """Return the attributes of an operation as the IR spells them."""
    return {
        spec.name: spec.text(value) for spec in op.spec.attributes if (value := getattr(op, spec.field)) is not None
    }
