"""The text of the notes of a net and of the port map of a body."""

from __future__ import annotations

import numpy as np

from irrun.document import read
from irrun.document.rt_info import rt_info
from irrun.document.writer import Writer, WrittenBody
from irrun.tensor import Dim, Fact, Shape
from irrun.tensor.element_type import F32, STRING, U4, U8
from irrun.tensor.strings import pack_strings


def test_notes() -> None:
    notes = {"version": 3, "a name": "<&>", "config": {"x": 'say "x"', "two words": {"y": 1}}}
    text = Writer("net", notes=notes).text
    assert text[text.index("\t<rt_info>") :] == (
        "\t<rt_info>\n"
        '\t\t<version value="3" />\n'
        '\t\t<info name="a name" value="&lt;&amp;&gt;" />\n'
        "\t\t<config>\n"
        '\t\t\t<x value="say &quot;x&quot;" />\n'
        '\t\t\t<info name="two words">\n'
        '\t\t\t\t<y value="1" />\n'
        "\t\t\t</info>\n"
        "\t\t</config>\n"
        "\t</rt_info>\n"
        "</net>\n"
    )
    assert rt_info(read(text.encode())) == {"version": "3", "a name": "<&>"}


def test_a_net_without_notes() -> None:
    assert "\t<rt_info />\n</net>\n" in Writer("net").text


def test_back_edges_of_a_body() -> None:
    for back in ((), ((2, 0),)):
        net, inside = Writer("net"), Writer("net").body()
        x = net.parameter("x", F32, Shape([2]))
        inner = inside.parameter("y", F32, Shape([2]))
        one = inside.constant(np.ones(2, np.float32), F32)
        end = inside.result(inside.layer("Add", "opset1", [inner, one], [Fact(F32, Shape([2]))])[0])
        inputs = [{"external_port_id": 0, "internal_layer_id": inner.layer}]
        outputs = [{"external_port_id": 1, "internal_layer_id": end}]
        body = WrittenBody(inside, inputs, outputs, back)
        (out,) = net.layer("TensorIterator", "opset1", [x], [Fact(F32, Shape([2]))], bodies={"body": body})
        net.result(out)
        document = read(net.text.encode())
        (read_body,) = document.net.layers[1].bodies
        assert [dict(entry.attributes) for entry in read_body.port_map] == [
            {"external_port_id": "0", "internal_layer_id": "0"},
            {"external_port_id": "1", "internal_layer_id": str(end)},
        ]
        assert [(edge.from_layer, edge.to_layer) for edge in read_body.back_edges] == [
            (str(a), str(b)) for a, b in back
        ]
        assert ("<back_edges>" in net.text) is bool(back)


def test_the_text_of_a_net() -> None:
    net = Writer("a & b")
    body = net.body()
    x = net.parameter("x", F32, Shape([Dim(), 2]))
    y = body.parameter("y", F32, Shape(None))
    end = body.result(y, "end")
    ports = [{"external_port_id": 0, "internal_layer_id": 0}], [{"external_port_id": 1, "internal_layer_id": end}]
    inner = WrittenBody(body, *ports, [(end, 0)])
    fact = Fact(F32, Shape([]))
    net.layer("TensorIterator", "opset1", [x], [fact, fact], {"a": "<"}, names=["n"], bodies={"body": inner})
    assert (
        net.text
        == """<?xml version="1.0"?>
<net name="a &amp; b" version="11">
	<layers>
		<layer id="0" name="x" type="Parameter" version="opset1">
			<data shape="?,2" element_type="f32" />
			<output>
				<port id="0" precision="FP32" names="x">
					<dim>-1</dim>
					<dim>2</dim>
				</port>
			</output>
		</layer>
		<layer id="1" name="TensorIterator_1" type="TensorIterator" version="opset1">
			<data a="&lt;" />
			<port_map>
				<input external_port_id="0" internal_layer_id="0" />
				<output external_port_id="1" internal_layer_id="1" />
			</port_map>
			<back_edges>
				<edge from-layer="1" to-layer="0" />
			</back_edges>
			<input>
				<port id="0" precision="FP32">
					<dim>-1</dim>
					<dim>2</dim>
				</port>
			</input>
			<output>
				<port id="1" precision="FP32" names="n" />
				<port id="2" precision="FP32" />
			</output>
			<body>
	<layers>
		<layer id="0" name="y" type="Parameter" version="opset1">
			<data shape="..." element_type="f32" />
			<output>
				<port id="0" precision="FP32" names="y" />
			</output>
		</layer>
		<layer id="1" name="end" type="Result" version="opset1">
			<input>
				<port id="0" precision="FP32" />
			</input>
		</layer>
	</layers>
	<edges>
		<edge from-layer="0" from-port="0" to-layer="1" to-port="0" />
	</edges>
	<rt_info />
			</body>
		</layer>
	</layers>
	<edges>
		<edge from-layer="0" from-port="0" to-layer="1" to-port="0" />
	</edges>
	<rt_info />
</net>
"""
    )


def test_constants_share_their_bytes() -> None:
    net = Writer("net")
    for values, type, attributes in (
        (np.array([1, 2], np.uint8), U4, 'element_type="u4" shape="2" offset="0" size="1"'),
        (np.array([[1.5]]), F32, 'element_type="f32" shape="1, 1" offset="1" size="4"'),
        (np.array([0x21], np.uint8), U8, 'element_type="u8" shape="1" offset="0" size="1"'),
        (np.zeros((0, 2), np.float32), F32, 'element_type="f32" shape="0, 2" offset="5" size="1"'),
        (np.array(["a"], object), STRING, 'element_type="string" shape="1" offset="6" size="13"'),
    ):
        net.constant(values, type)
        assert f"<data {attributes} />" in net.text
    assert net.weights == b"\x21\0\0\xc0\x3f\0" + pack_strings(np.array(["a"], object))
