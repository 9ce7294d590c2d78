"""Operations of a model, as OpenVINO's ``Node``.

A node is a handle: a graph, and the id of an operation in it. What it says is read from the graph, and what is done to
it is an edit of the graph.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from irrun.diagnostics import OpError
from irrun.openvino.nodes.evaluation import evaluated
from irrun.openvino.nodes.notes import Notes
from irrun.openvino.nodes.operators import Operators
from irrun.openvino.nodes.ports import DescriptorTensor, Input, Output, as_output
from irrun.openvino.nodes.records import fresh_name, get_attributes, record_of, with_attribute
from irrun.openvino.nodes.workspace import HANDLES, Handle, joined
from irrun.openvino.values.keywords import also_named
from irrun.openvino.values.rt_info import RTMap
from irrun.openvino.values.shapes import PartialShape, Shape, of_dims
from irrun.openvino.values.type_info import DiscreteTypeInfo
from irrun.openvino.values.types import Type, of_element
from irrun.ops.registry import resolve

_instances: Final = itertools.count()
_INSTANCE: Final = "instance"


class Node(Handle, Operators):
    """An operation."""

    # -- names and types

    def get_friendly_name(self) -> str:
        """Return the name of the node."""
        return self.friendly_name

    def set_friendly_name(self, name: str) -> None:
        """Set the name of the node."""
        self.friendly_name = name

    def get_instance_id(self) -> int:
        """Return a number that no other node has."""
        notes = self._graph.notes(self._id, _INSTANCE)
        if "id" not in notes:
            notes["id"] = next(_instances)
        return int(notes["id"])

    def get_name(self) -> str:
        """Return a name that no other node has."""
        return f"{self.get_type_name()}_{self.get_instance_id()}"

    name: property = property(get_name)

    def get_type_info(self) -> DiscreteTypeInfo:
        """Return the type of the operation, and its opset."""
        op = self.record.op
        opset = op.opset if op is not None else self.record.version
        return DiscreteTypeInfo(self.get_type_name(), f"opset{opset}" if isinstance(opset, int) else opset)

    @property
    def type_info(self) -> DiscreteTypeInfo:
        """The type of the operation, and its opset."""
        return self.get_type_info()

    def get_attributes(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return get_attributes(self.record)

    def __getattr__(self, name: str) -> Any:
        """Return the getter or setter of an attribute, such as ``get_axis``; AttributeError where there is none."""
        kind, _, attribute = name.partition("_")
        if kind not in ("get", "set") or attribute not in self.get_attributes():
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return partial(self.get_attributes().get if kind == "get" else self.set_attribute, attribute)

    def set_attribute(self, name: str, value: Any) -> None:
        """Change an attribute; RuntimeError where the operation has none of this name, or not this value."""
        self._update(with_attribute(self.record, name, value))

    def get_rt_info(self) -> RTMap:
        """Return the notes on the node."""
        return RTMap.over(Notes(self))

    def set_rt_info(self, value: Any, key: str) -> None:
        """Store a note under a key."""
        self.get_rt_info()[key] = value

    rt_info: property = property(get_rt_info)

    # -- outputs

    def get_output_size(self) -> int:
        """Return the number of outputs."""
        return self._count

    def outputs(self) -> list[Output]:
        """Return all outputs."""
        return [Output(self, index) for index in range(self._count)]

    def output(self, output_index: int) -> Output:
        """Return an output by index; RuntimeError where there is none."""
        self.fact(output_index)
        return Output(self, output_index)

    def get_output_partial_shape(self, index: int) -> PartialShape:
        """Return the shape of an output, whose sizes may be dynamic; RuntimeError for a wrong index."""
        return of_dims(self.fact(index).shape)

    def get_output_shape(self, index: int) -> Shape:
        """Return the shape of an output; RuntimeError where it is dynamic, and for a wrong index."""
        return self.get_output_partial_shape(index).to_shape()

    def get_output_element_type(self, index: int) -> Type:
        """Return the type of the elements of an output; RuntimeError for a wrong index."""
        return of_element(self.fact(index).type)

    def get_output_tensor(self, index: int) -> DescriptorTensor:
        """Return the description of the tensor of an output; RuntimeError for a wrong index."""
        return DescriptorTensor(self.output(index))

    def get_element_type(self) -> Type:
        """Return the type of the elements of the first output."""
        return self.get_output_element_type(0)

    @property
    def shape(self) -> Shape:
        """The shape of the first output; RuntimeError where it is dynamic."""
        return self.get_output_shape(0)

    # -- inputs

    def get_input_size(self) -> int:
        """Return the number of inputs."""
        return self.record.inputs

    def inputs(self) -> list[Input]:
        """Return all inputs."""
        return [Input(self, index) for index in range(self.record.inputs)]

    def input(self, input_index: int) -> Input:
        """Return an input by index; RuntimeError where there is none."""
        self._source(input_index)
        return Input(self, input_index)

    def input_values(self) -> list[Output]:
        """Return the outputs that feed the inputs."""
        return [Output.at(self, outlet) for outlet in self._graph.sources(self._id) if outlet is not None]

    def input_value(self, index: int) -> Output:
        """Return the output that feeds an input; RuntimeError for a wrong index."""
        return Output.at(self, self._source(index))

    def get_input_partial_shape(self, index: int) -> PartialShape:
        """Return the shape of an input, whose sizes may be dynamic; RuntimeError for a wrong index."""
        return self.input_value(index).get_partial_shape()

    def get_input_shape(self, index: int) -> Shape:
        """Return the shape of an input; RuntimeError where it is dynamic, and for a wrong index."""
        return self.input_value(index).get_shape()

    def get_input_element_type(self, index: int) -> Type:
        """Return the type of the elements of an input; RuntimeError for a wrong index."""
        return self.input_value(index).get_element_type()

    def get_input_tensor(self, index: int) -> DescriptorTensor:
        """Return the description of the tensor of an input; RuntimeError for a wrong index."""
        return DescriptorTensor(self.input_value(index))

    def set_argument(self, index: int, source: Any) -> None:
        """Feed an input from another output."""
        Input(self, index).replace_source_output(source)

    def set_arguments(self, sources: Sequence[Any]) -> None:
        """Feed the inputs from other outputs, as many as there are."""
        outputs = [as_output(source) for source in sources]
        joined([self, *(output.node for output in outputs)]).feed(self._id, [output.outlet for output in outputs])

    # -- inference

    def validate_and_infer_types(self) -> None:
        """Infer the facts of the outputs from those of the inputs; RuntimeError where they do not fit."""
        if self.record.type != "Parameter":
            self._graph.infer_node(self._id)

    def constructor_validate_and_infer_types(self) -> None:
        """Infer the facts of the outputs, at the end of a constructor."""
        self.validate_and_infer_types()

    @also_named("evaluation_context", "evaluationContext")
    def evaluate(
        self, output_values: Sequence[Any], input_values: Sequence[Any], evaluation_context: Any = None
    ) -> bool:
        """Compute the outputs from tensors; return False where the operation has no values to compute."""
        types = [source.fact.type for source in self.input_values()]
        results = evaluated(self.record, types, [tensor.values() for tensor in input_values])
        for target, result in zip(output_values, results, strict=False):
            target.copy_from(result)
        return True

    def __repr__(self) -> str:
        outputs = ", ".join(str(of_dims(self.fact(index).shape)) for index in range(self.get_output_size()))
        return f"<{self.get_type_name()}: '{self.friendly_name}' ({outputs})>"

    def _become(
        self, type: str, version: str | None, sources: Sequence[Output], attributes: Mapping[str, Any], name: str | None
    ) -> None:
        """Add an operation to the graph of its sources, and make this its node."""
        try:
            op = resolve(type, version)(**attributes)
        except OpError as error:
            raise RuntimeError(f"{type}: {error}") from None
        self._begin(record_of(op, name or fresh_name(type)), [(source.node, source.index) for source in sources])


HANDLES[""] = Node


def make(
    type: str, version: str | None, sources: Sequence[Output], attributes: Mapping[str, Any], name: str | None = None
) -> Any:
    """Return a new node; RuntimeError where attributes or inputs do not fit the operation."""
    cls = HANDLES.get(type, Node)
    node = cls.__new__(cls)
    node._become(type, version, sources, attributes, name)  # type: ignore[attr-defined]
    return node


__all__ = ["Node", "make"]
