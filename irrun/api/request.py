"""Inference requests and their results, as OpenVINO's ``InferRequest``."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from irrun.api.nodes import ConstOutput
from irrun.api.results import OVDict, ProfilingInfo
from irrun.api.shapes import Shape
from irrun.api.tensor import Tensor, is_raw
from irrun.model import InputError
from irrun.runtime import Observer
from irrun.runtime.observers import Profiler
from irrun.tensor import Array, ElementType, Fact

if TYPE_CHECKING:
    from irrun.api.compiled import CompiledModel


class VariableState:
    """A variable of a request. It changes with every inference."""

    def __init__(self, request: InferRequest, name: str, fact: Fact) -> None:
        self._state = request._session.state
        self.name = name
        self._fact = fact

    @property
    def state(self) -> Tensor:
        """The value; zeros of the smallest shape before the first inference."""
        value = self._state.values.get(self.name)
        if value is None:
            dims = self._fact.shape.dims or ()
            value = np.zeros([dim.lo for dim in dims], self._fact.type.dtype)
        return Tensor.of_values(_external(value, self._fact.type), self._fact.type)

    @state.setter
    def state(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"the state of a variable is a Tensor, got {value!r}")
        array = value.values()
        type = self._fact.type
        if type.is_known and value.element_type.element is not type:
            raise RuntimeError(f'variable "{self.name}" is {type}, got {value.element_type.type_name}')
        if not self._fact.shape.admits(array.shape):
            raise RuntimeError(f'variable "{self.name}" has shape {self._fact.shape}, got {Shape(array.shape)}')
        self._state.values[self.name] = np.array(array, dtype=type.dtype if type.is_known else None)

    def reset(self) -> None:
        self._state.reset(self.name)

    def __repr__(self) -> str:
        return "<VariableState>"


class InferRequest:
    """Runs a compiled model, with tensors and variables of its own.

    Beside OpenVINO's names, ``observers`` see every step of an inference.
    """

    userdata: Any = None

    def __init__(self, other: InferRequest) -> None:
        self.__dict__.update(other.__dict__)

    @staticmethod
    def of(compiled: CompiledModel) -> InferRequest:
        request = object.__new__(InferRequest)
        request._begin(compiled)
        return request

    def _begin(self, compiled: CompiledModel) -> None:
        self._compiled = compiled
        self._session = compiled.engine.session()
        self._given: dict[int, Tensor] = {}
        self._targets: dict[int, Tensor] = {}
        self._results: OVDict | None = None
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._callback: tuple[Callable[[Any], Any], Any] | None = None
        self._is_measured = _is_on(compiled.get_property("PERF_COUNT"))
        self._profiler = Profiler()
        self._took = 0.0

    @property
    def observers(self) -> list[Observer]:
        return self._session.observers

    # -- inference

    def infer(
        self,
        inputs: Any = None,
        share_inputs: bool = False,
        share_outputs: bool = False,
        *,
        decode_strings: bool = True,
    ) -> OVDict:
        """Run the model on a mapping of names, positions or ports to arrays, on a sequence, or on one array.

        Inputs that are not given keep their tensors. RuntimeError where an input does not fit, or a layer cannot be
        computed. Inputs are never written to, and results are the caller's, shared or not.
        """
        self.wait()
        return self._infer(self._arrays(inputs), decode_strings)

    def _infer(self, arrays: dict[int, Array], decode_strings: bool = True) -> OVDict:
        if self._is_measured:
            others = [observer for observer in self.observers if observer is not self._profiler]
            self._profiler = Profiler()
            self.observers[:] = [*others, self._profiler]
        begin = time.perf_counter()
        outputs = self._session.run(arrays)
        self._took = time.perf_counter() - begin
        made = list(outputs.to_tuple())
        for index, port in enumerate(self._compiled._outputs):
            type = port.fact.type
            if is_raw(type):
                made[index] = Tensor.of_values(made[index], type).data
            elif type.kind == "string" and decode_strings:
                made[index] = Tensor.of_values(made[index], type).str_data
            if index in self._targets:
                self._targets[index].copy_from(Tensor.of_values(outputs[index], type))
        self._results = OVDict(self._compiled._outputs, made)
        return self._results

    def _arrays(self, inputs: Any) -> dict[int, Array]:
        """Return the value of every input: the given one, that of its tensor, or zeros."""
        ports = self._compiled._inputs
        arrays = {index: _value(value, ports[index].fact) for index, value in self._by_index(inputs).items()}
        for index, port in enumerate(ports):
            if index not in arrays:
                arrays[index] = self._given[index].values() if index in self._given else _zeros(port.fact)
        return arrays

    def _by_index(self, inputs: Any) -> dict[int, Any]:
        ports = self._compiled._inputs
        if inputs is None:
            return {}
        if isinstance(inputs, Mapping):
            return {self._index(ports, key, "input"): value for key, value in inputs.items()}
        if isinstance(inputs, list | tuple):
            if len(inputs) > len(ports):
                raise InputError(f"{len(inputs)} inputs are given, expected {len(ports)}")
            return dict(enumerate(inputs))
        if not isinstance(inputs, np.ndarray | np.generic | Tensor | int | float) and not hasattr(inputs, "__array__"):
            raise TypeError(f"inputs are arrays, or a mapping or sequence of them, got {inputs!r}")
        if len(ports) != 1:
            raise InputError(f"one array is given, expected one for each of the {len(ports)} inputs")
        return {0: inputs}

    def _index(self, ports: Sequence[ConstOutput], key: Any, what: str) -> int:
        from irrun.api.compiled import port_of

        if isinstance(key, ConstOutput):
            found = next((index for index, port in enumerate(ports) if port == key), None)
            if found is None:
                raise RuntimeError(f"{key!r} is no {what} of this model")
            return found
        if isinstance(key, bool) or not isinstance(key, int | str | np.integer):
            raise TypeError(f"an {what} is named by a text, an integer or a port of the compiled model, got {key!r}")
        port = port_of(list(ports), int(key) if isinstance(key, np.integer) else key, what)
        return next(index for index, item in enumerate(ports) if item is port)

    # -- in the background

    def start_async(self, inputs: Any = None, userdata: Any = None, share_inputs: bool = False) -> None:
        """Start an inference in another thread; ``wait`` returns once it is done. Errors in inputs are raised here."""
        self.wait()
        if userdata is not None:
            self.userdata = userdata
        arrays = {index: array.copy() for index, array in self._arrays(inputs).items()}
        self._thread = threading.Thread(target=self._run, args=(arrays,), daemon=True)
        self._thread.start()

    def _run(self, arrays: dict[int, Array]) -> None:
        try:
            self._infer(arrays)
        except BaseException as error:
            self._failure = error
        try:
            if self._callback is not None:
                call, data = self._callback
                call(self.userdata if self.userdata is not None else data)
        except Exception as error:
            self._failure = self._failure or RuntimeError(f"the callback raised {type(error).__name__}: {error}")

    def wait(self) -> None:
        """Wait for the inference in the background; raise the error that it ended with."""
        if self._thread is not None:
            self._thread.join()
        self._end()

    def wait_for(self, timeout: int) -> bool:
        """Wait for some milliseconds; return whether an inference was started and is done."""
        if self._thread is None:
            return self._results is not None
        self._thread.join(timeout / 1000)
        if self._thread.is_alive():
            return False
        self._end()
        return True

    def _end(self) -> None:
        self._thread = None
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def cancel(self) -> None:
        """Forget the inference in the background, which runs to its end."""
        if self._thread is not None:
            self._thread.join()
            self._thread = self._failure = None

    def set_callback(self, callback: Callable[[Any], Any], userdata: Any = None) -> None:
        """Call a function with ``userdata`` after each inference in the background."""
        self._callback = (callback, userdata)
        self.userdata = userdata

    # -- results

    @property
    def results(self) -> OVDict:
        """The results of the last inference; zeros before the first."""
        if self._results is None:
            arrays = [Tensor.of_values(_zeros(port.fact), port.fact.type).data for port in self._compiled._outputs]
            return OVDict(self._compiled._outputs, arrays)
        return self._results

    @property
    def latency(self) -> float:
        """The duration of the last inference, in milliseconds."""
        return 1000 * self._took

    @property
    def profiling_info(self) -> list[ProfilingInfo]:
        """The times of the layers in the last inference, measured with the setting ``PERF_COUNT``."""
        timings = self._profiler.timings
        found = []
        for timing in timings:
            took, node = timedelta(microseconds=timing.own[-1] / 1000), timing.step.node
            found.append(ProfilingInfo(node.name, node.type, real_time=took, cpu_time=took))
        return found

    def get_profiling_info(self) -> list[ProfilingInfo]:
        return self.profiling_info

    def query_state(self) -> list[VariableState]:
        """Return the variables of the model, before the first inference too."""
        return [VariableState(self, name, fact) for name, fact in sorted(_variables(self._compiled).items())]

    def reset_state(self) -> None:
        self._session.state.reset()

    def get_compiled_model(self) -> CompiledModel:
        return self._compiled

    # -- tensors

    @property
    def model_inputs(self) -> list[ConstOutput]:
        return self._compiled.inputs

    @property
    def model_outputs(self) -> list[ConstOutput]:
        return self._compiled.outputs

    @property
    def input_tensors(self) -> list[Tensor]:
        return [self.get_input_tensor(index) for index in range(len(self._compiled._inputs))]

    @property
    def output_tensors(self) -> list[Tensor]:
        return [self.get_output_tensor(index) for index in range(len(self._compiled._outputs))]

    def get_input_tensor(self, index: int | None = None) -> Tensor:
        """Return the tensor of an input, which the next inference reads."""
        at = self._index(self._compiled._inputs, index if index is not None else self._only("input"), "input")
        if at not in self._given:
            fact = self._compiled._inputs[at].fact
            self._given[at] = Tensor.of_values(_zeros(fact), fact.type)
        return self._given[at]

    def get_output_tensor(self, index: int | None = None) -> Tensor:
        """Return the result of the last inference as a tensor, or the tensor that was set."""
        at = self._index(self._compiled._outputs, index if index is not None else self._only("output"), "output")
        if at in self._targets:
            return self._targets[at]
        type, array = self._compiled._outputs[at].fact.type, self.results[at]
        sizes = _zeros(self._compiled._outputs[at].fact).shape if self._results is None else array.shape
        return Tensor(array, Shape(sizes), type) if is_raw(type) else Tensor.of_values(_objects(array, type), type)

    def _only(self, what: str) -> int:
        ports = self._compiled._inputs if what == "input" else self._compiled._outputs
        if len(ports) != 1:
            raise RuntimeError(f"the model has {len(ports)} {what}s; name one of them")
        return 0

    def get_tensor(self, key: Any) -> Tensor:
        is_input, index = self._either(key)
        return self.get_input_tensor(index) if is_input else self.get_output_tensor(index)

    def set_tensor(self, key: Any, tensor: Tensor) -> None:
        """Read an input from a tensor, or write an output to it, from now on."""
        is_input, index = self._either(key)
        self._set(is_input, index, tensor)

    def set_tensors(self, tensors: Mapping[Any, Tensor]) -> None:
        for key, tensor in tensors.items():
            self.set_tensor(key, tensor)

    def set_input_tensor(self, index: Any, tensor: Tensor | None = None) -> None:
        """Read an input from a tensor: ``set_input_tensor(tensor)`` or ``set_input_tensor(index, tensor)``."""
        self._set_at(True, index, tensor)

    def set_output_tensor(self, index: Any, tensor: Tensor | None = None) -> None:
        """Write an output to a tensor: ``set_output_tensor(tensor)`` or ``set_output_tensor(index, tensor)``."""
        self._set_at(False, index, tensor)

    def set_input_tensors(self, tensors: Mapping[int, Tensor]) -> None:
        for index, tensor in tensors.items():
            self._set_at(True, index, tensor)

    def set_output_tensors(self, tensors: Mapping[int, Tensor]) -> None:
        for index, tensor in tensors.items():
            self._set_at(False, index, tensor)

    def _set_at(self, is_input: bool, index: Any, tensor: Tensor | None) -> None:
        what = "input" if is_input else "output"
        if tensor is None:
            tensor, index = index, self._only(what)
        ports = self._compiled._inputs if is_input else self._compiled._outputs
        self._set(is_input, self._index(ports, index, what), tensor)

    def _set(self, is_input: bool, index: int, tensor: Any) -> None:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"a Tensor is expected, got {type(tensor).__name__}")
        port = (self._compiled._inputs if is_input else self._compiled._outputs)[index]
        fact, sizes = port.fact, tuple(tensor.shape)
        if fact.type.is_known and tensor.element_type.element is not fact.type:
            raise InputError(f"the tensor is {tensor.element_type.type_name}, expected {fact.type} for {port!r}")
        if not fact.shape.admits(sizes):
            raise InputError(f"the tensor has shape {tensor.shape}, expected {fact.shape} for {port!r}")
        (self._given if is_input else self._targets)[index] = tensor

    def _either(self, key: Any) -> tuple[bool, int]:
        inputs, outputs = self._compiled._inputs, self._compiled._outputs
        if isinstance(key, ConstOutput) or any(key in port.names for port in inputs):
            is_input = not isinstance(key, ConstOutput) or any(port == key for port in inputs)
            return is_input, self._index(inputs if is_input else outputs, key, "input" if is_input else "output")
        if not isinstance(key, str):
            raise TypeError(f"a tensor is named by a text or a port of the compiled model, got {key!r}")
        return False, self._index(outputs, key, "output")

    def __repr__(self) -> str:
        from irrun.api.compiled import ports_text

        return f"<InferRequest:\n{ports_text(self._compiled._inputs, self._compiled._outputs)}>"


def _value(value: Any, fact: Fact) -> Any:
    if isinstance(value, Tensor):
        return value.values()
    if isinstance(value, list) and fact.type.kind != "string":
        return np.asarray(value)
    if isinstance(value, np.ndarray) and is_raw(fact.type) and value.dtype == np.uint8 and fact.shape.is_static:
        return Tensor(value, Shape(fact.shape.static), fact.type).values()
    return value


def _zeros(fact: Fact) -> Array:
    """Return zeros of the smallest shape."""
    sizes = [dim.lo for dim in fact.shape.dims or ()]
    if fact.type.kind == "string":
        return np.full(sizes, "", object)
    return np.zeros(sizes, fact.type.external)


def _external(array: Array, type: ElementType) -> Array:
    if type.kind in ("string", "dynamic") or is_raw(type):
        return array
    return array.astype(type.external)


def _objects(array: Array, type: ElementType) -> Array:
    return array.astype(object) if type.kind == "string" else array


def _variables(compiled: CompiledModel) -> dict[str, Fact]:
    loaded = compiled._loaded
    found: dict[str, Fact] = {}
    for node in loaded.bound.graph:
        name = getattr(node.op, "variable_id", None)
        if isinstance(name, str) and name not in found:
            fact = next((loaded.facts[outlet] for outlet in loaded.facts.outlets(node.id)), Fact.unknown())
            found[name] = fact
    return found


def _is_on(value: Any) -> bool:
    return value is True or str(value).upper() in ("YES", "TRUE")
