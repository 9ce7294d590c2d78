"""Variables of a model, as OpenVINO's ``Variable``."""

from __future__ import annotations

from typing import NamedTuple

from irrun.api.shapes import PartialShape
from irrun.api.types import Type


class VariableInfo(NamedTuple):
    """The type, shape and name of a variable."""

    data_shape: PartialShape
    data_type: Type
    variable_id: str


class Variable:
    """A variable that a model reads and writes."""

    def __init__(self, info: VariableInfo) -> None:
        self.info = info

    def get_info(self) -> VariableInfo:
        return self.info

    def get_id(self) -> str:
        return self.info.variable_id
