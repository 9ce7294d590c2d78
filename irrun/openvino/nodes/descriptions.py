"""Connections between the ports of an operation and those of its bodies, as OpenVINO's ``op.util`` has them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from irrun.openvino.values.type_info import DiscreteTypeInfo
from irrun.ops.context import BodyInput, BodyOutput


class _Description:
    """A connection."""

    def copy(self) -> Self:
        """Return a copy."""
        return replace(self)  # type: ignore[type-var]

    def get_type_info(self) -> DiscreteTypeInfo:
        """Return the name of the class."""
        return DiscreteTypeInfo(type(self).__name__, "util")


@dataclass
class InvariantInputDescription(_Description):
    """A Parameter that has the value of an input in every iteration."""

    input_index: int = 0
    body_parameter_index: int = 0


@dataclass
class MergedInputDescription(_Description):
    """A Parameter that has the value of an input at first, then that of a Result of the iteration before."""

    input_index: int = 0
    body_parameter_index: int = 0
    body_value_index: int = 0


@dataclass
class SliceInputDescription(_Description):
    """A Parameter that has a slice of an input in each iteration."""

    input_index: int = 0
    body_parameter_index: int = 0
    start: int = 0
    stride: int = 0
    part_size: int = 0
    end: int = 0
    axis: int = 0


@dataclass
class BodyOutputDescription(_Description):
    """An output that is a Result of one iteration, -1 for the last."""

    body_value_index: int = 0
    output_index: int = 0
    iteration: int = -1


@dataclass
class ConcatOutputDescription(_Description):
    """An output that joins the values of a Result in all iterations."""

    body_value_index: int = 0
    output_index: int = 0
    start: int = 0
    stride: int = 0
    part_size: int = 0
    end: int = 0
    axis: int = 0


InputDescription = InvariantInputDescription | MergedInputDescription | SliceInputDescription
OutputDescription = BodyOutputDescription | ConcatOutputDescription


def of_input(entry: BodyInput, back_edges: dict[int, int]) -> InputDescription:
    """Return the description of an input of a body; ``back_edges`` are Results by the Parameter that they feed."""
    assert entry.external is not None
    if entry.axis is not None:
        parts = entry.start, entry.stride, entry.part_size, entry.end, entry.axis
        return SliceInputDescription(entry.external, entry.internal, *parts)
    if entry.internal in back_edges:
        return MergedInputDescription(entry.external, entry.internal, back_edges[entry.internal])
    return InvariantInputDescription(entry.external, entry.internal)


def of_output(entry: BodyOutput) -> OutputDescription:
    """Return the description of an output of a body."""
    assert entry.external is not None
    if entry.axis is None:
        return BodyOutputDescription(entry.internal, entry.external)
    parts = entry.start, entry.stride, entry.part_size, entry.end, entry.axis
    return ConcatOutputDescription(entry.internal, entry.external, *parts)


def as_input(item: InputDescription) -> BodyInput:
    """Return the input of a body that a description stands for; TypeError for anything else."""
    if isinstance(item, SliceInputDescription):
        parts = item.axis, item.start, item.end, item.stride, item.part_size
        return BodyInput(item.body_parameter_index, item.input_index, *parts)
    if not isinstance(item, InvariantInputDescription | MergedInputDescription):
        raise TypeError(f"{item!r} is not a description of an input")
    return BodyInput(item.body_parameter_index, item.input_index)


def as_output(item: OutputDescription) -> BodyOutput:
    """Return the output of a body that a description stands for; TypeError for anything else."""
    if isinstance(item, ConcatOutputDescription):
        parts = item.axis, item.start, item.end, item.stride, item.part_size
        return BodyOutput(item.body_value_index, item.output_index, *parts)
    if not isinstance(item, BodyOutputDescription):
        raise TypeError(f"{item!r} is not a description of an output")
    return BodyOutput(item.body_value_index, item.output_index)
