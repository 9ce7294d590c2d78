"""Inputs in the byte order of another machine have the values and the results of those in this one's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.model import InputError, build, load
from tests.nets import Net


def model(folder: Path, type: str, operation: str, kernels: str) -> Any:
    net = Net()
    x = net.parameter("x", "?", type)
    net.result(x)
    net.result(net.layer(operation, [x], **{"destination_type": "i64"} if operation == "Convert" else {}))
    return build(load(net.save(folder / "net.xml")), {"TIER": kernels})


@pytest.mark.parametrize("kernels", ["numpy", "compiled"])
@pytest.mark.parametrize("operation", ["Abs", "Sign", "Convert"])
def test_values_and_results(tmp_path: Path, operation: str, kernels: str, subtests: pytest.Subtests) -> None:
    values = [1, 0, 5]
    for type in ("dynamic", "f32", "f16", "i32", "f8e4m3"):
        dtype = {"f16": "f2", "i32": "i4"}.get(type, "f4")
        for order in "<>":
            with subtests.test(type=type, order=order):
                results = model(tmp_path, type, operation, kernels)([np.array(values, f"{order}{dtype}")])
                assert results[0].tolist() == values
                assert results[1].tolist() == ([1, 0, 1] if operation == "Sign" else values)
                assert results[0].dtype.isnative


@pytest.mark.parametrize("value", [np.array([1j]), np.array(["2026-01-01"], "datetime64[D]"), np.zeros(1, "i4,i4")])
def test_an_input_of_dynamic_type_has_an_element_type(tmp_path: Path, value: Any) -> None:
    with pytest.raises(InputError, match=r'^input "x" is .*, expected dynamic$'):
        model(tmp_path, "dynamic", "Abs", "numpy")([value])
