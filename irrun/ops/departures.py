"""Differences between OpenVINO's CPU plugin and the specification.

An operation declares its own in ``departures``; ``GENERAL`` holds those of many operations. The text of a departure
follows the words "OpenVINO's CPU plugin". ``workarounds`` of an operation says, under the same keys, what to write
instead; the constants of this module serve several operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from irrun.tensor import Fact


class Layer(Protocol):
    """A layer with the facts of its inputs and outputs."""

    @property
    def inputs(self) -> tuple[Fact, ...]: ...
    @property
    def outputs(self) -> tuple[Fact, ...]: ...

    def varies(self, *ports: int) -> bool:
        """Return whether the values of an input are computed at run time."""
        ...

    def is_constant(self) -> bool:
        """Return whether the layer depends on no Parameter and no variable."""
        ...

    def before(self, port: int) -> tuple[str, tuple[Fact | None, ...]]:
        """Return the type of the layer that computes an input, and the facts of its inputs."""
        ...


class Departure(NamedTuple):
    """A departure that the linter recognises in a file.

    ``applies`` gets the operation and its layer. It returns True, or the words for this layer where they hold values.
    """

    text: str
    applies: Callable[[Any, Layer], bool | str | None]

    def found(self, op: object, layer: Layer) -> str | None:
        """Return the text of the departure if the layer shows it."""
        found = self.applies(op, layer)
        return found if isinstance(found, str) else self.text if found else None


GENERAL: Final[Mapping[str, str]] = {
    "64-bit": "computes i64 and u64 in 32 bits",
    "f64": "computes f64 in f32, or refuses it",
    "empty": "crashes on empty tensors, refuses them, or leaves results unwritten",
    "pdpd": "refuses auto_broadcast pdpd, or treats it as numpy",
    "strings": "refuses strings, or crashes on them",
    "i32": "computes integers of 32 bits in f32 in some operations",
    "overflow": "sums and multiplies in another order, or rounds once, so that other results overflow",
    "rank": "refuses scalars and high ranks in some operations, crashes on them, or returns other results",
    "optional": "requires an input that is optional by the page",
    "memory": "reads or writes beyond its buffers, so that results differ from run to run",
    "undefined": "returns other elements where the page leaves them undefined",
    "unknown": "does not know the operation",
}
"""Departures by a short key."""

IN_I32: Final = "Convert to i32 before, and back after"
IN_F32: Final = "Convert to f32 before, and back after"
LEFT_OUT: Final = "leave the layer out"
NAN_SELECTED: Final = "after it, Select(IsNaN(x), x, result)"
NAN_SPREAD: Final = "give 0 in place of NaN and infinity, and Add a ReduceSum along the axis of NaN in their places"
NAN_ADDED: Final = "Add(result, ReduceSum(Select(IsNaN(x), x, 0)))"
NUMPY: Final = "Unsqueeze the smaller inputs to aligned axes, with auto_broadcast numpy"
OF_RANK_1: Final = "Reshape to rank 1 before, and back after"
STATIC: Final = "static shapes, as irrun edit reshape writes"
WITH_DILATIONS: Final = "write dilations of 1"
NEXT_THRESHOLD: Final = "the next larger number as iou_threshold"
LIMITED: Final = "give max_output_boxes_per_class"
ON_FLOATS: Final = "Multiply, Add and Clamp in its place"
NO_ELEMENTS: Final = "a Slice without elements in its place"

_OF_TYPES: Final[Mapping[str, str]] = {"i64": "64-bit", "u64": "64-bit", "f64": "f64", "string": "strings"}
"""The departures of all operations on tensors of some element types."""


def of_types(inputs: Sequence[Fact | None], outputs: Sequence[Fact | None]) -> tuple[str, ...]:
    """Return the general departures that concern the types of a layer: those of its first input and first output."""
    firsts = [fact.type.name for facts in (inputs, outputs) for fact in facts[:1] if fact is not None]
    return tuple(dict.fromkeys(GENERAL[_OF_TYPES[name]] for name in firsts if name in _OF_TYPES))


def is_empty(layer: Layer, port: int) -> bool:
    """Return whether an input is known to have no elements."""
    shape = layer.inputs[port].shape if port < len(layer.inputs) else None
    return shape is not None and shape.is_static and shape.size == 0


def constant(layer: Layer, port: int) -> Any:
    """Return the value of an input; None if it is absent or not known."""
    return layer.inputs[port].constant if port < len(layer.inputs) else None


def refuses_pdpd(type: str) -> Departure:
    """Return the departure of an operation that the plugin does not broadcast as PaddlePaddle does."""
    text = f"refuses {type} with auto_broadcast pdpd"
    return Departure(text, lambda op, _: op.auto_broadcast == "pdpd")
