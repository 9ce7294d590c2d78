"""A small decoder with a cache of keys and values, as exporters of language models write it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

import irrun.model
from irrun.document.writer import Handle
from irrun.tensor import Array
from irrun.tensor.element_type import BOOLEAN, I32, I64, U4, U8
from tests.nets import Net

WIDTH: Final = 64
HEADS: Final = 6
GROUPS: Final = 2
HEAD: Final = 32


class Decoder:
    """``weights`` are f32, u8 or u4, which stand in groups of 16. ``mask`` is f32, or boolean.

    Where ``cache`` is not in variables, the past comes in as inputs, and goes out as outputs.
    """

    def __init__(self, weights: str = "f32", mask: str = "f32", cache: str = "variables", layers: int = 2) -> None:
        self.net = Net()
        self.weights = weights
        self.cache = cache
        net = self.net
        x = net.parameter("x", f"?,?,{WIDTH}")
        given = net.parameter("attention_mask", "?,?", I64)
        self.beams = net.parameter("beam_idx", "?", I32)
        shape = net.layers("ShapeOf", [x], [(I64, "3")], 3, output_type="i64")[0]
        self.batch = self.wholes("Gather", [shape, self.ints([0]), self.int(0)], "1", 8, batch_dims=0)
        seen = net.layers("Convert", [given], [(BOOLEAN, "?,?")], destination_type="boolean")[0]
        sizes = net.layers("ShapeOf", [given], [(I64, "2")], 3, output_type="i64")[0]
        total = self.wholes("Gather", [sizes, self.int(1), self.int(0)], "", 8, batch_dims=0)
        places = self.wholes("Range", [self.int(0), total, self.int(1)], "?", 4, output_type="i64")
        inside = net.layers("Less", [places, total], [(BOOLEAN, "?")], auto_broadcast="numpy")[0]
        seen = net.layers("LogicalAnd", [seen, inside], [(BOOLEAN, "?,?")], auto_broadcast="numpy")[0]
        seen = net.layers("Unsqueeze", [seen, self.ints([1, 2])], [(BOOLEAN, "?,1,1,?")])[0]
        self.mask = seen
        if mask == "f32":
            zero, low = net.constant(np.float32(0)), net.constant(np.finfo(np.float32).min)
            self.mask = net.layer("Select", [seen, zero, low], "?,1,1,?", auto_broadcast="numpy")
        for layer in range(layers):
            x = self.layer(x, layer)
        net.result(x)

    def layer(self, x: Handle, number: int) -> Handle:
        net = self.net
        query = self.heads(self.projected(x, WIDTH, HEADS * HEAD), HEADS)
        key, value = (
            self.remembered(f"{kind}.{number}", self.heads(self.projected(x, WIDTH, GROUPS * HEAD), GROUPS))
            for kind in ("key", "value")
        )
        inputs = [query, self.repeated(key), self.repeated(value), self.mask]
        made = net.layer("ScaledDotProductAttention", inputs, f"?,{HEADS},?,{HEAD}", 13, causal=False)
        made = net.layer("Transpose", [made, self.ints([0, 2, 1, 3])], f"?,?,{HEADS},{HEAD}")
        made = net.layer("Reshape", [made, self.ints([0, 0, -1])], f"?,?,{HEADS * HEAD}", special_zero=True)
        made = net.layer("Add", [x, self.projected(made, HEADS * HEAD, WIDTH)], f"?,?,{WIDTH}", auto_broadcast="numpy")
        return net.layer("Tanh", [made], f"?,?,{WIDTH}")

    def projected(self, x: Handle, depth: int, columns: int) -> Handle:
        weights = self.matrix(columns, depth)
        return self.net.layer("MatMul", [x, weights], f"?,?,{columns}", transpose_a=False, transpose_b=True)

    def matrix(self, columns: int, depth: int) -> Handle:
        net = self.net
        if self.weights == "f32":
            return net.constant(net.random.standard_normal((columns, depth), dtype=np.float32) / depth**0.5)
        kind, most = (U8, 255) if self.weights == "u8" else (U4, 15)
        shape = f"{columns},{depth // 16},16"
        codes = net.random.integers(0, most + 1, (columns, depth // 16, 16)).astype(np.uint8)
        scales = (1 + net.random.random((columns, depth // 16, 1), dtype=np.float32)) * 3 / most / depth**0.5
        wide = net.layer("Convert", [net.constant(codes, kind)], shape, destination_type="f32")
        zero = net.constant(np.full((columns, depth // 16, 1), most // 2, np.float32))
        centred = net.layer("Subtract", [wide, zero], shape, auto_broadcast="numpy")
        scaled = net.layer("Multiply", [centred, net.constant(scales)], shape, auto_broadcast="numpy")
        return net.layer("Reshape", [scaled, self.ints([columns, depth])], f"{columns},{depth}", special_zero=False)

    def heads(self, x: Handle, count: int) -> Handle:
        split = self.net.layer("Reshape", [x, self.ints([0, 0, count, HEAD])], f"?,?,{count},{HEAD}", special_zero=True)
        return self.net.layer("Transpose", [split, self.ints([0, 2, 1, 3])], f"?,{count},?,{HEAD}")

    def remembered(self, name: str, new: Handle) -> Handle:
        net, shape = self.net, f"?,{GROUPS},?,{HEAD}"
        if self.cache != "variables":
            whole = net.layer("Concat", [net.parameter(name, shape), new], shape, axis=2)
            net.result(whole)
            return whole
        wanted = self.wholes("Concat", [self.batch, self.ints([GROUPS, 0, HEAD])], "4", axis=0)
        zero = net.constant(np.float32(0))
        init = net.layer("Broadcast", [zero, wanted], f"?,{GROUPS},0,{HEAD}", 3, mode="numpy")
        declared = {"variable_id": name, "variable_type": "f32", "variable_shape": shape}
        held = net.layer("ReadValue", [init], shape, 6, **declared)
        past = net.layer("Gather", [held, self.beams, self.int(0)], shape, 8, batch_dims=0)
        whole = net.layer("Concat", [past, new], shape, axis=2)
        net.layer("Assign", [whole], shape, 6, variable_id=name)
        return whole

    def repeated(self, x: Handle) -> Handle:
        net, count = self.net, HEADS // GROUPS
        split = net.layer("Unsqueeze", [x, self.ints([2])], f"?,{GROUPS},1,?,{HEAD}")
        target = self.ints([1, 1, count, 1, 1])
        wide = net.layer("Broadcast", [split, target], f"?,{GROUPS},{count},?,{HEAD}", 3, mode="bidirectional")
        shape = self.ints([0, HEADS, -1, HEAD])
        return net.layer("Reshape", [wide, shape], f"?,{HEADS},?,{HEAD}", special_zero=True)

    def wholes(self, type: str, inputs: list[Handle], shape: str, opset: int = 1, **attributes: object) -> Handle:
        return self.net.layers(type, inputs, [(I64, shape)], opset, **attributes)[0]

    def ints(self, values: list[int]) -> Handle:
        return self.net.constant(np.array(values))

    def int(self, value: int) -> Handle:
        return self.net.constant(np.array(value))

    def save(self, path: Path) -> Path:
        self.net.save(path)
        return path


class Session:
    """A request, and what the cache holds."""

    def __init__(self, model: irrun.model.Compiled) -> None:
        self.request = model.session()
        self.past = 0

    def run(self, tokens: int, batch: int = 1, beams: list[int] | None = None, seed: int = 0) -> Array:
        random = np.random.default_rng((seed, self.past, tokens))
        self.past += tokens
        mask = np.ones((batch, self.past), np.int64)
        mask[0, : self.past // 3] = 0
        inputs: dict[str, Any] = {
            "x": random.standard_normal((batch, tokens, WIDTH), dtype=np.float32),
            "attention_mask": mask,
            "beam_idx": np.array(beams if beams is not None else range(batch), np.int32),
        }
        return self.request.run(inputs)[0]

    def reset(self) -> None:
        self.request.state.reset()
        self.past = 0
