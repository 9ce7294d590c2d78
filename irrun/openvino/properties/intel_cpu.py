"""Properties of the CPU."""

from irrun.openvino.properties.names import Choice, Property


class TbbPartitioner(Choice):
    """The division of work between threads."""

    STATIC = 1
    AUTO = 2


denormals_optimization: Property = Property("CPU_DENORMALS_OPTIMIZATION", bool)
sparse_weights_decompression_rate: Property = Property("CPU_SPARSE_WEIGHTS_DECOMPRESSION_RATE", int, float)
tbb_partitioner: Property = Property("TBB_PARTITIONER", TbbPartitioner)
