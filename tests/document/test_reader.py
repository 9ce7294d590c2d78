"""The records of a file: the content of each element, and its ordinal."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.diagnostics import IRError, Severity
from irrun.document import read
from irrun.document.grammar import LEGACY_CHILDREN
from irrun.document.records import dims_text, element_type
from irrun.document.source_map import element_starts
from irrun.tensor.element_type import BOOLEAN, F32, U1
from tests.linter.models import CLAMP, ITERATOR, NET


def test_layers_ports_and_edges() -> None:
    document = read(NET.encode())
    assert document.diagnostics == ()
    assert (document.net.name, document.net.version, document.fragment) == ("net", "11", False)
    x, clip, y = document.net.layers
    assert [layer.type for layer in (x, clip, y)] == ["Parameter", "Clamp", "Result"]
    assert clip.data == {"min": "0", "max": "6"}
    (port,) = clip.outputs
    assert (port.id, port.precision, port.names, port.dims) == ("1", "FP32", None, ("2", "3"))
    edge = document.net.edges[1]
    assert (edge.from_layer, edge.from_port, edge.to_layer, edge.to_port) == ("1", "1", "2", "0")


def test_ordinals_are_those_of_the_start_tags() -> None:
    starts = element_starts(ITERATOR.encode())
    net = read(ITERATOR.encode()).net

    def tag(ordinal: int) -> str:
        return ITERATOR[starts[ordinal] :].split(">")[0].split()[0]

    loop = net.layers[1]
    (body,) = loop.bodies
    inner = body.net.layers[2]
    assert tag(net.element) == "<net"
    assert tag(loop.element) == "<layer"
    assert tag(loop.inputs[0].dim_elements[1]) == "<dim"
    assert [tag(entry.element) for entry in body.port_map] == ["<input", "<input", "<output"]
    assert tag(body.back_edges[0].element) == "<edge"
    assert tag(body.element) == "<body"
    assert ITERATOR[starts[inner.element] :].startswith('<layer id="2" name="add"')
    assert ITERATOR[starts[inner.outputs[0].dim_elements[0]] :].startswith("<dim>4")
    assert ITERATOR[starts[net.edges[-1].element] :].startswith('<edge from-layer="1"')


def test_bodies() -> None:
    (body,) = read(ITERATOR.encode()).net.layers[1].bodies
    assert [dict(entry.attributes) for entry in body.port_map] == [
        {"axis": "0", "external_port_id": "0", "internal_layer_id": "0"},
        {"external_port_id": "0", "internal_layer_id": "1"},
        {"external_port_id": "1", "internal_layer_id": "3"},
    ]
    assert [(edge.from_layer, edge.to_layer) for edge in body.back_edges] == [("3", "1")]
    assert [layer.name for layer in body.net.layers] == ["row", "sum", "add", "next"]


def test_bare_layers() -> None:
    document = read((CLAMP + "\n<!-- another -->\n" + CLAMP).encode())
    assert document.fragment
    assert [layer.type for layer in document.net.layers] == ["Clamp", "Clamp"]
    assert document.diagnostics == ()


# name, changes to a sound file, code, written name, intended name
MISREAD = [
    ("element", [("<data min", "<dta min")], "IR104", "<dta> in <layer>", "<data>"),
    ("layer", [("<layer id", "<l id"), ("</layer>", "</l>")], "IR104", "<l> in <layers>", "<layer>"),
    ("edge", [("<edge from", "<e from")], "IR104", "<e> in <edges>", "<edge>"),
    (
        "port",
        [("<output><port", "<output><p"), ("</port></output>", "</p></output>")],
        "IR104",
        "<p> in <output>",
        "<port>",
    ),
    ("dim", [("<dim>2</dim>", "<d>2</d>")], "IR104", "<d> in <port>", "<dim>"),
    ("attribute of a layer", [('name="x"', 'nmae="x"')], "IR105", "nmae", "name"),
    ("attribute of an edge", [('from-port="0"', 'from_port="0"')], "IR105", "from_port", "from-port"),
    ("attribute of a port", [("precision", "precison")], "IR105", "precison", "precision"),
]


@pytest.mark.parametrize(("changes", "code", "written", "meant"), [r[1:] for r in MISREAD], ids=[r[0] for r in MISREAD])
def test_what_is_misspelt_is_read_as_it_was_meant(
    changes: list[tuple[str, str]], code: str, written: str, meant: str
) -> None:
    text = NET
    for old, new in changes:
        text = text.replace(old, new, 1)
    document, sound = read(text.encode()), read(NET.encode())
    (item,) = document.diagnostics
    kind = "element" if code == "IR104" else "attribute"
    assert (item.code, item.severity) == (code, Severity.ERROR)
    assert item.message == f"unknown {kind} {written}; did you mean {meant}?"
    assert document.net == sound.net


def test_strangers_are_passed_over() -> None:
    text = NET.replace("<layers>", "<zzz><dim/></zzz><layers>").replace("<data min", '<zzz a="b"/><data min')
    document = read(text.replace('<net name="net"', '<net name="net" zzz="1"').encode())
    assert [(item.code, item.severity, item.message) for item in document.diagnostics] == [
        ("IR105", Severity.WARNING, "unknown attribute zzz"),
        ("IR104", Severity.WARNING, "unknown element <zzz> in <net>"),
        ("IR104", Severity.WARNING, "unknown element <zzz> in <layer>"),
    ]
    assert [layer.name for layer in document.net.layers] == ["x", "clip", "y"]


# parent, start of its children in a sound file
_PLACES = {"net": "<layers>", "layer": "<data min", "channel": '<mean value="0"'}
_MEAN = '<pre-process reference-layer-name="x"><channel id="0"><mean value="0"/></channel></pre-process>'
_LEGACY = [(parent, tag) for parent, tags in LEGACY_CHILDREN.items() for tag in tags]


@pytest.mark.parametrize(("parent", "tag"), _LEGACY)
def test_elements_that_old_writers_left_are_passed_over(parent: str, tag: str) -> None:
    sound = NET.replace("</edges>", f"</edges>{_MEAN}")
    place = _PLACES[parent]
    text = sound.replace(place, f'<{tag} offset="0"><a b="c"/><min>0, 1</min></{tag}>{place}')
    document = read(text.encode())
    assert document.diagnostics == ()
    starts = element_starts(text.encode())
    (edge, _) = document.net.edges
    assert text[starts[edge.element] :].startswith('<edge from-layer="0"')
    assert document.net.layers[1].data == {"min": "0", "max": "6"}


@pytest.mark.parametrize("tag", [tag for _, tag in _LEGACY])
def test_their_names_misspelt_or_elsewhere_are_strangers(tag: str) -> None:
    for text in (
        NET.replace("<layers>", f"<{tag}x/><layers>"),
        NET.replace("<edge from", f"<{tag}/><edge from", 1),
    ):
        (item,) = read(text.encode()).diagnostics
        assert (item.code, item.severity) == ("IR104", Severity.WARNING)


def test_attributes_that_old_writers_left_are_passed_over() -> None:
    text = ITERATOR.replace('type="TensorIterator"', 'type="TensorIterator" precision="FP32"')
    text = text.replace("internal_layer_id", 'internal_port_id="0" internal_layer_id')
    text = text.replace(
        '<edge from-layer="3" to-layer="1"', '<edge from-layer="3" from-port="1" to-layer="1" to-port="0"'
    )
    document = read(text.encode())
    assert text.count("internal_port_id") == 3
    assert text.count("to-port") == ITERATOR.count("to-port") + 1
    assert document.diagnostics == ()
    (item,) = read(NET.replace('<port id="1" precision', '<port id="1" layout="NC" precision').encode()).diagnostics
    assert item.message == "unknown attribute layout"


def test_pre_process() -> None:
    text = NET.replace(
        "</edges>",
        """</edges><pre-process mean-precision="FP32" reference-layer-name="x">
        <channel id="1"><mean offset="0" size="8"/></channel><channel/>
        <channel><mean value="1.5"/></channel></pre-process>""",
    )
    document = read(text.encode())
    assert document.diagnostics == ()
    found = document.net.pre_process
    assert found is not None
    assert found.reference == "x"
    first, second, third = found.channels
    assert (first.id, second.id, second.mean) == ("1", None, None)
    assert first.mean is not None
    assert first.mean[1:] == (None, "0", "8")
    assert third.mean is not None
    assert third.mean[1:] == ("1.5", None, None)
    starts = element_starts(text.encode())
    assert text[starts[first.mean.element] :].startswith("<mean offset")


def test_an_unknown_attribute_of_a_pre_process() -> None:
    marked = _MEAN.replace("<pre-process", '<pre-process zzz="1"')
    text = NET.replace("</edges>", f"</edges>{marked}")
    document = read(text.encode())
    (item,) = document.diagnostics
    assert item.message == "unknown attribute zzz"
    place = document.source_map.locate(item.anchor)
    assert text[place.start : place.end] == "zzz"


def test_a_second_pre_process_is_reported() -> None:
    (item,) = read(NET.replace("</edges>", f"</edges>{_MEAN}{_MEAN}").encode()).diagnostics
    assert (item.code, item.message) == ("IR104", "<pre-process> occurs twice in <net>, expected once")


def test_findings_name_layer_port_and_body() -> None:
    document = read(ITERATOR.replace("<dim>1</dim>", "<dim>one</dim>", 1).encode())
    (item,) = document.diagnostics
    assert item.message == '<dim> holds "one", expected a size or -1'
    assert item.layer is not None
    assert (item.layer.id, item.layer.name, item.layer.type, item.port) == ("0", "row", "Parameter", "0")
    assert item.notes == ('in TensorIterator "steps" › body',)


def test_ids_that_three_ports_share() -> None:
    ports = "".join(f'<port id="{id}" precision="FP32"/>' for id in (0, 1, 1, 1, 5, 5))
    text = NET.replace(
        '<input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input>', f"<input>{ports}</input>", 1
    )
    document = read(text.encode())
    assert [item.message for item in document.diagnostics] == [
        'port id "1" is repeated in <input>; id="2" was meant',
        'port id "1" is repeated in <input>; id="3" was meant',
        'port id "5" is repeated in <input>; id="4" was meant',
    ]
    second = document.source_map.locate(document.diagnostics[0].anchor)
    assert text[second.start : second.end + 18] == '1" precision="FP32"'
    assert text.count('<port id="1"', 0, second.start) == 1


def test_weights(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(NET)
    assert not read(path).weights.exists
    path.with_suffix(".bin").write_bytes(b"abc")
    assert read(path).weights.bytes.tobytes() == b"abc"
    (tmp_path / "other.bin").write_bytes(b"other")
    assert read(path, tmp_path / "other.bin").weights.bytes.tobytes() == b"other"
    assert read(path, b"given").weights.bytes.tobytes() == b"given"
    with pytest.raises(FileNotFoundError):
        read(path, tmp_path / "absent.bin")


def test_names_of_element_types() -> None:
    assert element_type("FP32") is F32
    assert element_type("f32") is F32
    assert element_type("BOOL") is BOOLEAN
    assert element_type("BIN") is U1
    assert element_type("fp32") is None
    assert element_type(None) is None
    assert dims_text(("1", "-1")) == "[1,?]"
    assert dims_text(()) == "[]"


def test_a_file_of_more_bytes_than_any_ir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.xml"
    path.write_bytes(NET.encode())
    monkeypatch.setattr("irrun.document.reader.MOST_BYTES", len(NET))
    assert len(read(path).net.layers) == 3
    monkeypatch.setattr("irrun.document.reader.MOST_BYTES", len(NET) - 1)
    with pytest.raises(IRError, match=f"the file has more than {len(NET) - 1} bytes") as caught:
        read(path)
    assert [item.code for item in caught.value.diagnostics] == ["IR901"]


def test_notes_inside_a_port() -> None:
    text = NET.replace("<dim>2</dim>", "<rt_info><a/></rt_info><dim>2</dim>")
    document = read(text.encode())
    assert document.diagnostics == ()
    assert [layer.outputs[0].dims for layer in document.net.layers[:2]] == [("2", "3"), ("2", "3")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\x01" + NET, "not well-formed (invalid token)"),
        (NET.replace('name="clip" type=', 'name=" type='), "the value of name has no closing quote"),
        (NET.replace("<edges>", "<!-- <edges>"), "the file ends inside the tag that begins here, inside <net>"),
    ],
)
def test_malformed(text: str, message: str) -> None:
    with pytest.raises(IRError) as caught:
        read(text.encode())
    assert [item.message for item in caught.value.diagnostics] == [f"malformed XML: {message}"]


def test_an_end_tag_without_its_bracket_that_closes_another_element_is_text() -> None:
    text = NET.replace("<dim>2</dim>", "<dim>2 /input></dim>", 1).replace('"clip"', '"a & b"')
    document = read(text.encode())
    assert document.repaired.text == text.replace("&", "&amp;").encode()


@pytest.mark.parametrize("name", ["klingon", "iso-8859-99"])
def test_an_encoding_that_nobody_knows(name: str) -> None:
    document = read(NET.replace('version="1.0"', f'version="1.0" encoding="{name}"').encode())
    assert [item.message for item in document.diagnostics] == [f'encoding="{name}" is not known, expected utf-8']
    assert len(document.net.layers) == 3
