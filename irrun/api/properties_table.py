"""The properties of devices: those with a meaning here, and those that are accepted and have none."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from typing import Any, Final

from irrun.diagnostics import near_match
from irrun.kernels import threads
from irrun.model.config import ConfigError, known_settings

DEVICES: Final = ("CPU",)
_VIRTUAL: Final = frozenset({"AUTO", "MULTI", "HETERO", "BATCH"})
"""Devices of OpenVINO that distribute a model over others, of which there is one."""

_HINTS: Final[Mapping[str, frozenset[str]]] = {
    "PERFORMANCE_HINT": frozenset({"LATENCY", "THROUGHPUT", "CUMULATIVE_THROUGHPUT"}),
    "EXECUTION_MODE_HINT": frozenset({"PERFORMANCE", "ACCURACY"}),
    "MODEL_PRIORITY": frozenset({"LOW", "MEDIUM", "HIGH", "DEFAULT"}),
    "SCHEDULING_CORE_TYPE": frozenset({"ANY_CORE", "PCORE_ONLY", "ECORE_ONLY"}),
}

_DEFAULTS: Final[Mapping[str, Any]] = {
    "NUM_STREAMS": 1,
    "INFERENCE_NUM_THREADS": 0,
    "PERFORMANCE_HINT": "LATENCY",
    "PERFORMANCE_HINT_NUM_REQUESTS": 0,
    "EXECUTION_MODE_HINT": "PERFORMANCE",
    "INFERENCE_PRECISION_HINT": "f32",
    "PERF_COUNT": False,
    "CACHE_DIR": "",
    "ENABLE_MMAP": True,
    "ENABLE_CPU_PINNING": False,
    "ENABLE_HYPER_THREADING": True,
    "LOG_LEVEL": "LOG_NONE",
    "AFFINITY": "NONE",
    "SCHEDULING_CORE_TYPE": "ANY_CORE",
}


def plain(config: Mapping[Any, Any] | None) -> dict[str, Any]:
    """Return settings with names and values as plain texts and numbers, from the objects of ``properties`` too."""
    return {_name(key): _plain_value(value) for key, value in (config or {}).items()}


def _name(key: Any) -> str:
    return key() if callable(key) else str(key)


def _plain_value(value: Any) -> Any:
    from irrun.api.types import Type

    if isinstance(value, Type):
        return value.type_name
    return getattr(value, "name", value)


def require_device(name: str) -> str:
    """Return the device behind a name such as ``CPU``, ``CPU.0`` or ``AUTO``; RuntimeError where there is none."""
    first, _, rest = name.partition(":")
    base = first.split(".")[0]
    if base in _VIRTUAL and all(item.strip("-^").split(".")[0] in DEVICES for item in rest.split(",") if item):
        return DEVICES[0]
    if base not in DEVICES or rest:
        raise RuntimeError(f'there is no device "{name}"{near_match(name, DEVICES)}; there is {", ".join(DEVICES)}')
    return base


def require_known(config: Mapping[str, Any]) -> None:
    """Raise ConfigError where a hint has no such value."""
    for name, value in config.items():
        allowed = _HINTS.get(name)
        if allowed is not None and str(value) not in allowed:
            raise ConfigError(f"{name} is {value!r}, expected {', '.join(sorted(allowed))}")


def device_property(name: str, own: Mapping[str, Any]) -> Any:
    """Return a property of the device; RuntimeError where there is none."""
    match name:
        case "FULL_DEVICE_NAME":
            return platform.processor() or platform.machine()
        case "AVAILABLE_DEVICES":
            return [""]
        case "OPTIMIZATION_CAPABILITIES":
            return ["FP32", "INT8", "BIN", "EXPORT_IMPORT"]
        case "DEVICE_ARCHITECTURE":
            return platform.machine()
        case "DEVICE_TYPE":
            return "INTEGRATED"
        case "RANGE_FOR_STREAMS":
            return (1, os.cpu_count() or 1)
        case "RANGE_FOR_ASYNC_INFER_REQUESTS":
            return (1, 1, 1)
        case "EXECUTION_DEVICES":
            return [DEVICES[0]]
        case "SUPPORTED_PROPERTIES":
            return sorted({*known_settings(), *_READ_ONLY})
    if name in own:
        return own[name]
    if name in _DEFAULTS:
        return _DEFAULTS[name]
    if name in known_settings():
        return ""
    raise RuntimeError(f'there is no property "{name}"{near_match(name, (*known_settings(), *_READ_ONLY))}')


_READ_ONLY: Final = (
    *("AVAILABLE_DEVICES", "DEVICE_ARCHITECTURE", "DEVICE_TYPE", "EXECUTION_DEVICES", "FULL_DEVICE_NAME"),
    *("OPTIMIZATION_CAPABILITIES", "RANGE_FOR_ASYNC_INFER_REQUESTS", "RANGE_FOR_STREAMS", "SUPPORTED_PROPERTIES"),
)
_OF_MODEL: Final = ("NETWORK_NAME", "OPTIMAL_NUMBER_OF_INFER_REQUESTS", "LOADED_FROM_CACHE")


def model_property(name: str, model_name: str, own: Mapping[str, Any]) -> Any:
    """Return a property of a compiled model; RuntimeError where there is none."""
    match name:
        case "NETWORK_NAME":
            return model_name
        case "OPTIMAL_NUMBER_OF_INFER_REQUESTS":
            return 1
        case "LOADED_FROM_CACHE":
            return False
        case "SUPPORTED_PROPERTIES":
            return sorted({*known_settings(), *_OF_MODEL, "EXECUTION_DEVICES"})
        case "INFERENCE_NUM_THREADS" if not own.get(name):
            return threads.threads()
    return device_property(name, own)


__all__ = ["DEVICES", "device_property", "model_property", "plain", "require_device", "require_known"]
