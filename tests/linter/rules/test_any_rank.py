"""Bodies whose Parameters accept any rank, as OpenVINO's converter leaves them where a model gets its shapes later."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from irrun.linter import lint
from tests.engines import need

openvino = need("openvino")


def choice() -> openvino.Model:
    """Return a model with an If, both bodies of which are a ReLU."""
    from openvino import opset13 as ops

    condition, data = ops.parameter([], np.bool_, name="condition"), ops.parameter([2, 3], np.float32, name="data")
    bodies = []
    for _ in range(2):
        x = ops.parameter([2, 3], np.float32, name="x")
        bodies.append(openvino.Model([ops.result(ops.relu(x))], [x], "body"))
    node = ops.if_op(condition)
    node.set_then_body(bodies[0])
    node.set_else_body(bodies[1])
    node.set_input(data.output(0), *(body.get_parameters()[0] for body in bodies))
    node.set_output(*(body.get_results()[0] for body in bodies))
    return openvino.Model([ops.result(node.output(0))], [condition, data], "model")


@pytest.mark.parametrize(("shape", "codes"), [("...", []), ("", ["IR401"])])
def test_a_port_without_dims_is_of_any_rank_where_its_layer_says_so(
    shape: str, codes: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "model.xml"
    openvino.save_model(choice(), path)
    before, start, rest = path.read_text(encoding="utf-8").partition("<then_body>")
    body, end, behind = rest.partition("</then_body>")
    body = re.sub(r"\s*<dim>\d</dim>", "", body.replace('shape="2,3"', f'shape="{shape}"'))
    path.write_text(before + start + body + end + behind, encoding="utf-8")
    assert [item.code for item in lint(path)] == codes
