"""The settings of ``compile_model``, named as in OpenVINO where it has them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from irrun.diagnostics import listing, near_match
from irrun.kernels import threads
from irrun.optimize import PASSES, Settings
from irrun.runtime.budget import MOST_ITERATIONS, UNLIMITED, Budget, default_memory
from irrun.runtime.tiers import Tier, why_not
from irrun.tensor import ElementType
from irrun.tensor.element_type import BF16, F16, F32

if TYPE_CHECKING:
    from irrun.optimize.added import Kernel, Pass

_OWN: Final = (
    "CACHE_DIR",
    "DYNAMIC_QUANTIZATION_GROUP_SIZE",
    "EXECUTION_MODE_HINT",
    "EXTENSIONS",
    "INFERENCE_NUM_THREADS",
    "INFERENCE_PRECISION_HINT",
    "LOW_MEMORY",
    "MAX_ITERATIONS",
    "MAX_MEMORY",
    "NUM_STREAMS",
    "OPTIMIZE",
    "PERFORMANCE_HINT",
    "PERFORMANCE_HINT_NUM_REQUESTS",
    "PERF_COUNT",
    "TIER",
    "TIMEOUT",
)

ACCEPTED: Final = frozenset(
    {
        "ACTIVATIONS_SCALE_FACTOR",
        "AFFINITY",
        "ALLOW_AUTO_BATCHING",
        "AUTO_BATCH_TIMEOUT",
        "CACHE_MODE",
        "COMPILATION_NUM_THREADS",
        "CPU_DENORMALS_OPTIMIZATION",
        "CPU_SPARSE_WEIGHTS_DECOMPRESSION_RATE",
        "DEVICE_BIND_BUFFER",
        "DEVICE_ID",
        "DEVICE_PROPERTIES",
        "ENABLE_CPU_PINNING",
        "ENABLE_CPU_RESERVATION",
        "ENABLE_HYPER_THREADING",
        "ENABLE_MMAP",
        "ENABLE_RUNTIME_FALLBACK",
        "ENABLE_STARTUP_FALLBACK",
        "ENABLE_TENSOR_PARALLEL",
        "ENABLE_WEIGHTLESS",
        "EXCLUSIVE_ASYNC_REQUESTS",
        "FORCE_TBB_TERMINATE",
        "KEY_CACHE_GROUP_SIZE",
        "KEY_CACHE_PRECISION",
        "KV_CACHE_PRECISION",
        "LOG_LEVEL",
        "LOW_POWER_DEVICE",
        "MODEL_DISTRIBUTION_POLICY",
        "MODEL_PRIORITY",
        "MULTI_DEVICE_PRIORITIES",
        "SCHEDULE_POLICY",
        "SCHEDULING_CORE_TYPE",
        "TBB_PARTITIONER",
        "VALUE_CACHE_GROUP_SIZE",
        "VALUE_CACHE_PRECISION",
        "WEIGHTS_PATH",
        "WORKLOAD_TYPE",
    }
)
"""Settings of OpenVINO that are accepted and ignored, because they hardly change results."""


PRECISIONS: Final = (F32, BF16, F16)
"""The types that ``INFERENCE_PRECISION_HINT`` names."""


class ConfigError(RuntimeError):
    """A setting does not exist, or does not accept the value."""


class Config(NamedTuple):
    """The settings of a compiled model. ``threads`` is None where the caller does not set their number.

    ``streams`` is the number of inferences at once that share the processors. Packed weights are kept in the folder
    ``cache``.
    """

    optimize: Settings = Settings()
    threads: int | None = None
    tier: Tier = "auto"
    budget: Budget = UNLIMITED
    streams: int = 1
    cache: Path | None = None

    def apply(self) -> None:
        """Set the number of threads for the whole process: BLAS has one setting for all callers.

        By itself BLAS follows affinity, but no quota; it gets fewer threads beside other programs.
        """
        if self.threads is not None:
            threads.set_threads(self.threads)
        threads.set_blas_threads(max(1, threads.worthwhile() // self.streams))


def known_settings() -> tuple[str, ...]:
    """Return the names of all settings."""
    return (*_OWN, *sorted(ACCEPTED))


def read_config(config: Mapping[str, Any] | str | None) -> Config:
    """Read the settings from a mapping. A text names a device and is ignored, since there is only one.

    ``CACHE_DIR`` is the folder of packed weights for later compilations, which is none by default or for an empty text.
    ``OPTIMIZE`` is True, False, or a mapping whose ``disable`` names passes to skip. ``EXECUTION_MODE_HINT`` is
    ``PERFORMANCE`` or ``ACCURACY``. ``INFERENCE_NUM_THREADS`` is a number, 0 for the default, ``NUM_STREAMS`` the
    number of inferences at once that share the threads, ``PERFORMANCE_HINT`` is ``LATENCY`` for one, or ``THROUGHPUT``
    for as many as there are threads, at most ``PERFORMANCE_HINT_NUM_REQUESTS``. ``LOW_MEMORY`` keeps
    weights in their stored element type, f16 too, even where that is slower. ``INFERENCE_PRECISION_HINT`` is ``f32``,
    ``bf16`` or ``f16``, to which the operands of products are rounded. ``DYNAMIC_QUANTIZATION_GROUP_SIZE`` is the
    number of neighbouring activations that get a common scale when they are rounded to 8 bits, for products with
    weights of 4 or 8 bits; 0, the default, does not round them. ``TIER`` is ``auto``, ``numpy`` or ``compiled``.
    ``EXTENSIONS`` are Python files, modules or classes with passes and kernels. ``MAX_MEMORY`` is a number of bytes or
    a text such as ``4GiB``, by default a share of the memory that is free; ``MAX_ITERATIONS`` and ``TIMEOUT``, in
    seconds, are numbers; None lifts any of the three limits.
    ConfigError otherwise.
    """
    given = {str(key): value for key, value in config.items()} if isinstance(config, Mapping) else {}
    for key in given:
        if key not in _OWN and key not in ACCEPTED:
            raise ConfigError(f'there is no setting "{key}"{near_match(key, (*_OWN, *ACCEPTED))}')
    passes, kernels = _additions(given.get("EXTENSIONS", ()))
    tier = _tier(given.get("TIER", os.environ.get("IRRUN_TIER", "auto")))
    return Config(
        Settings(
            given.get("OPTIMIZE") is not False,
            _disabled(given.get("OPTIMIZE", True), passes),
            _mode(given.get("EXECUTION_MODE_HINT", "PERFORMANCE")) == "ACCURACY",
            _switch("LOW_MEMORY", given.get("LOW_MEMORY", False)),
            _precision(given),
            _group_size(given),
            tier != "numpy" and why_not() is None,
            passes,
            kernels,
        ),
        _threads(given.get("INFERENCE_NUM_THREADS", 0)),
        tier,
        _budget(given),
        max(1, streams(given)),
        _folder(given.get("CACHE_DIR")),
    )


def _folder(value: Any) -> Path | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str | os.PathLike):
        raise ConfigError(f"CACHE_DIR is {value!r}, expected the path of a folder")
    return Path(value).absolute()


def streams(given: Mapping[str, Any]) -> int:
    """Return the number of inferences at once: ``NUM_STREAMS``, or as many as there are threads for ``THROUGHPUT``."""
    hint = str(getattr(given.get("PERFORMANCE_HINT"), "name", given.get("PERFORMANCE_HINT", "LATENCY")))
    wanted = given.get("NUM_STREAMS")
    if wanted is None and hint == "LATENCY":
        return 1
    if wanted is not None and str(wanted) not in ("AUTO", "-1"):
        return _count("NUM_STREAMS", wanted)
    count = _threads(given.get("INFERENCE_NUM_THREADS", 0)) or threads.threads()
    most = _count("PERFORMANCE_HINT_NUM_REQUESTS", given.get("PERFORMANCE_HINT_NUM_REQUESTS", 0))
    return min(count, most or count)


def _budget(given: Mapping[str, Any]) -> Budget:
    iterations = _number("MAX_ITERATIONS", given.get("MAX_ITERATIONS", MOST_ITERATIONS))
    seconds = _number("TIMEOUT", given.get("TIMEOUT"))
    return Budget(
        _memory(given["MAX_MEMORY"]) if "MAX_MEMORY" in given else default_memory(),
        None if iterations is None else int(iterations),
        seconds,
    )


def _memory(value: Any) -> int | None:
    if value is None:
        return None
    from irrun.diagnostics.sizes import parse_bytes

    try:
        return parse_bytes(str(value))
    except ValueError as error:
        raise ConfigError(f"MAX_MEMORY is {value!r}, {error}") from None


def _number(name: str, value: Any) -> float | None:
    """Return a positive number, or None for no limit."""
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = -1
    if not 0 < number < math.inf:
        raise ConfigError(f"{name} is {value!r}, expected a positive number or None")
    return number


def _additions(sources: Any) -> tuple[tuple[type[Pass], ...], tuple[type[Kernel], ...]]:
    """Return the passes and the kernels of sources, and of ``irrun.extend``."""
    from irrun.ops.extending import all_additions, extended
    from irrun.ops.importing import ExtensionError

    if not sources and not extended():
        return (), ()
    try:
        found = all_additions(sources if isinstance(sources, list | tuple) else [sources])
    except ExtensionError as error:
        raise ConfigError(f"EXTENSIONS: {error}") from error
    passes: dict[str, type[Pass]] = {item.name: item for additions in found for item in additions.passes}
    return tuple(passes.values()), tuple(kernel for additions in found for kernel in additions.kernels)


def _disabled(value: Any, own: Iterable[type[Pass]]) -> frozenset[str]:
    if isinstance(value, bool):
        return frozenset()
    names = value.get("disable") if isinstance(value, Mapping) and set(value) <= {"disable"} else None
    if names is None or isinstance(names, str) or not isinstance(names, Iterable):
        raise ConfigError(f'OPTIMIZE is {value!r}, expected True, False, or {{"disable": [names of passes]}}')
    known = [*(item.name for item in PASSES), *(item.name for item in own)]
    for name in names:
        if name not in known:
            raise ConfigError(f'there is no pass "{name}"{near_match(str(name), known)}')
    return frozenset(names)


def _mode(value: Any) -> str:
    mode = str(getattr(value, "name", value)).upper()
    if mode not in ("PERFORMANCE", "ACCURACY"):
        raise ConfigError(f"EXECUTION_MODE_HINT is {value!r}, expected PERFORMANCE or ACCURACY")
    return mode


def _precision(given: Mapping[str, Any]) -> ElementType:
    """Read the type that the operands of products are rounded to; one of OpenVINO's types too."""
    value = given.get("INFERENCE_PRECISION_HINT", F32.name)
    name = value.get_type_name() if hasattr(value, "get_type_name") else str(value).lower()
    found = F32 if name == "dynamic" else next((type for type in PRECISIONS if type.name == name), None)
    if found is None:
        names = [type.name for type in PRECISIONS]
        raise ConfigError(f"INFERENCE_PRECISION_HINT is {value!r}, expected {listing(names)}")
    if found is not F32 and given.get("OPTIMIZE") is False:
        raise ConfigError(
            f"INFERENCE_PRECISION_HINT is {name}, but OPTIMIZE is False: the file as written is not rounded"
        )
    return found


def _tier(value: Any) -> Tier:
    match str(value).lower():
        case "auto":
            return "auto"
        case "numpy":
            return "numpy"
        case "compiled":
            return "compiled"
    raise ConfigError(f"TIER is {value!r}, expected auto, numpy or compiled")


def _switch(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if str(value).upper() in ("YES", "NO"):
        return str(value).upper() == "YES"
    raise ConfigError(f"{name} is {value!r}, expected True or False")


def _threads(value: Any) -> int | None:
    return _count("INFERENCE_NUM_THREADS", value) or None


def _count(name: str, value: Any) -> int:
    try:
        count = int(value)
    except (TypeError, ValueError):
        count = -1
    if count < 0:
        raise ConfigError(f"{name} is {value!r}, expected an integer of at least 0")
    return count


def _group_size(given: Mapping[str, Any]) -> int:
    """Read the number of activations that have a common scale."""
    value = given.get("DYNAMIC_QUANTIZATION_GROUP_SIZE", 0)
    try:
        size = -1 if isinstance(value, bool) else int(str(value))
    except ValueError:
        size = -1
    if size < 0:
        raise ConfigError(f"DYNAMIC_QUANTIZATION_GROUP_SIZE is {value!r}, expected an integer of at least 0")
    if size and given.get("OPTIMIZE") is False:
        raise ConfigError(
            f"DYNAMIC_QUANTIZATION_GROUP_SIZE is {size}, but OPTIMIZE is False: the file as written is not rounded"
        )
    return size
