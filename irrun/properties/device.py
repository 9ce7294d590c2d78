"""Properties of devices."""

from irrun.properties.names import Property

full_name = Property("FULL_DEVICE_NAME")
architecture = Property("DEVICE_ARCHITECTURE")
capabilities = Property("OPTIMIZATION_CAPABILITIES")
type = Property("DEVICE_TYPE")
id = Property("DEVICE_ID")
priorities = Property("MULTI_DEVICE_PRIORITIES")
properties = Property("DEVICE_PROPERTIES")
