"""A language model of billions of parameters, assembled layer by layer with random weights of four or eight bits.

It has the layers of Llama as exporters write them: rotary embeddings, caches in variables, weights in groups of 64
with a zero point and a scale. No library holds it in f32 on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.document.writer import Handle, Writer
from irrun.tensor import Array, ElementType, Fact, Shape
from irrun.tensor.element_type import BOOLEAN, F16, F32, I32, I64, U4, U8

GROUP: Final = 64
"""The weights that share a zero point and a scale."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of a model; the default is that of Llama 2 with 7 billion parameters."""

    layers: int = 32
    width: int = 4096
    inner: int = 11008
    heads: int = 32
    groups: int = 32
    vocabulary: int = 32000

    @property
    def head(self) -> int:
        return self.width // self.heads


def write(path: Path, weights: str = "int4", sizes: Sizes | None = None) -> None:
    """Write the .xml and the .bin of a model; embeddings and the last product have eight bits."""
    found = _Assembly(U4 if weights == "int4" else U8, sizes or Sizes())
    found.write()
    path.parent.mkdir(parents=True, exist_ok=True)
    found.ir.save(path)


class _Assembly:
    """The layers so far."""

    def __init__(self, kind: ElementType, sizes: Sizes) -> None:
        self.kind, self.sizes = kind, sizes
        self.ir = Writer("assembled")
        self.random = np.random.default_rng(46)

    def write(self) -> None:
        sizes = self.sizes
        ids = self.ir.parameter("input_ids", I64, Shape.parse("?,?"))
        mask = self.ir.parameter("attention_mask", I64, Shape.parse("?,?"))
        places = self.ir.parameter("position_ids", I64, Shape.parse("?,?"))
        self.beams = self.ir.parameter("beam_idx", I32, Shape.parse("?"))
        table = self.matrix(sizes.vocabulary, sizes.width, U8)
        x = self.layer("Gather", [table, ids, self.int(0)], f"?,?,{sizes.width}", 8, batch_dims="0")
        shape = self.layer("ShapeOf", [ids], "2", 3, I64, output_type="i64")
        self.batch = self.layer("Gather", [shape, self.ints(0), self.int(0)], "1", 8, I64, batch_dims="0")
        self.mask = self.masked(mask)
        self.cosine, self.sine = self.angles(places)
        for number in range(sizes.layers):
            x = self.sum(x, self.attention(self.normal(x), number))
            normal = self.normal(x)
            gate = self.layer("Swish", [self.product(normal, sizes.inner, sizes.width)], f"?,?,{sizes.inner}", 4)
            up = self.product(normal, sizes.inner, sizes.width)
            both = self.pair("Multiply", gate, up, f"?,?,{sizes.inner}")
            x = self.sum(x, self.product(both, sizes.width, sizes.inner))
        logits = self.product(self.normal(x), sizes.vocabulary, sizes.width, U8)
        self.ir.result(logits, "logits")

    def masked(self, mask: Handle) -> Handle:
        """The mask [1, 1, 1, S] in f32, 0 where a position is seen."""
        seen = self.layer("Convert", [mask], "?,?", 1, BOOLEAN, destination_type="boolean")
        seen = self.layer("Unsqueeze", [seen, self.ints(1, 2)], "?,1,1,?", 1, BOOLEAN)
        inputs = [seen, self.number(0), self.number(float(np.finfo(np.float32).min))]
        return self.layer("Select", inputs, "?,1,1,?", auto_broadcast="numpy")

    def angles(self, places: Handle) -> list[Handle]:
        """The cosines and sines of rotary embeddings, [batch, 1, tokens, head]."""
        half = self.sizes.head // 2
        speeds = self.floats((10000.0 ** (-np.arange(half) / half)).reshape(1, 1, half))
        wide = self.layer("Convert", [places], "?,?", destination_type="f32")
        wide = self.layer("Unsqueeze", [wide, self.ints(2)], "?,?,1")
        turns = self.pair("Multiply", wide, speeds, f"?,?,{half}")
        turns = self.layer("Concat", [turns, turns], f"?,?,{2 * half}", axis="-1")
        turns = self.layer("Unsqueeze", [turns, self.ints(1)], f"?,1,?,{2 * half}")
        return [self.layer(name, [turns], f"?,1,?,{2 * half}") for name in ("Cos", "Sin")]

    def rotated(self, x: Handle, shape: str) -> Handle:
        half = self.sizes.head // 2
        part = shape.rpartition(",")[0] + f",{half}"
        cut = self.ir.layer(
            "VariadicSplit",
            "opset1",
            [x, self.int(-1), self.ints(half, half)],
            [Fact(F32, Shape.parse(part)), Fact(F32, Shape.parse(part))],
        )
        turned = self.layer("Concat", [self.pair("Multiply", cut[1], self.number(-1), part), cut[0]], shape, axis="-1")
        straight = self.pair("Multiply", x, self.cosine, shape)
        return self.pair("Add", straight, self.pair("Multiply", turned, self.sine, shape), shape)

    def attention(self, x: Handle, number: int) -> Handle:
        sizes = self.sizes
        heads = f"?,{sizes.heads},?,{sizes.head}"
        few = f"?,{sizes.groups},?,{sizes.head}"
        query = self.rotated(self.heads(x, sizes.heads), heads)
        key = self.remembered(f"key.{number}", self.rotated(self.heads(x, sizes.groups), few), few)
        value = self.remembered(f"value.{number}", self.heads(x, sizes.groups), few)
        inputs = [query, self.repeated(key), self.repeated(value), self.mask]
        made = self.layer("ScaledDotProductAttention", inputs, heads, 13, causal="false")
        made = self.layer("Transpose", [made, self.ints(0, 2, 1, 3)], f"?,?,{sizes.heads},{sizes.head}")
        made = self.layer("Reshape", [made, self.ints(0, 0, sizes.width)], f"?,?,{sizes.width}", special_zero="true")
        return self.product(made, sizes.width, sizes.width)

    def heads(self, x: Handle, count: int) -> Handle:
        sizes = self.sizes
        made = self.product(x, count * sizes.head, sizes.width)
        pattern = self.ints(0, 0, count, sizes.head)
        made = self.layer("Reshape", [made, pattern], f"?,?,{count},{sizes.head}", special_zero="true")
        return self.layer("Transpose", [made, self.ints(0, 2, 1, 3)], f"?,{count},?,{sizes.head}")

    def remembered(self, name: str, new: Handle, shape: str) -> Handle:
        """A cache in a variable, with new rows behind the old ones."""
        sizes = self.sizes
        wanted = self.layer("Concat", [self.batch, self.ints(sizes.groups, 0, sizes.head)], "4", 1, I64, axis="0")
        init = self.layer("Broadcast", [self.number(0), wanted], shape, 3, mode="numpy")
        declared = {"variable_id": name, "variable_type": "f32", "variable_shape": shape}
        held = self.layer("ReadValue", [init], shape, 6, **declared)
        past = self.layer("Gather", [held, self.beams, self.int(0)], shape, 8, batch_dims="0")
        whole = self.layer("Concat", [past, new], shape, axis="2")
        self.layer("Assign", [whole], shape, 6, variable_id=name)
        return whole

    def repeated(self, x: Handle) -> Handle:
        sizes = self.sizes
        count = sizes.heads // sizes.groups
        if count == 1:
            return x
        wide = f"?,{sizes.groups},{count},?,{sizes.head}"
        split = self.layer("Unsqueeze", [x, self.ints(2)], f"?,{sizes.groups},1,?,{sizes.head}")
        made = self.layer("Broadcast", [split, self.ints(1, 1, count, 1, 1)], wide, 3, mode="bidirectional")
        pattern = self.ints(0, sizes.heads, -1, sizes.head)
        return self.layer("Reshape", [made, pattern], f"?,{sizes.heads},?,{sizes.head}", special_zero="true")

    def normal(self, x: Handle) -> Handle:
        """The root mean square normalisation, with weights of 1."""
        shape, one = f"?,?,{self.sizes.width}", "?,?,1"
        squares = self.pair("Power", x, self.floats(np.full((1, 1, 1), 2)), shape)
        mean = self.layer("ReduceMean", [squares, self.ints(-1)], one, keep_dims="true")
        root = self.layer("Sqrt", [self.pair("Add", mean, self.floats(np.full((1, 1, 1), 1e-5)), one)], one)
        inverse = self.pair("Divide", self.floats(np.ones((1, 1, 1))), root, one, m_pythondiv="true")
        made = self.pair("Multiply", x, inverse, shape)
        return self.pair("Multiply", self.floats(np.ones((1, 1, self.sizes.width))), made, shape)

    def product(self, x: Handle, columns: int, depth: int, kind: ElementType | None = None) -> Handle:
        weights = self.matrix(columns, depth, kind or self.kind)
        return self.layer("MatMul", [x, weights], f"?,?,{columns}", transpose_a="false", transpose_b="true")

    def matrix(self, columns: int, depth: int, kind: ElementType) -> Handle:
        """Weights [columns, depth] as (code - zero) * scale: in groups of four bits, or one for a row of eight."""
        each = GROUP if kind is U4 else depth
        shape = (columns, depth // each, each) if kind is U4 else (columns, depth)
        sides = (*shape[:-1], 1)
        texts = ",".join(map(str, shape))
        middle = 8 if kind is U4 else 128
        codes = self.stored(self.random.bytes(columns * depth * kind.bits // 8), kind, shape)
        count = columns * depth // each
        zero = self.stored(bytes([middle * 17 if kind is U4 else middle]) * (count * kind.bits // 8), kind, sides)
        spread = 1.7 * middle / depth**-0.5 / 3
        scale = self.stored(np.full(count, 1 / spread, np.float16).tobytes(), F16, sides)
        wide = self.layer("Convert", [codes], texts, 1, F16, destination_type="f16")
        centre = self.layer("Convert", [zero], ",".join(map(str, sides)), 1, F16, destination_type="f16")
        made = self.pair("Subtract", wide, centre, texts, F16)
        made = self.pair("Multiply", made, scale, texts, F16)
        if kind is U4:
            pattern = self.ints(columns, depth)
            made = self.layer("Reshape", [made, pattern], f"{columns},{depth}", 1, F16, special_zero="false")
        return self.layer("Convert", [made], f"{columns},{depth}", destination_type="f32")

    def sum(self, x: Handle, y: Handle) -> Handle:
        return self.pair("Add", x, y, f"?,?,{self.sizes.width}")

    def pair(self, type: str, x: Handle, y: Handle, shape: str, kind: ElementType = F32, **more: str) -> Handle:
        return self.layer(type, [x, y], shape, 1, kind, auto_broadcast="numpy", **more)

    def layer(
        self, type: str, inputs: Sequence[Handle], shape: str, opset: int = 1, kind: ElementType = F32, **texts: Any
    ) -> Handle:
        return self.ir.layer(type, f"opset{opset}", inputs, [Fact(kind, Shape.parse(shape))], texts)[0]

    def stored(self, data: bytes, kind: ElementType, shape: Sequence[int]) -> Handle:
        """A constant of which the bytes are known."""
        texts = {
            "element_type": kind.name,
            "shape": ",".join(map(str, shape)),
            "offset": str(self.ir._content.add(data)),
            "size": str(len(data)),
        }
        return self.ir.layer("Const", "opset1", [], [Fact(kind, Shape(shape))], texts)[0]

    def ints(self, *values: int) -> Handle:
        return self.ir.constant(np.array(values, np.int64), I64)

    def int(self, value: int) -> Handle:
        return self.ir.constant(np.array(value, np.int64), I64)

    def number(self, value: float) -> Handle:
        return self.ir.constant(np.array(value, np.float32), F32)

    def floats(self, values: Array) -> Handle:
        return self.ir.constant(values.astype(np.float32), F32)
