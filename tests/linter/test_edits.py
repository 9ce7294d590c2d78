"""Edits of ports, attributes and tags: the bytes that change, and the places that allow no edit."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from irrun.diagnostics import Anchor, Edit, Suggestion
from irrun.document import read
from irrun.linter.apply import edited
from irrun.linter.edits import Editor
from tests.linter.models import CLAMP, NET

LINE = "".join(line.strip() for line in CLAMP.splitlines())
PORT = '<port id="1" precision="FP32"><dim>2</dim><dim>3</dim></port>'
ABSENT = 99


def sizes(text: str, *dims: str) -> str:
    """Return the text with these dims at the output port of its only layer."""
    document = read(text.encode())
    (layer,) = document.net.layers
    return edited(document.data, Editor(document).sizes(layer.outputs[0], dims, None)).decode()


@pytest.mark.parametrize(
    ("dims", "port"),
    [
        (("2", "3"), PORT),
        (("2", "8", "3"), PORT.replace("<dim>3", "<dim>8</dim><dim>3")),
        (("8", "2", "3"), PORT.replace("<dim>2", "<dim>8</dim><dim>2")),
        (("7", "8", "2", "3"), PORT.replace("<dim>2", "<dim>7</dim><dim>8</dim><dim>2")),
        (("2", "3", "8"), PORT.replace("</port>", "<dim>8</dim></port>")),
        (("7", "8"), PORT.replace("2<", "7<").replace("3<", "8<")),
        (("3",), PORT.replace("<dim>2</dim>", "")),
        ((), '<port id="1" precision="FP32"></port>'),
    ],
)
def test_sizes_of_a_port_in_one_line(dims: tuple[str, ...], port: str) -> None:
    assert sizes(LINE, *dims) == LINE.replace(PORT, port)


def test_the_first_sizes_of_a_port_in_one_line() -> None:
    bare = LINE.replace("<dim>2</dim><dim>3</dim>", "")
    assert sizes(bare, "7", "8") == bare.replace(
        '<port id="1" precision="FP32">', '<port id="1" precision="FP32"><dim>7</dim><dim>8</dim>'
    )


def test_the_first_sizes_of_a_port_in_a_line_of_its_own_where_no_other_has_some() -> None:
    bare = CLAMP.replace("            <dim>2</dim>\n            <dim>3</dim>\n", "")
    head = '<port id="1" precision="FP32">'
    assert sizes(bare, "7", "8") == bare.replace(head, f"{head}<dim>7</dim><dim>8</dim>")


def test_the_first_sizes_of_a_port_are_indented_like_those_of_another() -> None:
    inner = "            <dim>2</dim>\n            <dim>3</dim>\n"
    before, after = CLAMP.split("<output>")
    empty = after.replace(inner, "").replace(">\n        </port>", "/>")
    bare = f"{before}<output>{empty}"
    assert bare.count("<dim>") == 2
    assert sizes(bare, "2", "3") == CLAMP
    deeper = bare.replace('        <port id="1"', '          <port id="1"')
    assert sizes(deeper, "2", "3") == f"{before}<output>{after}".replace(
        """        <port id="1" precision="FP32">
            <dim>2</dim>
            <dim>3</dim>
        </port>""",
        """          <port id="1" precision="FP32">
              <dim>2</dim>
              <dim>3</dim>
          </port>""",
    )


@pytest.mark.parametrize("closing", ["/>", " />"])
def test_a_port_without_sizes_is_written_like_another(closing: str) -> None:
    before, after = LINE.split("<output>")
    before = before.replace("<dim>2</dim><dim>3</dim></port>", "</port>").replace("></port>", closing)
    assert sizes(f"{before}<output>{after}") == f"{before}<output>" + after.replace(
        PORT, f'<port id="1" precision="FP32"{closing}'
    )


@pytest.mark.parametrize("between", ["<!-- a -->", "<rt_info/>"])
def test_no_sizes_beside_something_else(between: str) -> None:
    before, after = CLAMP.replace("<dim>3</dim>", f"{between}<dim>3</dim>").split("<output>")
    bare = after.replace("\n            <dim>2</dim>", "").replace("<dim>3</dim>", "")
    assert sizes(f"{before}<output>{after}") == f"{before}<output>{bare}"


def test_a_closing_tag_is_that_of_its_element() -> None:
    unknown = "<u><!-- <u> --><u/><ux></ux><u>1</u></u>"
    text = NET.replace("</layers>", f"{unknown}</layers>")
    document = read(text.encode())
    element = 1 + max(layer.inputs[0].dim_elements[-1] for layer in document.net.layers[1:])
    edits = Editor(document).tag(element, "y")
    assert edited(document.data, edits).decode() == text.replace(unknown, "<y><!-- <u> --><u/><ux></ux><u>1</u></y>")


def test_a_tag_that_is_not_closed_is_not_renamed() -> None:
    document = read(NET.encode())
    cut = dataclasses.replace(document, data=document.data.replace(b"</net>", b""))
    assert Editor(cut).tag(0, "nets") == ()


@pytest.mark.parametrize(
    "edit",
    [
        lambda editor, _: editor.tag(ABSENT, "layer"),
        lambda editor, _: editor.value(ABSENT, "id", "1"),
        lambda editor, _: editor.value(1, "id", "1"),
        lambda editor, _: editor.name(2, "id", "name"),
        lambda editor, _: editor.name(2, "is", "ids"),
        lambda editor, _: editor.added(2, "id", "name", "x"),
        lambda editor, _: editor.added(2, "ids", "scale", "x"),
        lambda editor, port: editor.sizes(port._replace(element=ABSENT), ["1", "2"], None),
        lambda editor, port: editor.sizes(port._replace(scattered=(0, 1)), ["1", "2"], None),
        lambda editor, port: editor.sizes(port, port.dims, None),
    ],
)
def test_no_edit(edit: Callable[..., tuple[Edit, ...]]) -> None:
    document = read(NET.encode())
    assert edit(Editor(document), document.net.layers[1].outputs[0]) == ()


def test_a_value_and_a_name_are_replaced_in_place() -> None:
    document = read(NET.encode())
    editor = Editor(document)
    assert edited(document.data, editor.value(2, "name", "z")).decode() == NET.replace('name="x"', 'name="z"')
    assert edited(document.data, editor.name(2, "name", "title")).decode() == NET.replace('name="x"', 'title="x"')


def test_tabs_and_blanks_are_kept_in_the_indentation_of_new_sizes() -> None:
    mixed = CLAMP.replace("            <dim>", "\t  <dim>").replace("        <", "\t<")
    before, after = mixed.split("<output>")
    inner = "\t  <dim>2</dim>\n\t  <dim>3</dim>\n"
    assert inner in after
    empty = after.replace(inner, "").replace(">\n\t</port>", "/>")
    assert sizes(f"{before}<output>{empty}", "2", "3") == mixed


def test_an_added_attribute() -> None:
    document = read(NET.encode())
    edits = Editor(document).added(2, "id", "scale", "1")
    assert edited(document.data, edits).decode() == NET.replace('id="0"', 'id="0" scale="1"', 1)


@pytest.mark.parametrize(
    ("anchor", "fix"),
    [
        (Anchor(offset=3), None),
        (Anchor(2, "value", "ids"), None),
        (Anchor(2, "tag"), ("write <x>", "x")),
        (Anchor(2, "name", "id"), ("rename id to x", "x")),
        (Anchor(2, "value", "id"), ('write id="x"', "x")),
    ],
)
def test_suggestion(anchor: Anchor, fix: tuple[str, str] | None) -> None:
    made = Editor(read(NET.encode())).suggested(Suggestion(anchor, "x"))
    assert (None if made is None else (made.message, made.edits[0].content)) == fix
    assert made is None or made.applicability == "unsafe"
