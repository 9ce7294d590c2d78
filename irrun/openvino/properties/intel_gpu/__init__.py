"""Names of properties of GPUs, for programs that choose by them: there is one device, the CPU."""

from typing import Final

from irrun.openvino.properties.intel_gpu import hint
from irrun.openvino.properties.names import Property


class MemoryType:
    """Names of kinds of memory."""

    buffer: Final = "GPU_BUFFER"
    surface: Final = "GPU_SURFACE"


class CapabilityGPU:
    """Names of abilities of a GPU."""

    HW_MATMUL: Final = "GPU_HW_MATMUL"
    USM_MEMORY: Final = "GPU_USM_MEMORY"


device_total_mem_size: Property = Property("GPU_DEVICE_TOTAL_MEM_SIZE")
uarch_version: Property = Property("GPU_UARCH_VERSION")
execution_units_count: Property = Property("GPU_EXECUTION_UNITS_COUNT")
memory_statistics: Property = Property("GPU_MEMORY_STATISTICS")
enable_loop_unrolling: Property = Property("GPU_ENABLE_LOOP_UNROLLING", bool)
disable_winograd_convolution: Property = Property("GPU_DISABLE_WINOGRAD_CONVOLUTION", bool)

__all__ = ["CapabilityGPU", "MemoryType", "hint"]
