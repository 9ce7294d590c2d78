"""Variables, and the connections of bodies, as OpenVINO's ``op.util``."""

from irrun.api.descriptions import (
    BodyOutputDescription,
    ConcatOutputDescription,
    InvariantInputDescription,
    MergedInputDescription,
    SliceInputDescription,
)
from irrun.api.variables import Variable, VariableInfo

__all__ = [
    "BodyOutputDescription",
    "ConcatOutputDescription",
    "InvariantInputDescription",
    "MergedInputDescription",
    "SliceInputDescription",
    "Variable",
    "VariableInfo",
]
