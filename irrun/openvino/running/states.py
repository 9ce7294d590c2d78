"""Variables of a request, as OpenVINO's ``VariableState``."""

from __future__ import annotations

import numpy as np

from irrun.openvino.running.runnable import Runnable
from irrun.openvino.values.shapes import Shape
from irrun.openvino.values.tensor import Tensor, is_raw
from irrun.ops.calling import conform
from irrun.runtime import State
from irrun.tensor import Array, ElementType, Fact


class VariableState:
    """A variable of a request. It changes with every inference."""

    def __init__(self, state: State, name: str, fact: Fact) -> None:
        self._state = state
        self.name = name
        self._fact = fact

    @property
    def state(self) -> Tensor:
        """The value; zeros of the smallest shape before the first inference.

        A tensor of another numeric type is converted: to integers by rounding to the nearest within their range.
        """
        value = self._state.values.get(self.name)
        if value is None:
            dims = self._fact.shape.dims or ()
            value = np.zeros([dim.lo for dim in dims], self._fact.type.dtype)
        return Tensor.of_values(_external(value, self._fact.type), self._fact.type)

    @state.setter
    def state(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"the state of a variable is a Tensor, got {value!r}")
        array = value.values()
        type = self._fact.type
        given = value.element_type.element
        if type.is_known and given is not type and "string" in (type.kind, given.kind):
            raise RuntimeError(f'variable "{self.name}" is {type}, got {value.element_type.type_name}')
        if not self._fact.shape.admits(array.shape):
            raise RuntimeError(f'variable "{self.name}" has shape {self._fact.shape}, got {Shape(array.shape)}')
        self._state.values[self.name] = np.array(array) if given is type else _converted(array, type)

    def reset(self) -> None:
        """Set the variable to its initial value."""
        self._state.reset(self.name)

    def __repr__(self) -> str:
        return "<VariableState>"


def variables_of(compiled: Runnable) -> dict[str, Fact]:
    loaded = compiled._loaded
    found: dict[str, Fact] = {}
    for node in loaded.bound.graph.ordered():
        name = getattr(node.op, "variable_id", None)
        if isinstance(name, str) and name not in found:
            fact = next((loaded.facts[outlet] for outlet in loaded.facts.outlets(node.id)), Fact.unknown())
            found[name] = fact
    return found


def _converted(array: Array, type: ElementType) -> Array:
    if not type.is_known:
        return np.array(array)
    with np.errstate(all="ignore"):
        if type.is_integer:
            low, high = (
                (0, 2**type.bits - 1) if type.dtype.kind == "u" else (-(2 ** (type.bits - 1)), 2 ** (type.bits - 1) - 1)
            )
            rounded = np.rint(array) if array.dtype.kind == "f" else array
            converted = rounded.astype(type.dtype)
            converted[rounded <= low] = low
            converted[rounded >= high] = high
            return converted
        return conform(array, type)


def _external(array: Array, type: ElementType) -> Array:
    if type.kind in ("string", "dynamic") or is_raw(type):
        return array
    return array.astype(type.external)
