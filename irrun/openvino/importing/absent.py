"""Names of OpenVINO that irrun does not have, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_DEVICE: Final = "no device has memory of its own"
CONVERSION: Final = "only IR files are read; OpenVINO converts models of other frameworks to IR"

ABSENT: Final[Mapping[str, str]] = {
    "frontend": CONVERSION,
    "runtime": "the names of openvino.runtime are those of irrun.openvino itself",
    **dict.fromkeys(
        ("tools", "torchvision"),
        "it needs an installed OpenVINO, whose module runs on irrun with python -m irrun.openvino",
    ),
    "torch": CONVERSION,
    "RemoteContext": _DEVICE,
    "RemoteTensor": _DEVICE,
    "VAContext": _DEVICE,
    "VASurfaceTensor": _DEVICE,
    **dict.fromkeys(
        ("set_output_size", "set_output_type", "visit_attributes"), "only Op has it, for custom operations"
    ),
    "get_symbols": "patterns do not name sizes",
    **dict.fromkeys(("attrs_match", "shape_matches"), "patterns do not name sizes; a function compares them"),
    "VisualizeTree": "networkx draws model.graph",
    **dict.fromkeys(("graph_rewrite", "manager"), "the classes are in passes itself"),
    **dict.fromkeys(
        (
            *("ArithmeticReduction", "BinaryElementwiseArithmetic", "BinaryElementwiseComparison"),
            *("BinaryElementwiseLogical", "IndexReduction", "UnaryElementwiseArithmetic"),
        ),
        "no node has an abstract class",
    ),
    **dict.fromkeys(
        (
            *("classproperty", "data_helpers", "deprecated", "deprecatedclassproperty", "get_cmake_path"),
            *("input_validation", "make_postponed_constant", "numpy_to_c", "postponed_constant"),
        ),
        "internal to OpenVINO",
    ),
    "get_version": "it is in the main module",
    "experimental": "inference keeps the bounds of values in Model.facts",
    "package_utils": "these are tools of OpenVINO's own packages",
}
