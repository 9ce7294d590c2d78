"""The declarations of Parameters in bodies, compared with the values from the port map."""

from __future__ import annotations

from pathlib import Path

import pytest

import irrun.model
from irrun.diagnostics import IRError
from tests.linter.models import ITERATOR
from tests.linter.rules.support import findings, told

SLICE = '<data shape="1,3" element_type="f32"/>'
CARRIED = ITERATOR[: ITERATOR.index('name="sum"')], ITERATOR[ITERATOR.index('name="sum"') :]
INPUT = '<port id="0" precision="FP32"><dim>1</dim><dim>3</dim></port>'


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ('shape="2,3" element_type="f32"', "shape is [2,3], but [1,3] arrives by the port map"),
        ('shape="1,4" element_type="f32"', "shape is [1,4], but [1,3] arrives by the port map"),
        ('shape="1,3,1" element_type="f32"', "shape is [1,3,1], but [1,3] arrives by the port map"),
        ('shape="2..4,3" element_type="f32"', "shape is [2..4,3], but [1,3] arrives by the port map"),
        ('shape="1,3" element_type="f16"', "element_type is f16, but f32 arrives by the port map"),
    ],
)
def test_a_parameter_that_contradicts_the_port_map(said: str, message: str, tmp_path: Path) -> None:
    (found,) = findings(tmp_path, ITERATOR.replace(SLICE, f"<data {said}/>"))
    assert told([found]) == [("IR407", "error", message)]
    assert found.layer is not None
    assert (found.layer.name, found.anchor.attribute) == ("row", message.partition(" ")[0])
    assert found.notes == ("the port map gives f32[1,3]", 'in TensorIterator "steps" › body')


@pytest.mark.parametrize("said", ["?,3", "1,?", "...", "1..8,3"])
def test_a_parameter_that_allows_what_comes(said: str, tmp_path: Path) -> None:
    assert told(findings(tmp_path, ITERATOR.replace('shape="1,3"', f'shape="{said}"'))) == []


def test_a_carried_parameter(tmp_path: Path) -> None:
    head, tail = CARRIED
    text = head + tail.replace('shape="4,3"', 'shape="5,3"', 1)
    assert told(findings(tmp_path, text)) == [
        ("IR407", "error", "shape is [5,3], but [4,3] arrives by the port map"),
    ]


@pytest.mark.parametrize("ports", [1, 2])
def test_a_port_that_repeats_it_has_the_finding(ports: int, tmp_path: Path) -> None:
    text = ITERATOR.replace(SLICE, SLICE.replace("1,3", "2,3")).replace(INPUT, INPUT.replace("<dim>1", "<dim>2"), ports)
    (found,) = findings(tmp_path, text)
    assert told([found]) == [("IR401", "error", "output port 0 is declared [2,3], inferred [1,3]")]
    assert found.anchor.part == "text"


def test_a_fault_outside_is_reported_there(tmp_path: Path) -> None:
    text = ITERATOR.replace('<data shape="4,3" element_type="f32"/>', '<data shape="5,3" element_type="f32"/>', 1)
    (found,) = findings(tmp_path, text)
    assert (found.code, found.layer.name if found.layer is not None else "") == ("IR401", "x")


CARRYING = """<?xml version="1.0"?>
<net name="net" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="{outer}"/>
<output><port id="0" precision="{precision}"><dim>2</dim></port></output></layer>
<layer id="1" name="steps" type="TensorIterator" version="opset1"><port_map>
<input external_port_id="0" internal_layer_id="0"/><output external_port_id="3" internal_layer_id="2"/>
</port_map><back_edges><edge from-layer="2" to-layer="0"/></back_edges>
<input><port id="0" precision="{precision}"><dim>2</dim></port></input>
<output><port id="3" precision="FP32"><dim>2</dim></port></output>
<body><layers>
<layer id="0" name="p" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="sum" type="Add" version="opset1">
<input><port id="0" precision="FP32"><dim>2</dim></port><port id="1" precision="FP32"><dim>2</dim></port></input>
<output><port id="2" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="r" type="Result" version="opset1">
<input><port id="0" precision="FP32"><dim>2</dim></port></input></layer>
<layer id="3" name="half" type="Convert" version="opset1"><data destination_type="f32"/>
<input><port id="0" precision="FP32"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="0" from-port="0" to-layer="3" to-port="0"/>
<edge from-layer="3" from-port="1" to-layer="1" to-port="1"/>
<edge from-layer="1" from-port="2" to-layer="2" to-port="0"/>
</edges></body></layer>
<layer id="2" name="y" type="Result" version="opset1">
<input><port id="0" precision="FP32"><dim>2</dim></port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="3" to-layer="2" to-port="0"/>
</edges></net>
"""


@pytest.mark.parametrize(("outer", "precision", "found"), [("f32", "FP32", []), ("i32", "I32", ["IR403"])])
def test_a_carried_parameter_keeps_the_type_that_it_begins_with(
    outer: str, precision: str, found: list[str], tmp_path: Path
) -> None:
    """In the first iteration the Add cannot be inferred: its result must not make the type unknown."""
    text = CARRYING.format(outer=outer, precision=precision)
    assert [item.code for item in findings(tmp_path, text)] == found
    path = tmp_path / "carried.xml"
    path.write_text(text)
    if found:
        with pytest.raises(IRError, match=r"input 1 \(b\) is f32 but input 0 is i32; both must have the same type T"):
            irrun.model.build(path)
