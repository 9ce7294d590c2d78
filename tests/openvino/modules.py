"""Checks of statements that import modules, and of the small modules beside the classes."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import numpy as np

from tests.openvino.comparing import Check


def imported(statement: str, expression: str) -> Check:
    """Return a check that runs a statement with the module in the place of ``ov`` and returns an expression."""

    def check(ov: Any) -> Any:
        names: dict[str, Any] = {}
        exec(re.sub(r"\bOV\b", ov.__name__, statement), names)
        return eval(re.sub(r"\bOV\b", ov.__name__, expression), names)

    return check


IMPORTS = {
    "import OV.opset13 as ops": "ops.parameter([1, 2], float).get_type_name()",
    "import OV.opset1 as ops": "hasattr(ops, 'relu'), hasattr(ops, 'gelu')",
    "from OV import opset8 as ops": "ops.constant([1, 2]).get_output_shape(0)",
    "from OV.opset13 import relu, constant": "relu(constant([-1.0, 2.0])).get_type_name()",
    "from OV.opset13 import no_such_builder": "None",
    "from OV import opset99": "None",
    "import OV.no_such_module": "None",
    "from OV import Core": "type(Core().available_devices).__name__",
    "from OV import Core, Model, Type, Layout": "Layout('NCHW')",
    "from OV.preprocess import PrePostProcessor, ColorFormat": "ColorFormat.BGR.name",
    "import OV.preprocess as pp": "pp.ResizeAlgorithm.RESIZE_LINEAR.name",
    "import OV.properties as props": "props.enable_profiling()",
    "import OV.properties.hint as hints": "hints.performance_mode(), hints.PerformanceMode.LATENCY.name",
    "import OV.properties.device as device": "device.full_name()",
    "from OV.properties import hint": "hint.inference_precision()",
    "from OV.op import Parameter, Constant, Result": "Parameter.__name__, Constant.__name__, Result.__name__",
    "from OV.exceptions import UserInputError, OVTypeError": "issubclass(OVTypeError, TypeError)",
    "from OV import Layout, layout_helpers": "layout_helpers.batch_idx(Layout('NCHW'))",
}


def _packing(type: str, values: list[int]) -> Check:
    def check(ov: Any) -> Any:
        helpers = import_module(f"{ov.__name__}.helpers")
        element = getattr(ov.Type, type)
        packed = helpers.pack_data(np.array(values, np.int8 if type == "i4" else np.uint8), element)
        return packed, helpers.unpack_data(packed, element, [len(values)])

    return check


def _replaced(ov: Any) -> Any:
    ops, utils = ov.opset13, import_module(f"{ov.__name__}.utils")
    x = ops.parameter([2], np.float32, name="x")
    middle = ops.relu(x)
    model = ov.Model([ops.abs(middle)], [x], "m")
    utils.replace_node(middle, ops.negative(x))
    model.validate_nodes_and_infer_types()
    return [node.get_type_name() for node in model.get_ordered_ops()], ov.compile_model(model, "CPU")(
        np.array([1, -2], np.float32)
    )[0]


def _wrong_count(ov: Any) -> Any:
    ops, utils = ov.opset13, import_module(f"{ov.__name__}.utils")
    x = ops.parameter([2], np.float32, name="x")
    utils.replace_node(ops.relu(x), ops.split(x, 0, 2).outputs())


CHECKS: dict[str, Check] = {
    **{statement: imported(statement, expression) for statement, expression in IMPORTS.items()},
    **{
        f"pack {type}": _packing(type, values)
        for type, values in {
            "u1": [1, 0, 1, 1, 0, 0, 0, 1],
            "u2": [3, 0, 1, 2],
            "u3": [7, 0, 1, 2, 3, 4, 5, 6],
            "u4": [7, 8, 15, 0],
            "i4": [7, -8, -1, 0],
            "u6": [63, 0, 21, 42],
        }.items()
    },
    "replace node": _replaced,
    "replace node by too many": _wrong_count,
}
