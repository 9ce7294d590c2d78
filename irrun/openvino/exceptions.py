"""The exceptions that OpenVINO's Python code raises beside RuntimeError, for programs that catch them."""


class OVError(Exception):
    """Base class of these exceptions."""


class UserInputError(OVError):
    """An argument of a builder is wrong."""


class OVTypeError(OVError, TypeError):
    """An argument has a wrong type."""
