"""Recipes of operations that cut tensors, and put them together."""

from __future__ import annotations

from typing import Any, Final

from tests.lab.graphs.call import ABSENT, Call, Recipe
from tests.lab.graphs.grow import Rejected, Tensor
from tests.lab.graphs.recipes.makers import data, divisor, has_axes, ints, some_axes, some_axis


def _bounds(call: Call) -> list[tuple[int, int, int, int]]:
    """For each of some axes: start, stop, step, axis."""
    draw, found = call.draw, []
    for axis in sorted(axis % call.data.rank for axis in some_axes(call, 1)):
        size = call.data.shape[axis]
        step = draw.pick((1, 1, 1, 2, 3, -1, -2))
        start, stop = sorted((draw.int(0, size), draw.int(0, size)))
        if step < 0:
            start, stop = max(stop - 1, 0), (start - 1 if start else -size - 1)
        elif draw.chance(0.3):
            stop = draw.pick((2**31 - 1, size + 3, -1 if size > 1 and start < size - 1 else size))
        if start and draw.chance(0.2) and step > 0:
            start -= size
        found.append((start, stop, step, axis))
    return found


def _part(number: int) -> Any:
    names = ("start", "stop", "step", "axes")
    return ints(names[number], lambda c: [bound[number] for bound in c["bounds"]])


def _all_axes(call: Call) -> Any:
    """The axes of a slice; not needed where they are the first ones in order."""
    axes = [bound[3] for bound in call["bounds"]]
    if axes == list(range(len(axes))) and call.draw.chance(0.5):
        return ABSENT
    return call.ints("axes", [axis - call.data.rank if call.draw.chance(0.3) else axis for axis in axes])


_SLICE: Final[Recipe] = {
    "data": data(suits=has_axes(1)),
    "bounds": _bounds,
    "start": _part(0),
    "stop": _part(1),
    "step": _part(2),
    "axes": _all_axes,
}


def _sliced_shape(call: Call) -> list[int]:
    shape = list(call.data.shape)
    for start, stop, step, axis in call["bounds"]:
        shape[axis] = len(range(shape[axis])[slice(start, stop, step)])
    return shape


def _masks(call: Call) -> dict[str, Any]:
    """Begin, end, stride and masks of a StridedSlice; new axes and an ellipsis among them."""
    draw, shape = call.draw, call.data.shape
    kinds: list[str] = [draw.pick(("slice", "slice", "all", "shrink")) for _ in shape[: draw.int(1, len(shape))]]
    if draw.chance(0.2):
        kinds.insert(draw.int(0, len(kinds)), "new")
    if draw.chance(0.2):
        kinds.append("ellipsis")
    found: dict[str, list[int]] = {
        name: []
        for name in (
            "begin",
            "end",
            "stride",
            "begin_mask",
            "end_mask",
            "new_axis_mask",
            "shrink_axis_mask",
            "ellipsis_mask",
        )
    }
    axis = 0
    for kind in kinds:
        size = shape[axis] if kind not in ("new", "ellipsis") else 1
        start = draw.int(0, max(size - 1, 0))
        stop = draw.int(start + 1, max(size, start + 1))
        stride = 1 if kind != "slice" else draw.pick((1, 1, 2))
        if kind == "slice" and draw.chance(0.2):
            start, stop, stride = stop - 1, start - 1 if start else -size - 1, -1
        if kind == "shrink" and size == 0:
            raise Rejected("nothing to take")
        found["begin"].append(start)
        found["end"].append(stop)
        found["stride"].append(stride)
        found["begin_mask"].append(int(kind == "all" or (kind == "slice" and stride > 0 and start == 0)))
        found["end_mask"].append(int(kind == "all" or (kind == "slice" and stride > 0 and draw.chance(0.1))))
        for name in ("new", "shrink", "ellipsis"):
            found[f"{name}_mask" if name == "ellipsis" else f"{name}_axis_mask"].append(int(kind == name))
        axis += kind != "new"
    return found


def _mask(name: str) -> Any:
    return lambda c: tuple(c["masks"][name])


def _joined(call: Call) -> list[Tensor]:
    """Tensors that differ in the size of one axis at most."""
    first: Tensor = call["first"]
    axis = call["place"] % first.rank
    before, after = first.shape[:axis], first.shape[axis + 1 :]

    def suits(tensor: Tensor) -> bool:
        return tensor.rank == first.rank and (tensor.shape[:axis], tensor.shape[axis + 1 :]) == (before, after)

    tensors = [first]
    for _ in range(call.draw.int(0, 3)):
        found = call.grower.find([first.type], suits) if call.draw.chance(0.7) else None
        tensors.append(found or call.grower.fresh([first.type], (*before, call.draw.int(1, 3), *after)))
    return [tensors[int(i)] for i in call.draw.source.permutation(len(tensors))]


def _lengths(call: Call) -> list[int]:
    size = call.data.shape[call["place"] % call.data.rank]
    cuts = sorted(call.draw.int(0, size) for _ in range(call.draw.int(0, 2)))
    lengths = [b - a for a, b in zip([0, *cuts], [*cuts, size], strict=True)]
    if call.draw.chance(0.3):
        lengths[call.draw.int(0, len(lengths) - 1)] = -1
    return lengths


RECIPES: Final[dict[str, Recipe]] = {
    "Slice": _SLICE,
    "SliceScatter": {**_SLICE, "updates": lambda c: c.tensor("updates", shape=_sliced_shape(c), types=[c.data.type])},
    "StridedSlice": {
        "data": data(suits=has_axes(1, 5)),
        "masks": _masks,
        **{name: ints(name, lambda c, name=name: c["masks"][name]) for name in ("begin", "end")},
        "stride": lambda c: c.ints("stride", c["masks"]["stride"]),
        **{
            name: _mask(name)
            for name in ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask")
        },
    },
    "Concat": {
        "first": lambda c: c.tensor("inputs", suits=has_axes(1)),
        "place": lambda c: c.draw.int(-c["first"].rank, c["first"].rank - 1),
        "inputs": _joined,
        "axis": lambda c: c["place"],
    },
    "Split": {
        "data": data(suits=has_axes(1)),
        "place": some_axis,
        "axis": ints("axis", lambda c: c["place"], 1),
        "num_splits": divisor,
        "outputs": lambda c: c["num_splits"],
    },
    "VariadicSplit": {
        "data": data(suits=has_axes(1)),
        "place": some_axis,
        "lengths": _lengths,
        "axis": ints("axis", lambda c: c["place"], 1),
        "split_lengths": ints("split_lengths", lambda c: c["lengths"], 1),
        "outputs": lambda c: len(c["lengths"]),
    },
}
