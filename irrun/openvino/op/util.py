"""Variables, and the connections of bodies, as OpenVINO's ``op.util``."""

from irrun.openvino.nodes.descriptions import (
    BodyOutputDescription,
    ConcatOutputDescription,
    InvariantInputDescription,
    MergedInputDescription,
    SliceInputDescription,
)
from irrun.openvino.nodes.variables import Variable, VariableInfo

__all__ = ["BodyOutputDescription", "ConcatOutputDescription"]
__all__ += ["InvariantInputDescription", "MergedInputDescription", "SliceInputDescription", "Variable", "VariableInfo"]
