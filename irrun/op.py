"""Nodes with classes of their own, as OpenVINO's ``op``."""

from irrun.api.op import Constant, Parameter, Result

__all__ = ["Constant", "Parameter", "Result"]
