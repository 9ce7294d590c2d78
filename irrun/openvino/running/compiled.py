"""Compiled models, as OpenVINO's ``CompiledModel``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any, NoReturn

from irrun.model import Compiled, Loaded
from irrun.model.config import ConfigError
from irrun.openvino.models.model import Model
from irrun.openvino.models.saving import export
from irrun.openvino.nodes.ports import ConstOutput
from irrun.openvino.running.properties_table import model_property, name_of, plain
from irrun.openvino.running.request import InferRequest
from irrun.openvino.running.results import OVDict
from irrun.openvino.running.runnable import Runnable, input_end, output_end, port_of, ports_text
from irrun.openvino.running.states import VariableState
from irrun.openvino.values.keywords import also_named
from irrun.runtime import Executor, Plan

if TYPE_CHECKING:
    from typing import BinaryIO

    from irrun.model.specialize import Plans


class CompiledModel(Runnable):
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
        self._inputs = [
            input_end(graph.node(id), port) for id, port in zip(graph.parameters, engine.inputs, strict=True)
        ]
        self._outputs = [output_end(graph, id, port) for id, port in zip(graph.results, engine.outputs, strict=True)]
        self._infer_request: InferRequest | None = None

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
        if self._infer_request is None:
            self._infer_request = self.create_infer_request()
        return self._infer_request

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
        raise ConfigError(
            f"the settings of a compiled model are fixed, got {names or 'none'}; compile_model takes them"
        )

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
        self._infer_request = None

    def __reduce__(self) -> NoReturn:
        raise TypeError("a compiled model cannot be copied; use export_model and import_model")

    # -- beside OpenVINO's

    @property
    def plan(self) -> Plan:
        """The plan for any shapes of the inputs."""
        return self._engine.plan

    @property
    def plans(self) -> Plans:
        """The plans for particular shapes of the inputs."""
        return self._engine.plans

    @property
    def executor(self) -> Executor:
        """The executor of the plans."""
        return self._engine.executor

    @property
    def tiers(self) -> Executor:
        """The executor, by its former name."""
        warnings.warn("tiers is now called executor", DeprecationWarning, stacklevel=2)
        return self.executor

    def __repr__(self) -> str:
        return f"<CompiledModel:\n{ports_text(self._inputs, self._outputs)}>"
