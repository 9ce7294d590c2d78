"""The Python API: read_model, compile_model, and what they return, named as OpenVINO names them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from irrun.diagnostics import Anchor, Diagnostic, IRError, Severity, near_match
from irrun.document import Document, read
from irrun.graph import Bound, bind
from irrun.inference import Facts, infer
from irrun.model.arguments import InputError, accept, release
from irrun.model.config import Config, read_config
from irrun.model.interface import Interface, interface
from irrun.model.port import Port, find
from irrun.model.specialize import Plans
from irrun.optimize import Settings
from irrun.runtime import AS_WRITTEN, Memory, Observer, Plan, State, Tiers, plan
from irrun.tensor import Array, Dim, ElementType, Fact, Shape

if TYPE_CHECKING:
    import networkx as nx

Inputs = Mapping[Any, Any] | Sequence[Any] | Any
PathLike = str | os.PathLike[str]
Shapes = Mapping[str, Any] | Sequence[Any]


class Model:
    """A model that was read: its inputs, its outputs, its graph, and what was found on the way.

    ``diagnostics`` are those of reading, binding and inference; a model may have some and still run.
    """

    def __init__(self, document: Document, bound: Bound, facts: Facts, given: Mapping[int, Fact] | None = None) -> None:
        self._document = document
        self._bound = bound
        self._given = dict(given or {})
        self.facts = facts

    @property
    def graph(self) -> nx.MultiDiGraph[int]:
        """The networkx graph: ids of layers, each with ``name``, ``type``, ``version`` and ``op``; edges with ports."""
        return self._bound.graph.digraph

    @property
    def document(self) -> Document:
        return self._document

    @property
    def bound(self) -> Bound:
        return self._bound

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return (*self._document.diagnostics, *self._bound.diagnostics, *self.facts.diagnostics)

    @property
    def friendly_name(self) -> str:
        return self._document.net.name

    @property
    def inputs(self) -> list[Port]:
        """The inputs, in the order of the Parameter layers in the file."""
        return list(self._interface.inputs)

    @property
    def outputs(self) -> list[Port]:
        """The outputs, in the order of the Result layers in the file."""
        return list(self._interface.outputs)

    @property
    def _interface(self) -> Interface:
        return interface(self._bound.graph, self.facts, self._document.net.version)

    def input(self, key: int | str = 0) -> Port:
        return _port(self.inputs, key, "input")

    def output(self, key: int | str = 0) -> Port:
        return _port(self.outputs, key, "output")

    def reshape(self, shapes: Shapes) -> None:
        """Infer again for new input shapes: ``{"name": [1, 3, -1, -1]}``, or a shape where there is one input.

        A shape is a list of sizes, ``-1`` or None for a dynamic one, a text such as ``1,3,?,2..5``, or a Shape.
        """
        by_name: Mapping[Any, Any] = cast("Mapping[Any, Any]", shapes) if isinstance(shapes, Mapping) else {0: shapes}
        given = dict(self._given)
        for key, value in by_name.items():
            port = _port(self.inputs, key.index if isinstance(key, Port) else key, "input")
            shape = as_shape(value).named(port.node_name)
            given[self._bound.graph.parameters[port.index]] = Fact(port.declared_type, shape)
        facts = infer(self._bound.graph, self._document.weights, given)
        errors = [item for item in facts.diagnostics if item.severity is Severity.ERROR]
        if errors and len(errors) > len([item for item in self.facts.diagnostics if item.severity is Severity.ERROR]):
            raise IRError(errors, self._filename)
        self._given, self.facts = given, facts

    @property
    def _filename(self) -> str:
        return str(self._document.path) if self._document.path is not None else ""

    def plan(self, settings: Settings = AS_WRITTEN) -> Plan:
        """The plan that computes every output; IRError with all that stands in the way."""
        try:
            return plan(self._bound.graph, self.facts, settings)
        except IRError as error:
            errors = [item for item in self.diagnostics if item.severity is Severity.ERROR]
            reasons = [item for item in error.diagnostics if item.code != "IR801"]
            raise IRError([*errors, *reasons] or error.diagnostics, self._filename) from None

    def means(self) -> dict[int, Array]:
        """The means that are subtracted from inputs, by index; IRError where one is not known or does not fit."""
        bound, element = self._bound, self._document.net.pre_process
        if bound.means is None:
            raise IRError(bound.diagnostics, self._filename)
        found: dict[int, Array] = {}
        for id, mean in bound.means.items():
            values = mean.values(self._document.weights)
            if values is None:
                what = f'the mean of input "{bound.graph[id].name}" is not known: there is no file of weights'
                anchor = Anchor(element.element) if element is not None else Anchor()
                raise IRError([Diagnostic("IR501", what, anchor)], self._filename)
            found[bound.graph.parameters.index(id)] = values
        return found

    def __repr__(self) -> str:
        return f"<Model {self.friendly_name!r} inputs={self.inputs} outputs={self.outputs}>"


class Outputs(Mapping[Any, Array]):
    """The outputs of one inference, in the order of the Results: by position, by name, or by ``Port``."""

    def __init__(self, ports: Sequence[Port], arrays: Sequence[Array]) -> None:
        self._ports = tuple(ports)
        self._arrays = tuple(arrays)

    def __getitem__(self, key: int | str | Port) -> Array:
        if isinstance(key, Port):
            return self._arrays[key.index]
        if isinstance(key, str):
            return self._arrays[_port(self._ports, key, "output").index]
        return self._arrays[key]

    def __iter__(self) -> Iterator[Port]:
        return iter(self._ports)

    def __len__(self) -> int:
        return len(self._ports)

    def to_dict(self) -> dict[Port, Array]:
        return dict(zip(self._ports, self._arrays, strict=True))

    def to_tuple(self) -> tuple[Array, ...]:
        return self._arrays

    def __repr__(self) -> str:
        return f"Outputs({', '.join(f'{p.any_name}: {list(a.shape)}' for p, a in self.to_dict().items())})"


class InferRequest:
    """One run after another of a compiled model, with variables of its own."""

    def __init__(self, compiled: CompiledModel) -> None:
        self._compiled = compiled
        self._state = State()
        self._memory = Memory()
        self.observers: list[Observer] = []
        self.results: Outputs | None = None

    def infer(self, inputs: Inputs = None) -> Outputs:
        """Run the model. Inputs are a mapping of names, positions or ports to arrays, a sequence, or one array."""
        compiled = self._compiled
        compiled.config.apply()
        arrays = accept(compiled.inputs, inputs, compiled.plan.parameter_types, compiled.means)
        self.results = None
        plan = compiled.plans.of(arrays)
        results = compiled.tiers.run(plan, arrays, self._state, self.observers, self._memory)
        kept = [*arrays, *self._state.values.values()]
        released = _released(list(results), compiled.output_types, kept, self._memory)
        self.results = Outputs(compiled.outputs, released)
        return self.results

    def query_state(self) -> list[VariableState]:
        """The variables of this request, as far as it has run."""
        return [VariableState(name, self._state) for name in sorted(self._state.values)]

    def reset_state(self) -> None:
        """Forget the variables, so that they begin anew."""
        self._state.reset()


def _released(results: list[Array], types: Sequence[ElementType], kept: Sequence[Array], memory: Memory) -> list[Array]:
    """The results as the caller's own. What alone lies in a buffer is handed over with it."""
    seen = {id(array) for array in kept}
    for index, type in enumerate(types):
        array = results[index]
        whole = array.dtype == type.external and not type.is_narrow and array.flags.c_contiguous
        whole = whole and id(array) not in seen
        seen.add(id(array))
        if not (whole and memory.is_only_in(array)):
            results[index] = release(array, type, kept)
    return results


class VariableState:
    """One variable of a request."""

    def __init__(self, name: str, state: State) -> None:
        self.name = name
        self._all = state

    @property
    def state(self) -> Array:
        return self._all.values[self.name]

    @state.setter
    def state(self, value: Any) -> None:
        self._all.values[self.name] = np.asarray(value, dtype=self.state.dtype)

    def reset(self) -> None:
        self._all.reset(self.name)


class CompiledModel:
    """A model ready to run. It needs the Model no more; several threads may run it at once."""

    def __init__(self, model: Model, config: Config | None = None) -> None:
        self.config = config if config is not None else Config()
        self.plan = model.plan(self.config.optimize)
        self.means = model.means()
        weights = model.document.weights
        weights.forget()
        self.plans = Plans(model.bound.graph, weights, model.facts, self.config.optimize, self.plan)
        self.inputs = model.inputs
        self.outputs = model.outputs
        self.output_types = [port.element_type for port in self.outputs]
        self.tiers = Tiers(self.config.tier)
        self._memories: deque[Memory] = deque(maxlen=4)

    def input(self, key: int | str = 0) -> Port:
        return _port(self.inputs, key, "input")

    def output(self, key: int | str = 0) -> Port:
        return _port(self.outputs, key, "output")

    def create_infer_request(self) -> InferRequest:
        return InferRequest(self)

    def infer_new_request(self, inputs: Inputs = None) -> Outputs:
        return self(inputs)

    def prepare(self) -> None:
        """Compile kernels now for what has run so far, instead of while others go on."""
        self.tiers.prepare()

    def __call__(self, inputs: Inputs = None) -> Outputs:
        """Run the model in a request of its own: variables begin anew in every call."""
        request = InferRequest(self)
        with suppress(IndexError):
            request._memory = self._memories.pop()
        outputs = request.infer(inputs)
        self._memories.append(request._memory)
        return outputs

    def __repr__(self) -> str:
        return f"<CompiledModel inputs={self.inputs} outputs={self.outputs} steps={len(self.plan.steps)}>"


def read_model(model: PathLike | bytes, weights: PathLike | bytes | None = None) -> Model:
    """Read an IR from a file or from bytes; the weights are those of the sibling ``.bin`` unless given.

    IRError where nothing can be made of the file; OSError where it cannot be opened.
    """
    source = model if isinstance(model, bytes) else Path(model)
    values = weights if isinstance(weights, bytes | None) else Path(weights)
    document = read(source, values)
    bound = bind(document)
    return Model(document, bound, infer(bound.graph, document.weights))


def compile_model(model: Model | PathLike, config: Mapping[str, Any] | str | None = None) -> CompiledModel:
    """Optimise and plan a model.

    ``config`` holds settings in OpenVINO's words: ``{"INFERENCE_NUM_THREADS": 2, "EXECUTION_MODE_HINT": "ACCURACY"}``,
    of which the latter forbids what loses bits for speed. ``{"OPTIMIZE": False}`` runs layer by layer exactly as
    written, ``{"OPTIMIZE": {"disable": ["fuse-convolution"]}}`` leaves out passes. ``{"TIER": "numpy"}`` forbids
    compiled kernels, ``{"TIER": "compiled"}`` compiles before the first run, not while others go on.
    ``{"LOW_MEMORY": True}`` keeps weights in the few bits that they are stored in, f16 too, even where that is slower.
    A text names a device, of which there is only the one. ValueError where a setting does not exist.
    """
    settings = read_config(config)
    return CompiledModel(model if isinstance(model, Model) else read_model(model), settings)


def as_shape(value: Any) -> Shape:
    """The partial shape that a list, a text or a Shape stands for."""
    if isinstance(value, Shape):
        return value
    if isinstance(value, str):
        return Shape.parse(value)
    return Shape([Dim() if size in (-1, None) else size if isinstance(size, Dim) else _dim(size) for size in value])


def _dim(size: Any) -> Dim:
    return Shape.parse(size)[0] if isinstance(size, str) else Dim.exactly(size)


def _port(ports: Sequence[Port], key: int | str, what: str) -> Port:
    if isinstance(key, int):
        if not 0 <= key < len(ports):
            raise InputError(f"there is no {what} {key}; the model has {len(ports)}")
        return ports[key]
    port = find(ports, key)
    if port is None:
        names = [name for item in ports for name in item.all_names if name]
        close = near_match(key, names) or f"; the model has {', '.join(item.any_name for item in ports) or 'none'}"
        raise InputError(f'no {what} "{key}"{close}')
    return port


__all__ = [
    "CompiledModel",
    "InferRequest",
    "InputError",
    "Model",
    "Outputs",
    "VariableState",
    "compile_model",
    "read_model",
]
