"""The engines that are compared, behind one small interface. Each is imported only where it is made."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from workload import Array, Inputs


class Engine(Protocol):
    """Reads, compiles, and runs one model; the constructor takes the path without suffix and the number of threads."""

    def read(self) -> None: ...

    def compile(self) -> None: ...

    def reset(self) -> None:
        """Forget what variables hold."""
        ...

    def run(self, inputs: Inputs) -> list[Array]:
        """The outputs, which the next run may overwrite."""
        ...


class Irrun:
    """irrun. Imports at the first use of the package do not count as reading a model."""

    tier = "auto"
    precision = "f32"

    def __init__(self, stem: Path, threads: int) -> None:
        import irrun.model

        self._read, self._compile = irrun.model.load, irrun.model.build
        self._path = stem.with_suffix(".xml")
        self._config = {"INFERENCE_NUM_THREADS": threads, "TIER": self.tier, "INFERENCE_PRECISION_HINT": self.precision}

    def read(self) -> None:
        self._model = self._read(self._path)

    def compile(self) -> None:
        self._compiled = self._compile(self._model, self._config)
        self._request = self._compiled.session()
        del self._model

    def reset(self) -> None:
        self._request.state.reset()

    def run(self, inputs: Inputs) -> list[Array]:
        return list(self._request.run(inputs).to_tuple())


class IrrunNumPy(Irrun):
    """The tier that needs NumPy only."""

    tier = "numpy"


class IrrunBF16(Irrun):
    """Products of bf16, with sums in f32."""

    precision = "bf16"


class OpenVINO:
    """f32 throughout, one stream; weights and keys are not quantised further on the way."""

    config: Mapping[str, Any] = {
        "INFERENCE_PRECISION_HINT": "f32",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
        "KV_CACHE_PRECISION": "f32",
    }

    def __init__(self, stem: Path, threads: int) -> None:
        import openvino

        self._core = openvino.Core()
        self._path = stem.with_suffix(".xml")
        latency = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1}
        self._config = {**self.config, **latency}

    def read(self) -> None:
        self._model = self._core.read_model(self._path)

    def compile(self) -> None:
        self._request = self._core.compile_model(self._model, "CPU", self._config).create_infer_request()
        del self._model

    def reset(self) -> None:
        self._request.reset_state()

    def run(self, inputs: Inputs) -> list[Array]:
        return list(self._request.infer(inputs, share_inputs=True, share_outputs=True).to_tuple())


class OpenVINODefault(OpenVINO):
    """The precision that OpenVINO takes by itself, bf16 on some processors; keys and activations in eight bits."""

    config: Mapping[str, Any] = {}


class OnnxRuntime:
    """The ONNX file that the IR was converted from. Reading and compiling are one step."""

    def __init__(self, stem: Path, threads: int) -> None:
        import onnxruntime

        self._onnxruntime = onnxruntime
        self._path = stem.with_suffix(".onnx")
        self._options = onnxruntime.SessionOptions()
        self._options.intra_op_num_threads = threads
        self._options.inter_op_num_threads = 1
        self._options.log_severity_level = 4

    def read(self) -> None:
        pass

    def compile(self) -> None:
        providers = ["CPUExecutionProvider"]
        self._session = self._onnxruntime.InferenceSession(str(self._path), self._options, providers=providers)

    def reset(self) -> None:
        pass

    def run(self, inputs: Inputs) -> list[Array]:
        return [np.asarray(output) for output in self._session.run(None, dict(inputs))]


class OnnxReference:
    """The reference evaluator of the onnx package, in NumPy."""

    def __init__(self, stem: Path, threads: int) -> None:
        import onnx.reference
        from threadpoolctl import threadpool_limits

        threadpool_limits(limits=threads, user_api="blas")
        self._onnx = onnx
        self._path = stem.with_suffix(".onnx")

    def read(self) -> None:
        self._model = self._onnx.load(self._path)

    def compile(self) -> None:
        self._evaluator = self._onnx.reference.ReferenceEvaluator(self._model)

    def reset(self) -> None:
        pass

    def run(self, inputs: Inputs) -> list[Array]:
        return [np.asarray(output) for output in self._evaluator.run(None, dict(inputs))]


ENGINES: Final[Mapping[str, Callable[[Path, int], Engine]]] = {
    "irrun": Irrun,
    "irrun-bf16": IrrunBF16,
    "irrun-numpy": IrrunNumPy,
    "openvino": OpenVINO,
    "openvino-default": OpenVINODefault,
    "onnxruntime": OnnxRuntime,
    "onnx.reference": OnnxReference,
}

PACKAGES: Final = {
    "irrun": "irrun",
    "irrun-bf16": "irrun",
    "irrun-numpy": "irrun",
    "openvino": "openvino",
    "openvino-default": "openvino",
    "onnxruntime": "onnxruntime",
    "onnx.reference": "onnx",
}
"""The distribution that has each engine."""


def available(name: str, stem: Path) -> bool:
    """Return whether an engine is installed and has a file of the model."""
    if importlib.util.find_spec(PACKAGES[name]) is None:
        return False
    return not name.startswith("onnx") or stem.with_suffix(".onnx").exists()
