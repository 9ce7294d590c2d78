"""Models, as OpenVINO's ``Model``."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from irrun.api import rt_info
from irrun.api.graphs import Parts, graph_of, nodes_of, ordered
from irrun.api.nodes import Node, Output, as_output
from irrun.api.op import Parameter, Result
from irrun.api.rt_info import OVAny
from irrun.api.shapes import PartialShape, Shape, as_dims, of_dims
from irrun.api.types import Type, of_element
from irrun.api.variables import Variable, VariableInfo
from irrun.diagnostics import Diagnostic, IRError, Severity, near_match
from irrun.diagnostics.internal import Boundary
from irrun.document.weights import Weights
from irrun.graph import Bound
from irrun.inference import Facts, infer
from irrun.model import Loaded
from irrun.ops.infrastructure.parameter import Parameter as ParameterOp
from irrun.tensor import Fact

if TYPE_CHECKING:
    import networkx as nx

    from irrun.api.tensor import Tensor
    from irrun.runtime import Plan


P = TypeVar("P", bound=Output)


class Model:
    """A model: its current value, which never changes, and nodes through which a new value is made.

    ``Model(results, parameters, name)`` or ``Model(results, sinks, parameters, name)`` build one. Beside OpenVINO's
    names, ``value`` is the graph with its facts, and ``diagnostics`` are the findings of reading and inference.
    """

    def __init__(self, results: Any, *arguments: Any, **named: Any) -> None:
        if isinstance(results, Model) and not arguments and not named:
            self._become(results.value, results.friendly_name, dict(results._notes))
            return
        given = dict(zip(_parameters(arguments), arguments, strict=False)) | named
        outputs = list(results) if isinstance(results, list | tuple) else [results]
        ends = [item if isinstance(item, Result) else Result(as_output(item)) for item in outputs]
        sinks = [item.node if isinstance(item, Output) else item for item in given.get("sinks", ())]
        self._value: Loaded | None = None
        self._name = given.get("name") or f"Model{id(self)}"
        self._own_notes: dict[str, Any] | None = {}
        self._nodes: dict[int, Node] = {}
        self._parts: Parts | None = Parts(list(given.get("parameters", ())), ends, sinks)
        self._stamp = 0
        _ = self.value

    @staticmethod
    def of(loaded: Loaded, notes: dict[str, Any] | None = None) -> Model:
        """Return the model of a file that was read."""
        model = Model.__new__(Model)
        model._become(loaded, loaded.friendly_name, notes)
        return model

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

    # -- names and notes

    @property
    def friendly_name(self) -> str:
        return self._name

    @friendly_name.setter
    def friendly_name(self, name: str) -> None:
        self._name = name

    def get_friendly_name(self) -> str:
        return self._name

    def set_friendly_name(self, name: str) -> None:
        self._name = name

    @property
    def name(self) -> str:
        return f"Model{id(self)}"

    def get_name(self) -> str:
        return self.name

    @property
    def rt_info(self) -> rt_info.RTMap:
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
        try:
            rt_info.find(self._notes, path)
        except KeyError:
            return False
        return True

    def set_rt_info(self, value: Any, path: Any) -> None:
        rt_info.store(self._notes, value, path)

    # -- nodes

    @property
    def parameters(self) -> list[Parameter]:
        return list(self._ends.parameters)

    def get_parameters(self) -> list[Parameter]:
        return self.parameters

    @property
    def results(self) -> list[Result]:
        return list(self._ends.results)

    def get_results(self) -> list[Result]:
        return self.results

    @property
    def result(self) -> Result:
        """The only Result; RuntimeError where there are several."""
        if len(self._ends.results) != 1:
            raise RuntimeError(f"the model has {len(self._ends.results)} results, expected one")
        return self._ends.results[0]

    def get_result(self) -> Result:
        return self.result

    @property
    def sinks(self) -> list[Node]:
        return list(self._ends.sinks)

    def get_sinks(self) -> list[Node]:
        return self.sinks

    def get_ordered_ops(self) -> list[Node]:
        ends = self._ends
        _ = self.value
        return list(self._nodes.values()) or ordered([*ends.results, *ends.sinks, *ends.parameters])

    def get_ops(self) -> list[Node]:
        return self.get_ordered_ops()

    @property
    def variables(self) -> list[Variable]:
        found: dict[str, Variable] = {}
        for node in self.get_ordered_ops():
            name = node.record.type in ("ReadValue", "Assign") and getattr(node.record.op, "variable_id", None)
            if isinstance(name, str) and name not in found:
                fact = node.fact(0)
                found[name] = Variable(VariableInfo(of_dims(fact.shape), of_element(fact.type), name))
        return list(found.values())

    def get_variables(self) -> list[Variable]:
        return self.variables

    def get_variable_by_id(self, name: str) -> Variable | None:
        return next((item for item in self.variables if item.info.variable_id == name), None)

    def get_parameter_index(self, node: Node) -> int:
        return next((index for index, item in enumerate(self._ends.parameters) if item is node), -1)

    def get_result_index(self, value: Any) -> int:
        output = value if isinstance(value, Output) else None
        for index, item in enumerate(self._ends.results):
            if item is value or (output is not None and (output.node is item or item.input_value(0) == output)):
                return index
        return -1

    def get_sink_index(self, node: Node) -> int:
        return next((index for index, item in enumerate(self._ends.sinks) if item is node), -1)

    # -- ports

    @property
    def inputs(self) -> list[Output]:
        return [Output(node, 0) for node in self._ends.parameters]

    @property
    def outputs(self) -> list[Output]:
        return [Output(node, 0) for node in self._ends.results]

    def input(self, key: int | str | None = None) -> Output:
        return find_port(self.inputs, key, "input")

    def output(self, key: int | str | None = None) -> Output:
        return find_port(self.outputs, key, "output")

    def get_output_size(self) -> int:
        return len(self._ends.results)

    def get_output_op(self, index: int) -> Result:
        self.output(index)
        return self._ends.results[index]

    def get_output_partial_shape(self, index: int) -> PartialShape:
        return self.output(index).partial_shape

    def get_output_shape(self, index: int) -> Shape:
        return self.output(index).shape

    def get_output_element_type(self, index: int) -> Type:
        return self.output(index).element_type

    # -- changes

    def is_dynamic(self) -> bool:
        return any(not fact.shape.is_static for fact in self.value.facts.of.values())

    @property
    def dynamic(self) -> bool:
        return self.is_dynamic()

    def validate_nodes_and_infer_types(self) -> None:
        """Infer all types and shapes again; RuntimeError where nodes do not fit together."""
        self._changed()
        _ = self.value

    def reshape(self, shapes: Any, variables_shapes: Mapping[str, Any] | None = None) -> None:
        """Give inputs new shapes: one shape for the only input, or a mapping of names, positions or ports.

        A shape is a list or tuple of sizes, -1 for a dynamic one and a pair for an interval, a text such as
        ``1,3,?,2..5``, or a PartialShape. The model stays as it was where the shapes do not fit.
        """
        if not isinstance(shapes, Mapping):
            if len(self._ends.parameters) != 1:
                raise RuntimeError(f"one shape is given, expected one for each of {len(self._ends.parameters)} inputs")
            shapes = {0: shapes}
        given: dict[int, Fact] = {}
        value = self.value
        for key, shape in shapes.items():
            if isinstance(shape, Shape) or not isinstance(shape, list | tuple | str | PartialShape):
                raise TypeError(f"a new shape is a list, a tuple, a text or a PartialShape, got {shape!r}")
            node = self._parameter(key)
            dims = as_dims(shape).named(node.friendly_name)
            given[value.bound.graph.parameters[self.get_parameter_index(node)]] = Fact(node.fact(0).type, dims)
        self._value = value.with_inputs(given)
        self._refresh(self._value)
        for id in given:
            node = self._nodes[id]
            op = ParameterOp(element_type=given[id].type, shape=given[id].shape)
            node._record = node.record._replace(op=op)

    def _parameter(self, key: Any) -> Node:
        if isinstance(key, Output):
            if all(key.node is not node for node in self._ends.parameters):
                raise RuntimeError(f"{key!r} is no input of this model")
            return key.node
        return find_port(self.inputs, key, "input").node

    def add_outputs(self, outputs: Any) -> list[Output]:
        """Add Results: for tensor names, pairs of a node's name and the index of its output, or outputs."""
        given = outputs if isinstance(outputs, list) else [outputs]
        found = [self._tensor(item) for item in given]
        made = [Result(output) for output in found]
        self._ends.results.extend(made)
        self._changed()
        return [Output(node, 0) for node in made]

    def _tensor(self, key: Any) -> Output:
        if isinstance(key, Output):
            return key
        nodes = self.get_ordered_ops()
        if isinstance(key, str):
            tensors = {name: output for node in nodes for output in node.outputs() for name in output.names}
            inner = [item for item in nodes if not isinstance(item, Result)]
            tensors |= {name: output for node in inner for output in node.outputs() for name in output.names}
            if key not in tensors:
                raise RuntimeError(f'no tensor "{key}"{near_match(key, tensors)}')
            return tensors[key]
        if isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], str) and isinstance(key[1], int):
            by_name = {node.friendly_name: node for node in nodes}
            if key[0] not in by_name:
                raise RuntimeError(f'no node "{key[0]}"{near_match(key[0], by_name)}')
            return by_name[key[0]].output(key[1])
        raise TypeError(f"an output is a tensor name, a pair of node name and index, or a port, got {key!r}")

    def add_results(self, results: Sequence[Result]) -> None:
        self._ends.results.extend(results)
        self._changed()

    def add_parameters(self, parameters: Sequence[Parameter]) -> None:
        self._ends.parameters.extend(parameters)
        self._changed()

    def add_sinks(self, sinks: Sequence[Node]) -> None:
        self._ends.sinks.extend(sinks)
        self._changed()

    def add_variables(self, variables: Sequence[Variable]) -> None:
        """Do nothing: variables are those of ReadValue and Assign."""

    def remove_result(self, result: Result) -> None:
        self._ends.results[:] = [item for item in self._ends.results if item is not result]
        self._changed()

    def remove_parameter(self, parameter: Parameter) -> None:
        self._ends.parameters[:] = [item for item in self._ends.parameters if item is not parameter]
        self._stamp = 0

    def remove_sink(self, sink: Node) -> None:
        self._ends.sinks[:] = [item for item in self._ends.sinks if item is not sink]
        self._changed()

    def remove_variable(self, variable: Variable) -> None:
        """Do nothing: variables are those of ReadValue and Assign."""

    def replace_parameter(self, index: int, parameter: Parameter) -> None:
        """Put a Parameter in the place of another one, and feed the consumers of that one from it."""
        before = Output(self._ends.parameters[index], 0)
        for target in before.target_inputs:
            target.replace_source_output(Output(parameter, 0))
        self._ends.parameters[index] = parameter
        self._changed()

    # -- copies

    def clone(self) -> Model:
        """Return a model with nodes of its own."""
        made = Model.of(self.value, copy.deepcopy(self._notes))
        made._name = self._name
        if self._parts is not None:
            _ = made._ends
            for id, node in self._nodes.items():
                if id in made._nodes:
                    made._nodes[id].rt_info.update(node.rt_info)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self.clone()

    def __copy__(self) -> Model:
        raise TypeError("a shallow copy of a model would share its nodes; clone() copies them")

    def __reduce__(self) -> tuple[Any, ...]:
        from irrun.api.saving import from_bytes, to_bytes

        return from_bytes, to_bytes(self)

    def __enter__(self) -> Model:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """End the context; the model stays usable."""

    def evaluate(self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], context: Any = None) -> bool:
        """Compute the outputs from tensors."""
        from irrun.api.tensor import Tensor
        from irrun.model import build

        results = build(self.value)([tensor.values() for tensor in inputs])
        types = [output.fact.type for output in self.outputs]
        for target, array, element in zip(outputs, results.to_tuple(), types, strict=True):
            target.copy_from(Tensor.of_values(array, element))
        return True

    # -- beside OpenVINO's

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self.value.diagnostics

    @property
    def graph(self) -> nx.MultiDiGraph[int]:
        """The networkx graph: layer ids, each with ``name``, ``type``, ``version`` and ``op``; edges with ports."""
        return self.value.graph

    @property
    def filename(self) -> str:
        """The path of the file that was read; empty for a model from memory."""
        return "" if self._value is None else self._value.filename

    @property
    def facts(self) -> Facts:
        """The inferred facts of every tensor."""
        return self.value.facts

    def plan(self) -> Plan:
        """Return the plan that computes every output as written; IRError with every obstacle."""
        return self.value.plan()

    def __repr__(self) -> str:
        def ports(items: Sequence[Output]) -> str:
            return ",\n".join(f"<ConstOutput{repr(item).removeprefix('<Output')}" for item in items)

        return f"<Model: '{self._name}'\ninputs[\n{ports(self.inputs)}\n]\noutputs[\n{ports(self.outputs)}\n]>"


def find_port(ports: Sequence[P], key: Any, what: str) -> P:
    """Return the port at an index or with a tensor name, or the only one for None.

    IndexError and RuntimeError where there is none, TypeError for another key.
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
        raise TypeError(f"an {what} is named by an integer or a text, got {key!r}")
    found = next((port for port in ports if key in port.names), None)
    if found is None:
        names = [name for port in ports for name in sorted(port.names)]
        close = near_match(key, names) or f"; the model has {', '.join(names) or 'none'}"
        raise RuntimeError(f'no {what} "{key}"{close}')
    return found


def _parameters(arguments: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the names of positional arguments after the results."""
    lists = [isinstance(item, list | tuple) for item in arguments[:3]]
    if lists[:2] == [True, True]:
        return ("sinks", "parameters", "variables", "name") if lists[2:] == [True] else ("sinks", "parameters", "name")
    return ("parameters", "name")


def _notes(text: bytes) -> dict[str, Any]:
    start = text.rfind(b"<rt_info", max(text.rfind(b"</layers>"), text.rfind(b"</edges>"), 0))
    end = text.find(b"</rt_info>", start)
    notes = rt_info.read(text[start : end + len(b"</rt_info>")]) if 0 <= start < end else {}
    return {"version": "", **notes}
