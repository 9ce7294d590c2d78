"""Recipes of operations that move elements without looking at them."""

from __future__ import annotations

import math
from typing import Any, Final

from irrun.tensor.element_type import I32, I64, STRING
from tests.lab.graphs.call import ABSENT, Call, Recipe
from tests.lab.graphs.grow import Rejected
from tests.lab.graphs.recipes.makers import (
    data,
    divisor,
    fixed,
    has_axes,
    ints,
    maybe,
    not_empty,
    pick,
    some_axes,
    some_axis,
)


def _target(call: Call) -> list[int]:
    """Sizes with as many elements as the data, one of them now and then left open, or copied."""
    draw, shape = call.draw, call.data.shape
    size, sizes = math.prod(shape), []
    for _ in range(draw.int(0, 3)):
        divisors = [number for number in range(1, size + 1) if size % number == 0] or [0]
        sizes.append(draw.pick(divisors))
        size = size // sizes[-1] if sizes[-1] else size
    sizes.insert(draw.int(0, len(sizes)), size)
    if math.prod(sizes) == 0:
        return list(shape)
    for axis in range(min(len(sizes), len(shape))):
        if sizes[axis] == shape[axis] and call["special_zero"] and draw.chance(0.5):
            sizes[axis] = 0
    if draw.chance(0.5) and 0 not in sizes:
        sizes[draw.int(0, len(sizes) - 1)] = -1
    return sizes


def _squeezed(call: Call) -> Any:
    axes = [axis for axis, size in enumerate(call.data.shape) if size == 1]
    chosen = [axis - call.data.rank if call.draw.chance(0.3) else axis for axis in axes if call.draw.chance(0.7)]
    if not chosen:
        raise Rejected("no axis of size 1")
    return chosen[0] if len(chosen) == 1 and call.draw.chance(0.3) else chosen


def _inserted(call: Call) -> Any:
    count = call.draw.int(1, 2)
    rank = call.data.rank + count
    chosen = call.draw.source.permutation(rank)[:count]
    axes = [int(axis) - (rank if call.draw.chance(0.3) else 0) for axis in chosen]
    return axes[0] if count == 1 and call.draw.chance(0.3) else axes


def _repeated(call: Call) -> list[int]:
    """A shape that the data broadcasts to, as NumPy has it, or bidirectionally."""
    draw = call.draw
    sizes = [draw.int(1, 4) if size == 1 else size for size in call.data.shape]
    sizes = [draw.int(1, 3) for _ in range(draw.int(0, 2))] + sizes
    if call["mode"] == "bidirectional":
        sizes = [1 if draw.chance(0.3) else size for size in sizes][draw.int(0, max(len(sizes) - 1, 0)) :]
    if not sizes:
        raise Rejected("no sizes")
    return sizes


def _explicit(call: Call) -> tuple[list[int], list[int]]:
    """A target shape and the axes of it that the data has."""
    draw, shape = call.draw, call.data.shape
    rank = len(shape) + draw.int(0, 2)
    axes = sorted(int(axis) for axis in draw.source.permutation(rank)[: len(shape)])
    sizes = [draw.int(1, 3) for _ in range(rank)]
    for axis, size in zip(axes, shape, strict=True):
        sizes[axis] = size
    if not sizes or not axes:
        raise Rejected("a scalar")
    return sizes, axes


def _broadcast(modes: tuple[str, ...]) -> Recipe:
    return {
        "mode": pick(*modes),
        "axis": fixed(ABSENT),
        "explicit": _explicit,
        "target_shape": ints(
            "target_shape", lambda c: c["explicit"][0] if c["mode"] in ("explicit", "none") else _repeated(c)
        ),
        "axes_mapping": lambda c: (
            c.ints("axes_mapping", c["explicit"][1], 1) if c["mode"] in ("explicit", "none") else ABSENT
        ),
    }


def _pad(negative: bool) -> Recipe:
    def amounts(call: Call) -> list[int]:
        least = -1 if negative and call["pad_mode"] == "constant" else 0
        mode = call["pad_mode"]
        room = {"reflect": -1, "symmetric": 0, "edge": 9, "constant": 9}[mode]
        return [
            call.draw.int(max(least, -(size // 3)), max(min(2, size + room), 0)) if call.draw.chance(0.5) else 0
            for size in call.data.shape
        ]

    return {
        "data": data(suits=lambda t: t.rank > 0 and t.array.size > 0 and t.type is not STRING),
        "pads_begin": ints("pads_begin", amounts),
        "pads_end": ints("pads_end", amounts),
        "pad_value": lambda c: (
            c.tensor("pad_value", shape=()) if c["pad_mode"] == "constant" and c.draw.chance(0.6) else ABSENT
        ),
    }


def _order(call: Call) -> list[int]:
    return (
        []
        if call.draw.chance(0.1) and call.data.rank
        else [int(axis) for axis in call.draw.source.permutation(call.data.rank)]
    )


def _blocks(call: Call) -> int:
    """A block that divides the channels as often as there are spatial axes."""
    shape = call.data.shape
    sizes = [b for b in (1, 2, 3) if shape[1] and shape[1] % b ** (len(shape) - 2) == 0]
    return int(call.draw.pick(sizes or [1]))


def _spatial_block(call: Call) -> int:
    sizes = [b for b in (1, 2, 3) if all(size % b == 0 for size in call.data.shape[2:])]
    return int(call.draw.pick(sizes))


def _space_blocks(call: Call) -> tuple[list[int], list[int], list[int]]:
    blocks, begins, ends = [1], [0], [0]
    for size in call.data.shape[1:]:
        block = call.draw.pick((1, 1, 2, 3))
        begin = call.draw.int(0, 1)
        blocks.append(block)
        begins.append(begin)
        ends.append(-(size + begin) % block)
    return blocks, begins, ends


def _batch_blocks(call: Call) -> tuple[list[int], list[int], list[int]]:
    batch, (blocks, begins, ends) = call.data.shape[0], ([1], [0], [0])
    for size in call.data.shape[1:]:
        block = call.draw.pick([b for b in (1, 2, 3) if batch and batch % b == 0] or [1])
        batch //= block
        blocks.append(block)
        begins.append(call.draw.int(0, 1) if size * block > 2 else 0)
        ends.append(call.draw.int(0, 1) if size * block > 2 else 0)
    return blocks, begins, ends


def _triple(names: tuple[str, str, str], lists: Any) -> Recipe:
    kinds = {name: ints(name, lambda c, i=i: c["lists"][i], 1) for i, name in enumerate(names)}
    return {
        "data": data(rank=(4, 5), suits=lambda t: t.array.size > 0 and t.type is not STRING),
        "lists": lists,
        "integers": fixed(I64),
        **kinds,
    }


def _of_axis(name: str) -> Recipe:
    return {"place": some_axis, name: lambda c: c["place"]}


RECIPES: Final[dict[str, Recipe]] = {
    "Reshape": {"shape": ints("shape", _target)},
    "Squeeze": {"axes": maybe(ints("axes", _squeezed, 1), 0.8)},
    "Unsqueeze": {"axes": ints("axes", _inserted, 1)},
    "Broadcast-1": _broadcast(("numpy", "numpy", "explicit", "none")),
    "Broadcast-3": _broadcast(("numpy", "numpy", "explicit", "bidirectional")),
    "Pad-1": _pad(False),
    "Pad-12": _pad(True),
    "Tile": {
        "repeats": ints(
            "repeats",
            lambda c: [c.draw.pick((1, 1, 2, 3)) for _ in range(max(c.data.rank + c.draw.pick((0, 0, -1, 1)), 1))],
        )
    },
    "Transpose": {"arg": data("arg"), "input_order": ints("input_order", _order)},
    "Roll": {
        "data": data(suits=has_axes(1)),
        "axes": ints("axes", lambda c: some_axes(c, 1)),
        "shift": ints("shift", lambda c: [c.draw.int(-4, 4) for _ in range(c["axes"].array.size)]),
    },
    "Reverse": {
        "data": data(suits=has_axes(1, 3)),
        "mode": fixed("index"),
        "axis": ints("axis", lambda c: [axis % c.data.rank for axis in some_axes(c, 1)], 1),
    },
    "ReverseSequence": {
        "data": data(suits=lambda t: t.rank >= 2 and not_empty(t)),
        "batch_axis": fixed(0),
        "seq_axis": lambda c: c.draw.int(1, c.data.rank - 1),
        "seq_lengths": lambda c: c.grower.ints(
            [c.draw.int(1, c.data.shape[c["seq_axis"]]) for _ in range(c.data.shape[0])], [I32, I64]
        ),
    },
    "DepthToSpace": {"data": data(rank=(3, 4, 5), suits=not_empty), "block_size": _blocks},
    "SpaceToDepth": {"data": data(rank=(3, 4, 5), suits=not_empty), "block_size": _spatial_block},
    "SpaceToBatch": _triple(("block_shape", "pads_begin", "pads_end"), _space_blocks),
    "BatchToSpace": _triple(("block_shape", "crops_begin", "crops_end"), _batch_blocks),
    "ShuffleChannels": {
        "data": data(suits=has_axes(1)),
        **_of_axis("axis"),
        "group": divisor,
    },
    "ExtractImagePatches": {
        "data": data(rank=(4,), suits=not_empty),
        "sizes": lambda c: (c.draw.int(1, 3), c.draw.int(1, 3)),
        "strides": lambda c: (c.draw.int(1, 3), c.draw.int(1, 3)),
        "rates": lambda c: (c.draw.int(1, 2), c.draw.int(1, 2)),
    },
}
