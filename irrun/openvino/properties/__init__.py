"""The names of properties: each is a text and a function that returns the name, or the pair of name and value."""

from irrun.openvino.properties import device, hint, intel_auto, intel_cpu, intel_gpu, log, streams
from irrun.openvino.properties.names import Choice, Property
from irrun.tensor import ElementType


class CacheMode(Choice):
    """The aim of a cache of compiled models."""

    OPTIMIZE_SIZE = 0
    OPTIMIZE_SPEED = 1


class CompatibilityCheck(Choice):
    """The answer to whether an exported model can be imported."""

    NOT_APPLICABLE = 0
    SUPPORTED = 1
    UNSUPPORTED = 2


class WorkloadType(Choice):
    """The urgency of inferences."""

    DEFAULT = 0
    EFFICIENT = 1


enable_profiling: Property = Property("PERF_COUNT", bool)
cache_dir: Property = Property("CACHE_DIR", str)
cache_mode: Property = Property("CACHE_MODE", CacheMode)
inference_num_threads: Property = Property("INFERENCE_NUM_THREADS", int)
compilation_num_threads: Property = Property("COMPILATION_NUM_THREADS", int)
num_streams: Property = streams.Streams("NUM_STREAMS", streams.Num)
enable_mmap: Property = Property("ENABLE_MMAP", bool)
enable_weightless: Property = Property("ENABLE_WEIGHTLESS", bool)
weights_path: Property = Property("WEIGHTS_PATH", str)
auto_batch_timeout: Property = Property("AUTO_BATCH_TIMEOUT", int)
force_tbb_terminate: Property = Property("FORCE_TBB_TERMINATE", bool)
key_cache_precision: Property = Property("KEY_CACHE_PRECISION", ElementType)
value_cache_precision: Property = Property("VALUE_CACHE_PRECISION", ElementType)
key_cache_group_size: Property = Property("KEY_CACHE_GROUP_SIZE", int)
value_cache_group_size: Property = Property("VALUE_CACHE_GROUP_SIZE", int)
workload_type: Property = Property("WORKLOAD_TYPE", WorkloadType)
supported_properties: Property = Property("SUPPORTED_PROPERTIES")
available_devices: Property = Property("AVAILABLE_DEVICES")
compatibility_check: Property = Property("COMPATIBILITY_CHECK")
runtime_requirements: Property = Property("RUNTIME_REQUIREMENTS")
execution_devices: Property = Property("EXECUTION_DEVICES")
model_name: Property = Property("NETWORK_NAME")
max_batch_size: Property = Property("MAX_BATCH_SIZE")
optimal_batch_size: Property = Property("OPTIMAL_BATCH_SIZE")
optimal_number_of_infer_requests: Property = Property("OPTIMAL_NUMBER_OF_INFER_REQUESTS")
range_for_async_infer_requests: Property = Property("RANGE_FOR_ASYNC_INFER_REQUESTS")
range_for_streams: Property = Property("RANGE_FOR_STREAMS")
loaded_from_cache: Property = Property("LOADED_FROM_CACHE")

__all__ = ["CacheMode", "CompatibilityCheck", "Property", "WorkloadType"]
__all__ += ["device", "hint", "intel_auto", "intel_cpu", "intel_gpu", "log", "streams"]
