"""Ports of nodes and the tensors at them, as OpenVINO's ``Output``, ``Input`` and ``DescriptorTensor``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from irrun.diagnostics import near_match
from irrun.graph.graph import PARAMETER, RESULT, Inlet, Outlet
from irrun.openvino.nodes.notes import Notes
from irrun.openvino.nodes.workspace import Handle, joined
from irrun.openvino.values.rt_info import RTMap
from irrun.openvino.values.shapes import PartialShape, Shape, of_dims
from irrun.openvino.values.types import Type, of_element
from irrun.tensor import Fact


@functools.total_ordering
class _Port:
    """A place of a node, by its index among its inputs or outputs."""

    __slots__ = ("_index", "_node")

    _side: ClassVar[str]

    def __init__(self, node: Handle, index: int) -> None:
        self._node = node
        self._index = index

    def get_node(self) -> Any:
        """Return the node of the port."""
        return self._node

    def get_index(self) -> int:
        """Return the position among the ports of the node."""
        return self._index

    def get_rt_info(self) -> RTMap:
        """Return the notes on the port."""
        return RTMap.over(Notes(self._node, self._side, self._index))

    def set_rt_info(self, value: Any, key: str) -> None:
        """Store a note on the port under a key."""
        self.get_rt_info()[key] = value

    node: property = property(get_node)
    index: property = property(get_index)
    rt_info: property = property(get_rt_info)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Port) or self._side != other._side:
            return False
        return self._node is other._node and self._index == other._index

    def __hash__(self) -> int:
        return hash((id(self._node), self._index, self._side))

    def __lt__(self, other: _Port) -> bool:
        return (self._node._id, self._index) < (other._node._id, other._index)


class Output(_Port):
    """An output of a node. Two are equal where node and index are the same."""

    __slots__ = ()

    _side = "output"

    @staticmethod
    def at(node: Handle, outlet: Outlet) -> Output:
        """Return an output of a node in the same graph as another one."""
        return Output(node._graph.handle(outlet.node), outlet.port)

    @property
    def outlet(self) -> Outlet:
        """The outlet in the graph of the node."""
        return Outlet(self._node._id, self._index)

    @property
    def fact(self) -> Fact:
        """The type, shape and value that inference knows."""
        return self._node.fact(self._index)

    @property
    def _source(self) -> Output | None:
        """The output that a Result returns, whose tensor this one is; None for outputs of other nodes."""
        record = self._node.record
        return Output.at(self._node, self._node._source(0)) if record.type == RESULT and record.inputs else None

    def get_rt_info(self) -> RTMap:
        """Return the notes on the port; an output of a model has those of what it returns."""
        source = self._source
        return super().get_rt_info() if source is None else source.get_rt_info()

    rt_info: property = property(get_rt_info)

    def get_names(self) -> set[str]:
        """Return the names of the tensor; for a Result its own, or those of what it returns."""
        graph, id = self._node._graph, self._node._id
        return graph.tensor_names(self.outlet) if self._source is None else graph.output_names(id)

    def set_names(self, names: Iterable[str]) -> None:
        """Replace the names of the tensor, for a Result those of the output alone."""
        source, new, record = self._source, tuple(sorted(names)), self._node.record
        if source is None:
            known = [*record.names, *((),) * (self._node._count - len(record.names))]
            known[self._index] = new
            self._node._update(record._replace(names=tuple(known)))
            return
        if source._node.record.type != PARAMETER:
            own = source._node.record.names
            kept = set(own[source._index] if source._index < len(own) else ()) - self.get_names()
            source.set_names(kept)
        self._node._update(record._replace(output_names=new))

    def add_names(self, names: Iterable[str]) -> None:
        """Add names of the tensor."""
        self.set_names({*self.get_names(), *names})

    def get_any_name(self) -> str:
        """Return the first name of the tensor; RuntimeError where there is none."""
        names = self.get_names()
        if not names:
            raise RuntimeError(f'output {self._index} of node "{self._node.friendly_name}" has no name')
        return min(names)

    def get_element_type(self) -> Type:
        """Return the type of the elements."""
        return of_element(self.fact.type)

    def get_partial_shape(self) -> PartialShape:
        """Return the shape, whose sizes may be dynamic."""
        return of_dims(self.fact.shape)

    def get_shape(self) -> Shape:
        """Return the shape; RuntimeError where it is dynamic."""
        return self.get_partial_shape().to_shape()

    def get_tensor(self) -> DescriptorTensor:
        """Return the description of the tensor."""
        return DescriptorTensor(self)

    def get_target_inputs(self) -> set[Input]:
        """Return the inputs of nodes that consume the output."""
        graph = self._node._graph
        return {Input(graph.handle(inlet.node), inlet.port) for inlet in graph.consumers(self.outlet)}

    names: property = property(get_names)
    any_name: property = property(get_any_name)
    element_type: property = property(get_element_type)
    partial_shape: property = property(get_partial_shape)
    shape: property = property(get_shape)
    tensor: property = property(get_tensor)
    target_inputs: property = property(get_target_inputs)

    def remove_target_input(self, target_input: Input) -> None:
        """Raise RuntimeError: every input has a source."""
        raise RuntimeError(f"{target_input!r} needs a source; replace_source_output gives it another one")

    def replace(self, replacement: Output) -> None:
        """Feed all consumers from another output, which gets the names of this one; alone, if it is one of a model."""
        is_result = False
        for target in self.get_target_inputs():
            is_result |= target.node.record.type == RESULT
            if target.node is not replacement.node:
                target.replace_source_output(replacement)
        names = self.get_names()
        replacement.set_names(names if is_result else names | replacement.get_names())
        replacement.take_notes(self)

    def take_notes(self, other: Output) -> None:
        """Add the notes of another output that files have; this one keeps its own."""
        notes, others = (Notes(port._node, "output", port._index) for port in (self, other))
        notes.take(others)

    def __copy__(self) -> Output:
        return type(self)(self._node, self._index)

    def __deepcopy__(self, memo: Mapping[int, Any]) -> Output:
        raise TypeError(f"Cannot deepcopy 'openvino.{type(self).__name__}' object. Clone the model")

    def __repr__(self) -> str:
        names, shape = ", ".join(sorted(self.get_names())), self.get_partial_shape()
        return f"<{type(self).__name__}: names[{names}] shape{shape} type: {self.fact.type.name}>"


class ConstOutput(Output):
    """An input or output of a compiled model."""

    __slots__ = ()

    def set_names(self, names: Iterable[str]) -> None:
        """Raise AttributeError: a compiled model cannot be changed."""
        raise AttributeError("a compiled model cannot be changed")


class Input(_Port):
    """An input of a node, which one output feeds."""

    __slots__ = ()

    _side = "input"

    def get_source_output(self) -> Output:
        """Return the output that feeds the input."""
        return Output.at(self._node, self._node._source(self._index))

    def replace_source_output(self, new_source_output: Any) -> None:
        """Feed the input from another output, or from the only output of a node."""
        source = as_output(new_source_output)
        self._node._source(self._index)
        graph = joined([self._node, source._node])
        graph.connect(source.outlet, Inlet(self._node._id, self._index))

    def get_element_type(self) -> Type:
        """Return the type of the elements."""
        return self.get_source_output().get_element_type()

    def get_partial_shape(self) -> PartialShape:
        """Return the shape, whose sizes may be dynamic."""
        return self.get_source_output().get_partial_shape()

    def get_shape(self) -> Shape:
        """Return the shape; RuntimeError where it is dynamic."""
        return self.get_source_output().get_shape()

    def get_tensor(self) -> DescriptorTensor:
        """Return the description of the tensor."""
        return self.get_source_output().get_tensor()

    element_type: property = property(get_element_type)
    partial_shape: property = property(get_partial_shape)
    shape: property = property(get_shape)
    tensor: property = property(get_tensor)

    def __repr__(self) -> str:
        return f"<Input: {self._index} of '{self._node.friendly_name}'>"


class DescriptorTensor:
    """The description of the tensor at a port: its names, element type and shape."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self.set_names: Callable[[Iterable[str]], None] = output.set_names
        self.add_names: Callable[[Iterable[str]], None] = output.add_names
        self.get_any_name: Callable[[], str] = output.get_any_name
        self.get_element_type: Callable[[], Type] = output.get_element_type
        self.get_partial_shape: Callable[[], PartialShape] = output.get_partial_shape
        self.get_shape: Callable[[], Shape] = output.get_shape

    def get_names(self) -> set[str]:
        """Return the names of the tensor."""
        return self._output.get_names()

    @property
    def size(self) -> int:
        """The number of bytes."""
        sizes, type = self._output.fact.shape.size, self._output.get_element_type()
        return int(sizes.lo * type.bitwidth + 7) // 8

    names: property = property(get_names, lambda self, names: self.set_names(names))
    any_name: property = property(lambda self: self.get_any_name())
    element_type: property = property(lambda self: self.get_element_type())
    partial_shape: property = property(lambda self: self.get_partial_shape())
    shape: property = property(lambda self: self.get_shape())


def as_output(value: Any) -> Output:
    """Return an output, that of a node with one, or that of an Input's source; TypeError otherwise."""
    if isinstance(value, Output):
        return value
    if isinstance(value, Input):
        return value.get_source_output()
    if isinstance(value, Handle):
        count = value._count
        if count != 1:
            raise RuntimeError(f'node "{value.friendly_name}" has {count} outputs; name one, as node.output(0)')
        return Output(value, 0)
    raise TypeError(f"{value!r} is not an output of a node")


P = TypeVar("P", bound=Output)


def port_named(ports: Sequence[P], name: str) -> P | None:
    """Return the port with a tensor name or, unlike OpenVINO, with the name of its layer; None where there is none."""
    found = next((port for port in ports if name in port.names), None)
    return found or next((port for port in ports if port.node.friendly_name == name), None)


def same_port(ports: Sequence[Output], key: Output) -> int | None:
    """Return the index of a port, or of one with the type, the names and the name of the layer of it, as in OpenVINO.

    So a port of a model stands for that of the compiled model.
    """
    found = next((index for index, port in enumerate(ports) if port == key), None)
    if found is not None:
        return found
    wanted = key.node.get_type_name(), key.names, key.node.friendly_name
    same = (
        index
        for index, port in enumerate(ports)
        if (port.node.get_type_name(), port.names, port.node.friendly_name) == wanted
    )
    return next(same, None)


def find_port(ports: Sequence[P], key: Any, what: str) -> P:
    """Return the port at an index or with a tensor name or, unlike OpenVINO, with the name of its layer.

    The only port for None. IndexError and RuntimeError where there is none, TypeError for another key.
    """
    if key is None:
        if len(ports) != 1:
            raise RuntimeError(f"the model has {len(ports)} {what}s; name one of them")
        return ports[0]
    if isinstance(key, int):
        if not 0 <= key < len(ports):
            raise IndexError(f"there is no {what} {key}; the model has {len(ports)}")
        return ports[key]
    if not isinstance(key, str):
        raise TypeError(f"an {what} is named by an integer or a string, got {key!r}")
    found = port_named(ports, key)
    if found is None:
        names = list(dict.fromkeys(name for port in ports for name in (*sorted(port.names), port.node.friendly_name)))
        close = near_match(key, names) or f"; the model has {', '.join(names) or 'none'}"
        raise RuntimeError(f'no {what} "{key}"{close}')
    return found
