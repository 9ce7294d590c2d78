"""Properties of devices."""

from typing import Final

from irrun.openvino.properties.names import Choice, Groups, Names, Property


class Type(Choice):
    """The place of a device in a computer."""

    INTEGRATED = 0
    DISCRETE = 1


class Capability:
    """Names of abilities of a device, as ``capabilities`` lists them."""

    FP32: Final = "FP32"
    BF16: Final = "BF16"
    FP16: Final = "FP16"
    INT8: Final = "INT8"
    INT16: Final = "INT16"
    BIN: Final = "BIN"
    WINOGRAD: Final = "WINOGRAD"
    EXPORT_IMPORT: Final = "EXPORT_IMPORT"


full_name: Property = Property("FULL_DEVICE_NAME")
architecture: Property = Property("DEVICE_ARCHITECTURE")
capabilities: Property = Property("OPTIMIZATION_CAPABILITIES")
type: Property = Property("DEVICE_TYPE")
id: Property = Property("DEVICE_ID", str)
gops: Property = Property("DEVICE_GOPS")
luid: Property = Property("DEVICE_LUID")
pci_info: Property = Property("DEVICE_PCI_INFO")
thermal: Property = Property("DEVICE_THERMAL")
uuid: Property = Property("DEVICE_UUID")
priorities: Property = Names("MULTI_DEVICE_PRIORITIES", str)
properties: Property = Groups("DEVICE_PROPERTIES", dict)
