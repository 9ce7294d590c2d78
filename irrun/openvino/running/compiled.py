"""Compiled models, as OpenVINO's ``CompiledModel``."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any, NoReturn

from irrun.graph import Node as Record
from irrun.model import Compiled, Loaded, Port
from irrun.model.config import ConfigError
from irrun.openvino.models.model import Model
from irrun.openvino.models.saving import export
from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.op import Parameter, Result
from irrun.openvino.nodes.ports import ConstOutput, find_port
from irrun.openvino.running.properties_table import model_property, name_of, plain
from irrun.openvino.running.request import InferRequest
from irrun.openvino.running.results import OVDict
from irrun.openvino.running.states import VariableState
from irrun.openvino.values.keywords import also_named
from irrun.runtime import Plan, Tiers
from irrun.tensor import Fact

if TYPE_CHECKING:
    from typing import BinaryIO

    from irrun.model.specialize import Plans


class CompiledModel:
    """A model ready to run, independent of the Model that it was made from; safe to call from several threads.

    Beside OpenVINO's names, ``plan`` is the plan, and ``prepare`` compiles kernels at once.
    """

    def __init__(self, other: CompiledModel) -> None:
        self.__dict__.update(other.__dict__)

    @staticmethod
    def of(engine: Compiled, loaded: Loaded, name: str, settings: Mapping[str, Any]) -> CompiledModel:
        """Return the compiled model of an engine and the model that it was built from."""
        model = object.__new__(CompiledModel)
        model._begin(engine, loaded, name, settings)
        return model

    def _begin(self, engine: Compiled, loaded: Loaded, name: str, settings: Mapping[str, Any]) -> None:
        self._engine, self._loaded, self._name, self._settings = engine, loaded, name, dict(settings)
        graph = loaded.bound.graph
        self._inputs = [_end(Parameter, graph.node(i), p) for i, p in zip(graph.parameters, engine.inputs, strict=True)]
        self._outputs = [_end(Result, graph.node(i), p) for i, p in zip(graph.results, engine.outputs, strict=True)]
        self._request: InferRequest | None = None

    @property
    def inputs(self) -> list[ConstOutput]:
        """The inputs, in the order of the Parameters."""
        return list(self._inputs)

    @property
    def outputs(self) -> list[ConstOutput]:
        """The outputs, in the order of the Results."""
        return list(self._outputs)

    @also_named("key", "index", "tensor_name")
    def input(self, key: int | str | None = None) -> ConstOutput:
        """Return an input by index or tensor name, or the only one; RuntimeError where there is none."""
        return port_of(self._inputs, key, "input")

    @also_named("key", "index", "tensor_name")
    def output(self, key: int | str | None = None) -> ConstOutput:
        """Return an output by index or tensor name, or the only one; RuntimeError where there is none."""
        return port_of(self._outputs, key, "output")

    def create_infer_request(self) -> InferRequest:
        """Return a new request, with tensors and variables of its own."""
        return InferRequest.of(self)

    def infer_new_request(self, inputs: Any = None) -> OVDict:
        """Run the model in a new request, with variables at their initial values."""
        return self.create_infer_request().infer(inputs)

    @property
    def _own(self) -> InferRequest:
        if self._request is None:
            self._request = self.create_infer_request()
        return self._request

    def __call__(
        self, inputs: Any = None, share_inputs: bool = True, share_outputs: bool = False, *, decode_strings: bool = True
    ) -> OVDict:
        """Run the model in the request of this object, which keeps its variables from call to call."""
        return self._own.infer(inputs, share_inputs, share_outputs, decode_strings=decode_strings)

    def query_state(self) -> list[VariableState]:
        """Return the variables of the request of this object."""
        return self._own.query_state()

    def reset_state(self) -> None:
        """Set the variables of the request of this object to their initial values."""
        self._own.reset_state()

    def get_property(self, property: Any) -> Any:
        """Return a property by name; RuntimeError where there is none."""
        return model_property(name_of(property), self._name, self._settings)

    @also_named("properties", "property")
    def set_property(self, properties: Mapping[Any, Any]) -> None:
        """Raise RuntimeError: the settings of a compiled model are fixed."""
        names = ", ".join(plain(dict([properties]) if isinstance(properties, tuple) else properties))
        raise ConfigError(f"settings of a compiled model are fixed, got {names or 'none'}; compile_model takes them")

    def export_model(self, model_stream: BinaryIO | None = None) -> BytesIO | None:
        """Write the model as one block of bytes to a stream, or return one; ``import_model`` reads it."""

        data = export(Model.of(self._loaded), self._name)
        if model_stream is None:
            return BytesIO(data)
        model_stream.write(data)
        return None

    def get_runtime_model(self) -> Model:
        """Return a model of the graph that runs, as it was before it was optimised."""
        model = Model.of(self._loaded)
        model.friendly_name = self._name
        return model

    def release_memory(self) -> None:
        """Forget the request of this object, and with it the values of its variables."""
        self._request = None

    def __reduce__(self) -> NoReturn:
        raise TypeError("a compiled model cannot be copied; export_model and import_model do that")

    # -- beside OpenVINO's

    @property
    def engine(self) -> Compiled:
        """The engine that runs the model."""
        return self._engine

    @property
    def plan(self) -> Plan:
        """The plan for any shapes of the inputs."""
        return self._engine.plan

    @property
    def plans(self) -> Plans:
        """The plans for particular shapes of the inputs."""
        return self._engine.plans

    @property
    def tiers(self) -> Tiers:
        """The kernels that run the plans."""
        return self._engine.tiers

    def __repr__(self) -> str:
        return f"<CompiledModel:\n{ports_text(self._inputs, self._outputs)}>"


def ports_text(inputs: list[ConstOutput], outputs: list[ConstOutput]) -> str:
    """Return the inputs and outputs, one in a line."""
    first, second = (",\n".join(map(repr, ports)) for ports in (inputs, outputs))
    return f"inputs[\n{first}\n]\noutputs[\n{second}\n]"


def port_of(ports: list[ConstOutput], key: Any, what: str) -> ConstOutput:
    """Return a port of a compiled model; RuntimeError where there is none."""
    try:
        return find_port(ports, key, what)
    except IndexError as error:
        raise RuntimeError(str(error)) from None


def _end(cls: type[Node], record: Record, port: Port) -> ConstOutput:
    """Return an end of the model as a port that knows what callers pass or receive."""
    node = cls.__new__(cls)
    fact = Fact(port.element_type, port.partial_shape)
    node._begin(record._replace(names=(tuple(sorted(port.names)),)), (), (fact,))
    return ConstOutput(node, 0)
