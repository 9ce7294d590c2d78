"""The names of properties: each is a function that returns the name, or the pair of name and value."""

from irrun.properties import device, hint, log
from irrun.properties.names import Property

enable_profiling = Property("PERF_COUNT")
cache_dir = Property("CACHE_DIR")
cache_mode = Property("CACHE_MODE")
inference_num_threads = Property("INFERENCE_NUM_THREADS")
compilation_num_threads = Property("COMPILATION_NUM_THREADS")
num_streams = Property("NUM_STREAMS")
enable_mmap = Property("ENABLE_MMAP")
weights_path = Property("WEIGHTS_PATH")
auto_batch_timeout = Property("AUTO_BATCH_TIMEOUT")
force_tbb_terminate = Property("FORCE_TBB_TERMINATE")
supported_properties = Property("SUPPORTED_PROPERTIES")
available_devices = Property("AVAILABLE_DEVICES")
execution_devices = Property("EXECUTION_DEVICES")
model_name = Property("NETWORK_NAME")
optimal_number_of_infer_requests = Property("OPTIMAL_NUMBER_OF_INFER_REQUESTS")
range_for_async_infer_requests = Property("RANGE_FOR_ASYNC_INFER_REQUESTS")
range_for_streams = Property("RANGE_FOR_STREAMS")
loaded_from_cache = Property("LOADED_FROM_CACHE")

__all__ = ["Property", "device", "hint", "log"]
