"""Inference requests and their results, as OpenVINO's ``InferRequest``."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, NoReturn

import numpy as np

from irrun.model import InputError
from irrun.openvino.nodes.records import CLASS_NAMES
from irrun.openvino.running.request_tensors import RequestTensors, shown
from irrun.openvino.running.results import OVDict, ProfilingInfo
from irrun.openvino.running.runnable import Runnable, ports_text
from irrun.openvino.running.states import VariableState, variables_of
from irrun.openvino.values.tensor import Tensor
from irrun.runtime import Observer
from irrun.runtime.observers import Profiler
from irrun.tensor import Array


class InferRequest(RequestTensors):
    """Runs a compiled model, with tensors and variables of its own.

    Beside OpenVINO's names, ``observers`` see every step of an inference.
    """

    userdata: Any = None

    def __init__(self, other: InferRequest) -> None:
        self.__dict__.update(other.__dict__)

    @staticmethod
    def of(compiled: Runnable) -> InferRequest:
        """Return a new request of a compiled model."""
        request = object.__new__(InferRequest)
        request._begin(compiled)
        return request

    def _begin(self, compiled: Runnable) -> None:
        super()._begin(compiled)
        self._session = compiled.engine.session()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._failure: BaseException | None = None
        self._is_cancelled = False
        self._callback: tuple[Callable[[Any], Any], Any] | None = None
        self._is_measured = compiled.get_property("PERF_COUNT") == "YES"
        self._profiler = Profiler()
        self._took = 0.0

    @property
    def observers(self) -> list[Observer]:
        """The observers that see every step of an inference."""
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

        Inputs that are not given keep their values: copies, or with ``share_inputs`` the arrays themselves.
        RuntimeError where an input does not fit, where a layer cannot be computed, or while an inference runs in the
        background. Inputs are never written to. Results are the caller's; with ``share_outputs`` they are the values
        of output tensors that are asked for afterwards. Without ``decode_strings`` the strings that are returned are
        bytes in UTF-8.
        """
        arrays = self._open(inputs, share_inputs)
        return self._infer(arrays, decode_strings, share_outputs)

    def _open(self, inputs: Any, share_inputs: bool) -> list[Array]:
        """Return the value of every input: the given one, the one before, or zeros."""
        self._require_idle()
        self._failure, self._is_cancelled = None, False
        for index, value in self._by_index(inputs).items():
            self._keep(index, value, share_inputs)
        return [self._value_of(index) for index in range(len(self._compiled._inputs))]

    def _infer(self, arrays: list[Array], decode_strings: bool = True, share_outputs: bool = False) -> OVDict:
        if self._is_measured:
            others = [observer for observer in self.observers if observer is not self._profiler]
            self._profiler = Profiler()
            self.observers[:] = [*others, self._profiler]
        begin = time.perf_counter()
        outputs = self._session.run(arrays)
        self._took = time.perf_counter() - begin
        made, ports = outputs.to_tuple(), self._compiled._outputs
        for index, target in self._targets.items():
            target.copy_from(Tensor.of_values(made[index], ports[index].fact.type))
        values = shown(ports, made)
        self._shapes = [array.shape for array in made]
        self._shares_outputs = share_outputs
        self._results = OVDict(ports, [value.view() for value in values] if share_outputs else values)
        return self._results if decode_strings else OVDict(ports, shown(ports, made, decode_strings=False))

    def _by_index(self, inputs: Any) -> dict[int, Any]:
        ports = self._compiled._inputs
        if inputs is None:
            return {}
        if isinstance(inputs, OVDict):
            inputs = inputs.to_tuple()
        if isinstance(inputs, Mapping):
            return {self._index(ports, key, "input"): value for key, value in inputs.items()}
        is_text = len(ports) == 1 and ports[0].fact.type.kind == "string"
        if isinstance(inputs, list | tuple) and not (inputs and all(_is_text(item, is_text) for item in inputs)):
            if len(inputs) > len(ports) or (ports and not inputs):
                raise InputError(f"expected {len(ports)} inputs, got {len(inputs)}")
            return dict(enumerate(inputs))
        known = isinstance(inputs, np.ndarray | np.generic | Tensor | int | float | list | tuple)
        if not known and not hasattr(inputs, "__array__"):
            raise TypeError(f"inputs are arrays, or a mapping or sequence of them, got {inputs!r}")
        if len(ports) != 1:
            raise InputError(f"one array is given, expected one for each of the {len(ports)} inputs")
        return {0: inputs}

    # -- in the background

    def start_async(self, inputs: Any = None, userdata: Any = None, share_inputs: bool = False) -> None:
        """Start an inference in another thread; ``wait`` returns once it is done. Errors in inputs are raised here."""
        arrays = self._open(inputs, share_inputs)
        if userdata is not None and self._callback is None:
            warnings.warn("there is no callback that userdata could be passed to", RuntimeWarning, stacklevel=2)
        elif userdata is not None:
            self.userdata = userdata
        self._is_busy, self._process = True, os.getpid()
        self._thread = threading.Thread(target=self._run, args=(arrays,), daemon=True)
        self._thread.start()

    def _run(self, arrays: list[Array]) -> None:
        try:
            self._infer(arrays)
        except BaseException as error:
            self._failure = error
        self._is_busy = False
        if self._is_cancelled or self._callback is None:
            return
        call, data = self._callback
        try:
            call(self.userdata if self.userdata is not None else data)
        except Exception as error:
            self._failure = self._failure or RuntimeError(f"the callback raised {type(error).__name__}: {error}")

    def wait(self) -> None:
        """Wait for the inference in the background; RuntimeError where it failed or was cancelled."""
        self._join()
        if self._is_cancelled:
            raise RuntimeError("the inference was cancelled")
        if self._failure is not None:
            raise self._failure

    def _join(self) -> None:
        thread = self._thread
        self._require_own_process()
        if thread is not None and thread is not threading.current_thread():
            thread.join()
            self._thread = None

    def _require_own_process(self) -> None:
        if self._is_busy and self._process != os.getpid():
            raise RuntimeError("the inference began before this process was forked, and runs in the parent")

    def wait_for(self, timeout: int) -> bool:
        """Wait for some milliseconds; return whether the inference is done. RuntimeError as from ``wait``."""
        self._require_own_process()
        if self._thread is not None:
            self._thread.join(timeout / 1000)
            if self._thread.is_alive():
                return False
        elif self._results is None and self._failure is None:
            return False
        self.wait()
        return True

    def cancel(self) -> None:
        """Cancel the inference in the background: it runs to its end, ``wait`` raises, and no callback is called."""
        self._is_cancelled = self._is_busy

    def set_callback(self, callback: Callable[[Any], Any], userdata: Any = None) -> None:
        """Call a function with ``userdata`` after each inference in the background."""
        self._require_idle()
        if not callable(callback):
            raise TypeError(f"a callback is a function, got {callback!r}")
        self._callback = (callback, userdata)
        self.userdata = userdata

    # -- results

    @property
    def latency(self) -> float:
        """The duration of the last inference, in milliseconds."""
        return 1000 * self._took

    def get_profiling_info(self) -> list[ProfilingInfo]:
        """Return the times of the layers in the last inference, measured with the setting ``PERF_COUNT``."""
        self._require_idle()
        timings = self._profiler.timings
        found = []
        for timing in timings:
            took, node = timedelta(microseconds=timing.own[-1] / 1000), timing.step.node
            found.append(ProfilingInfo(node.name, CLASS_NAMES.get(node.type, node.type), real_time=took, cpu_time=took))
        return found

    profiling_info: property = property(get_profiling_info)

    def query_state(self) -> list[VariableState]:
        """Return the variables of the model, before the first inference too."""
        self._require_idle()
        return [
            VariableState(self._session.state, name, fact)
            for name, fact in sorted(variables_of(self._compiled).items())
        ]

    def reset_state(self) -> None:
        """Set the variables to their initial values; RuntimeError while an inference runs in the background."""
        self._require_idle()
        self._session.state.reset()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a request cannot be copied; use create_infer_request to make another one")

    def get_compiled_model(self) -> Any:
        """Return the compiled model that the request runs."""
        return self._compiled

    def __repr__(self) -> str:
        return f"<InferRequest:\n{ports_text(self._compiled._inputs, self._compiled._outputs)}>"


def _is_text(item: Any, is_nested: bool) -> bool:
    return isinstance(item, str | bytes | list if is_nested else str | bytes)
