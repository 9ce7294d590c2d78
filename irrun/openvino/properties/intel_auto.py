"""Properties of the virtual device AUTO, which stands for the CPU here."""

from irrun.openvino.properties.names import Choice, Property


class SchedulePolicy(Choice):
    """The order in which devices are used."""

    ROUND_ROBIN = 0
    DEVICE_PRIORITY = 1
    DEFAULT = 1


device_bind_buffer: Property = Property("DEVICE_BIND_BUFFER", bool)
enable_runtime_fallback: Property = Property("ENABLE_RUNTIME_FALLBACK", bool)
enable_startup_fallback: Property = Property("ENABLE_STARTUP_FALLBACK", bool)
low_power_device: Property = Property("LOW_POWER_DEVICE", str)
schedule_policy: Property = Property("SCHEDULE_POLICY", SchedulePolicy)
