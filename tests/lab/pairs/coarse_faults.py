"""Faults of the numbers of few levels in quantised models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import numpy as np

from irrun.debugging import shrinking
from irrun.graph import Outlet
from irrun.model import Loaded
from irrun.tensor import Array, Fact
from tests.lab.pairs.editing import Edit
from tests.lab.pairs.planting import Kind, Planted, changed, done, hold


def _of_chain(model: Loaded, word: str, change: Callable[[Array], Array]) -> Iterator[Planted | None]:
    """Change a constant of the chain that decompresses the weights of a product."""
    for node in model.graph.ordered():
        if node.type != "Const" or not node.name.endswith(word):
            continue
        value = model.facts[Outlet(node.id, 0)].constant
        if value is None or value.size < 2:
            continue
        edit = Edit(model)
        shrinking.hold(edit.graph, node.id, Fact.of(model.facts[Outlet(node.id, 0)].type, change(value)))
        yield done(edit, node.name.rsplit("/weights/", 1)[0], "quantisation")


def zero_point(model: Loaded) -> Iterator[Planted | None]:
    """The zero points of weights are eight higher."""
    yield from _of_chain(
        model, "/weights/zero_point", lambda value: np.clip(value.astype(np.int64) + 8, 0, 255).astype(value.dtype)
    )


def one_zero_point(model: Loaded) -> Iterator[Planted | None]:
    """The zero point of one channel is none."""

    def change(value: Array) -> Array:
        other = value.copy()
        other.reshape(-1)[value.size // 2] = 0
        return other

    yield from _of_chain(model, "/weights/zero_point", change)


def weight_scale(model: Loaded) -> Iterator[Planted | None]:
    """The scales of weights are half as large again."""
    yield from _of_chain(model, "/weights/scale", lambda value: value * np.float32(1.5))


def one_weight_scale(model: Loaded) -> Iterator[Planted | None]:
    """The scale of one channel is twice as large."""

    def change(value: Array) -> Array:
        other = value.copy()
        other.reshape(-1)[value.size // 2] *= 2
        return other

    yield from _of_chain(model, "/weights/scale", change)


def rolled_scales(model: Loaded) -> Iterator[Planted | None]:
    """The scales of weights belong to the next channel."""
    yield from _of_chain(
        model, "/weights/scale", lambda value: np.roll(value, 1, axis=0) if value.shape[0] > 1 else np.roll(value, 1)
    )


def _of_range(model: Loaded, change: Callable[[list[Array]], list[Array]]) -> Iterator[Planted | None]:
    for node in Edit(model).layers("FakeQuantize"):
        edit = Edit(model)
        limits = [edit.value(node, port) for port in range(1, 5)]
        if any(limit is None for limit in limits):
            continue
        for port, value in enumerate(change(limits), start=1):  # type: ignore[arg-type]
            hold(edit, node, port, value)
        yield done(edit, node.name, "quantisation")


def narrow_range(model: Loaded) -> Iterator[Planted | None]:
    """The range of activations is a quarter of what it should be."""
    yield from _of_range(model, lambda limits: [limit / np.float32(4) for limit in limits])


def wide_range(model: Loaded) -> Iterator[Planted | None]:
    """The range of activations is twenty times what it should be."""
    yield from _of_range(model, lambda limits: [limit * np.float32(20) for limit in limits])


def output_range(model: Loaded) -> Iterator[Planted | None]:
    """The range of the outputs of a FakeQuantize is not that of its inputs."""
    yield from _of_range(model, lambda limits: [*limits[:2], *(limit * np.float32(1.5) for limit in limits[2:])])


def few_levels(model: Loaded) -> Iterator[Planted | None]:
    """A FakeQuantize has four levels."""
    for planted in changed(model, "levels", lambda _: 4, "FakeQuantize"):
        yield None if planted is None else planted._replace(cause="quantisation")


OF_WEIGHTS: Final[Mapping[str, Kind]] = {
    kind.__name__: kind for kind in (zero_point, one_zero_point, weight_scale, one_weight_scale, rolled_scales)
}
OF_RANGES: Final[Mapping[str, Kind]] = {
    kind.__name__: kind for kind in (narrow_range, wide_range, output_range, few_levels)
}
