"""Ports of Parameters, constants and variables that do not repeat the shape of their attribute."""

from __future__ import annotations

import pytest

from irrun.linter import lint
from irrun.linter.check import IRFile, Linter

NET = """<net name="net" version="{version}"><layers>
<layer id="0" name="x" type="{type}" version="{opset}"><data {data}/>
    <output><port id="0" precision="FP32">{dims}</port></output></layer>
<layer id="1" name="y" type="Result" version="opset1"><input><port id="0" precision="FP32">{dims}</port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>
"""
PARAMETER = "Parameter", "opset1", 'element_type="f32" shape="{shape}"'
VARIABLE = "ReadValue", "opset6", 'variable_id="v" variable_type="f32" variable_shape="{shape}"'
CONSTANT = "Const", "opset1", 'element_type="f32" offset="0" size="24" shape="{shape}"'


def text(layer: tuple[str, str, str], shape: str, dims: str, version: str = "11") -> bytes:
    type, opset, data = layer
    sizes = "".join(f"<dim>{size}</dim>" for size in dims.split())
    written = NET.format(type=type, opset=opset, data=data.format(shape=shape), dims=sizes, version=version)
    return written.encode()


def messages(data: bytes) -> list[str]:
    return [item.message for item in lint("net.xml", data=data) if item.code == "IR401"]


@pytest.mark.parametrize("layer", [PARAMETER, VARIABLE], ids=["Parameter", "ReadValue"])
@pytest.mark.parametrize(
    ("shape", "dims", "said"),
    [
        ("?,3", "1 3", "[?,3]"),
        ("?,3", "0 3", "[?,3]"),
        ("2..5,3", "4 3", "[2..5,3]"),
        ("0,3", "-1 3", "[0,3]"),
        ("2,3", "-1 3", "[2,3]"),
        ("...", "1 3", "[...]"),
    ],
)
def test_a_port_that_does_not_say_what_the_attribute_says(
    layer: tuple[str, str, str], shape: str, dims: str, said: str
) -> None:
    declared = dims.replace(" ", ",").replace("-1", "?")
    name = "shape" if layer is PARAMETER else "variable_shape"
    expected = f"output port 0 is declared [{declared}], but the attribute {name} says {said}"
    found = text(layer, shape, dims)
    assert messages(found) == [expected]
    assert messages(text(layer, shape, dims, version="10")) == []
    report = lint("net.xml", data=found)
    assert (report.ports, report.unverified) == (0, ())
    if shape != "...":
        fixed = Linter().fix(IRFile("net.xml", data=found))
        assert messages(fixed.data) == []
        assert len(fixed.applied) == 1


@pytest.mark.parametrize("layer", [PARAMETER, VARIABLE], ids=["Parameter", "ReadValue"])
@pytest.mark.parametrize(
    ("shape", "dims"), [("?,3", "-1 3"), ("2..5,3", "-1 3"), ("2,3", "2 3"), ("...", ""), ("", "")]
)
def test_a_port_that_says_it(layer: tuple[str, str, str], shape: str, dims: str) -> None:
    found = text(layer, shape, dims)
    assert messages(found) == []
    report = lint("net.xml", data=found)
    assert (report.ports, report.unverified) == (1, ())


def test_a_constant() -> None:
    assert messages(text(CONSTANT, "2,3", "2 3")) == []
    assert messages(text(CONSTANT, "2,3", "-1 3")) == [
        "output port 0 is declared [?,3], but the attribute shape says [2,3]"
    ]
    assert messages(text(CONSTANT, "2,3", "4 3")) == ["output port 0 is declared [4,3], inferred [2,3]"]
