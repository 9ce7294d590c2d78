"""Descriptions of the tensors at ports, as OpenVINO's ``DescriptorTensor``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from irrun.openvino.values.shapes import PartialShape, Shape
from irrun.openvino.values.types import Type

if TYPE_CHECKING:
    from irrun.openvino.nodes.ports import Output


class DescriptorTensor:
    """The description of the tensor at a port: its names, element type and shape."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def get_names(self) -> set[str]:
        """Return the names of the tensor."""
        return self._output.names

    def set_names(self, names: Iterable[str]) -> None:
        """Replace the names of the tensor."""
        self._output.set_names(names)

    def add_names(self, names: Iterable[str]) -> None:
        """Add names of the tensor."""
        self._output.add_names(names)

    def get_any_name(self) -> str:
        """Return the first name; RuntimeError where there is none."""
        return self._output.any_name

    def get_element_type(self) -> Type:
        """Return the type of the elements."""
        return self._output.element_type

    def get_partial_shape(self) -> PartialShape:
        """Return the shape, whose sizes may be dynamic."""
        return self._output.partial_shape

    def get_shape(self) -> Shape:
        """Return the shape; RuntimeError where it is dynamic."""
        return self._output.shape

    names = property(get_names, set_names)
    any_name = property(get_any_name)
    element_type = property(get_element_type)
    partial_shape = property(get_partial_shape)
    shape = property(get_shape)

    @property
    def size(self) -> int:
        """The number of bytes."""
        return (self._output.fact.shape.size.lo * self.get_element_type().get_bitwidth() + 7) // 8
