"""Operations of a model and their ports, as OpenVINO's ``Node``, ``Output`` and ``Input``.

A node holds the record of its operation, the outputs that feed it, and the facts of its own outputs. A model that is
read makes its nodes on demand from its graph; a graph is made from the nodes again where they were changed.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from irrun.api.attributes import get_attributes
from irrun.api.rt_info import OVAny, RTMap
from irrun.api.shapes import PartialShape, Shape, of_dims
from irrun.api.types import Type, of_element
from irrun.graph import Node as Record
from irrun.tensor import Array, Fact

CLASS_NAMES: Final = {"Const": "Constant", "PReLU": "PRelu", "ReLU": "Relu", "SoftMax": "Softmax"}
"""The names of OpenVINO's classes where a file spells the type in another way."""

_clock = itertools.count(1)


class DiscreteTypeInfo:
    """The type of an operation, and the opset that defines it."""

    def __init__(self, name: str, version_id: str) -> None:
        self.name = name
        self.version_id = version_id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DiscreteTypeInfo) and (self.name, self.version_id) == (other.name, other.version_id)

    def __hash__(self) -> int:
        return hash((self.name, self.version_id))

    def __repr__(self) -> str:
        return f"<DiscreteTypeInfo: name: {self.name}, version_id: {self.version_id}>"


class Node:
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
        return self._record

    @property
    def friendly_name(self) -> str:
        return self._record.name

    @friendly_name.setter
    def friendly_name(self, name: str) -> None:
        self.touch(self._record._replace(name=name))

    def get_friendly_name(self) -> str:
        return self.friendly_name

    def set_friendly_name(self, name: str) -> None:
        self.friendly_name = name

    @property
    def name(self) -> str:
        """A name that no other node has."""
        return f"{self.get_type_name()}_{id(self)}"

    def get_name(self) -> str:
        return self.name

    def get_instance_id(self) -> int:
        return id(self)

    def get_type_name(self) -> str:
        return CLASS_NAMES.get(self._record.type, self._record.type)

    @property
    def type_info(self) -> DiscreteTypeInfo:
        op = self._record.op
        opset = op.opset if op is not None else self._record.version
        return DiscreteTypeInfo(self.get_type_name(), f"opset{opset}" if isinstance(opset, int) else opset)

    def get_type_info(self) -> DiscreteTypeInfo:
        return self.type_info

    def get_attributes(self) -> dict[str, Any]:
        return get_attributes(self._record)

    def set_attribute(self, name: str, value: Any) -> None:
        """Change an attribute; RuntimeError where the operation has none of this name, or not this value."""
        from irrun.api.building import with_attribute

        self.touch(with_attribute(self._record, name, value))

    @property
    def rt_info(self) -> RTMap:
        return self._rt_info

    def get_rt_info(self) -> RTMap:
        return self._rt_info

    def set_rt_info(self, value: Any, key: str) -> None:
        self._rt_info[key] = value

    # -- outputs

    def fact(self, index: int) -> Fact:
        """Return the fact of an output; RuntimeError where there is none."""
        if not 0 <= index < self.get_output_size():
            count = self.get_output_size()
            raise RuntimeError(f'node "{self.friendly_name}" has {count} outputs, so there is no output {index}')
        return self._facts[index] if index < len(self._facts) else Fact.unknown()

    def get_output_size(self) -> int:
        return max(self._record.outputs, len(self._facts))

    def outputs(self) -> list[Output]:
        return [Output(self, index) for index in range(self.get_output_size())]

    def output(self, index: int) -> Output:
        self.fact(index)
        return Output(self, index)

    def get_output_partial_shape(self, index: int) -> PartialShape:
        return of_dims(self.fact(index).shape)

    def get_output_shape(self, index: int) -> Shape:
        return self.get_output_partial_shape(index).to_shape()

    def get_output_element_type(self, index: int) -> Type:
        return of_element(self.fact(index).type)

    def get_output_tensor(self, index: int) -> DescriptorTensor:
        return DescriptorTensor(self.output(index))

    def get_element_type(self) -> Type:
        return self.get_output_element_type(0)

    @property
    def shape(self) -> Shape:
        return self.get_output_shape(0)

    # -- inputs

    def _source(self, index: int) -> Output:
        if not 0 <= index < len(self._sources):
            count = len(self._sources)
            raise RuntimeError(f'node "{self.friendly_name}" has {count} inputs, so there is no input {index}')
        return self._sources[index]

    def get_input_size(self) -> int:
        return len(self._sources)

    def inputs(self) -> list[Input]:
        return [Input(self, index) for index in range(len(self._sources))]

    def input(self, index: int) -> Input:
        self._source(index)
        return Input(self, index)

    def input_values(self) -> list[Output]:
        return list(self._sources)

    def input_value(self, index: int) -> Output:
        return self._source(index)

    def get_input_partial_shape(self, index: int) -> PartialShape:
        return self._source(index).get_partial_shape()

    def get_input_shape(self, index: int) -> Shape:
        return self._source(index).get_shape()

    def get_input_element_type(self, index: int) -> Type:
        return self._source(index).get_element_type()

    def get_input_tensor(self, index: int) -> DescriptorTensor:
        return DescriptorTensor(self._source(index))

    def set_argument(self, index: int, source: Output) -> None:
        """Feed an input from another output."""
        self._source(index)
        self._sources[index] = as_output(source)
        self._sources[index].node._users.append(weakref.ref(self))
        self.touch()

    def set_arguments(self, sources: Sequence[Any]) -> None:
        self._sources = [as_output(source) for source in sources]
        for source in self._sources:
            source.node._users.append(weakref.ref(self))
        self.touch()

    # -- inference

    def validate_and_infer_types(self) -> None:
        """Infer the facts of the outputs from those of the inputs; RuntimeError where they do not fit."""
        from irrun.api.building import inferred

        if self._record.type != "Parameter":
            self._facts = inferred(self._record, [source.fact for source in self._sources])

    def constructor_validate_and_infer_types(self) -> None:
        self.validate_and_infer_types()

    def evaluate(self, outputs: Sequence[Any], inputs: Sequence[Any], context: Any = None) -> bool:
        """Compute the outputs from tensors; return False where the operation has no values to compute."""
        from irrun.api.building import evaluated

        results = evaluated(self, [tensor.values() for tensor in inputs])
        for target, result in zip(outputs, results, strict=False):
            target.copy_from(result)
        return True

    def __repr__(self) -> str:
        outputs = ", ".join(str(of_dims(self.fact(index).shape)) for index in range(self.get_output_size()))
        return f"<{self.get_type_name()}: '{self.friendly_name}' ({outputs})>"

    def __add__(self, other: Any) -> Node:
        return _binary("add", self, other)

    def __radd__(self, other: Any) -> Node:
        return _binary("add", other, self)

    def __sub__(self, other: Any) -> Node:
        return _binary("subtract", self, other)

    def __rsub__(self, other: Any) -> Node:
        return _binary("subtract", other, self)

    def __mul__(self, other: Any) -> Node:
        return _binary("multiply", self, other)

    def __rmul__(self, other: Any) -> Node:
        return _binary("multiply", other, self)

    def __truediv__(self, other: Any) -> Node:
        return _binary("divide", self, other)

    def __rtruediv__(self, other: Any) -> Node:
        return _binary("divide", other, self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **_named: Any) -> Any:
        """Return a node for an operator between an array and a node."""
        name = _OF_UFUNC.get(ufunc.__name__)
        if name is None or method != "__call__" or len(inputs) != 2:
            return NotImplemented
        return _binary(name, *inputs)


_OF_UFUNC: Final = {name: name for name in ("add", "subtract", "multiply", "divide")}


class Output:
    """An output of a node. Two are equal where node and index are the same."""

    __slots__ = ("_index", "_node")

    def __init__(self, node: Node, index: int) -> None:
        self._node = node
        self._index = index

    @property
    def node(self) -> Node:
        return self._node

    def get_node(self) -> Node:
        return self._node

    @property
    def index(self) -> int:
        return self._index

    def get_index(self) -> int:
        return self._index

    @property
    def fact(self) -> Fact:
        return self._node.fact(self._index)

    @property
    def _named(self) -> Output:
        """The output whose names this one has: a Result has those of what it returns."""
        is_result = self._node.record.type == "Result" and self._node.get_input_size() == 1
        return self._node.input_value(0) if is_result else self

    @property
    def names(self) -> set[str]:
        output = self._named
        names = output._node.record.names
        return set(names[output._index]) if output._index < len(names) else set()

    def get_names(self) -> set[str]:
        return self.names

    @property
    def any_name(self) -> str:
        """The first name; RuntimeError where there is none."""
        names = self.names
        if not names:
            raise RuntimeError(f'output {self._index} of node "{self._node.friendly_name}" has no name')
        return min(names)

    def get_any_name(self) -> str:
        return self.any_name

    def set_names(self, names: Iterable[str]) -> None:
        output = self._named
        record = output._node.record
        known = [*record.names, *((),) * (output._node.get_output_size() - len(record.names))]
        known[output._index] = tuple(sorted(names))
        output._node.touch(record._replace(names=tuple(known)))

    def add_names(self, names: Iterable[str]) -> None:
        self.set_names({*self.names, *names})

    @property
    def element_type(self) -> Type:
        return of_element(self.fact.type)

    def get_element_type(self) -> Type:
        return self.element_type

    @property
    def partial_shape(self) -> PartialShape:
        return of_dims(self.fact.shape)

    def get_partial_shape(self) -> PartialShape:
        return self.partial_shape

    @property
    def shape(self) -> Shape:
        return self.partial_shape.to_shape()

    def get_shape(self) -> Shape:
        return self.shape

    @property
    def target_inputs(self) -> set[Input]:
        users = dict.fromkeys(user for reference in self._node._users if (user := reference()) is not None)
        return {item for user in users for item in user.inputs() if user.input_value(item.index) == self}

    def get_target_inputs(self) -> set[Input]:
        return self.target_inputs

    def remove_target_input(self, target: Input) -> None:
        raise RuntimeError(f"{target!r} needs a source; replace_source_output gives it another one")

    def replace(self, other: Output) -> None:
        """Feed all consumers from another output, which gets the names of this one."""
        for target in self.target_inputs:
            if target.node is not other.node:
                target.replace_source_output(other)
        other.set_names(self.names)

    @property
    def tensor(self) -> DescriptorTensor:
        return DescriptorTensor(self)

    def get_tensor(self) -> DescriptorTensor:
        return DescriptorTensor(self)

    @property
    def rt_info(self) -> RTMap:
        return self._node._port_info.setdefault(("output", self._index), RTMap())

    def get_rt_info(self) -> RTMap:
        return self.rt_info

    def set_rt_info(self, value: Any, key: str) -> None:
        self.rt_info[key] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Output) and self._node is other._node and self._index == other._index

    def __hash__(self) -> int:
        return hash((id(self._node), self._index))

    def __copy__(self) -> Output:
        return type(self)(self._node, self._index)

    def __deepcopy__(self, memo: Mapping[int, Any]) -> Output:
        raise TypeError("an output is a part of its model; clone the model")

    def __repr__(self) -> str:
        names, shape = ", ".join(sorted(self.names)), self.partial_shape
        return f"<{type(self).__name__}: names[{names}] shape{shape} type: {self.fact.type.name}>"


class ConstOutput(Output):
    """An input or output of a compiled model."""

    __slots__ = ()

    def set_names(self, names: Iterable[str]) -> None:
        raise AttributeError("a compiled model cannot be changed")


class Input:
    """An input of a node, which one output feeds."""

    __slots__ = ("_index", "_node")

    def __init__(self, node: Node, index: int) -> None:
        self._node = node
        self._index = index

    @property
    def node(self) -> Node:
        return self._node

    def get_node(self) -> Node:
        return self._node

    @property
    def index(self) -> int:
        return self._index

    def get_index(self) -> int:
        return self._index

    def get_source_output(self) -> Output:
        return self._node.input_value(self._index)

    def replace_source_output(self, source: Output) -> None:
        self._node.set_argument(self._index, source)

    def get_element_type(self) -> Type:
        return self.get_source_output().element_type

    def get_partial_shape(self) -> PartialShape:
        return self.get_source_output().partial_shape

    def get_shape(self) -> Shape:
        return self.get_source_output().shape

    def get_tensor(self) -> DescriptorTensor:
        return DescriptorTensor(self.get_source_output())

    element_type = property(get_element_type)
    partial_shape = property(get_partial_shape)
    shape = property(get_shape)
    tensor = property(get_tensor)

    @property
    def rt_info(self) -> RTMap:
        return self._node._port_info.setdefault(("input", self._index), RTMap())

    def get_rt_info(self) -> RTMap:
        return self.rt_info

    def set_rt_info(self, value: Any, key: str) -> None:
        self.rt_info[key] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Input) and self._node is other._node and self._index == other._index

    def __hash__(self) -> int:
        return hash((id(self._node), self._index, "input"))

    def __repr__(self) -> str:
        return f"<Input: {self._index} of '{self._node.friendly_name}'>"


class DescriptorTensor:
    """The description of the tensor at a port: its names, element type and shape."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def get_names(self) -> set[str]:
        return self._output.names

    def set_names(self, names: Iterable[str]) -> None:
        self._output.set_names(names)

    def add_names(self, names: Iterable[str]) -> None:
        self._output.add_names(names)

    def get_any_name(self) -> str:
        return self._output.any_name

    def get_element_type(self) -> Type:
        return self._output.element_type

    def get_partial_shape(self) -> PartialShape:
        return self._output.partial_shape

    def get_shape(self) -> Shape:
        return self._output.shape

    names = property(get_names, set_names)
    any_name = property(get_any_name)
    element_type = property(get_element_type)
    partial_shape = property(get_partial_shape)
    shape = property(get_shape)

    @property
    def size(self) -> int:
        """The number of bytes."""
        sizes, type = self._output.fact.shape.size, self._output.element_type
        return (sizes.lo * type.bitwidth + 7) // 8


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


def _binary(name: str, left: Any, right: Any) -> Node:
    from irrun.api.opsets import operator

    return operator(name, left, right)


__all__ = [
    "Array",
    "ConstOutput",
    "DescriptorTensor",
    "DiscreteTypeInfo",
    "Input",
    "Node",
    "OVAny",
    "Output",
    "as_output",
]
