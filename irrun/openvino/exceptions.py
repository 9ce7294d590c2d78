"""The exceptions of OpenVINO's Python code."""

from irrun.openvino.values.errors import OVError, OVTypeError, UserInputError

__all__ = ["OVError", "OVTypeError", "UserInputError"]
