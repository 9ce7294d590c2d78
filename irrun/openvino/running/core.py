"""The entry to reading, compiling and importing models, as OpenVINO's ``Core``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from io import BytesIO, IOBase
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.diagnostics.internal import Boundary
from irrun.model import build, load
from irrun.model.config import read_config
from irrun.openvino.models.model import Model
from irrun.openvino.models.reading import require_readable
from irrun.openvino.nodes.custom import Op, OpExtension
from irrun.openvino.release import NUMBER, RELEASE
from irrun.openvino.running.compiled import CompiledModel
from irrun.openvino.running.properties_table import DEVICES, device_property, name_of, plain, require_device
from irrun.openvino.values.keywords import also_named
from irrun.openvino.values.tensor import Tensor
from irrun.ops.available import operations_of
from irrun.ops.extending import ExtensionSource, additions_of
from irrun.ops.importing import ExtensionError

_FOREIGN: Final = {
    ".onnx": "ONNX",
    ".pb": "TensorFlow",
    ".tflite": "TensorFlow Lite",
    ".pdmodel": "PaddlePaddle",
    ".pt": "PyTorch",
    ".pth": "PyTorch",
}
_MARKUP: Final = ("<?xml", "<net", "<layer")


class ModelNotFound(RuntimeError, FileNotFoundError):
    """There is no such file."""


class Version:
    """The version of the software behind a device."""

    def __init__(self) -> None:
        major, minor, patch = (int(part) for part in NUMBER.split("."))
        self.major: int = major
        self.minor: int = minor
        self.patch: int = patch
        self.build_number = RELEASE
        self.description = "irrun"

    def __repr__(self) -> str:
        return f"<Version: {self.description} {self.build_number}>"


class Extension:
    """Base class of extensions, which classes of programs may derive from; they add nothing here."""


class Core:
    """Reads and compiles models. There is one device, the CPU; settings without a meaning here are accepted."""

    def __init__(self, xml_config_file: str = "") -> None:
        self._properties: dict[str, Any] = {}
        self._extensions: list[ExtensionSource] = []

    def get_available_devices(self) -> list[str]:
        """Return the names of the devices."""
        return list(DEVICES)

    available_devices: property = property(get_available_devices)

    def read_model(self, model: Any, weights: Any = None, config: Mapping[str, Any] | None = None) -> Model:
        """Read an IR: a path, its XML as a string or bytes, or a stream; with its weights as path, bytes or tensor.

        RuntimeError where it cannot be read, TypeError for other arguments.
        """
        source, is_path = _source(model)
        if isinstance(source, Path) and source.suffix.lower() in _FOREIGN:
            made = _FOREIGN[source.suffix.lower()]
            raise RuntimeError(f"{source}: models of {made} are not read; OpenVINO's convert_model makes an IR of one")
        given = _weights(weights, is_path)
        try:
            loaded = load(source, given, extensions=self._extensions)
        except FileNotFoundError as error:
            raise ModelNotFound(f"{error.filename or model}: there is no such file") from None
        except OSError as error:
            raise RuntimeError(f"{error.filename or model}: {error.strerror or error}") from error
        require_readable(loaded)
        return Model.of(loaded)

    def compile_model(
        self,
        model: Any = None,
        device_name: Any = None,
        config: Mapping[Any, Any] | None = None,
        *,
        weights: Any = None,
    ) -> CompiledModel:
        """Compile a Model, or a file that is read first, for a device.

        ``config`` holds settings under OpenVINO's names, and some more: ``OPTIMIZE`` False runs layer by layer as
        written, ``TIER`` is ``numpy`` or ``compiled``, ``LOW_MEMORY`` keeps weights in their stored type, and
        ``MAX_MEMORY``, ``MAX_ITERATIONS`` and ``TIMEOUT`` limit an inference. RuntimeError for an unknown device or
        setting. A mapping in the place of the device is taken as the settings.
        """
        if isinstance(device_name, Mapping):
            device_name, config = None, device_name
        if model is None:
            raise TypeError("compile_model takes a Model or the file of one")
        if isinstance(model, int | float):
            raise RuntimeError(f"compile_model takes a Model or the file of one, got {model!r}")
        if device_name is not None and not isinstance(device_name, str):
            raise TypeError(f"the name of a device is a string, got {device_name!r}")
        require_device(device_name or DEVICES[0])
        settings = {**self._properties, **plain(config)}
        if self._extensions:
            settings["EXTENSIONS"] = [*self._extensions, settings.get("EXTENSIONS", [])]
        read_config(settings)
        try:
            read = model if isinstance(model, Model) else self.read_model(model, weights)
        except TypeError as error:
            raise RuntimeError(str(error)) from None
        value = read.value
        with Boundary(value.filename, (RuntimeError,)):
            engine = build(value, settings)
        return CompiledModel.of(engine, value, read.friendly_name, settings)

    @also_named("properties", "property")
    def set_property(self, device_name: Any = None, properties: Any = None) -> None:
        """Set properties of a device, or of all devices, for models that are compiled from now on.

        Properties are a mapping, or the pair of a name and a value.
        """
        if properties is None:
            device_name, properties = None, device_name
        require_device(device_name or DEVICES[0])
        given = plain(dict([properties]) if isinstance(properties, tuple) else properties)
        read_config(given)
        self._properties.update(given)

    def get_property(self, device_name: str, property: Any = None) -> Any:
        """Return a property of a device; RuntimeError where there is none."""
        if property is None:
            device_name, property = DEVICES[0], device_name
        require_device(device_name)
        return device_property(name_of(property), self._properties)

    def get_versions(self, device_name: str) -> dict[str, Version]:
        """Return the version of a device by name; nothing for an unknown one."""
        return {device_name: Version()} if device_name in DEVICES else {}

    def query_model(self, model: Model, device_name: str, config: Mapping[Any, Any] | None = None) -> dict[str, str]:
        """Return the device of each layer that it can run, by name."""
        device = require_device(device_name)
        return {node.friendly_name: device for node in model.get_ordered_ops() if node.record.op is not None}

    def import_model(
        self, model_stream: Any, device_name: str, config: Mapping[Any, Any] | None = None
    ) -> CompiledModel:
        """Compile what ``export_model`` wrote: bytes, a stream or a tensor."""
        from irrun.openvino.models.saving import imported

        if isinstance(model_stream, Tensor):
            model_stream = BytesIO(model_stream.data.tobytes())
        if not isinstance(model_stream, bytes) and not hasattr(model_stream, "read"):
            raise TypeError(f"an exported model is bytes, a stream or a Tensor, got {model_stream!r}")
        data = model_stream if isinstance(model_stream, bytes) else model_stream.read()
        if not data and not isinstance(model_stream, bytes) and model_stream.seekable():
            model_stream.seek(0)
            data = model_stream.read()
        return self.compile_model(imported(data), device_name, config)

    def add_extension(self, *extensions: Any, **named: Any) -> None:
        """Add operations for models that are read from now on, passes and kernels for those that are compiled.

        They are Python files, modules or their names, classes, or OpExtensions. RuntimeError for what cannot be used: a
        library that was written for OpenVINO, or a source that declares nothing.
        """
        given = (*extensions, *named.values())
        flat = [part for item in given for part in (item if isinstance(item, list | tuple) else [item])]
        sources = [item for item in flat if not isinstance(item, Extension)]
        for source in sources:
            if isinstance(source, type) and not hasattr(source, "adds") and not issubclass(source, Op):
                OpExtension(source)
        try:
            for source in sources:
                additions_of(source)
            operations_of((*self._extensions, *sources))
        except ExtensionError as error:
            raise RuntimeError(str(error)) from error
        self._extensions += sources

    def register_plugin(self, *arguments: Any) -> None:
        """Raise RuntimeError: there are no plugins of devices."""
        raise RuntimeError("device plugins cannot be registered; there is one device, the CPU")

    register_plugins = register_plugin

    def unload_plugin(self, device_name: str) -> None:
        """Do nothing; RuntimeError for an unknown device."""
        require_device(device_name)

    def create_context(self, device_name: str, properties: Mapping[Any, Any] | None = None) -> None:
        """Raise RuntimeError: the CPU has no memory of its own."""
        raise RuntimeError(f"{require_device(device_name)} has no memory of its own, and therefore no context")

    def get_default_context(self, device_name: str) -> None:
        """Raise RuntimeError: the CPU has no memory of its own."""
        self.create_context(device_name)

    def __repr__(self) -> str:
        return f"<Core: available plugins[{', '.join(DEVICES)}]>"


def read_model(model: Any, weights: Any = None, *, extensions: Iterable[ExtensionSource] = ()) -> Model:
    """Read an IR as ``Core().read_model`` does, with operations of Python files, modules or classes."""
    core = Core()
    core.add_extension(*extensions)
    return core.read_model(model, weights)


def compile_model(model: Any, device_name: Any = None, config: Mapping[Any, Any] | None = None) -> CompiledModel:
    """Compile a model as ``Core().compile_model`` does."""
    return Core().compile_model(model, device_name, config)


def _source(model: Any) -> tuple[str | Path | bytes, bool]:
    """Return the path or the bytes of a model, and whether it is a path."""
    if isinstance(model, str) and model.lstrip("\ufeff \t\r\n").startswith(_MARKUP):
        return model.encode(), False
    if isinstance(model, str | os.PathLike):
        return Path(model), True
    if isinstance(model, bytes):
        return model, False
    if isinstance(model, BytesIO | IOBase):
        return model.read(), False
    raise TypeError(f"a model is a path, its XML as a string or bytes, or a stream, got {model!r}")


def _weights(weights: Any, is_path: bool) -> Path | bytes | None:
    if weights is None or (isinstance(weights, str | bytes) and not weights and is_path):
        return None
    if isinstance(weights, str | os.PathLike):
        return Path(weights)
    if isinstance(weights, bytes):
        return weights
    if isinstance(weights, Tensor):
        return weights.data.tobytes()
    if isinstance(weights, BytesIO | IOBase):
        data: bytes = weights.read()
        return data
    if isinstance(weights, np.ndarray):
        return weights.tobytes()
    raise TypeError(f"weights are a path, bytes, an array, a Tensor or a stream, got {weights!r}")
