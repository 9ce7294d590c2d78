"""Graphs that cannot run are refused before they are optimised, with the findings of the linter."""

from __future__ import annotations

import re

import numpy as np
import pytest

import irrun.model

NET = """<net name="n" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2,3" element_type="f32"/>
  <output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>
{layers}
<layer id="9" name="y" type="Result" version="opset1">
  <input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input></layer>
</layers><edges>{edges}</edges></net>"""

PORT = '<port id="{}" precision="FP32"><dim>2</dim><dim>3</dim></port>'


def layer(type: str, inputs: int, data: str = "", id: int = 1, version: str = "opset1") -> str:
    ports = "".join(PORT.format(index) for index in range(inputs))
    output = f"<output>{PORT.format(inputs)}</output>"
    return (
        f'<layer id="{id}" name="l{id}" type="{type}" version="{version}">{data}<input>{ports}</input>{output}</layer>'
    )


def edge(source: int, port: int, target: int, to: int = 0) -> str:
    return f'<edge from-layer="{source}" from-port="{port}" to-layer="{target}" to-port="{to}"/>'


def refusal(text: str, config: object) -> tuple[str, ...]:
    with pytest.raises(irrun.IRError) as caught:
        irrun.model.build(irrun.model.load(text.encode()), config)
    return tuple(item.code for item in caught.value.diagnostics)


@pytest.mark.parametrize("config", [{}, {"OPTIMIZE": False}], ids=["optimized", "as written"])
@pytest.mark.parametrize(
    ("layers", "edges", "code"),
    [
        (layer("MatMul", 0), edge(1, 0, 9), "IR307"),
        (layer("Add", 1), edge(0, 0, 1) + edge(1, 1, 9), "IR307"),
        (layer("Add", 2), edge(0, 0, 1) + edge(1, 2, 9), "IR204"),
        (layer("Convert", 1), edge(0, 0, 1) + edge(1, 1, 9), "IR303"),
        (layer("Clamp", 1, '<data min="2" max="1"/>'), edge(0, 0, 1) + edge(1, 1, 9), "IR304"),
        (layer("NoSuch", 1), edge(0, 0, 1) + edge(1, 1, 9), "IR301"),
        (layer("ReLU", 1), edge(0, 0, 1), "IR204"),
        (layer("ReLU", 1), edge(1, 1, 1) + edge(1, 1, 9), "IR206"),
        (layer("Result", 1), edge(0, 0, 1) + edge(1, 1, 9), "IR204"),
    ],
)
def test_refused_with_the_finding_of_the_linter(layers: str, edges: str, code: str, config: object) -> None:
    text = NET.format(layers=layers, edges=edges)
    assert code in refusal(text, config)


@pytest.mark.parametrize("config", [{}, {"OPTIMIZE": False}], ids=["optimized", "as written"])
def test_faults_that_no_result_depends_on_do_not_matter(config: object) -> None:
    layers = layer("ReLU", 1) + layer("MatMul", 0, id=2) + layer("NoSuch", 1, id=3) + layer("Clamp", 1, id=4)
    edges = edge(0, 0, 1) + edge(1, 1, 9) + edge(0, 0, 3) + edge(3, 1, 4)
    compiled = irrun.model.build(irrun.model.load(NET.format(layers=layers, edges=edges).encode()), config)
    x = np.array([[-1, 0, 1], [2, -2, 0]], np.float32)
    np.testing.assert_array_equal(compiled(x)[0], np.maximum(x, 0))


def test_a_tensor_that_no_memory_holds_is_refused() -> None:
    text = NET.format(layers=layer("ReLU", 1), edges=edge(0, 0, 1) + edge(1, 1, 9))
    text = text.replace('shape="2,3"', 'shape="900000000000000000,9"')
    text = re.sub(r"<dim>2</dim><dim>3</dim>", "<dim>900000000000000000</dim><dim>9</dim>", text)
    assert refusal(text, {}) == ("IR902", "IR902")
