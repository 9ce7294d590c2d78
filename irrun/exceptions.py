"""The exceptions of OpenVINO's Python code."""

from irrun.api.errors import OVError, OVTypeError, UserInputError

__all__ = ["OVError", "OVTypeError", "UserInputError"]
