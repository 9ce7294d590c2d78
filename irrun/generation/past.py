"""The cache of models that have it as inputs and outputs, as older exporters wrote them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import numpy as np

from irrun.model import Loaded, Outputs
from irrun.tensor import Array

_INPUT: Final = re.compile(r"past_key_values\.(.+)")


class Past:
    """The inputs of a cache with the outputs that follow each, and their values. Without such inputs it is empty."""

    def __init__(
        self,
        inputs: Mapping[str, int],
        shapes: Mapping[str, tuple[int, ...]],
        types: Mapping[str, str],
        axes: Mapping[str, int | None],
    ) -> None:
        self.inputs = inputs
        self._axes = axes
        self._shapes = shapes
        self._types = types
        self._values: dict[str, Array] = {}

    @staticmethod
    def of(model: Loaded) -> Past:
        """Return the cache of a model: inputs ``past_key_values.N.key``, each with an output ``present.N.key``."""
        outputs = {name: port.index for port in model.outputs for name in port.all_names}
        inputs: dict[str, int] = {}
        shapes: dict[str, tuple[int, ...]] = {}
        types: dict[str, str] = {}
        axes: dict[str, int | None] = {}
        for port in model.inputs:
            found = _INPUT.fullmatch(port.any_name)
            index = outputs.get(f"present.{found[1]}") if found is not None else None
            if index is not None and port.partial_shape.dims is not None:
                inputs[port.any_name] = index
                shapes[port.any_name] = tuple(dim.lo if dim.is_static else 0 for dim in port.partial_shape.dims)
                types[port.any_name] = port.element_type.dtype.str
                growing = [axis for axis, dim in enumerate(port.partial_shape.dims) if axis and not dim.is_static]
                axes[port.any_name] = growing[0] if len(growing) == 1 else None
        return Past(inputs, shapes, types, axes)

    @property
    def can_be_cut(self) -> bool:
        """Whether the axis of tokens is known for each value."""
        return None not in self._axes.values()

    def empty(self) -> Past:
        """Return the same cache without values."""
        return Past(self.inputs, self._shapes, self._types, self._axes)

    def given(self, count: int, rows: Array) -> dict[str, Array]:
        """Return the values for some texts, which continue the ``rows`` of the last inference."""
        if not self._values:
            return {name: np.zeros((count, *self._shapes[name][1:]), self._types[name]) for name in self.inputs}
        is_same = len(rows) == len(next(iter(self._values.values()))) and bool((rows == np.arange(len(rows))).all())
        return self._values if is_same else {name: value[rows] for name, value in self._values.items()}

    def take(self, outputs: Outputs) -> None:
        """Keep the values that an inference has computed."""
        self._values = {name: outputs[index] for name, index in self.inputs.items()}

    def cut(self, row: int, size: int) -> None:
        """Keep the first ``size`` tokens of one text."""
        self._values = {name: part(value, row, size, self._axes[name]) for name, value in self._values.items()}


def part(value: Array, row: int, size: int, axis: int | None) -> Array:
    """Return the value of one text, and of its first ``size`` tokens where they have an axis."""
    kept = value[row : row + 1]
    return kept if axis is None else kept[(slice(None),) * axis + (slice(size),)]
