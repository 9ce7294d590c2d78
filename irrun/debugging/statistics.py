"""Statistics of tensors, gathered while a model runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

import numpy as np

from irrun.debugging.places import StepPlace, Watcher
from irrun.debugging.selecting import Selection
from irrun.model import Loaded, build
from irrun.tensor import Array, ElementType

HALF_MAX: Final = 65504.0
"""The largest finite number of f16."""

_SMALLEST: Final = {"f64": 2.0**-1022, "f32": 2.0**-126, "bf16": 2.0**-126, "f16": 2.0**-14}
"""The smallest normal number of the element types that have subnormal ones of interest."""

_BLOCK: Final = 1 << 16


@dataclass(slots=True)
class TensorStatistics:
    """Statistics of an output of a layer, over all iterations of a layer in a body.

    ``min``, ``max``, ``mean`` and ``std`` are those of finite elements, None without any. ``beyond_f16`` counts finite
    elements whose magnitude f16 cannot hold. ``shape`` is the last one, ``runs`` the number of tensors, and ``size``
    that of their elements.
    """

    layer: str
    type: str
    output: int
    element_type: str
    shape: tuple[int, ...] = ()
    runs: int = 0
    size: int = 0
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    std: float | None = None
    nan: int = 0
    inf: int = 0
    zeros: int = 0
    subnormals: int = 0
    beyond_f16: int = 0
    _finite: int = field(default=0, init=False, repr=False)
    _squares: float = field(default=0.0, init=False, repr=False)

    def add(self, array: Array) -> None:
        """Count another tensor."""
        self.shape, self.runs, self.size = array.shape, self.runs + 1, self.size + array.size
        if array.dtype.kind in "fiub":
            for block in blocks(array):
                self._add(block)

    def _add(self, block: Array) -> None:
        is_float = block.dtype.kind == "f"
        if is_float:
            nan, inf = np.isnan(block), np.isinf(block)
            self.nan, self.inf = self.nan + int(nan.sum()), self.inf + int(inf.sum())
            self.subnormals += self._subnormal(block)
            block = block[~(nan | inf)]
        if not block.size:
            return
        before = self._finite
        values = block.astype(np.float64)
        self.zeros += int(np.count_nonzero(values == 0))
        if is_float:
            self.beyond_f16 += int(np.count_nonzero(np.abs(values) > HALF_MAX))
        low, high = float(values.min()), float(values.max())
        self.min = low if self.min is None else min(self.min, low)
        self.max = high if self.max is None else max(self.max, high)
        mean, square = float(values.mean()), float(values.var()) * values.size
        old = self.mean if self.mean is not None else mean
        total, gap = before + values.size, mean - old
        self._squares += square + gap * gap * before * values.size / total
        self.mean, self._finite = old + gap * values.size / total, total
        self.std = math.sqrt(self._squares / total)

    def _subnormal(self, block: Array) -> int:
        limit = _SMALLEST.get(self.element_type)
        return 0 if limit is None else int(np.count_nonzero((block != 0) & (np.abs(block) < limit)))

    def as_dict(self) -> dict[str, Any]:
        """Return the statistics as a record, ready for JSON or pandas."""
        return {item.name: getattr(self, item.name) for item in fields(self) if item.repr}


def blocks(array: Array) -> Iterator[Array]:
    """Yield the elements in blocks, in the order of memory, without copying the whole array."""
    if array.size <= _BLOCK:
        yield array.reshape(-1)
        return
    yield from np.nditer(array, ["external_loop", "buffered", "zerosize_ok"], buffersize=_BLOCK, order="K")


def statistics_of(array: Array, type: ElementType, layer: str = "") -> TensorStatistics:
    """Return the statistics of one tensor."""
    found = TensorStatistics(layer, "", 0, type.name)
    with np.errstate(all="ignore"):
        found.add(array)
    return found


def layer_statistics(
    model: Loaded,
    inputs: Any,
    config: Mapping[str, Any] | None = None,
    *,
    names: Sequence[str] = (),
    types: Sequence[str] = (),
) -> list[TensorStatistics]:
    """Run a model, and return statistics of the outputs of its layers, in the order of execution.

    ``names`` and ``types`` are patterns that choose layers; ``config`` holds the settings of ``compile_model``.
    """
    session = build(model, config).session()
    watcher = Statistics(Selection(model.graph, names, types))
    session.observers.append(watcher)
    session.run(inputs)
    return watcher.found


class Statistics(Watcher):
    """Gathers statistics of the outputs of each step, in the order in which they first ended."""

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self._selection = selection
        self._found: dict[tuple[str, int], TensorStatistics] = {}

    @property
    def found(self) -> list[TensorStatistics]:
        return list(self._found.values())

    def ended(self, place: StepPlace, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> None:
        del inputs
        if place not in self._selection:
            return
        with np.errstate(all="ignore"):
            for port, (array, type) in enumerate(zip(outputs, place.step.types, strict=True)):
                key = place.key, port
                if key not in self._found:
                    self._found[key] = TensorStatistics(place.key, place.step.node.type, port, type.name)
                self._found[key].add(array)
