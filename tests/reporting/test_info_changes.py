"""Changes of runtime information, and of names that Results give outputs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from irrun.model import Loaded, load
from irrun.reporting.diff import diff
from irrun.reporting.explain import explain

TEXT = """<?xml version="1.0"?>
<net name="two" version="11">
	<layers>
		<layer id="0" name="x" type="Parameter" version="opset1">
			<data shape="1,4" element_type="f32" />
			<output><port id="0" precision="FP32" names="x"><dim>1</dim><dim>4</dim></port></output>
		</layer>
		<layer id="1" name="relu" type="ReLU" version="opset1">
			<rt_info><attribute name="decompression" version="0" /></rt_info>
			<input><port id="0" precision="FP32"><dim>1</dim><dim>4</dim></port></input>
			<output>
				<port id="1" precision="FP32" names="first">
					<dim>1</dim><dim>4</dim>
					<rt_info><attribute name="layout" version="0" layout="[N,C]" /></rt_info>
				</port>
			</output>
		</layer>
		<layer id="2" name="R1" type="Result" version="opset1" output_names="first">
			<input><port id="0" precision="FP32"><dim>1</dim><dim>4</dim></port></input>
		</layer>
		<layer id="3" name="R2" type="Result" version="opset1" output_names="second">
			<input><port id="0" precision="FP32"><dim>1</dim><dim>4</dim></port></input>
		</layer>
	</layers>
	<edges>
		<edge from-layer="0" from-port="0" to-layer="1" to-port="0" />
		<edge from-layer="1" from-port="1" to-layer="2" to-port="0" />
		<edge from-layer="1" from-port="1" to-layer="3" to-port="0" />
	</edges>
	<rt_info>
		<info name="OpenVINO Runtime" value="2026" />
		<model_info><labels value="cat dog" /></model_info>
	</rt_info>
</net>
"""


def model(*changes: tuple[str, str]) -> Loaded:
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return load(text.encode())


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        (('value="2026"', 'value="2025"'), []),
        (('value="cat dog"', 'value="cat"'), [("info", "model", "", "model_info/labels", "cat dog", "cat")]),
        (("[N,C]", "[N,?]"), [("info", "ReLU", "relu", "layout of output 0", "[N,C]", "[N,?]")]),
        (
            ('<rt_info><attribute name="decompression" version="0" /></rt_info>', ""),
            [("info", "ReLU", "relu", "decompression", "set", "")],
        ),
        (('"second"', '"third"'), [("renamed", "Result", "R2", "output names", "second", "third")]),
        ((' output_names="second"', ""), [("renamed", "Result", "R2", "output names", "second", "first")]),
    ],
)
def test_changes(change: tuple[str, str], rows: list[tuple[str, ...]]) -> None:
    found = diff(model(), model(change))
    shown = [(item.kind, item.type, item.layer, item.what, item.before, item.after) for item in found.changes]
    assert shown == rows


def test_explanations_have_it() -> None:
    found = explain(model(), "relu")
    assert [(note.place, note.name, note.value) for note in found.info] == [
        ("layer", "decompression", ""),
        ("output 0", "layout", "[N,C]"),
    ]


@pytest.mark.parametrize(
    ("find", "names"),
    [
        (lambda made: [port.names for port in made.outputs], [{"first"}, {"second"}]),
        (lambda made: made.output("first").result_name, "R1"),
        (lambda made: made.output("second").result_name, "R2"),
    ],
)
def test_two_results_of_one_tensor(find: Callable[[Loaded], object], names: object) -> None:
    assert find(model()) == names
