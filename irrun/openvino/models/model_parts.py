"""The current value of a model, its notes, nodes and ports."""

from __future__ import annotations

from typing import Any

from irrun.diagnostics import IRError, Severity, near_match
from irrun.diagnostics.internal import Boundary
from irrun.document.weights import Weights
from irrun.graph import Bound
from irrun.inference import infer
from irrun.model import Loaded
from irrun.openvino.models.graphs import Parts, graph_of, nodes_of, ordered
from irrun.openvino.nodes.node import Node, Output
from irrun.openvino.nodes.op import Parameter, Result
from irrun.openvino.nodes.ports import find_port
from irrun.openvino.nodes.variables import Variable, VariableInfo
from irrun.openvino.values import rt_info
from irrun.openvino.values.keywords import also_named
from irrun.openvino.values.rt_info import OVAny
from irrun.openvino.values.shapes import PartialShape, Shape, of_dims
from irrun.openvino.values.types import Type, of_element


class ModelParts:
    """A value, which never changes, and the nodes through which a new value is made."""

    _value: Loaded | None
    _name: str
    _own_notes: dict[str, Any] | None
    _nodes: dict[int, Node]
    _parts: Parts | None
    _stamp: int

    def _become(self, value: Loaded, name: str, notes: dict[str, Any] | None) -> None:
        self._value, self._name, self._parts = value, name, None
        self._nodes, self._stamp = {}, 0
        self._own_notes = notes

    @property
    def _notes(self) -> dict[str, Any]:
        if self._own_notes is None:
            origin = self._value.origin if self._value is not None else None
            self._own_notes = {} if origin is None else _notes(origin.repaired.text)
        return self._own_notes

    # -- the value

    @property
    def value(self) -> Loaded:
        """The graph with its facts, made from the nodes again where they were changed."""
        value = self._value
        if self._parts is None:
            assert value is not None
            return value
        ends = [*self._parts.results, *self._parts.sinks, *self._parts.parameters]
        newest = max((node.stamp for node in ordered(ends)), default=1)
        if value is None or newest > self._stamp:
            self._value, self._stamp = self._made(), newest
        assert self._value is not None
        return self._value

    def _made(self) -> Loaded:
        assert self._parts is not None
        before = self._value
        with Boundary(self.filename, (RuntimeError,)):
            graph, self._nodes, given = graph_of(self._parts)
            weights = Weights(None) if before is None else before.weights
            facts = infer(graph, weights, given)
        errors = [item for item in facts.diagnostics if item.severity is Severity.ERROR]
        if errors:
            raise IRError(errors, self.filename)
        means = {} if before is None else before.bound.means
        kept = {id: mean for id, mean in means.items() if id in graph.parameters} if means is not None else None
        value = Loaded(
            Bound(graph, (), kept),
            facts,
            weights,
            None if before is None else before.origin,
            name=self._name,
            given=given,
        )
        self._refresh(value)
        return value

    def _refresh(self, value: Loaded) -> None:
        """Give the nodes the facts of a value."""
        for id, node in self._nodes.items():
            node._facts = tuple(value.facts[outlet] for outlet in value.facts.outlets(id))

    @property
    def _ends(self) -> Parts:
        if self._parts is None:
            assert self._value is not None
            self._nodes, self._parts = nodes_of(self._value)
            changed = self._value.version == "10"
            self._stamp = 0 if changed else max((node.stamp for node in self._nodes.values()), default=0)
        return self._parts

    def _changed(self) -> None:
        self._stamp = 0

    @property
    def filename(self) -> str:
        """The path of the file that was read; empty for a model from memory."""
        return "" if self._value is None else self._value.filename

    # -- names and notes

    @property
    def friendly_name(self) -> str:
        """The name of the model."""
        return self._name

    @friendly_name.setter
    def friendly_name(self, name: str) -> None:
        self._name = name

    def get_friendly_name(self) -> str:
        """Return the name of the model."""
        return self._name

    def set_friendly_name(self, name: str) -> None:
        """Set the name of the model."""
        self._name = name

    @property
    def name(self) -> str:
        """A name that no other model has."""
        return f"Model{id(self)}"

    def get_name(self) -> str:
        """Return a name that no other model has."""
        return self.name

    @property
    def rt_info(self) -> rt_info.RTMap:
        """The notes on the model."""
        return rt_info.RTMap(self._notes)

    def get_rt_info(self, path: Any = None) -> Any:
        """Return the note under a key or a list of keys, or all of them; RuntimeError where there is none."""
        if path is None:
            return self.rt_info
        try:
            return OVAny(rt_info.find(self._notes, path))
        except KeyError:
            raise RuntimeError(f"the model has no rt_info {path!r}{near_match(str(path), self._notes)}") from None

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

    @property
    def parameters(self) -> list[Parameter]:
        """The Parameters, in the order of the inputs."""
        return list(self._ends.parameters)

    def get_parameters(self) -> list[Parameter]:
        """Return the Parameters, in the order of the inputs."""
        return self.parameters

    @property
    def results(self) -> list[Result]:
        """The Results, in the order of the outputs."""
        return list(self._ends.results)

    def get_results(self) -> list[Result]:
        """Return the Results, in the order of the outputs."""
        return self.results

    @property
    def result(self) -> Result:
        """The only Result; RuntimeError where there are several."""
        if len(self._ends.results) != 1:
            raise RuntimeError(f"the model has {len(self._ends.results)} results, expected one")
        return self._ends.results[0]

    def get_result(self) -> Result:
        """Return the only Result; RuntimeError where there are several."""
        return self.result

    @property
    def sinks(self) -> list[Node]:
        """The nodes that are computed for their effect."""
        return list(self._ends.sinks)

    def get_sinks(self) -> list[Node]:
        """Return the nodes that are computed for their effect."""
        return self.sinks

    def get_ordered_ops(self) -> list[Node]:
        """Return all nodes in topological order."""
        ends = self._ends
        _ = self.value
        return list(self._nodes.values()) or ordered([*ends.results, *ends.sinks, *ends.parameters])

    def get_ops(self) -> list[Node]:
        """Return all nodes."""
        return self.get_ordered_ops()

    @property
    def variables(self) -> list[Variable]:
        """The variables that ReadValue and Assign name."""
        found: dict[str, Variable] = {}
        for node in self.get_ordered_ops():
            name = node.record.type in ("ReadValue", "Assign") and getattr(node.record.op, "variable_id", None)
            if isinstance(name, str) and name not in found:
                fact = node.fact(0)
                found[name] = Variable(VariableInfo(of_dims(fact.shape), of_element(fact.type), name))
        return list(found.values())

    def get_variables(self) -> list[Variable]:
        """Return the variables that ReadValue and Assign name."""
        return self.variables

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
    def get_sink_index(self, sink: Node) -> int:
        """Return the position of a sink; -1 where it is none of the model."""
        return next((index for index, item in enumerate(self._ends.sinks) if item is sink), -1)

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
        return self.output(index).partial_shape

    def get_output_shape(self, index: int) -> Shape:
        """Return the shape of an output; RuntimeError where it is dynamic."""
        return self.output(index).shape

    def get_output_element_type(self, index: int) -> Type:
        """Return the type of the elements of an output."""
        return self.output(index).element_type


def _notes(text: bytes) -> dict[str, Any]:
    start = text.rfind(b"<rt_info", max(text.rfind(b"</layers>"), text.rfind(b"</edges>"), 0))
    end = text.find(b"</rt_info>", start)
    notes = rt_info.read(text[start : end + len(b"</rt_info>")]) if 0 <= start < end else {}
    return {"version": "", **notes}
