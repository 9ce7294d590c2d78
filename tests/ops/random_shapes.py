"""Random cases of operations that repeat elements, or change shapes, by seed."""

from __future__ import annotations

import itertools
import math

import numpy as np

from tests.cases import Case
from tests.ops.random_draws import TYPES, Random, case, constants, data_of, generator, index, one_axis


def _explicit(random: Random, opset: int, name: str) -> Case:
    target = random.shape(1)
    rank = random.int(1, len(target))
    axes = sorted(random.source.permutation(len(target))[:rank].tolist())
    shape = tuple(1 if random.chance(0.4) else target[axis] for axis in axes)
    args = [data_of(random, shape), index(random, target), index(random, axes)]
    return case("Broadcast", opset, args, {"mode": name}, constant=constants(random, 1, 3))


def _pdpd(random: Random, opset: int) -> Case:
    target = random.shape(1)
    axis = random.int(0, len(target) - 1)
    last = random.int(axis + 1, len(target))
    shape = tuple(1 if random.chance(0.3) else size for size in target[axis:last])
    args = [data_of(random, shape), index(random, target)]
    return case("Broadcast", opset, args, {"mode": "pdpd", "axis": axis}, constant=constants(random, 1, 2))


def _numpy(random: Random, opset: int) -> Case:
    target = random.shape(1, 5)
    shape = tuple(1 if random.chance(0.3) else size for size in target)[random.int(0, len(target)) :]
    args = [data_of(random, shape), index(random, target)]
    return case("Broadcast", opset, args, {"mode": "numpy"}, constant=constants(random, 1, 2))


@generator("Broadcast-1")
def _broadcast_v1(random: Random) -> Case:
    if random.chance(0.4):
        return _explicit(random, 1, "none")
    if random.chance(0.2):
        return _pdpd(random, 1)
    return _numpy(random, 1)


@generator("Broadcast-3")
def _broadcast_v3(random: Random) -> Case:
    if random.chance(0.3):
        return _explicit(random, 3, "explicit")
    if random.chance(0.2):
        return _pdpd(random, 3)
    if random.chance(0.5):
        one, other = random.broadcastable(random.shape(1))
        args = [data_of(random, one), index(random, other or (1,))]
        return case("Broadcast", 3, args, {"mode": "bidirectional"}, constant=constants(random, 1, 2))
    return _numpy(random, 3)


@generator("ShuffleChannels-1")
def _shuffle(random: Random) -> Case:
    shape = list(random.shape(1))
    axis, group = one_axis(random, len(shape)), random.int(1, 4)
    shape[axis] = group * random.int(1, 3)
    return case("ShuffleChannels", 1, [data_of(random, shape)], {"axis": axis, "group": group})


@generator("Transpose-1")
def _transpose(random: Random) -> Case:
    shape = random.shape(0, 6)
    order = [] if random.chance(0.2) else random.source.permutation(len(shape))
    return case(
        "Transpose",
        1,
        [data_of(random, shape), index(random, order)],
        constant=(1,) if len(order) == 0 else constants(random, 1, 2),
    )


def _blocks(type: str) -> None:
    @generator(f"{type}-1")
    def _(random: Random) -> Case:
        spatial, block = random.int(1, 3), random.int(1, 3)
        shape = [random.int(1, 2), random.int(1, 3), *random.ints(spatial, 1, 3)]
        if type == "DepthToSpace":
            shape[1] *= block**spatial
        else:
            shape[2:] = [size * block for size in shape[2:]]
        given = {"block_size": block, "mode": random.pick(("blocks_first", "depth_first"))}
        return case(type, 1, [data_of(random, shape)], given)


_blocks("DepthToSpace")
_blocks("SpaceToDepth")


@generator("SpaceToBatch-2")
def _space_to_batch(random: Random) -> Case:
    rank = random.int(2, 5)
    blocks = (1, *random.ints(rank - 1, 1, 3))
    begins, ends = ((0, *random.ints(rank - 1, 0, 2)) for _ in range(2))
    sizes = [random.int(1, 2)]
    for block, begin, end in zip(blocks[1:], begins[1:], ends[1:], strict=True):
        sizes.append(block * -(-(random.int(1, 4) + begin + end) // block) - begin - end)
    args = [data_of(random, sizes, TYPES[:-1]), index(random, blocks), index(random, begins), index(random, ends)]
    return case("SpaceToBatch", 2, args, constant=constants(random, 1, 4))


@generator("BatchToSpace-2")
def _batch_to_space(random: Random) -> Case:
    rank = random.int(2, 5)
    blocks = (1, *random.ints(rank - 1, 1, 3))
    sizes = [math.prod(blocks) * random.int(1, 2), *random.ints(rank - 1, 1, 4)]
    begins, ends = [0], [0]
    for size, block in zip(sizes[1:], blocks[1:], strict=True):
        begins.append(random.int(0, min(2, size * block - 1)))
        ends.append(random.int(0, min(2, size * block - 1 - begins[-1])))
    kind = random.pick((np.int32, np.int64))
    lists = [(np.asarray(values, kind), "int") for values in (blocks, begins, ends)]
    return case("BatchToSpace", 2, [data_of(random, sizes), *lists], constant=constants(random, 1, 4))


@generator("Col2Im-15")
def _col2im(random: Random) -> Case:
    kernel, strides, dilations = random.ints(2, 1, 3), random.ints(2, 1, 3), random.ints(2, 1, 2)
    begins, ends = random.ints(2, 0, 2), random.ints(2, 0, 2)
    counts = random.ints(2, 1, 4)
    sizes = []
    for axis in range(2):
        span = (kernel[axis] - 1) * dilations[axis] + 1
        needed = (counts[axis] - 1) * strides[axis] + span - begins[axis] - ends[axis]
        if needed < 1:
            return _col2im(random)
        sizes.append(needed + random.int(0, strides[axis] - 1))
    shape: tuple[int, ...] = (random.int(1, 3) * kernel[0] * kernel[1], counts[0] * counts[1])
    if random.chance(0.7):
        shape = (random.int(1, 3), *shape)
    given = {"strides": strides, "dilations": dilations, "pads_begin": begins, "pads_end": ends}
    kind = random.pick((np.int32, np.int64))
    data = data_of(random, shape, ("f32", "f32", "f16", "i32", "i8", "u8", "i64"))
    lists = [(np.asarray(values, kind), "int") for values in (sizes, kernel)]
    return case("Col2Im", 15, [data, *lists], given, constant=constants(random, 1, 3))


@generator("ExtractImagePatches-3")
def _patches(random: Random) -> Case:
    given = {"sizes": random.ints(2, 1, 4), "strides": random.ints(2, 1, 4), "rates": random.ints(2, 1, 3)}
    given["auto_pad"] = random.pick(("valid", "same_upper", "same_lower"))
    shape = (*random.ints(2, 1, 3), *random.ints(2, 1, 12))
    if given["auto_pad"] == "valid":
        spans = [(size - 1) * rate + 1 for size, rate in zip(given["sizes"], given["rates"], strict=True)]
        shape = (*shape[:2], *(max(size, span) for size, span in zip(shape[2:], spans, strict=True)))
    return case("ExtractImagePatches", 3, [data_of(random, shape, TYPES[:-1])], given)


@generator("Reshape-1")
def _reshape(random: Random) -> Case:
    shape = random.shape(0, 5)
    left, target = math.prod(shape), []
    while random.chance(0.7) and len(target) < 5:
        divisors = [d for d in range(1, 8) if left % d == 0] if left else [0, 1, 2]
        target.append(random.pick(divisors))
        left = left // target[-1] if target[-1] else left
    special = random.chance(0.6)
    if math.prod(shape):
        target.append(left)
        if special:
            pairs = itertools.zip_longest(target, shape[: len(target)])
            target = [0 if size == copied and random.chance(0.5) else size for size, copied in pairs]
        if random.chance(0.5):
            target[random.int(0, len(target) - 1)] = -1
    else:
        special, target = False, [*target, 0]
    args = [data_of(random, shape), index(random, target)]
    return case("Reshape", 1, args, {"special_zero": special}, constant=constants(random, 1, 2))


def _squeeze(opset: int) -> None:
    @generator(f"Squeeze-{opset}")
    def _(random: Random) -> Case:
        shape = tuple(1 if random.chance(0.4) else size for size in random.shape(0, 6))
        given = {"allow_axis_skip": random.chance(0.5)} if opset == 15 else {}
        args = [data_of(random, shape)]
        if random.chance(0.8) and shape:
            axes = np.asarray([axis for axis in random.axes(len(shape)).tolist() if shape[axis] == 1], np.int64)
            if axes.size == 1 and random.chance(0.4):
                axes = axes.reshape(())
            args.append(index(random, axes))
        return case("Squeeze", opset, args, given, constant=(1,) if len(args) > 1 else ())


_squeeze(1)
_squeeze(15)


@generator("Unsqueeze-1")
def _unsqueeze(random: Random) -> Case:
    shape = random.shape(0, 4)
    count = random.int(1, 3)
    full = len(shape) + count
    axes = random.source.permutation(full)[:count]
    axes = np.where(random.source.random(count) < 0.3, axes - full, axes)
    if count == 1 and random.chance(0.4):
        axes = axes.reshape(())
    return case("Unsqueeze", 1, [data_of(random, shape), index(random, axes)], constant=(1,))


@generator("ShapeOf-1")
def _shape_of_v1(random: Random) -> Case:
    return case("ShapeOf", 1, [data_of(random, random.shape(0, 6))])


@generator("ShapeOf-3")
def _shape_of(random: Random) -> Case:
    return case("ShapeOf", 3, [data_of(random, random.shape(0, 6))], {"output_type": random.pick(("i32", "i64"))})
