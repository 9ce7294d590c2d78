"""Random cases of operations that cut, join, pad or turn tensors, by seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irrun.ops._declared.movement.slicing import count
from tests.cases import Case
from tests.ops.random_draws import TYPES, Arg, Random, case, constants, data_of, generator, index, one_axis


@generator("Concat-1")
def _concat(random: Random) -> Case:
    shape = random.shape(1)
    axis = one_axis(random, len(shape))
    kind = random.pick(TYPES)
    args = []
    for _ in range(random.int(1, 5)):
        sizes = list(shape)
        sizes[axis] = random.pick((0, 1, 2, 3, 5))
        args.append(random.array(kind, sizes))
    return case("Concat", 1, args, {"axis": axis}, constant=tuple(i for i in range(1, len(args)) if random.chance(0.2)))


def _pad(opset: int) -> None:
    @generator(f"Pad-{opset}")
    def _(random: Random) -> Case:
        shape = tuple(max(size, 1) for size in random.shape(1, 5))
        mode = random.pick(("constant", "constant", "edge", "reflect", "symmetric"))
        least = -2 if random.chance(0.5) and opset == 12 else 0
        begins, ends = [], []
        for size in shape:
            most = {"constant": 3, "edge": 3, "reflect": size - 1, "symmetric": size}[mode]
            begin, end = random.int(least, min(most, 3)), random.int(least, min(most, 3))
            if size + begin + end < 1 or size + min(begin, 0) + min(end, 0) < 1:
                begin, end = max(begin, 0), max(end, 0)
            begins.append(begin)
            ends.append(end)
        kind = random.pick(TYPES[:-1])
        args = [random.array(kind, shape, -9, 9), index(random, begins), index(random, ends)]
        if mode == "constant" and random.chance(0.7):
            args.append(random.array(kind, (), -9, 9))
        return case("Pad", opset, args, {"pad_mode": mode}, constant=constants(random, 1, len(args)))


_pad(1)
_pad(12)


@generator("Reverse-1")
def _reverse(random: Random) -> Case:
    shape = random.shape(1)
    if random.chance(0.4):
        mask = np.asarray(random.source.integers(0, 2, len(shape)), np.bool_)
        return case("Reverse", 1, [data_of(random, shape), (mask, "boolean")], {"mode": "mask"}, constant=(1,))
    axes = random.source.permutation(len(shape))[: random.int(0, len(shape))]
    return case("Reverse", 1, [data_of(random, shape), index(random, axes)], {"mode": "index"}, constant=(1,))


@generator("ReverseSequence-1")
def _reverse_sequence(random: Random) -> Case:
    shape = tuple(max(size, 1) for size in random.shape(2))
    batch, sequence = random.source.permutation(len(shape))[:2].tolist()
    lengths = random.source.integers(1, shape[sequence] + 1, shape[batch])
    given = {
        "batch_axis": batch - len(shape) if random.chance(0.3) else batch,
        "seq_axis": sequence - len(shape) if random.chance(0.3) else sequence,
    }
    many = index(random, lengths) if random.chance(0.7) else (lengths.astype(np.float32), "f32")
    return case("ReverseSequence", 1, [data_of(random, shape), many], given, constant=constants(random, 1, 2))


@generator("Roll-7")
def _roll(random: Random) -> Case:
    shape = random.shape(1)
    axes = [one_axis(random, len(shape)) for _ in range(random.int(1, 3))]
    shifts = [random.int(-9, 9) for _ in axes]
    args = [data_of(random, shape), index(random, shifts), index(random, axes)]
    if len(axes) == 1 and random.chance(0.4):
        args[1:] = [index(random, shifts[0]), index(random, axes[0])]
    return case("Roll", 7, args, constant=constants(random, 1, 3))


def _slice_inputs(random: Random, shape: Sequence[int], axes: Sequence[int]) -> list[Arg]:
    far = (2**31 - 1, -(2**31), 100, -100)
    starts, stops, steps = [], [], []
    for axis in axes:
        size = shape[axis]
        step = random.pick((1, 1, 1, 2, 3, -1, -1, -2))
        start, stop = random.int(-size - 1, size), random.int(-size - 1, size + 1)
        starts.append(random.pick(far) if random.chance(0.1) else start)
        stops.append(random.pick(far) if random.chance(0.2) else stop)
        steps.append(step)
    return [index(random, starts), index(random, stops), index(random, steps)]


def _sliced_shape(shape: Sequence[int], args: Sequence[Arg], axes: Sequence[int]) -> list[int]:
    sizes = list(shape)
    for axis, start, stop, step in zip(axes, *(array.tolist() for array, _ in args), strict=True):
        sizes[axis] = count(shape[axis], start, stop, step)
    return sizes


def _axes(random: Random, rank: int) -> tuple[list[int], bool]:
    """Return axes, and whether they are the leading ones."""
    if random.chance(0.4):
        return list(range(random.int(1, rank))), True
    chosen = random.source.permutation(rank)[: random.int(1, rank)].tolist()
    return [axis - rank if random.chance(0.3) else axis for axis in chosen], False


@generator("Slice-8")
def _slice(random: Random) -> Case:
    shape = random.shape(1)
    axes, leading = _axes(random, len(shape))
    args = [data_of(random, shape), *_slice_inputs(random, shape, axes)]
    if not leading:
        args.append(index(random, axes))
    return case("Slice", 8, args, constant=constants(random, 1, len(args)))


@generator("SliceScatter-15")
def _slice_scatter(random: Random) -> Case:
    shape = random.shape(1)
    axes, leading = _axes(random, len(shape))
    bounds = _slice_inputs(random, shape, axes)
    kind = random.pick(TYPES)
    updates = random.array(kind, _sliced_shape(shape, bounds, axes))
    args = [random.array(kind, shape), updates, *bounds]
    if not leading:
        args.append(index(random, axes))
    return case("SliceScatter", 15, args, constant=range(2, len(args)))


@generator("StridedSlice-1")
def _strided_slice(random: Random) -> Case:
    shape = tuple(max(size, 1) for size in random.shape(1, 5))
    sliced = random.int(1, len(shape))
    ellipsis = random.chance(0.3)
    place = random.int(0, sliced)
    axes = list(range(sliced))
    if ellipsis:
        axes = [axis if axis < place else axis + len(shape) - sliced for axis in axes]
    starts, stops, steps = (array.tolist() for array, _ in _slice_inputs(random, shape, axes))
    masks: dict[str, list[int]] = {name: [] for name in ("begin", "end", "new_axis", "shrink_axis", "ellipsis")}
    begin, end, stride = [], [], []
    for position in range(sliced + 1):
        extra = ["ellipsis"] if ellipsis and position == place else []
        while random.chance(0.15):
            extra.insert(random.int(0, len(extra)), "new_axis")
        for what in extra:
            for name, mask in masks.items():
                mask.append(int(name == what))
            begin.append(0)
            end.append(0)
            stride.append(1)
        if position == sliced:
            break
        shrinks = random.chance(0.2)
        size = shape[axes[position]]
        masks["begin"].append(int(random.chance(0.2)) if not shrinks else 0)
        masks["end"].append(int(random.chance(0.2)) if not shrinks else 0)
        masks["new_axis"].append(0)
        masks["ellipsis"].append(0)
        masks["shrink_axis"].append(int(shrinks))
        first = random.int(-size, size - 1)
        begin.append(first if shrinks else starts[position])
        end.append(first + 1 if shrinks else stops[position])
        stride.append(1 if shrinks else steps[position])
    given: dict[str, Any] = {f"{name}_mask": tuple(mask) for name, mask in masks.items()}
    args = [data_of(random, shape), index(random, begin), index(random, end)]
    if random.chance(0.8) or any(step != 1 for step in stride):
        args.append(index(random, stride))
    return case("StridedSlice", 1, args, given, constant=constants(random, 1, len(args)))


@generator("Split-1")
def _split(random: Random) -> Case:
    shape = list(random.shape(1))
    axis, parts = one_axis(random, len(shape)), random.int(1, 4)
    shape[axis] = parts * random.int(1, 3)
    args = [data_of(random, shape), index(random, axis)]
    return case("Split", 1, args, {"num_splits": parts}, constant=(1,), outputs=parts)


@generator("VariadicSplit-1")
def _variadic_split(random: Random) -> Case:
    shape = list(random.shape(1))
    axis = one_axis(random, len(shape))
    lengths = [random.int(0, 3) for _ in range(random.int(1, 4))]
    shape[axis] = sum(lengths)
    if random.chance(0.5):
        lengths[random.int(0, len(lengths) - 1)] = -1
    args = [data_of(random, shape), index(random, axis, single=True), index(random, lengths)]
    return case("VariadicSplit", 1, args, constant=random.pick(((1, 2), (1,))), outputs=len(lengths))


@generator("Tile-1")
def _tile(random: Random) -> Case:
    shape = random.shape(0, 4)
    repeats = [random.pick((0, 1, 1, 2, 3)) for _ in range(random.int(1, 5))]
    args = [data_of(random, shape), index(random, repeats)]
    return case("Tile", 1, args, constant=constants(random, 1, 2))
