"""Tools of OpenVINO's own packages, whose names only are here."""

from __future__ import annotations

from typing import Final

from irrun.openvino.importing.absent import ABSENT
from irrun.openvino.importing.refused import Refused, refused_class, refused_function

_REASON: Final = ABSENT["package_utils"]

LazyLoader: type = refused_class("LazyLoader", _REASON)
classproperty: Refused = refused_function("classproperty", _REASON)
deprecated: Refused = refused_function("deprecated", _REASON)
deprecatedclassproperty: Refused = refused_function("deprecatedclassproperty", _REASON)
get_cmake_path: Refused = refused_function("get_cmake_path", _REASON)

__all__ = ["LazyLoader", "classproperty", "deprecated", "deprecatedclassproperty", "get_cmake_path"]
