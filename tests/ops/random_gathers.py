"""Random cases of operations that gather or scatter by index, by seed."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tests.cases import Case
from tests.ops.random_draws import TYPES, Random, case, constants, data_of, generator, index, one_axis

REDUCED: Final = ("f32", "f32", "f32", "i32", "i32", "i64", "f16")


def _gather(opset: int) -> None:
    @generator(f"Gather-{opset}")
    def _(random: Random) -> Case:
        shape = tuple(max(size, 1) for size in random.shape(1, 4))
        axis = random.int(0, len(shape) - 1)
        batches = random.int(0, min(axis, 2)) if opset > 1 else 0
        size = shape[axis]
        where = (*shape[:batches], *(max(s, 1) for s in random.shape(0, 2)))
        low, high = (-size - 2, size + 1) if opset == 8 else (0, size - 1)
        places = random.source.integers(low, high + 1, where)
        given = {} if opset == 1 else {"batch_dims": batches - len(where) * (batches > 0 and random.chance(0.3))}
        at = axis - len(shape) if random.chance(0.4) else axis
        args = [data_of(random, shape), index(random, places), index(random, at, single=True)]
        return case("Gather", opset, args, given, constant=random.pick(((2,), (1, 2))))


for _opset in (1, 7, 8):
    _gather(_opset)


@generator("GatherElements-6")
def _gather_elements(random: Random) -> Case:
    shape = tuple(max(size, 1) for size in random.shape(1, 5))
    axis = one_axis(random, len(shape))
    sizes = list(shape)
    sizes[axis] = random.int(1, 6)
    places = random.source.integers(-shape[axis], shape[axis], sizes)
    args = [data_of(random, shape), index(random, places)]
    return case("GatherElements", 6, args, {"axis": axis}, constant=constants(random, 1, 2))


def _gather_nd(opset: int) -> None:
    @generator(f"GatherND-{opset}")
    def _(random: Random) -> Case:
        shape = tuple(max(size, 1) for size in random.shape(1, 5))
        batches = random.int(0, len(shape) - 1)
        depth = random.int(1, len(shape) - batches)
        where = (*shape[:batches], *(max(s, 1) for s in random.shape(0, 2)))
        columns = [random.source.integers(-size, size, where) for size in shape[batches : batches + depth]]
        places = np.stack(columns, axis=-1) if columns else np.zeros((*where, 0))
        args = [data_of(random, shape), index(random, places)]
        return case("GatherND", opset, args, {"batch_dims": batches}, constant=constants(random, 1, 2))


_gather_nd(5)
_gather_nd(8)


@generator("GatherTree-1")
def _gather_tree(random: Random) -> Case:
    time, batch, beam = random.ints(3, 1, 5)
    kind = random.pick(("f32", "i32"))
    steps = random.array(kind, (time, batch, beam), 0, 9)
    steps = (np.round(steps[0]), kind)
    parents = (random.source.integers(0, beam, (time, batch, beam)).astype(steps[0].dtype), kind)
    lengths = (random.source.integers(1, time + 2, batch).astype(steps[0].dtype), kind)
    token = (np.asarray(random.int(0, 9), steps[0].dtype), kind)
    return case("GatherTree", 1, [steps, parents, lengths, token], constant=(3,) if random.chance(0.5) else ())


def _scatter_elements(opset: int) -> None:
    @generator(f"ScatterElementsUpdate-{opset}")
    def _(random: Random) -> Case:
        shape = tuple(max(size, 1) for size in random.shape(1, 4))
        axis = one_axis(random, len(shape))
        sizes = [random.int(1, size) for size in shape]
        given: dict[str, Any] = {}
        if opset == 12:
            given = {"reduction": random.pick(("none", "sum", "prod", "min", "max", "mean"))}
            given["use_init_val"] = random.chance(0.6)
        low = -shape[axis] if opset == 12 else 0
        if given.get("reduction", "none") == "none":
            rows = np.argsort(random.source.random([*sizes[:axis], shape[axis], *sizes[axis:][1:]]), axis)
            places = np.take(rows, np.arange(sizes[axis]), axis)
        else:
            places = random.source.integers(low, shape[axis], sizes)
        kind = random.pick(TYPES if given.get("reduction", "none") == "none" else REDUCED)
        lowest = 0 if given.get("reduction") == "mean" and kind[0] == "i" else -4
        args = [
            random.array(kind, shape, lowest, 4),
            index(random, places),
            random.array(kind, sizes, lowest, 4),
            index(random, axis, single=True),
        ]
        return case("ScatterElementsUpdate", opset, args, given, constant=random.pick(((3,), (1, 3), ())))


_scatter_elements(3)
_scatter_elements(12)


def _scatter_nd(opset: int) -> None:
    @generator(f"ScatterNDUpdate-{opset}")
    def _(random: Random) -> Case:
        shape = tuple(max(size, 1) for size in random.shape(1, 4))
        depth = random.int(1, len(shape))
        where = tuple(max(size, 1) for size in random.shape(1, 2))
        given: dict[str, Any] = {}
        if opset == 15:
            given = {"reduction": random.pick(("none", "sum", "sub", "prod", "min", "max"))}
        count = math.prod(where)
        if given.get("reduction", "none") == "none":
            total = math.prod(shape[:depth])
            where = (min(count, total),)
            flat = random.source.permutation(total)[: where[0]]
            places = np.stack(np.unravel_index(flat, shape[:depth]), axis=-1)
        else:
            places = np.stack([random.source.integers(-size, size, where) for size in shape[:depth]], axis=-1)
        kind = random.pick(TYPES if given.get("reduction", "none") == "none" else REDUCED)
        args = [
            random.array(kind, shape),
            index(random, places),
            random.array(kind, (*where, *shape[depth:])),
        ]
        return case("ScatterNDUpdate", opset, args, given, constant=random.pick(((1,), (1, 2), ())))


_scatter_nd(4)
_scatter_nd(15)


@generator("ScatterUpdate-3")
def _scatter_update(random: Random) -> Case:
    shape = tuple(max(size, 1) for size in random.shape(1, 4))
    axis = one_axis(random, len(shape))
    count = random.int(1, shape[axis])
    places = random.source.permutation(shape[axis])[:count]
    if random.chance(0.3):
        places = places.reshape(1, -1)
    at = axis % len(shape)
    kind = random.pick(TYPES)
    updates = random.array(kind, (*shape[:at], *places.shape, *shape[at + 1 :]))
    args = [random.array(kind, shape), index(random, places), updates, index(random, axis, single=True)]
    return case("ScatterUpdate", 3, args, constant=random.pick(((3,), (1, 3), ())))


@generator("Unique-10")
def _unique(random: Random) -> Case:
    shape = tuple(max(size, 1) for size in random.shape(0, 4))
    given = {"sorted": random.chance(0.5)}
    given |= {name: random.pick(("i32", "i64")) for name in ("index_element_type", "count_element_type")}
    args = [random.array(random.pick(("f32", "i32", "i64", "u8", "i8")), shape, 0, 3)]
    args[0] = (np.round(args[0][0]), args[0][1])
    if shape and args[0][0].itemsize > 1 and random.chance(0.6):
        args.append(index(random, one_axis(random, len(shape)), single=True))
    return case("Unique", 10, args, given, constant=(1,) if len(args) > 1 else (), outputs=4)
