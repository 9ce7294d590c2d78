"""Properties that say what a model is for."""

from enum import Enum

from irrun.properties.names import Property


class PerformanceMode(Enum):
    """The aim of the tuning of a device."""

    LATENCY = 1
    THROUGHPUT = 2
    CUMULATIVE_THROUGHPUT = 3


class ExecutionMode(Enum):
    """The preferred aim: speed or accuracy."""

    PERFORMANCE = 1
    ACCURACY = 2


class Priority(Enum):
    """The priority of a model among others."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2
    DEFAULT = 1  # noqa: PIE796


class SchedulingCoreType(Enum):
    """The cores to use."""

    ANY_CORE = 0
    PCORE_ONLY = 1
    ECORE_ONLY = 2


performance_mode = Property("PERFORMANCE_HINT")
execution_mode = Property("EXECUTION_MODE_HINT")
inference_precision = Property("INFERENCE_PRECISION_HINT")
num_requests = Property("PERFORMANCE_HINT_NUM_REQUESTS")
model_priority = Property("MODEL_PRIORITY")
enable_cpu_pinning = Property("ENABLE_CPU_PINNING")
enable_cpu_reservation = Property("ENABLE_CPU_RESERVATION")
enable_hyper_threading = Property("ENABLE_HYPER_THREADING")
scheduling_core_type = Property("SCHEDULING_CORE_TYPE")
allow_auto_batching = Property("ALLOW_AUTO_BATCHING")
dynamic_quantization_group_size = Property("DYNAMIC_QUANTIZATION_GROUP_SIZE")
kv_cache_precision = Property("KV_CACHE_PRECISION")
activations_scale_factor = Property("ACTIVATIONS_SCALE_FACTOR")
