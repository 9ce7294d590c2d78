"""Names of properties of GPUs that say what a model is for."""

from irrun.openvino.properties.hint import Priority
from irrun.openvino.properties.names import Property

ThrottleLevel = Priority

queue_throttle: Property = Property("GPU_QUEUE_THROTTLE", Priority)
queue_priority: Property = Property("GPU_QUEUE_PRIORITY", Priority)
host_task_priority: Property = Property("GPU_HOST_TASK_PRIORITY", Priority)
available_device_mem: Property = Property("AVAILABLE_DEVICE_MEM_SIZE", int)
