"""The properties of devices: those with a meaning here, and those that are accepted and have none."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from typing import Any, Final

from irrun.diagnostics import listing, near_match
from irrun.kernels import threads
from irrun.model.config import ACCEPTED, ConfigError, known_settings, streams
from irrun.openvino.properties import CacheMode
from irrun.openvino.properties.device import Type as DeviceType
from irrun.openvino.properties.hint import (
    ExecutionMode,
    ModelDistributionPolicy,
    PerformanceMode,
    Priority,
    SchedulingCoreType,
)
from irrun.openvino.properties.intel_cpu import TbbPartitioner
from irrun.openvino.properties.log import Level
from irrun.openvino.properties.names import Choice
from irrun.openvino.properties.streams import Num
from irrun.openvino.values.rt_info import OVAny
from irrun.openvino.values.types import Type, as_element, of_element
from irrun.tensor.element_type import BY_NAME

DEVICES: Final = ("CPU",)
_VIRTUAL: Final = frozenset({"AUTO", "MULTI", "HETERO", "BATCH"})
"""Devices of OpenVINO that distribute a model over others, of which there is one."""


_DEFAULTS: Final[Mapping[str, Any]] = {
    "NUM_STREAMS": 1,
    "INFERENCE_NUM_THREADS": 0,
    "PERF_COUNT": False,
    "INFERENCE_PRECISION_HINT": of_element(BY_NAME["f32"]),
    "PERFORMANCE_HINT": PerformanceMode.LATENCY,
    "EXECUTION_MODE_HINT": ExecutionMode.PERFORMANCE,
    "PERFORMANCE_HINT_NUM_REQUESTS": 0,
    "ENABLE_CPU_PINNING": False,
    "ENABLE_CPU_RESERVATION": False,
    "SCHEDULING_CORE_TYPE": SchedulingCoreType.ANY_CORE,
    "MODEL_DISTRIBUTION_POLICY": frozenset(),
    "ENABLE_HYPER_THREADING": True,
    "DEVICE_ID": "",
    "CPU_DENORMALS_OPTIMIZATION": False,
    "LOG_LEVEL": Level.NO,
    "CPU_SPARSE_WEIGHTS_DECOMPRESSION_RATE": 1.0,
    "ENABLE_TENSOR_PARALLEL": False,
    "TBB_PARTITIONER": TbbPartitioner.STATIC,
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
    "KV_CACHE_PRECISION": of_element(BY_NAME["f32"]),
    "KEY_CACHE_PRECISION": of_element(BY_NAME["f32"]),
    "VALUE_CACHE_PRECISION": of_element(BY_NAME["f32"]),
    "KEY_CACHE_GROUP_SIZE": 0,
    "VALUE_CACHE_GROUP_SIZE": 0,
    "ENABLE_WEIGHTLESS": False,
    "WEIGHTS_PATH": "",
    "CACHE_DIR": "",
    "CACHE_MODE": CacheMode.OPTIMIZE_SPEED,
    "MODEL_PRIORITY": Priority.MEDIUM,
}
"""The settings whose values are checked and converted to the kind of these, which hold without one; others stay as they
are given."""

_LEVELS: Final = {"LOG_NONE": "NO", "LOG_ERROR": "ERR"}
_BOOLEANS: Final = {"YES": True, "TRUE": True, "1": True, "NO": False, "FALSE": False, "0": False}


def plain(config: Any) -> dict[str, Any]:
    """Return settings by name, with values of their kinds; ConfigError where one has no such value."""
    if config is not None and not isinstance(config, Mapping):
        raise TypeError(f"settings are a mapping, got {config!r}")
    return {name_of(key): _value(name_of(key), value) for key, value in (config or {}).items()}


def name_of(key: Any) -> str:
    """Return the name of a property; TypeError where it is not text."""
    if not isinstance(key, str):
        raise TypeError(f"the name of a property is a string, got {key!r}")
    return str(key)


def _value(name: str, value: Any) -> Any:
    value = value.value if isinstance(value, OVAny) else value
    if name not in _DEFAULTS:
        return value
    if name == "NUM_STREAMS":
        return _streams(value)
    kind: Any = ModelDistributionPolicy if name == "MODEL_DISTRIBUTION_POLICY" else type(_DEFAULTS[name])
    if kind is Type:
        return _type(name, value)
    if issubclass(kind, Choice):
        return value if isinstance(value, kind | set | frozenset) else _choice(name, value, kind)
    if kind is bool:
        if not isinstance(value, bool | str) or str(value).upper() not in _BOOLEANS:
            raise ConfigError(f"{name} is {value!r}, expected True, False, YES or NO")
        return _BOOLEANS[str(value).upper()]
    try:
        number = kind(value)
    except (TypeError, ValueError):
        raise ConfigError(f"{name} is {value!r}, expected {kind.__name__}") from None
    if kind is int and number < 0:
        raise ConfigError(f"{name} is {value!r}, expected an integer of at least 0")
    return number


def _streams(value: Any) -> int:
    """Return a number of streams; -1 for one that is chosen."""
    if isinstance(value, Num):
        return value.to_integer()
    try:
        return {"AUTO": -1, "NUMA": 1}.get(value) or int(value)
    except (TypeError, ValueError):
        raise ConfigError(f"NUM_STREAMS is {value!r}, expected a number or AUTO") from None


def _type(name: str, value: Any) -> Type:
    if isinstance(value, Type):
        return value
    text = str(value).lower().replace("fp", "f")
    if text not in BY_NAME:
        raise ConfigError(f"{name} is {value!r}, expected an element type{near_match(text, BY_NAME)}")
    return of_element(as_element(text))


def _choice(name: str, value: Any, kind: type[Choice]) -> Any:
    names = list(kind.__members__)
    text = str(value)
    if kind is Level:
        names = [f"LOG_{item}" for item in ("NONE", "ERROR", "WARNING", "INFO", "DEBUG", "TRACE")]
        text = _LEVELS.get(text, text.removeprefix("LOG_")) if text in names else ""
    if text not in kind.__members__:
        raise ConfigError(f"{name} is {value!r}, expected {listing(names)}")
    found = kind[text]
    return {found} if kind is ModelDistributionPolicy else found


def require_device(name: str) -> str:
    """Return the device behind a name such as ``CPU`` or ``AUTO:CPU``; RuntimeError where there is none."""
    first, _, rest = name.partition(":")
    if first in _VIRTUAL and all(item.strip("-^") in DEVICES for item in rest.split(",") if item):
        return DEVICES[0]
    if first not in DEVICES or rest:
        raise RuntimeError(f'there is no device "{name}", expected {listing(DEVICES)}')
    return first


_READ_ONLY: Final = (
    *("AVAILABLE_DEVICES", "DEVICE_ARCHITECTURE", "DEVICE_TYPE", "EXECUTION_DEVICES", "FULL_DEVICE_NAME"),
    *("OPTIMIZATION_CAPABILITIES", "RANGE_FOR_ASYNC_INFER_REQUESTS", "RANGE_FOR_STREAMS", "SUPPORTED_PROPERTIES"),
)


def _readable() -> list[str]:
    """Return the settings that have a value without being set."""
    return list(dict.fromkeys((*_DEFAULTS, *(name for name in known_settings() if name not in ACCEPTED))))


def device_property(name: str, own: Mapping[str, Any]) -> Any:
    """Return a property of the device; RuntimeError where there is none."""
    match name:
        case "FULL_DEVICE_NAME":
            return platform.processor() or platform.machine()
        case "AVAILABLE_DEVICES":
            return [""]
        case "OPTIMIZATION_CAPABILITIES":
            return ["BF16", "FP32", "INT8", "BIN", "EXPORT_IMPORT"]
        case "DEVICE_ARCHITECTURE":
            return "intel64" if platform.machine().lower() in ("x86_64", "amd64") else platform.machine()
        case "DEVICE_TYPE":
            return DeviceType.INTEGRATED
        case "RANGE_FOR_STREAMS":
            return (1, os.cpu_count() or 1)
        case "RANGE_FOR_ASYNC_INFER_REQUESTS":
            return (1, 1, 1)
        case "EXECUTION_DEVICES":
            return [DEVICES[0]]
        case "SUPPORTED_PROPERTIES":
            return dict.fromkeys(_READ_ONLY, "RO") | dict.fromkeys(_readable(), "RW")
        case "NUM_STREAMS" if own.get(name, 1) < 0:
            return 1
    if name in own:
        return own[name]
    if name in _DEFAULTS:
        return _DEFAULTS[name]
    if name in _readable():
        return ""
    raise RuntimeError(f'there is no property "{name}"{near_match(name, (*known_settings(), *_READ_ONLY))}')


_OF_MODEL: Final = ("NETWORK_NAME", "OPTIMAL_NUMBER_OF_INFER_REQUESTS", "LOADED_FROM_CACHE")
_TEXTS: Final = ("PERFORMANCE_HINT", "PERFORMANCE_HINT_NUM_REQUESTS")
"""Properties that a compiled model returns as texts, as in OpenVINO."""


def model_property(name: str, model_name: str, own: Mapping[str, Any]) -> Any:
    """Return a property of a compiled model; RuntimeError where there is none."""
    match name:
        case "NETWORK_NAME":
            return model_name
        case "OPTIMAL_NUMBER_OF_INFER_REQUESTS":
            return max(streams(own), 1)
        case "NUM_STREAMS":
            return streams(own)
        case "LOADED_FROM_CACHE":
            return False
        case "SUPPORTED_PROPERTIES":
            return dict.fromkeys((*_OF_MODEL, "EXECUTION_DEVICES", *_readable()), "RO")
        case "INFERENCE_NUM_THREADS" if not own.get(name):
            return threads.threads()
        case "PERF_COUNT":
            return "YES" if own.get(name) else "NO"
    found = device_property(name, own)
    return str(getattr(found, "name", found)) if name in _TEXTS else found


__all__ = ["DEVICES", "device_property", "model_property", "name_of", "plain", "require_device"]
