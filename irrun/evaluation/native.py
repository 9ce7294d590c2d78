"""A model in OpenVINO, for comparison."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from irrun.diagnostics.installing import install
from irrun.diagnostics.requests import RequestError
from irrun.evaluation.handing import from_openvino, to_openvino
from irrun.evaluation.timing import milliseconds
from irrun.tensor import Array, Shape


class OpenVINOModel(NamedTuple):
    """A file that OpenVINO reads, with the shapes of inputs by place."""

    path: Path
    weights: Path | None = None
    shapes: Mapping[int, Shape] = {}

    def read(self, ov: Any, core: Any) -> Any:
        """Return the model in a Core of the package ``ov``."""
        model = core.read_model(self.path) if self.weights is None else core.read_model(self.path, self.weights)
        if self.shapes:
            model.reshape({index: ov.PartialShape(str(shape)) for index, shape in self.shapes.items()})
        return model


class OpenVINOEngine:
    """A model compiled by OpenVINO's CPU plugin: one stream, a number of threads; times are milliseconds.

    RequestError where OpenVINO is not installed, or cannot run the model on the inputs.
    """

    def __init__(
        self,
        model: OpenVINOModel,
        inputs: Mapping[int, Array],
        threads: int,
        precision: str = "f32",
        *,
        profiled: bool = False,
    ) -> None:
        ov = required("openvino", "--compare-openvino")
        self.version: str = ov.get_version()
        core = ov.Core()
        config = {
            "INFERENCE_PRECISION_HINT": precision,
            "INFERENCE_NUM_THREADS": threads,
            "PERFORMANCE_HINT": "LATENCY",
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
            "PERF_COUNT": profiled,
        }
        try:
            self.read_ms: float
            self.compile_ms: float
            self.first_ms: float
            read, self.read_ms = milliseconds(lambda: model.read(ov, core))
            compiled, self.compile_ms = milliseconds(lambda: core.compile_model(read, "CPU", config))
            self._request = compiled.create_infer_request()
            # The request does not keep the arrays whose memory its tensors share.
            self._inputs = [
                to_openvino(ov, inputs[place], port.element_type) for place, port in enumerate(compiled.inputs)
            ]
            for place, tensor in enumerate(self._inputs):
                self._request.set_input_tensor(place, tensor)
            # OpenVINO always copies strings, and warns if asked to share them.
            self._shares = all(port.element_type != ov.Type.string for port in compiled.outputs)
            _, self.first_ms = milliseconds(self.run)
            results = (self._request.get_output_tensor(place) for place in range(len(compiled.outputs)))
            self.outputs: list[Array] = [from_openvino(tensor).copy() for tensor in results]
        except (RuntimeError, TypeError, ValueError) as error:
            raise RequestError(f"OpenVINO cannot run {model.path}: {last_line(error)}") from None

    def run(self) -> object:
        """Run the model, and return its outputs, which the next run overwrites."""
        return self._request.infer(share_outputs=self._shares)

    def profile(self) -> dict[str, tuple[float, int]]:
        """Return, for each layer type of the last run, its milliseconds and the number of layers."""
        found: dict[str, tuple[float, int]] = {}
        for item in self._request.profiling_info:
            if str(item.status).rpartition(".")[2] == "EXECUTED":
                spent, count = found.get(item.node_type, (0.0, 0))
                found[item.node_type] = spent + 1000 * item.real_time.total_seconds(), count + 1
        return found


def required(name: str, option: str, extra: str = "") -> Any:
    """Return a package; RequestError where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        how = install(extra) if extra else f"pip install {name}"
        raise RequestError(f"{option} needs the package {name}, which is not installed here; {how}") from None


def last_line(error: Exception) -> str:
    """Return the last line of a message that has several."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else "it does not say why"
