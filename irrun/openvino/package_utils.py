"""Tools of OpenVINO's own packages, whose names only are here."""

from __future__ import annotations

from irrun.openvino.importing.absent import ABSENT
from irrun.openvino.importing.refused import refused_class, refused_function

LazyLoader: type = refused_class("LazyLoader", ABSENT["package_utils"])
classproperty, deprecated, deprecatedclassproperty, get_cmake_path = (
    refused_function(name, ABSENT["package_utils"])
    for name in ("classproperty", "deprecated", "deprecatedclassproperty", "get_cmake_path")
)

__all__ = ["LazyLoader", "classproperty", "deprecated", "deprecatedclassproperty", "get_cmake_path"]
