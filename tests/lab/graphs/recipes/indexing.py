"""Recipes of operations that take indices, or find them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from irrun.tensor.element_type import BOOLEAN, FLOAT, I32, I64, NUMERIC
from tests.lab.graphs.call import ABSENT, Call, Recipe
from tests.lab.graphs.grow import Rejected, Tensor
from tests.lab.graphs.recipes.makers import data, fixed, has_axes, ints, like, maybe, not_empty, pick, some_axis


def indices(call: Call, name: str, shape: Sequence[int], size: int, *, negative: bool = False) -> Tensor:
    """Integers that name elements of an axis, taken from the graph where it has some."""
    if size == 0:
        raise Rejected("an empty axis has no index")
    low = -size if negative else 0
    types = [kind for kind in (I32, I64) if kind in call.types(name)]
    if call.draw.chance(0.6):
        found = call.grower.find(
            types,
            lambda t: t.shape == tuple(shape) and t.array.size > 0 and t.array.min() >= low and t.array.max() < size,
        )
        if found is not None:
            return found
    numbers = call.draw.source.integers(low, size, tuple(shape))
    return call.grower.ints(numbers, types, 0.5)


def _gather(call: Call) -> Tensor:
    axis = call["place"] % call.data.rank
    batch = call["batch_dims"] if call.spec.attribute("batch_dims") is not None else 0
    if batch is ABSENT:
        batch = 0
    inner = call.draw.pick(((), (2,), (3,), (1, 2), (1,)))
    shape = (*call.data.shape[:batch], *inner)
    return indices(call, "indices", shape, call.data.shape[axis], negative=call.cls.opset == 8)


def _batch_dims(call: Call) -> Any:
    if call.draw.chance(0.6):
        return 0
    return call.draw.int(0, call["place"] % call.data.rank)


_GATHER: Final[Recipe] = {
    "data": data(suits=lambda t: t.rank > 0 and not_empty(t)),
    "place": some_axis,
    "indices": _gather,
    "axis": ints("axis", lambda c: c["place"], 1),
    "batch_dims": _batch_dims,
}


def _like_data(call: Call) -> tuple[int, ...]:
    axis = call["place"] % call.data.rank
    return tuple(
        call.draw.int(1, 4) if at == axis else call.draw.int(1, size) for at, size in enumerate(call.data.shape)
    )


def _same_except(call: Call) -> tuple[int, ...]:
    axis = call["place"] % call.data.rank
    return tuple(call.draw.int(1, 4) if at == axis else size for at, size in enumerate(call.data.shape))


def _tuples(call: Call, *, distinct: bool = False) -> Tensor:
    """Tuples of indices along the last axis, of which ``batch_dims`` axes are those of the data."""
    batch = call["batch"]
    shape = call.data.shape
    depth = call.draw.int(1, len(shape) - batch)
    sizes = shape[batch : batch + depth]
    count = call.draw.pick(((), (2,), (3,), (2, 2)))
    whole = (*shape[:batch], *count, depth)
    if distinct:
        total = int(np.prod(sizes))
        many = int(np.prod(count))
        if many > total:
            raise Rejected("too few places")
        flat = call.draw.source.permutation(total)[:many]
        numbers = np.stack(np.unravel_index(flat, sizes), axis=-1).reshape(whole)
    else:
        numbers = np.stack([call.draw.source.integers(0, size, whole[:-1]) for size in sizes], axis=-1)
    return call.grower.ints(numbers, [I32, I64], 0.5)


def _nd(call: Call) -> tuple[int, ...]:
    index = call["indices"].shape
    return (*index[:-1], *call.data.shape[index[-1] :])


def _scattered(call: Call, *, distinct: bool) -> Tensor:
    axis = call["place"] % call.data.rank
    shape = tuple(call.draw.int(1, size) for size in call.data.shape)
    size = call.data.shape[axis]
    many = call.draw.source.permuted(
        np.broadcast_to(np.arange(size), (*shape[:axis], *shape[axis + 1 :], size)), axis=-1
    )
    numbers = np.moveaxis(many[..., : shape[axis]], -1, axis)
    if not distinct and call.draw.chance(0.5):
        numbers = numbers // 2
    return call.grower.ints(np.ascontiguousarray(numbers), [I32, I64], 0.5)


def _k(call: Call) -> int:
    return call.draw.int(1, max(call.data.shape[call["place"] % call.data.rank], 1))


def _distinct_values(tensor: Tensor) -> bool:
    """Return whether all elements of a tensor differ, so that their order is unique."""
    return tensor.rank > 0 and tensor.array.size > 0 and len(np.unique(tensor.array)) == tensor.array.size


_TOP_K: Final[Recipe] = {
    "data": data(suits=_distinct_values),
    "place": some_axis,
    "axis": lambda c: c["place"],
    "k": ints("k", _k),
    "sort": pick("value", "value", "index"),
    "index_element_type": lambda c: c.draw.pick(c.spec.attribute("index_element_type").choices),
}


def _segments(call: Call, size: int) -> list[int]:
    count = call.draw.int(1, 3)
    return [0, *sorted(call.draw.int(0, size) for _ in range(count - 1))]


_TABLE: Final[Recipe] = {
    "emb_table": data("emb_table", types=FLOAT, suits=lambda t: t.rank >= 1 and t.rank <= 4 and not_empty(t)),
    "count": lambda c: c.draw.int(1, 5),
    "indices": lambda c: indices(c, "indices", (c["count"],), c.data.shape[0]),
}


def _offsets(reduction: bool) -> Recipe:
    return {
        **_TABLE,
        "offsets": lambda c: c.ints("offsets", _segments(c, c["count"]), 0.6),
        "default_index": lambda c: (
            c.ints("default_index", c.draw.int(0, c.data.shape[0] - 1), 1)
            if c["weighted"] or c.draw.chance(0.5)
            else ABSENT
        ),
        "weighted": lambda c: c.draw.chance(0.4) and not (reduction and c["reduction"] == "mean"),
        "per_sample_weights": lambda c: (
            c.tensor("per_sample_weights", shape=(c["count"],)) if c["weighted"] else ABSENT
        ),
        "reduction": pick("sum", "mean"),
    }


_PACKED: Final[Recipe] = {
    "emb_table": _TABLE["emb_table"],
    "indices": lambda c: indices(c, "indices", (c.draw.int(1, 3), c.draw.int(1, 3)), c.data.shape[0]),
    "per_sample_weights": lambda c: (
        c.tensor("per_sample_weights", shape=c["indices"].shape) if c["weighted"] else ABSENT
    ),
    "weighted": lambda c: c.draw.chance(0.4) and not (c.cls.opset == 15 and c["reduction"] == "mean"),
    "reduction": pick("sum", "mean"),
}


def _unique_axis(call: Call) -> Any:
    if call.draw.chance(0.5):
        return ABSENT
    return call.ints("axis", some_axis(call), 1)


RECIPES: Final[dict[str, Recipe]] = {
    "Gather": _GATHER,
    "GatherElements": {
        "data": _GATHER["data"],
        "place": some_axis,
        "axis": lambda c: c["place"],
        "indices": lambda c: indices(c, "indices", _same_except(c), c.data.shape[c["place"] % c.data.rank]),
    },
    "GatherND": {
        "data": _GATHER["data"],
        "batch": lambda c: c.draw.int(0, c.data.rank - 1) if c.draw.chance(0.3) else 0,
        "batch_dims": lambda c: c["batch"],
        "indices": _tuples,
    },
    "ScatterElementsUpdate": {
        "data": _GATHER["data"],
        "place": some_axis,
        "axis": ints("axis", lambda c: c["place"], 1),
        "indices": lambda c: _scattered(c, distinct=c.cls.opset == 3 or c["reduction"] == "none"),
        "updates": like("updates", lambda c: c["indices"].shape),
        "reduction": pick("none", "none", "sum", "prod", "min", "max", "mean"),
    },
    "ScatterNDUpdate": {
        "data": _GATHER["data"],
        "batch": fixed(0),
        "indices": lambda c: _tuples(c, distinct=True),
        "updates": like("updates", _nd),
        "reduction": pick("none", "none", "sum", "sub", "prod", "min", "max"),
    },
    "ScatterUpdate": {
        "data": _GATHER["data"],
        "place": some_axis,
        "axis": ints("axis", lambda c: c["place"], 1),
        "indices": lambda c: c.grower.ints(
            c.draw.source.permutation(c.data.shape[c["place"] % c.data.rank])[:2], [I32, I64], 0.5
        ),
        "updates": like(
            "updates",
            lambda c: (
                *c.data.shape[: c["place"] % c.data.rank],
                *c["indices"].shape,
                *c.data.shape[c["place"] % c.data.rank + 1 :],
            ),
        ),
    },
    "TopK": _TOP_K,
    "OneHot": {
        "depth": ints("depth", lambda c: c.draw.int(1, 5), 1),
        "indices": lambda c: indices(c, "indices", c.draw.shape(0, 3), int(c["depth"].array)),
        "on_value": like("on_value", lambda _: (), constant=1),
        "off_value": like("off_value", lambda _: (), constant=1),
        "axis": lambda c: c.draw.int(-1, c["indices"].rank),
        "negative_indices_mode": fixed("ignore_negative"),
    },
    "CumSum": {"data": data(suits=has_axes(1)), "axis": maybe(ints("axis", some_axis), 0.9)},
    "Bucketize": {
        "buckets": lambda c: c.grower.constant(
            I32 if c.data.type.is_integer else c.data.type,
            np.sort(c.draw.source.choice(np.arange(-9, 9), 4, replace=False)).astype(
                np.int32 if c.data.type.is_integer else c.data.type.dtype
            ),
        ),
        "data": data(types=FLOAT | {I32, I64}),
    },
    "SearchSorted": {
        "sorted_sequence": lambda c: c.grower.fresh(c.types("sorted_sequence"), (5,)),
        "values": data("values"),
    },
    "Unique": {
        "data": data(suits=lambda t: t.rank > 0 and not_empty(t) and t.type is not BOOLEAN),
        "axis": _unique_axis,
        "sorted": fixed(True),
    },
    "Range-4": {
        "start": ints("start", lambda c: c.draw.int(-3, 3)),
        "stop": ints("stop", lambda c: c.draw.int(4, 12)),
        "step": ints("step", lambda c: c.draw.int(1, 3)),
        "output_type": lambda c: c.grower.theme.type(c.draw, NUMERIC),
    },
    "Eye": {
        "num_rows": ints("num_rows", lambda c: c.draw.int(1, 5)),
        "num_columns": ints("num_columns", lambda c: c.draw.int(1, 5)),
        "diagonal_index": ints("diagonal_index", lambda c: c.draw.int(-2, 2)),
        "batch_shape": fixed(ABSENT),
        "output_type": lambda c: c.grower.theme.type(c.draw, NUMERIC),
    },
    "EmbeddingBagOffsets": _offsets(True),
    "EmbeddingBagOffsetsSum": _offsets(False),
    "EmbeddingBagPacked": _PACKED,
    "EmbeddingBagPackedSum": _PACKED,
}
