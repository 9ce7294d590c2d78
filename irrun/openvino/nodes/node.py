"""Operations of a model and their ports, as OpenVINO's ``Node``, ``Output`` and ``Input``.

A node holds the record of its operation, the outputs that feed it, and the facts of its own outputs. A model that is
read makes its nodes on demand from its graph; a graph is made from the nodes again where they were changed.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final

from irrun.graph import Node as Record
from irrun.openvino.nodes.attributes import get_attributes
from irrun.openvino.nodes.descriptor import DescriptorTensor
from irrun.openvino.nodes.operators import Operators
from irrun.openvino.nodes.ports import ConstOutput, Input, Output
from irrun.openvino.values.keywords import also_named
from irrun.openvino.values.rt_info import RTMap
from irrun.openvino.values.shapes import PartialShape, Shape, of_dims
from irrun.openvino.values.type_info import DiscreteTypeInfo
from irrun.openvino.values.types import Type, of_element
from irrun.tensor import Fact

CLASS_NAMES: Final = {"Const": "Constant", "PReLU": "PRelu", "ReLU": "Relu", "SoftMax": "Softmax"}
"""The names of OpenVINO's classes where a file spells the type in another way."""

_clock = itertools.count(1)


class Node(Operators):
    """An operation. ``stamp`` grows with each change that a graph made before does not have."""

    _record: Record
    _sources: list[Output]
    _facts: tuple[Fact, ...]

    def _begin(self, record: Record, sources: Iterable[Output], facts: Iterable[Fact]) -> None:
        self._record = record
        self._facts = tuple(facts)
        self._sources = list(sources)
        self._rt_info = RTMap()
        self._port_info: dict[tuple[str, int], RTMap] = {}
        self._users: list[weakref.ref[Node]] = []
        self.stamp = next(_clock)
        for source in self._sources:
            source.node._users.append(weakref.ref(self))

    def touch(self, record: Record | None = None) -> None:
        """Note that the node was changed, to the given record if any."""
        if record is not None:
            self._record = record
        self.stamp = next(_clock)

    # -- names and types

    @property
    def record(self) -> Record:
        """The operation as the graph has it."""
        return self._record

    @property
    def friendly_name(self) -> str:
        """The name of the node, which may be changed."""
        return self._record.name

    @friendly_name.setter
    def friendly_name(self, name: str) -> None:
        self.touch(self._record._replace(name=name))

    def get_friendly_name(self) -> str:
        """Return the name of the node."""
        return self.friendly_name

    def set_friendly_name(self, name: str) -> None:
        """Set the name of the node."""
        self.friendly_name = name

    @property
    def name(self) -> str:
        """A name that no other node has."""
        return f"{self.get_type_name()}_{id(self)}"

    def get_name(self) -> str:
        """Return a name that no other node has."""
        return self.name

    def get_instance_id(self) -> int:
        """Return a number that no other node has."""
        return id(self)

    def get_type_name(self) -> str:
        """Return the type of the operation as OpenVINO spells it."""
        return CLASS_NAMES.get(self._record.type, self._record.type)

    @property
    def type_info(self) -> DiscreteTypeInfo:
        """The type of the operation, and its opset."""
        op = self._record.op
        opset = op.opset if op is not None else self._record.version
        return DiscreteTypeInfo(self.get_type_name(), f"opset{opset}" if isinstance(opset, int) else opset)

    def get_type_info(self) -> DiscreteTypeInfo:
        """Return the type of the operation, and its opset."""
        return self.type_info

    def get_attributes(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return get_attributes(self._record)

    def __getattr__(self, name: str) -> Any:
        """Return the getter or setter of an attribute, such as ``get_axis``; AttributeError where there is none."""
        kind, _, attribute = name.partition("_")
        if kind not in ("get", "set") or attribute not in self.get_attributes():
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return partial(self.get_attributes().get if kind == "get" else self.set_attribute, attribute)

    def set_attribute(self, name: str, value: Any) -> None:
        """Change an attribute; RuntimeError where the operation has none of this name, or not this value."""
        from irrun.openvino.nodes.building import with_attribute

        self.touch(with_attribute(self._record, name, value))

    @property
    def rt_info(self) -> RTMap:
        """The notes on the node."""
        return self._rt_info

    def get_rt_info(self) -> RTMap:
        """Return the notes on the node."""
        return self._rt_info

    def set_rt_info(self, value: Any, key: str) -> None:
        """Store a note under a key."""
        self._rt_info[key] = value

    # -- outputs

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The types, shapes and values that inference knows of the outputs."""
        return self._facts

    def fact(self, index: int) -> Fact:
        """Return the fact of an output; RuntimeError where there is none."""
        if not 0 <= index < self.get_output_size():
            count = self.get_output_size()
            raise RuntimeError(f'node "{self.friendly_name}" has {count} outputs, so there is no output {index}')
        return self._facts[index] if index < len(self._facts) else Fact.unknown()

    def get_output_size(self) -> int:
        """Return the number of outputs."""
        return max(self._record.outputs, len(self._facts))

    def outputs(self) -> list[Output]:
        """Return all outputs."""
        return [Output(self, index) for index in range(self.get_output_size())]

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

    def _source(self, index: int) -> Output:
        if not 0 <= index < len(self._sources):
            count = len(self._sources)
            raise RuntimeError(f'node "{self.friendly_name}" has {count} inputs, so there is no input {index}')
        return self._sources[index]

    def get_input_size(self) -> int:
        """Return the number of inputs."""
        return len(self._sources)

    def inputs(self) -> list[Input]:
        """Return all inputs."""
        return [Input(self, index) for index in range(len(self._sources))]

    def input(self, input_index: int) -> Input:
        """Return an input by index; RuntimeError where there is none."""
        self._source(input_index)
        return Input(self, input_index)

    def input_values(self) -> list[Output]:
        """Return the outputs that feed the inputs."""
        return list(self._sources)

    def input_value(self, index: int) -> Output:
        """Return the output that feeds an input; RuntimeError for a wrong index."""
        return self._source(index)

    def get_input_partial_shape(self, index: int) -> PartialShape:
        """Return the shape of an input, whose sizes may be dynamic; RuntimeError for a wrong index."""
        return self._source(index).get_partial_shape()

    def get_input_shape(self, index: int) -> Shape:
        """Return the shape of an input; RuntimeError where it is dynamic, and for a wrong index."""
        return self._source(index).get_shape()

    def get_input_element_type(self, index: int) -> Type:
        """Return the type of the elements of an input; RuntimeError for a wrong index."""
        return self._source(index).get_element_type()

    def get_input_tensor(self, index: int) -> DescriptorTensor:
        """Return the description of the tensor of an input; RuntimeError for a wrong index."""
        return DescriptorTensor(self._source(index))

    def set_argument(self, index: int, source: Output) -> None:
        """Feed an input from another output."""
        self._source(index)
        self._sources[index] = as_output(source)
        self._sources[index].node._users.append(weakref.ref(self))
        self.touch()

    def set_arguments(self, sources: Sequence[Any]) -> None:
        """Feed the inputs from other outputs, as many as there are."""
        self._sources = [as_output(source) for source in sources]
        for source in self._sources:
            source.node._users.append(weakref.ref(self))
        self.touch()

    # -- inference

    def validate_and_infer_types(self) -> None:
        """Infer the facts of the outputs from those of the inputs; RuntimeError where they do not fit."""
        from irrun.openvino.nodes.building import inferred

        if self._record.type != "Parameter":
            self._facts = inferred(self._record, [source.fact for source in self._sources])

    def constructor_validate_and_infer_types(self) -> None:
        """Infer the facts of the outputs, at the end of a constructor."""
        self.validate_and_infer_types()

    @also_named("evaluation_context", "evaluationContext")
    def evaluate(
        self, output_values: Sequence[Any], input_values: Sequence[Any], evaluation_context: Any = None
    ) -> bool:
        """Compute the outputs from tensors; return False where the operation has no values to compute."""
        from irrun.openvino.nodes.building import evaluated

        results = evaluated(self, [tensor.values() for tensor in input_values])
        for target, result in zip(output_values, results, strict=False):
            target.copy_from(result)
        return True

    def __repr__(self) -> str:
        outputs = ", ".join(str(of_dims(self.fact(index).shape)) for index in range(self.get_output_size()))
        return f"<{self.get_type_name()}: '{self.friendly_name}' ({outputs})>"


def as_output(value: Any) -> Output:
    """Return an output, that of a node with one, or that of an Input's source; TypeError otherwise."""
    if isinstance(value, Output):
        return value
    if isinstance(value, Input):
        return value.get_source_output()
    if isinstance(value, Node):
        if value.get_output_size() != 1:
            what = f'node "{value.friendly_name}" has {value.get_output_size()} outputs; name one, as node.output(0)'
            raise RuntimeError(what)
        return Output(value, 0)
    raise TypeError(f"{value!r} is no output of a node")


__all__ = [
    "CLASS_NAMES",
    "ConstOutput",
    "Input",
    "Node",
    "Output",
    "as_output",
]
