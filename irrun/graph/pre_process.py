"""Read ``<pre-process>``: means that are subtracted from an input before the first layer."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from irrun.diagnostics import Anchor, Diagnostic, amount, near_match
from irrun.document.grammar import ID
from irrun.document.records import ChannelElement, MeanElement, PreProcessElement
from irrun.document.weights import Weights
from irrun.graph.faults import WrongPreProcess
from irrun.graph.graph import Graph
from irrun.ops._declared.infrastructure.parameter import Parameter
from irrun.ops.calling import conform
from irrun.tensor import Array, ElementType, Shape

_RANKS: Final = (2, 3, 4, 5)
"""Ranks of inputs that have channels: NC, CHW, NCHW and NCDHW."""


class Mean(NamedTuple):
    """A mean to subtract from an input: for each channel a number, or an image that is stored in the weights.

    ``shape`` is the shape of the mean of one channel, with a leading 1; ``offsets`` are those of the images, in bytes.
    """

    type: ElementType
    shape: tuple[int, ...]
    numbers: tuple[float, ...] = ()
    offsets: tuple[int, ...] = ()

    def values(self, weights: Weights) -> Array | None:
        """Return the means of all channels, joined along the first axis; None without a file of weights."""
        if self.numbers:
            return conform(np.array(self.numbers, np.float32).reshape(-1, *self.shape[1:]), self.type)
        from irrun.tensor.packing import unpack

        stored = [weights.read(offset, self.bytes) for offset in self.offsets]
        images = [unpack(data, self.type.name, math.prod(self.shape)) for data in stored if data is not None]
        return np.concatenate(images).reshape(-1, *self.shape[1:]) if images else None

    @property
    def bytes(self) -> int:
        """The size of an image in the file of weights, in bytes."""
        from irrun.tensor.packing import storage_size

        return storage_size(self.type.name, math.prod(self.shape))


class MeanError(Exception):
    """A mean does not fit the model, so that OpenVINO refuses the file."""

    def __init__(self, message: str, element: int, attribute: str | None = None) -> None:
        super().__init__(message)
        anchor = Anchor(element) if attribute is None else Anchor(element, "value", attribute)
        self.finding: Diagnostic = WrongPreProcess(what=message).at(anchor)


def means(element: PreProcessElement, graph: Graph, weights: Weights) -> dict[int, Mean]:
    """Return the mean by the node of its Parameter, empty without one; MeanError where it does not fit."""
    if any(graph.node(id).op is None for id in graph.parameters):
        return {}
    id, parameter = _parameter(element, graph)
    given = [
        (_channel(channel, index), channel.mean)
        for index, channel in enumerate(element.channels)
        if channel.mean is not None
    ]
    if not given:
        return {}
    channels, spatial = _layout(element, graph.node(id).name, parameter.shape)
    given.sort(key=lambda pair: pair[0])
    if [number for number, _ in given] != list(range(channels)):
        found = ", ".join(str(number) for number, _ in given)
        what = f"there are means of channels {found}, expected one for each of the {channels} channels of the input"
        raise MeanError(what, element.element)
    kinds = {mean.value is not None for _, mean in given}
    if len(kinds) > 1:
        raise MeanError("some means are numbers and others are images, expected one kind", element.element)
    if kinds == {True}:
        numbers = tuple([_number(mean) for _, mean in given])
        return {id: Mean(parameter.element_type, (1,) * (1 + len(spatial)), numbers)}
    image = Mean(parameter.element_type, (1, *spatial))
    return {id: image._replace(offsets=tuple([_offset(mean, image.bytes, weights) for _, mean in given]))}


def _parameter(element: PreProcessElement, graph: Graph) -> tuple[int, Parameter]:
    """Return the Parameter that is named; without a name the first of rank 4, or else the first one."""
    known = [(id, op) for id in graph.parameters if isinstance(op := graph.node(id).op, Parameter)]
    name = (element.reference or "").strip()
    if name:
        found = [(id, op) for id, op in known if graph.node(id).name == name]
    else:
        found = [(id, op) for id, op in known if op.shape.rank == 4] or known
    if found:
        return found[0]
    if not name:
        raise MeanError("the model has no input that a mean can be subtracted from", element.element)
    close = near_match(name, [graph.node(id).name for id, _ in known]) or ", expected the name of a Parameter"
    raise MeanError(f'no input "{name}"{close}', element.element, "reference-layer-name")


def _channel(channel: ChannelElement, index: int) -> int:
    """Return the number of a channel: its id, or without one its position."""
    return index if channel.id is None else _integer(channel.id, "id", channel.element)


def _layout(element: PreProcessElement, name: str, shape: Shape) -> tuple[int, tuple[int, ...]]:
    """Return the number of channels of an input, and the sizes of the axes behind the channels."""
    if not shape.is_static or shape.rank not in _RANKS:
        what = f'a mean is subtracted from input "{name}" of shape {shape}, expected static dims and a rank of 2 to 5'
        raise MeanError(what, element.element)
    axis = 0 if shape.rank == 3 else 1
    return shape.static[axis], shape.static[axis + 1 :]


def _number(mean: MeanElement) -> float:
    try:
        return float(mean.value or "")
    except ValueError:
        raise MeanError(f'value="{mean.value}" of <mean> is not a number', mean.element, "value") from None


def _offset(mean: MeanElement, expected: int, weights: Weights) -> int:
    """Return the offset of an image of ``expected`` bytes in the weights."""
    if mean.offset is None or mean.size is None:
        raise MeanError("<mean> has no value, and no offset and size of an image", mean.element)
    offset, size = (_integer(text, name, mean.element) for text, name in ((mean.offset, "offset"), (mean.size, "size")))
    if size != expected:
        what = f"size of <mean> is {amount(size, 'byte')}, expected {expected} for an image of the input"
        raise MeanError(what, mean.element, "size")
    if weights.exists and offset + size > len(weights.bytes):
        what = f"bytes {offset} to {offset + size} of <mean> are outside the weights, which have {len(weights.bytes)}"
        raise MeanError(what, mean.element, "offset")
    return offset


def _integer(text: str, name: str, element: int) -> int:
    if ID.fullmatch(text.strip()) is None:
        raise MeanError(f'{name}="{text}" is not a number, expected 0 or more', element, name)
    return int(text)
