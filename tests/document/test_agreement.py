"""lxml reads and expat finds places: both see the same elements in every file that is accepted."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from xml.parsers import expat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irrun.diagnostics import IRError
from irrun.document import read, stream
from irrun.document.records import NetElement
from irrun.document.source_map import element_starts
from tests.linter.models import ITERATOR, NET

HEAD = '<net name="n" version="11">'
LIMIT = "a name, a value or a text is longer than any IR has"
LONG = 10_500_000
SOUND = (NET, ITERATOR, f"{HEAD}<pre-process><channel><mean/></channel></pre-process></net>")

# Pieces of XML, among them those that two parsers may read differently.
PARTS = (
    *("<a>", "</a>", "<a/>", "<é/>", "<\u0370/>", "<a\u0346/>", "<x:a/>", '<a xmlns:x="u">', '<x:a xmlns:x="u"/>'),
    *('<a b="1" b="2"/>', '<a b="&amp;&lt;\n"/>', '<a b="<"/>', '<a b="1"c="2"/>', "<a::b/>", '<a xmlns:x=""/>'),
    *('<a xmlns:x="u" xmlns:y="u" x:b="" y:b=""/>', '<a xmlns="a b"/>', '<a xmlns="urn:x"/>', '<a xml:id="1"/>'),
    *("&amp;", "&#51;", "&#0;", "&#xFFFE;", "&unknown;", "&", "<", ">", "]]>", "\0", "\x01", "\x7f", "\x85", "\ufeff"),
    *("<!-- <a> -->", "<!-- -- -->", "<!-->", "<![CDATA[<a>]]>", "<?x y?>", "<?x:y z?>", "<?xml version='1.0'?>"),
    *(
        "<!DOCTYPE net>",
        '<!DOCTYPE net [<!ENTITY e "<a/>">]>',
        "<!ELEMENT net ANY>",
        "\r\n",
        "\t",
        "text",
        "\ud7ff",
        "𐀀",
    ),
)


class Tags:
    """The start tags that expat finds."""

    def __init__(self, data: bytes) -> None:
        self.tags: list[str] = []
        self.attributes: list[dict[str, str]] = []
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.Parse(data, True)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.tags.append(tag)
        self.attributes.append(attributes)


def numbered(net: NetElement) -> Iterator[tuple[int, str, str | None]]:
    """Yield the ordinals of all records with the tag and the id of their elements."""
    for layer in net.layers:
        yield layer.element, "layer", layer.id
        if layer.data_element is not None:
            yield layer.data_element, "data", None
        for port in (*layer.inputs, *layer.outputs):
            yield port.element, "port", port.id
            yield from ((ordinal, "dim", None) for ordinal in port.dim_elements)
        for body in layer.bodies:
            yield body.element, body.tag, None
            yield from ((entry.element, entry.kind, None) for entry in body.port_map)
            yield from ((edge.element, "edge", None) for edge in body.back_edges)
            yield from numbered(body.net)
    yield from ((edge.element, "edge", None) for edge in net.edges)
    if net.pre_process is not None:
        yield net.pre_process.element, "pre-process", None
        for channel in net.pre_process.channels:
            yield channel.element, "channel", channel.id
            if channel.mean is not None:
                yield channel.mean.element, "mean", None


def agrees(data: bytes) -> bool:
    """Return whether a file is read; its ordinals are then those of expat, otherwise there are findings."""
    document, refused = None, ()
    try:
        document = read(data)
    except IRError as error:
        refused = error.diagnostics
    if document is None:
        assert refused
        assert all(item.message for item in refused)
        return False
    found = Tags(document.repaired.text)
    assert len(found.tags) == len(element_starts(document.repaired.text))
    for ordinal, tag, id in numbered(document.net):
        assert found.tags[ordinal] == tag
        assert id is None or found.attributes[ordinal].get("id", "") == id
    return True


@pytest.mark.parametrize("text", SOUND)
def test_sound_files(text: str) -> None:
    assert agrees(text.encode())


@given(st.data())
def test_ordinals_are_those_of_expat(data: st.DataObject) -> None:
    """Anything that stands anywhere between two tags."""
    text = data.draw(st.sampled_from(SOUND))
    for _ in range(data.draw(st.integers(1, 4))):
        gaps = [at for at in range(len(text)) if text[at] == "<"]
        at = data.draw(st.sampled_from(gaps))
        text = text[:at] + data.draw(st.sampled_from(PARTS)) + text[at:]
    agrees(text.encode(errors="replace"))


@given(st.lists(st.sampled_from(PARTS), max_size=6), st.sampled_from([1, 3, 1 << 16]))
def test_the_parsers_accept_the_same(parts: list[str], piece: int) -> None:
    """What lxml accepts, expat accepts, with the same tags and attributes."""
    text = f"<net>{''.join(parts)}</net>".encode(errors="replace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "PIECE", piece)
        try:
            tree = stream.tree(text)
        except stream.Unreadable:
            return
    found = Tags(text)
    local = [tag.rpartition(":")[2] for tag in found.tags]
    assert [element.tag.rpartition("}")[2] for element in tree.iter()] == local
    for element, attributes in zip(tree.iter(), found.attributes, strict=True):
        expected = {name: value for name, value in attributes.items() if not name.startswith("xml")}
        plain = {name: value for name, value in element.items() if not name.startswith("{http://www.w3.org/XML/")}
        assert sorted(plain.values()) == sorted(expected.values())


# name, file, code, message, offset
REFUSED = [
    ("name of the fifth edition", f"{HEAD}<Ͱ/></net>", "IR101", "unexpected character U+0370", 28),
    ("instruction of the fifth edition", f"<?Ͱ?>{HEAD}</net>", "IR101", "unexpected character U+0370", 2),
    ("root of the fifth edition", "<netͰ/>", "IR102", "the root element is <netͰ>", None),
    ("another root with a net in it", f"<neté>{HEAD}</net></neté>", "IR102", "the root element is <neté>", None),
    ("version 2.0 of XML", f'<?xml version="2.0"?>{HEAD}</net>', "IR101", 'version "2.0" of XML is not known', 15),
    ("no version of XML", f"<?xml version=''?>{HEAD}</net>", "IR101", 'version "" of XML is not known', 15),
    ("namespace that is no URI", f'{HEAD}\n<a xmlns:b="c d"/></net>', "IR101", "is not a valid URI", 28),
    ("namespace with a brace", f'{HEAD}<a xmlns:b="c}}d"/></net>', "IR101", "malformed XML: syntax error", 27),
    ("long name", f"{HEAD}<{'n' * 60_000}/></net>", "IR901", LIMIT, 0),
    ("long value", f'{HEAD}<a b="{"n" * LONG}"/></net>', "IR901", LIMIT, 0),
    ("long text", f"{HEAD}{'n' * LONG}</net>", "IR901", LIMIT, 0),
    ("long comment", f"{HEAD}<!--{'<' * LONG}--></net>", "IR901", LIMIT, 0),
    ("long data", f"{HEAD}<![CDATA[{'<' * LONG}]]></net>", "IR901", LIMIT, 0),
    ("long instruction", f"{HEAD}<?x {'<' * LONG}?></net>", "IR901", LIMIT, 0),
    ("long white space", f"{HEAD}<a{' ' * LONG}/></net>", "IR901", LIMIT, 0),
    ("unknown entity", f"{HEAD}&x;</net>", "IR101", "no entity &x;", 27),
    (
        "unknown entity, then a net",
        f"{HEAD}<rt_info/>&x;</net>" + " " * stream.PIECE + NET,
        "IR101",
        "no entity &x;",
        37,
    ),
    ("zero byte at the end", f"{HEAD}</net>\0", "IR101", "not well-formed", 33),
    ("surrogate", f"{HEAD}\ud800</net>", "IR101", "byte 0xed is not valid utf-8", 27),
    ("two marks", f"\ufeff\ufeff{HEAD}</net>", "IR101", "unexpected character U+FEFF", 3),
]


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("text", "code", "message", "offset"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_what_one_parser_refuses(text: str, code: str, message: str, offset: int | None) -> None:
    with pytest.raises(IRError) as caught:
        read(text.encode(errors="surrogatepass"))
    (found,) = caught.value.diagnostics
    assert (found.code, found.anchor.offset) == (code, offset)
    assert message in found.message


# name, file
ACCEPTED = [
    ("version 1.1 of XML", '<?xml version="1.1"?>' + NET.partition("?>")[2]),
    ("byte order mark", codecs.BOM_UTF8.decode() + NET),
    ("declared otherwise", '<?xml version="1.0" encoding="ascii"?>' + NET.partition("?>")[2].replace("clip", "é")),
    ("unknown instruction", NET.replace("<layers>", "<?x <layers> ?><layers>")),
    ("elements in an edge", NET.replace("<edge ", "<edge><a/><b><c/></b></edge><edge ", 1)),
    ("elements in a back edge", ITERATOR.replace('to-layer="1"/>', 'to-layer="1"><a/></edge>')),
]


@pytest.mark.parametrize("text", [row[1] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_what_both_accept(text: str) -> None:
    assert agrees(text.encode())
