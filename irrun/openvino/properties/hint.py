"""Properties that say what a model is for."""

from irrun.openvino.properties.names import Choice, Property
from irrun.tensor import ElementType


class PerformanceMode(Choice):
    """The aim of the tuning of a device."""

    LATENCY = 1
    THROUGHPUT = 2
    CUMULATIVE_THROUGHPUT = 3


class ExecutionMode(Choice):
    """The preferred aim: speed or accuracy."""

    PERFORMANCE = 1
    ACCURACY = 2


class Priority(Choice):
    """The priority of a model among others."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2
    DEFAULT = 1


class SchedulingCoreType(Choice):
    """The cores to use."""

    ANY_CORE = 0
    PCORE_ONLY = 1
    ECORE_ONLY = 2


class ModelDistributionPolicy(Choice):
    """The division of a model between processors."""

    TENSOR_PARALLEL = 0
    PIPELINE_PARALLEL = 1


model: Property = Property("MODEL_PTR", object)
performance_mode: Property = Property("PERFORMANCE_HINT", PerformanceMode)
execution_mode: Property = Property("EXECUTION_MODE_HINT", ExecutionMode)
inference_precision: Property = Property("INFERENCE_PRECISION_HINT", ElementType)
num_requests: Property = Property("PERFORMANCE_HINT_NUM_REQUESTS", int)
model_priority: Property = Property("MODEL_PRIORITY", Priority)
model_distribution_policy: Property = Property("MODEL_DISTRIBUTION_POLICY", set, frozenset)
enable_cpu_pinning: Property = Property("ENABLE_CPU_PINNING", bool)
enable_cpu_reservation: Property = Property("ENABLE_CPU_RESERVATION", bool)
enable_hyper_threading: Property = Property("ENABLE_HYPER_THREADING", bool)
scheduling_core_type: Property = Property("SCHEDULING_CORE_TYPE", SchedulingCoreType)
allow_auto_batching: Property = Property("ALLOW_AUTO_BATCHING", bool)
dynamic_quantization_group_size: Property = Property("DYNAMIC_QUANTIZATION_GROUP_SIZE", int)
kv_cache_precision: Property = Property("KV_CACHE_PRECISION", ElementType)
activations_scale_factor: Property = Property("ACTIVATIONS_SCALE_FACTOR", int, float)
