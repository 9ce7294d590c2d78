"""Reading in pieces: the result does not depend on the size of a piece, and no tree of the whole file is built."""

from __future__ import annotations

import tracemalloc
from xml.parsers.expat import errors

import pytest

from irrun.diagnostics import IRError
from irrun.document import read, stream
from irrun.document.reader import Document
from irrun.document.walker import Walker
from tests.linter.models import NET

HEAD = '<net name="n" version="11">'
PORT = '<port id="0" precision="FP32"><dim>1</dim><dim>2</dim></port>'
LAYER = f'<layer id="{{}}" name="a" type="ReLU" version="opset1"><input>{PORT}</input><output>{PORT}</output></layer>'


def layers(count: int) -> str:
    return "<layers>" + "".join(LAYER.format(id) for id in range(count)) + "</layers>"


def in_body(inside: str) -> str:
    """Return a net with one layer that has a body, followed by another layer."""
    head = '<layer id="0" name="loop" type="TensorIterator" version="opset1">'
    maps = '<port_map><input external_port_id="0" internal_layer_id="0"/></port_map><back_edges/>'
    loop = f"{head}<input>{PORT}</input>{maps}<body>{inside}<edges/><rt_info><a/></rt_info></body></layer>"
    return f"{HEAD}<layers>{loop}{LAYER.format(1)}</layers><edges/></net>"


# name, text
TEXTS = [
    ("sound", NET),
    ("bodies", in_body(layers(3))),
    ("bodies in bodies", in_body(in_body(layers(2)).removeprefix(HEAD).removesuffix("</net>"))),
    ("fragment", LAYER.format(0) * 3),
    ("strangers", NET.replace("<edges>", "<x><y/>text<y><z/></y></x><edges>").replace("<input>", "<w><v/></w><input>")),
    ("strangers among layers", NET.replace("<layers>", "<layers><x><y/></x>").replace("<edges>", "<edges><x><y/></x>")),
    ("misspelt containers", NET.replace("layers>", "layer>").replace("edges>", "edgs>")),
    ("layers twice", NET.replace("<edges>", "<layers><x/></layers><edges>")),
    ("a child in a dim", NET.replace("<dim>3</dim>", "<dim>3<x/></dim><x><y/></x><dim>4</dim>")),
    ("a slip", NET.replace("</dim>", "/dim>", 1).replace('name="clip"', 'name="c&p"')),
    ("comments", NET.replace("<dim>3", "<dim><!-- one -->3<!-- two -->").replace("<edge ", "<!-- x --><edge ")),
    ("beyond ASCII", NET.replace("clip", "café 名前")),
]


@pytest.mark.parametrize("text", [row[1] for row in TEXTS], ids=[row[0] for row in TEXTS])
def test_no_matter_where_a_piece_ends(text: str, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests) -> None:
    whole = read(text.encode())
    assert whole.net.layers
    for piece in (1, 7, 64, 500):
        monkeypatch.setattr(stream, "PIECE", piece)
        with subtests.test(piece=piece):
            pieces = read(text.encode())
            assert pieces.net == whole.net
            assert pieces.diagnostics == whole.diagnostics


# name, text with many layers
LARGE = [
    ("layers", f"{HEAD}{layers(2000)}<edges/></net>"),
    ("layers of a body", in_body(layers(2000))),
    ("layers of a misspelt body", in_body(layers(2000)).replace("body>", "bodi>")),
]


@pytest.mark.parametrize("text", [row[1] for row in LARGE], ids=[row[0] for row in LARGE])
def test_no_whole_tree(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporary memory during reading is smaller than the text; a tree would need twenty times its size."""
    monkeypatch.setattr(stream, "PIECE", 4096)
    data = text.encode()
    tracemalloc.start()
    document = read(data)
    left, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most - left < len(data)
    assert left < 8 * len(data)
    assert sum(1 for layer in _all(document) if layer == "ReLU") >= 2000


def _all(document: Document) -> list[str]:
    inner = [layer for outer in document.net.layers for body in outer.bodies for layer in body.net.layers]
    return [layer.type for layer in (*document.net.layers, *inner)]


# name, text, findings: code, message, offset in bytes
REFUSED = [
    (
        "version, then malformed",
        '<net version="7"><layers></net>',
        [("IR101", "malformed XML: </net> closes nothing, expected </layers>", 25)],
    ),
    (
        "root, then malformed",
        '<n:net xmlns:n="urn:x" version="11"><layers></n:net>',
        [("IR102", "not an OpenVINO IR: the root element is <n:net>, expected <net>", None)],
    ),
    (
        "prefix of an element",
        '<net version="11"><layers><x:note/></layers></net>',
        [("IR101", "malformed XML: the prefix x is not declared, expected xmlns:x", 27)],
    ),
    (
        "prefix that is declared elsewhere",
        '<net version="11"><a xmlns:x="urn:x" x:b="x:c"/><b c="x:d" x:e="f"/></net>',
        [("IR101", "malformed XML: the prefix x is not declared, expected xmlns:x", 59)],
    ),
    (
        "prefix that is reserved",
        '<net version="11" xmlns:xml="urn:x"/>',
        [("IR101", f"malformed XML: {errors.XML_ERROR_RESERVED_PREFIX_XML}", 0)],
    ),
    (
        "character of no name",
        '<net version="11"><\ufeffa/></net>',
        [("IR101", "malformed XML: unexpected character U+FEFF, expected markup or a name inside <net>", 19)],
    ),
    (
        "deep at the end of a piece",
        '<net version="11">' + "<a>" * 100_000,
        [("IR901", "elements are nested more than 255 deep", 780)],
    ),
    (
        "deep and whole",
        '<net version="11">' + "<a>" * 255 + "</a>" * 255 + "</net>",
        [("IR901", "elements are nested more than 255 deep", 780)],
    ),
]


@pytest.mark.parametrize(("text", "found"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_refused(text: str, found: list[tuple[str, str, int | None]]) -> None:
    with pytest.raises(IRError) as caught:
        read(text.encode())
    assert [(item.code, item.message, item.anchor.offset) for item in caught.value.diagnostics] == found


def test_as_deep_as_may_be() -> None:
    text = f"{HEAD}<rt_info>{'<a>' * 253}{'</a>' * 253}</rt_info></net>"
    assert read(text.encode()).net.name == "n"


@pytest.mark.parametrize("piece", [1, 100, 1 << 16])
def test_one_level_too_deep(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PIECE", piece)
    for tag in ("rt_info", "data", "unknown"):
        text = f"{HEAD}<layers><layer><{tag}>{'<a>' * 252}{'</a>' * 252}</{tag}></layer></layers></net>"
        with pytest.raises(IRError) as caught:
            read(text.encode())
        assert [item.message for item in caught.value.diagnostics] == ["elements are nested more than 255 deep"]


def test_the_depth_counts_the_elements_around() -> None:
    root = stream.tree(b"<a><b/><c><d/></c></a>")
    assert [stream.depth(element) for element in (root, *root)] == [3, 2, 3]


def test_what_was_read_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PIECE", 4096)
    elements = stream.Elements(f"{HEAD}{layers(2000)}<edges/></net>".encode())
    root = elements.root()
    together = []
    for child in elements.children(root):
        together += [len(child) for _ in elements.children(child)] if child.tag == "layers" else []
    assert len(together) == 2000
    assert max(together) < 3 * 4096 / len(LAYER)


@pytest.mark.parametrize("tag", ["rt_info", "unknown"])
def test_what_is_skipped_is_freed(tag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PIECE", 4096)
    elements = stream.Elements(f"{HEAD}<{tag}>{'<a><b/></a>' * 5000}</{tag}><layers/></net>".encode())
    walker = Walker(elements, fragment=False)
    root = elements.root()
    (skipped, layers) = [(child.tag, walker.skip(child), len(child))[::2] for child in elements.children(root)]
    assert (skipped[0], layers) == (tag, ("layers", 0))
    assert skipped[1] < 3 * 4096 / len("<a><b/></a>")
    assert walker.ordinal == 10_001


def test_the_rest_is_parsed() -> None:
    elements = stream.Elements(b"<a><b/><c><d/></c></a>")
    elements.finish()
    assert [child.tag for child in elements.root()] == ["c"]
    for malformed in (b"<a><x:b/></a>", b"<a>", b"<a/>\xff", b"<a>\xff</a>", b"<a/><b/>", b"<a b='&c;'/>"):
        with pytest.raises(stream.Unreadable):
            stream.Elements(malformed).finish()
    with pytest.raises(stream.Unreadable, match="no element found"):
        stream.Elements(b"<!DOCTYPE a><a/>")


def test_too_many_attributes() -> None:
    for many in (1000, 1001):
        attributes = " ".join(f'a{index}="1"' for index in range(many))
        text = f"{HEAD}<layers/><edges><edge {attributes}/></edges></net>".encode()
        if many == 1000:
            assert len(read(text).diagnostics) == many + 1
            continue
        with pytest.raises(IRError) as caught:
            read(text)
        (found,) = caught.value.diagnostics
        assert (found.code, found.anchor.element) == ("IR901", 3)
        assert found.message == "the element has 1001 attributes, expected at most 1000"
