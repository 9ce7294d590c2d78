"""The text of the notes of a net and of the port map of a body."""

from __future__ import annotations

import numpy as np

from irrun.document import read
from irrun.document.rt_info import rt_info
from irrun.document.writer import Writer, WrittenBody
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32


def test_notes() -> None:
    notes = {"version": 3, "a name": "<&>", "config": {"x": 'say "x"', "two words": {"y": 1}}}
    text = Writer("net", notes=notes).text
    assert text[text.index("\t<rt_info>") :] == (
        "\t<rt_info>\n"
        '\t\t<version value="3" />\n'
        '\t\t<info name="a name" value="&lt;&amp;&gt;" />\n'
        "\t\t<config>\n"
        "\t\t\t<x value='say \"x\"' />\n"
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
