"""The current value of a model, its notes, nodes and ports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from irrun.diagnostics import IRError, near_match
from irrun.diagnostics.internal import Boundary
from irrun.graph import Bound, Outlet
from irrun.graph.pre_process import Mean
from irrun.model import Loaded
from irrun.openvino.models.ends import Ends, ends_of
from irrun.openvino.models.reading import read_notes
from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.op import Parameter, Result
from irrun.openvino.nodes.ports import Output, find_port
from irrun.openvino.nodes.variables import Variable, VariableInfo
from irrun.openvino.nodes.workspace import Workspace
from irrun.openvino.values import rt_info
from irrun.openvino.values.keywords import also_named
from irrun.openvino.values.rt_info import OVAny
from irrun.openvino.values.shapes import PartialShape, Shape, of_dims
from irrun.openvino.values.types import Type, of_element


class ModelParts:
    """A model as read, until nodes of it are asked for; from then on the ends of a graph that edits change.

    ``value`` is the model at this moment, which never changes.
    """

    _read: Loaded | None
    _made: Loaded | None
    _name: str
    _own_notes: dict[str, Any] | None
    _nodes: Ends | None
    _means: dict[Node, Mean] | None
    _variables: list[Variable]

    def _become(self, read: Loaded | None, ends: Ends | None, name: str, notes: dict[str, Any] | None) -> None:
        self._read, self._nodes, self._name, self._own_notes = read, ends, name, notes
        self._made, self._means, self._variables = None, {}, []

    @property
    def _notes(self) -> dict[str, Any]:
        if self._own_notes is None:
            self._own_notes = {} if self._read is None else read_notes(self._read)
        return self._own_notes

    # -- the value

    @property
    def _ends(self) -> Ends:
        if self._nodes is None:
            read = self._read
            assert read is not None
            self._nodes = ends_of(read)
            by_id = dict(zip(read.bound.graph.parameters, self._nodes.parameters, strict=True))
            means = read.bound.means
            self._means = None if means is None else {by_id[id]: mean for id, mean in means.items() if id in by_id}
        return self._nodes

    @property
    def _graph(self) -> Workspace:
        return self._ends.graph

    @property
    def value(self) -> Loaded:
        """The graph with its facts at this moment; RuntimeError where nodes do not fit together."""
        if self._nodes is None:
            assert self._read is not None
            return self._read
        read, ends, workspace = self._read, self._nodes, self._graph
        with self._boundary():
            graph, facts = workspace.snapshot(*ends.ids)
        if self._made is None or self._made.bound.graph is not graph:
            means = self._means
            kept = None
            if means is not None:
                kept = {node._id: mean for node, mean in means.items() if node in ends.parameters}
            given = {node._id: facts.of[Outlet(node._id, 0)] for node in ends.parameters}
            origin = None if read is None else read.origin
            bound = Bound(graph, (), kept)
            self._made = Loaded(bound, facts, workspace.weights, origin, name=self._name, given=given)
        return self._made

    def _validate(self) -> None:
        """Infer what edits have changed; RuntimeError where nodes do not fit together."""
        with self._boundary():
            self._graph.validate(*self._ends.ids)

    @contextmanager
    def _boundary(self) -> Iterator[None]:
        """Name the file in findings, and convert other exceptions than the documented ones to InternalError."""
        with Boundary(self.filename, (RuntimeError,)):
            try:
                yield
            except IRError as error:
                raise IRError(error.diagnostics, self.filename) from None

    @property
    def filename(self) -> str:
        """The path of the file that was read; empty for a model from memory."""
        return "" if self._read is None else self._read.filename

    # -- names and notes

    def get_friendly_name(self) -> str:
        """Return the name of the model."""
        return self._name

    def set_friendly_name(self, name: str) -> None:
        """Set the name of the model."""
        self._name = name

    def get_name(self) -> str:
        """Return a name that no other model has."""
        return f"Model{id(self)}"

    friendly_name: property = property(get_friendly_name, set_friendly_name)
    name: property = property(get_name)

    @property
    def rt_info(self) -> rt_info.RTMap:
        """The notes on the model; changes of the mapping are changes of them."""
        return rt_info.RTMap.over(self._notes)

    def get_rt_info(self, path: Any = None) -> Any:
        """Return the note under a key or a list of keys, or all of them; RuntimeError where there is none."""
        if path is None:
            return self.rt_info
        try:
            return OVAny(rt_info.find(self._notes, path))
        except KeyError:
            what = "Cannot get runtime attribute. Path to runtime attribute is incorrect."
            raise RuntimeError(f"{what} There is no {path!r}{near_match(str(path), self._notes)}") from None

    def has_rt_info(self, path: Any) -> bool:
        """Return whether there is a note under a key or a list of keys."""
        try:
            rt_info.find(self._notes, path)
        except KeyError:
            return False
        return True

    def set_rt_info(self, obj: Any, path: Any) -> None:
        """Store a note under a key or a list of keys."""
        rt_info.store(self._notes, obj, path)

    # -- nodes

    def get_parameters(self) -> list[Parameter]:
        """Return the Parameters, in the order of the inputs."""
        return list(self._ends.parameters)

    def get_results(self) -> list[Result]:
        """Return the Results, in the order of the outputs."""
        return list(self._ends.results)

    def get_result(self) -> Result:
        """Return the only Result; RuntimeError where there are several."""
        if len(self._ends.results) != 1:
            raise RuntimeError(f"the model has {len(self._ends.results)} results, expected one")
        return self._ends.results[0]

    def get_sinks(self) -> list[Node]:
        """Return the nodes that are computed for their effect."""
        return list(self._ends.sinks)

    def get_ordered_ops(self) -> list[Any]:
        """Return all nodes in topological order, as OpenVINO has it."""
        graph = self._graph
        return [graph.handle(id) for id in graph.ordered(*self._ends.ids)]

    def get_ops(self) -> list[Any]:
        """Return all nodes in OpenVINO's order: from the last end, each node before those that feed it."""
        graph = self._graph
        self.get_ordered_ops()
        parameters, results, sinks = self._ends.ids
        waiting, found = [*results, *sinks, *parameters], dict[int, None]()
        while waiting:
            id = waiting.pop()
            if id not in found:
                found[id] = None
                waiting += [source.node for source in graph.sources(id) if source is not None]
        return [graph.handle(id) for id in found]

    def get_variables(self) -> list[Variable]:
        """Return the variables that ReadValue and Assign name."""
        found = {item.get_id(): item for item in self._variables}
        for node in self.get_ordered_ops():
            name = node.record.type in ("ReadValue", "Assign") and getattr(node.record.op, "variable_id", None)
            if isinstance(name, str) and name not in found:
                fact = node.fact(0)
                found[name] = Variable(VariableInfo(of_dims(fact.shape), of_element(fact.type), name))
        return list(found.values())

    parameters: property = property(get_parameters)
    results: property = property(get_results)
    result: property = property(get_result)
    sinks: property = property(get_sinks)
    variables: property = property(get_variables)

    def get_variable_by_id(self, name: str) -> Variable | None:
        """Return the variable of a name; None where there is none."""
        return next((item for item in self.variables if item.info.variable_id == name), None)

    def get_parameter_index(self, parameter: Node) -> int:
        """Return the position of a Parameter; -1 where it is none of the model."""
        return next((index for index, item in enumerate(self._ends.parameters) if item is parameter), -1)

    @also_named("value", "result")
    def get_result_index(self, value: Any) -> int:
        """Return the position of a Result, or of the Result of an output; -1 where there is none."""
        output = value if isinstance(value, Output) else None
        for index, item in enumerate(self._ends.results):
            if item is value or (output is not None and (output.node is item or item.input_value(0) == output)):
                return index
        return -1

    @also_named("sink", "value")
    def get_sink_index(self, sink: Node | Output) -> int:
        """Return the position of a sink, or of that of an output; -1 where it is none of the model."""
        node = sink.node if isinstance(sink, Output) else sink
        if not isinstance(node, Node):
            raise TypeError(f"a sink is a node or its output, got {sink!r}")
        return next((index for index, item in enumerate(self._ends.sinks) if item is node), -1)

    # -- ports

    @property
    def inputs(self) -> list[Output]:
        """The outputs of the Parameters."""
        return [Output(node, 0) for node in self._ends.parameters]

    @property
    def outputs(self) -> list[Output]:
        """The outputs of the Results."""
        return [Output(node, 0) for node in self._ends.results]

    @also_named("key", "index", "tensor_name")
    def input(self, key: int | str | None = None) -> Output:
        """Return an input by index or tensor name, or the only one; IndexError or RuntimeError where there is none."""
        return find_port(self.inputs, key, "input")

    @also_named("key", "index", "tensor_name")
    def output(self, key: int | str | None = None) -> Output:
        """Return an output by index or tensor name, or the only one; IndexError or RuntimeError where there is none."""
        return find_port(self.outputs, key, "output")

    def get_output_size(self) -> int:
        """Return the number of outputs."""
        return len(self._ends.results)

    def get_output_op(self, index: int) -> Result:
        """Return the Result of an output; IndexError where there is none."""
        self.output(index)
        return self._ends.results[index]

    def get_output_partial_shape(self, index: int) -> PartialShape:
        """Return the shape of an output, whose sizes may be dynamic."""
        return self.output(index).get_partial_shape()

    def get_output_shape(self, index: int) -> Shape:
        """Return the shape of an output; RuntimeError where it is dynamic."""
        return self.output(index).get_shape()

    def get_output_element_type(self, index: int) -> Type:
        """Return the type of the elements of an output."""
        return self.output(index).get_element_type()
