"""A fault in a net of many layers is one finding, without its consequences; faults in small nets have pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import irrun.model
from irrun.linter import Report, lint
from tests.lines import Lines
from tests.linter.nets import NETS

TEXTS = {name: (ir := make()).text for name, make in NETS.items()}
WEIGHTS = {name: make().weights for name, make in NETS.items()}

# net, old text, its occurrence (from 1), new text, code, part of the message
FAULTS = [
    ("convolutions", 'strides="2, 2"', 1, 'strides="1, 1"', "IR401", "output port 2 is declared [1,16,16,16]"),
    ("convolutions", 'strides="2, 2" ', 1, "", "IR303", "Convolution requires the attribute strides"),
    ("convolutions", 'strides="2, 2"', 1, 'stridez="2, 2"', "IR302", "no attribute stridez; did you mean strides?"),
    ("convolutions", 'strides="2, 2"', 1, 'step="2, 2"', "IR302", "no attribute step, and lacks strides"),
    ("convolutions", 'strides="2, 2"', 1, 'strides="2, x"', "IR305", 'strides="2, x" is not a list of integers'),
    ("convolutions", 'strides="2, 2"', 1, 'strides="0, 2"', "IR306", "strides is 0, expected >= 1"),
    ("convolutions", 'type="ReLU"', 1, 'type="ReLu6"', "IR301", "no operation ReLu6 in opset1; did you mean ReLU?"),
    ("convolutions", 'type="ReLU"', 1, 'type="Nothing"', "IR301", "no operation Nothing in opset1"),
    ("convolutions", 'shape="1,3,32,32"', 1, 'shape="1,3,64,64"', "IR401", "output port 0 is declared [1,3,32,32]"),
    ("convolutions", 'element_type="f32"', 1, 'element_type="f16"', "IR403", "output port 0 is declared FP32"),
    ("convolutions", 'kernel="2, 2"', 1, 'kernel="3, 3"', "IR401", "output port 1 is declared [1,32,4,4]"),
    ("convolutions", 'shape="8, 3, 3, 3"', 1, 'shape="8, 3, 3, 4"', "IR503", "expected 1152 for f32[8,3,3,4]"),
    ("convolutions", '"2" from-port="2"', 2, '"0" from-port="0"', "IR402", "[1,3,32,32] arrives"),
    ("attention", 'transpose_b="true"', 5, 'transpose_b="false"', "IR304", "do not fit"),
    ("attention", 'num_splits="3"', 1, 'num_splits="2"', "IR311", "Split has 3 outputs, expected 2"),
    ("attention", 'from-port="4"', 1, 'from-port="9"', "IR203", 'from-port "9": layer'),
    ("attention", 'axis="-1"', 1, 'axis="7"', "IR304", "axis 7 is outside a tensor of rank 4"),
    ("shapes", 'mode="numpy"', 1, 'mode="nmupy"', "IR305", 'mode="nmupy" is not'),
    ("shapes", '<dim>7</dim>', 1, "<dim>8</dim>", "IR401", "inferred [7,2,3,4,5]"),
    ("iterator", 'axis="2"', 1, 'axis="1"', "IR401", "output port 2 is declared [1,2,8]"),
    ("iterator", 'internal_layer_id="1"', 1, 'internal_layer_id="7"', "IR207", 'internal_layer_id "7"'),
]  # fmt: skip


def changed(path: Path, net: str, old: str, count: int, new: str) -> int:
    """Write a net with the n-th ``old`` replaced by ``new``; return its row."""
    text = TEXTS[net]
    at = [match.start() for match in re.finditer(re.escape(old), text)][count - 1]
    path.write_text(text[:at] + new + text[at + len(old) :], encoding="utf-8")
    path.with_suffix(".bin").write_bytes(WEIGHTS.get(net, b""))
    return text.count("\n", 0, at) + 1


def said(report: Report) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(item.code, item.message, item.notes) for item in report]


@pytest.mark.parametrize("net", TEXTS)
def test_the_nets_are_sound(net: str, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(TEXTS[net], encoding="utf-8")
    path.with_suffix(".bin").write_bytes(WEIGHTS.get(net, b""))
    assert said(lint(path)) == []


@pytest.mark.parametrize(("net", "old", "count", "new", "code", "message"), FAULTS)
def test_one_finding(net: str, old: str, count: int, new: str, code: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    changed(path, net, old, count, new)
    report = lint(path)
    assert [item.code for item in report] == [code], said(report)
    assert message in report[0].message


def test_two_faults_are_two_findings(tmp_path: Path) -> None:
    """A wrong attribute that makes a later addition impossible, and independent wrong dims after it."""
    path = tmp_path / "model.xml"
    changed(path, "convolutions", 'strides="2, 2"', 1, 'strides="1, 1"')
    text = path.read_text(encoding="utf-8")
    at = text.rindex("<dim>10</dim>", 0, text.index('type="SoftMax"'))
    path.write_text(text[:at] + "<dim>11</dim>" + text[at + 13 :], encoding="utf-8")
    first, second = lint(path).findings()
    assert first.diagnostic.message == "output port 2 is declared [1,16,16,16], inferred [1,16,32,32]"
    assert second.diagnostic.message == "output port 2 is declared [1,11], inferred [1,10]"
    assert second.place.row == text.count("\n", 0, at) + 1


def test_what_is_corrected_for_the_linter_does_not_run(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(TEXTS["convolutions"].replace('"Clamp"', '"Clmap"', 1), encoding="utf-8")
    path.with_suffix(".bin").write_bytes(WEIGHTS["convolutions"])
    assert [item.code for item in lint(path)] == ["IR301"]
    with pytest.raises(irrun.IRError) as caught:
        irrun.model.build(path)
    assert [item.code for item in caught.value.diagnostics] == ["IR301"]


PORTS = [f'<port id="{id}" precision="FP32"><dim>-1</dim><dim>3</dim></port>' for id in range(3)]


def growing(depth: int) -> str:
    """Return a body that concatenates its two Parameters, nested in ``depth`` TensorIterators."""
    carried = (
        '<port_map><input axis="0" external_port_id="0" internal_layer_id="0"/>'
        '<input external_port_id="1" internal_layer_id="1"/><output external_port_id="2" internal_layer_id="3"/>'
        '</port_map><back_edges><edge from-layer="3" to-layer="1"/></back_edges>'
    )
    kind = "TensorIterator" if depth else "Concat"
    before = carried if depth else '<data axis="0"/>'
    after = f"<body>{growing(depth - 1)}</body>" if depth else ""
    parameters = "".join(
        f'<layer id="{id}" name="p{id}" type="Parameter" version="opset1"><data shape="?,3" element_type="f32"/>'
        f"<output>{PORTS[0]}</output></layer>"
        for id in range(2)
    )
    return (
        f"<layers>{parameters}"
        f'<layer id="2" name="join" type="{kind}" version="opset1">{before}<input>{PORTS[0]}{PORTS[1]}</input>'
        f"<output>{PORTS[2]}</output>{after}</layer>"
        f'<layer id="3" name="r" type="Result" version="opset1"><input>{PORTS[0]}</input></layer></layers>'
        '<edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>'
        '<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>'
        '<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/></edges>'
    )


def work(folder: Path, depth: int) -> int:
    """Return the number of lines of Python that run to lint bodies inside bodies."""
    path = folder / "model.xml"
    text = growing(depth).replace('shape="?,3"', 'shape="4,3"', 2).replace("<dim>-1</dim>", "<dim>4</dim>", 2)
    path.write_text(f'<net name="net" version="11">{text}</net>')
    with Lines() as lines:
        assert said(lint(path)) == []
    return lines.count


@pytest.mark.rest
def test_bodies_that_grow_inside_bodies_that_grow(tmp_path: Path) -> None:
    """Each TensorIterator infers its body several times; the cost must not be the product over all levels."""
    work(tmp_path, 2)
    least, less, more = (work(tmp_path, depth) for depth in (16, 18, 20))
    assert more - less <= 2 * (less - least)
