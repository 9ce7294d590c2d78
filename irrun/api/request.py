"""Inference requests and their results, as OpenVINO's ``InferRequest``."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from irrun.api.request_tensors import RequestTensors, zeros
from irrun.api.results import OVDict, ProfilingInfo
from irrun.api.shapes import Shape
from irrun.api.states import VariableState, variables_of
from irrun.api.tensor import Tensor, is_raw
from irrun.model import InputError
from irrun.runtime import Observer
from irrun.runtime.observers import Profiler
from irrun.tensor import Array, Fact

if TYPE_CHECKING:
    from irrun.api.compiled import CompiledModel


class InferRequest(RequestTensors):
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
        super()._begin(compiled)
        self._session = compiled.engine.session()
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
                arrays[index] = self._given[index].values() if index in self._given else zeros(port.fact)
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
        return [VariableState(self, name, fact) for name, fact in sorted(variables_of(self._compiled).items())]

    def reset_state(self) -> None:
        self._session.state.reset()

    def get_compiled_model(self) -> CompiledModel:
        return self._compiled

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


def _is_on(value: Any) -> bool:
    return value is True or str(value).upper() in ("YES", "TRUE")
