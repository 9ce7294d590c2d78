"""OpenVINO as the other side of a comparison."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.debugging.faults import DebugError
from irrun.debugging.sides import Sink
from irrun.graph import Outlet
from irrun.model import Loaded
from irrun.tensor import Array, Shape

_HELD: Final = 1 << 26
"""The bytes of tensors that another engine is asked for at a time."""

_SILENT: Final = frozenset({"Parameter", "Constant", "Result", "Assign", "ReadValue"})


def required(name: str, option: str, extra: str = "") -> Any:
    """Return a package; DebugError where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        how = f"pip install 'irrun[{extra}]'" if extra else f"pip install {name}"
        raise DebugError(f"{option} needs the package {name}, which is not installed here; {how}") from None


class OpenVINOSide:
    """The same IR in OpenVINO's CPU plugin, with every tensor as an output, so that nothing is fused."""

    name = "OpenVINO"

    def __init__(
        self,
        path: Path,
        inputs: Mapping[int, Array],
        weights: Path | None = None,
        shapes: Mapping[int, Shape] | None = None,
        precision: str = "f32",
    ) -> None:
        self._ov = required("openvino", "--openvino")
        self._core = self._ov.Core()
        self._path, self._weights, self._shapes = path, weights, dict(shapes or {})
        self._inputs = dict(inputs)
        self._config = {"INFERENCE_PRECISION_HINT": precision, "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0}
        self.precision = precision

    def counterparts(self, model: Loaded) -> Mapping[Outlet, tuple[Hashable, str]]:
        known = {self._key(port) for port in _ports(self._read())}
        found: dict[Outlet, tuple[Hashable, str]] = {}
        taken: set[Hashable] = set()
        for node in model.graph.ordered():
            for port in range(node.outputs):
                key = node.name, port
                if key in known and key not in taken:
                    found[Outlet(node.id, port)] = key, "name"
                    taken.add(key)
        return found

    def label(self, key: Hashable) -> str:
        assert isinstance(key, tuple)
        return str(key[0])

    @property
    def output_names(self) -> Sequence[str]:
        return [port.get_any_name() for port in self._read().outputs]

    def outputs(self) -> Sequence[Array]:
        """Run the model as it is, with OpenVINO's optimisation."""
        return self._run(self._read())

    def tensors(self, keys: Collection[Hashable], sink: Sink) -> Sequence[Array]:
        wanted, outputs, names = set(keys), None, self._key_order()
        for part in in_parts([key for key in names if key in wanted], names):
            model = self._read()
            count = len(model.outputs)
            added: dict[Hashable, Any] = {}
            for port in _ports(model):
                added.setdefault(self._key(port), port)
            model.add_outputs([added[key] for key in part])
            found = self._run(model)
            wanted_ports = {_identity(added[key]): key for key in part}
            for result, array in zip(model.get_results(), found, strict=True):
                key = wanted_ports.get(_identity(result.input_value(0)))
                if key is not None:
                    sink(key, array)
            outputs = outputs if outputs is not None else found[:count]
        return outputs if outputs is not None else self.outputs()

    def _key_order(self) -> dict[Hashable, int]:
        """Return the bytes of each tensor by key, in the order of the layers."""
        found: dict[Hashable, int] = {}
        for port in _ports(self._read()):
            shape = port.get_partial_shape()
            size = int(np.prod(shape.to_shape(), dtype=np.int64)) if shape.is_static else 1 << 20
            found.setdefault(self._key(port), size * port.get_element_type().size)
        return found

    @staticmethod
    def _key(port: Any) -> tuple[str, int]:
        return port.get_node().get_friendly_name(), port.get_index()

    def _read(self) -> Any:
        try:
            model = (
                self._core.read_model(self._path)
                if self._weights is None
                else self._core.read_model(self._path, self._weights)
            )
            if self._shapes:
                shapes = {index: self._ov.PartialShape(str(shape)) for index, shape in self._shapes.items()}
                model.reshape(shapes)
        except (RuntimeError, TypeError) as error:
            raise DebugError(f"OpenVINO cannot read {self._path}: {last_line(error)}") from None
        return model

    def _run(self, model: Any) -> list[Array]:
        try:
            compiled = self._core.compile_model(model, "CPU", self._config)
            self.precision = compiled.get_property("INFERENCE_PRECISION_HINT").get_type_name()
            request = compiled.create_infer_request()
            return [array.copy() for array in request.infer(self._inputs).to_tuple()]
        except (RuntimeError, TypeError, ValueError) as error:
            raise DebugError(f"OpenVINO cannot run {self._path}: {last_line(error)}") from None


def _identity(port: Any) -> tuple[str, int]:
    """Return what no other port of a model has."""
    return port.get_node().get_name(), port.get_index()


def _ports(model: Any) -> Iterator[Any]:
    for node in model.get_ordered_ops():
        if node.get_type_name() not in _SILENT:
            yield from node.outputs()


def in_parts(keys: Sequence[Hashable], sizes: Mapping[Hashable, int]) -> Iterator[list[Hashable]]:
    """Yield the keys in lists whose tensors take a bounded number of bytes, or are a single one."""
    part: list[Hashable] = []
    held = 0
    for key in keys:
        if part and held + sizes[key] > _HELD:
            yield part
            part, held = [], 0
        part.append(key)
        held += sizes[key]
    if part:
        yield part


def last_line(error: Exception) -> str:
    """Return the last line of a message that has several."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else "it does not say why"
