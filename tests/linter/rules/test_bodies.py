"""The declarations of Parameters in bodies, compared with the values from the port map."""

from __future__ import annotations

from pathlib import Path

import pytest

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
