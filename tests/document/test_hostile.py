"""Files that are no IR: each is reported at the right place and never causes a traceback."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from irrun.diagnostics import IRError
from irrun.document import read
from irrun.linter import lint
from tests.linter.models import NET, TILE

LAUGHS = '<!DOCTYPE net [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>\n<net name="&c;"/>'
OUTSIDE = (
    '<?xml version="1.0"?>\n<!-- harmless -->\n<?pi x?><!DOCTYPE net SYSTEM "file:///etc/passwd">\n<net version="11"/>'
)
NESTED = NET.replace("</net>", "<rt_info>" + "<a>" * 300 + "</a>" * 300 + "</rt_info></net>")


def bodies(depth: int) -> str:
    """Return a net of nested TensorIterators."""
    head = '<layer id="0" name="t" type="TensorIterator" version="opset1"><body>'
    inner = "<layers>" + (head + "<layers>") * depth + ("</layers></body></layer>") * depth + "</layers>"
    return f'<net name="n" version="11">{inner}<edges/></net>'


# name, file, code, row, column, part of the message
FILES = [
    ("empty", b"", "IR101", 1, 1, "the file is empty"),
    ("blank", b" \n\n", "IR101", 1, 1, "the file is empty"),
    ("mark alone", codecs.BOM_UTF8, "IR101", 1, 1, "the file is empty"),
    ("text", b"a model\n", "IR102", 1, 1, "the file is not XML, expected <net>"),
    ("binary", bytes(range(256)) * 8, "IR102", 1, 1, "the file is not XML"),
    ("other XML", b"<?xml version='1.0'?>\n<html><body/></html>", "IR102", 2, 1, "the root element is <html>"),
    ("malformed other XML", b"<html><br></html>", "IR102", 1, 1, "the root element is <html>"),
    (
        "namespace",
        b'<net xmlns="urn:x" version="11"/>',
        "IR102",
        1,
        1,
        'in the namespace "urn:x", expected <net> in none',
    ),
    ("version 7", b'<net name="n" version="7"><layers><x/></layers></net>', "IR102", 1, 24, 'version "7" is not known'),
    ("version 12", b'<net name="n"\n  version="12"/>', "IR102", 2, 12, "expected 10 or 11"),
    ("version of words", b'<net version="eleven"/>', "IR102", 1, 15, 'version "eleven"'),
    ("doctype", b"<!DOCTYPE net><net version='11'/>", "IR901", 1, 1, "document type declaration"),
    ("doctype after comments", OUTSIDE.encode(), "IR901", 3, 9, "document type declaration"),
    ("doctype in UTF-16", OUTSIDE.encode("utf-16"), "IR901", 3, 9, "document type declaration"),
    ("doctype in UTF-16 without mark", OUTSIDE.encode("utf-16-be"), "IR901", 3, 9, "document type declaration"),
    ("billion laughs", LAUGHS.encode(), "IR901", 1, 1, "document type declaration"),
    ("entity", b'<net name="&company;" version="11"/>', "IR101", 1, 12, "no entity &company;"),
    ("deep", NESTED.encode(), "IR901", 21, 769, "nested more than 255 deep"),
    ("deep bodies", bodies(81).encode(), "IR901", 1, None, "bodies are nested more than 80 deep"),
    ("long value", b'<net name="' + b"n" * 11_000_000 + b'" version="11"/>', "IR901", 1, 1, "longer than any IR has"),
    ("many dims", NET.replace("<dim>2</dim>", "<dim>2</dim>" * 70, 1).encode(), "IR404", 6, 21, "has 71 dims"),
    ("cut in an element", NET[: NET.index("</edges>")].encode(), "IR101", 19, 69, "the file ends inside <edges>"),
    ("cut in a tag", NET[: NET.index('to-layer="2"')].encode(), "IR101", 19, 9, "ends inside the tag that begins here"),
    ("cut in a character", '<net name="é'.encode()[:-1], "IR101", 1, 1, "ends inside the tag"),
    ("cut in UTF-16", NET.encode("utf-16")[:-1], "IR101", 21, 7, "is not valid utf-16-le"),
    ("zero byte", NET.replace("clip", "cl\0ip").encode(), "IR101", 8, 31, "not well-formed"),
    ("not UTF-8", NET.encode().replace(b"clip", b"cl\xe9p"), "IR101", 8, 31, "byte 0xe9 is not valid utf-8"),
    ("wrong closing tag", NET.replace("</edges>", "</edge>").encode(), "IR101", 20, 5, "expected </edges>"),
    ("closing tag too many", NET.replace("</net>", "</layers></net>").encode(), "IR101", 21, 1, "expected </net>"),
    ("two roots", (NET + "<net/>").encode(), "IR101", 22, 1, "something follows the end of </net>"),
    ("text after the root", (NET + "the end").encode(), "IR101", 22, 1, "something follows the end of </net>"),
    (
        "quote left out",
        NET.replace('name="clip"', 'name="clip').encode(),
        "IR101",
        8,
        28,
        "value of name has no closing",
    ),
    ("attribute twice", NET.replace('id="1"', 'id="1" id="2"', 1).encode(), "IR101", 8, 23, "duplicate attribute"),
    ("prefix", NET.replace("<net", '<net xsi:a="b"', 1).encode(), "IR101", 2, 6, "the prefix xsi is not declared"),
    ("wrong encoding", b'<?xml version="1.0" encoding="UTF-16"?>\n<net', "IR101", 1, 31, 'encoding="utf-8" was meant'),
    (
        "strange encoding",
        b'<?xml version="1.0" encoding="rot13"?>\n<net',
        "IR101",
        1,
        31,
        'encoding="rot13" is not known',
    ),
]


def test_hostile_files(tmp_path: Path, subtests: pytest.Subtests) -> None:
    path = tmp_path / "model.xml"
    for name, data, code, row, column, message in FILES:
        path.write_bytes(data)
        with subtests.test(file=name):
            finding = lint(path).findings()[0]
            assert finding.diagnostic.code == code
            assert message in finding.diagnostic.message
            assert finding.place.row == row
            assert column is None or finding.place.column == column


def test_patterns_are_linear(tmp_path: Path) -> None:
    """Texts on which a careless pattern would need quadratic or exponential time: the test would not end."""
    path = tmp_path / "model.xml"
    for text in (
        " " * 100_000 + "<net",
        "<!-- -->" * 20_000 + "<net",
        "<!--" * 50_000,
        "<net " + "a" * 200_000,
        "<net><" + "a." * 100_000,
        "<net><a " + 'b="' * 50_000,
        "<net " + "&" * 100_000 + "/>",
        "<net>" + "/a>" * 50_000,
        "<net>" + "<dim>1/dim>" * 20_000,
        "<net " + "a=" * 50_000 + "/>",
    ):
        path.write_text(text)
        assert lint(path)[0].code in ("IR101", "IR102"), text[:40]


def test_nothing_is_read_from_outside(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("opset1")
    path = tmp_path / "model.xml"
    path.write_text(
        f'<!DOCTYPE net [<!ENTITY s SYSTEM "{tmp_path / "secret.txt"}">]><net name="n" version="11">&s;</net>'
    )
    with pytest.raises(IRError) as caught:
        read(path)
    assert [item.code for item in caught.value.diagnostics] == ["IR901"]
    assert caught.value.filename == str(path)


@pytest.mark.parametrize("missing", ["absent.xml", "."])
def test_a_file_that_cannot_be_opened(missing: str, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"absent\.xml|directory"):
        lint(tmp_path / missing)


def test_weights_that_cannot_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "tile.xml"
    path.write_text(TILE)
    with pytest.raises(FileNotFoundError):
        lint(path, tmp_path / "absent.bin")


# name, change to a sound file, codes of the findings
HARMLESS: list[tuple[str, tuple[str, str], list[str]]] = [
    ("comments", ("<layers>", "<!-- a <b> -- c --><layers>".replace(" -- ", " - ")), []),
    ("processing instruction", ('<net name="net"', '<?xml-model href="ir-v11.rng"?><net name="net"'), []),
    (
        "schema location",
        (
            '<net name="net"',
            '<net xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="x" name="net"',
        ),
        [],
    ),
    ("foreign element", ("<layers>", '<x:note xmlns:x="urn:x"><x:p/></x:note><layers>'), []),
    ("statistics", ("</net>", "<statistics><a/></statistics><meta_data/><rt_info><b c='d'/></rt_info></net>"), []),
    ("CDATA", ("<dim>3</dim>", "<dim><![CDATA[3]]></dim>"), []),
    ("comment in a dim", ("<dim>3</dim>", "<dim>3 <!-- three --></dim>"), []),
    ("blanks in a dim", ("<dim>3</dim>", "<dim>\n 3\n</dim>"), []),
    ("character reference", ("<dim>3</dim>", "<dim>&#51;</dim>"), []),
    ("single quotes", ('name="clip"', "name='cl\"ip'"), []),
    ("version 10", ('version="11"', 'version="10"'), []),
    ("text between elements", ("<layers>", "<layers> some words "), []),
]


def test_harmless_markup(tmp_path: Path, subtests: pytest.Subtests) -> None:
    path = tmp_path / "model.xml"
    for name, change, codes in HARMLESS:
        path.write_text(NET.replace(*change), encoding="utf-8")
        with subtests.test(markup=name):
            assert [item.code for item in lint(path)] == codes


# name, encoder
ENCODED = [
    ("UTF-8 with a mark", lambda text: codecs.BOM_UTF8 + text.encode()),
    ("UTF-16 with a mark", lambda text: text.encode("utf-16")),
    ("UTF-16 without one", lambda text: text.encode("utf-16-le")),
    ("UTF-32", lambda text: text.encode("utf-32")),
    ("Latin-1", lambda text: text.replace("1.0", '1.0" encoding="ISO-8859-1').encode("latin-1")),
    ("Windows-1252", lambda text: text.replace("1.0", '1.0" encoding="windows-1252').encode("cp1252")),
    ("Latin-1 and ASCII", lambda text: text.replace("1.0", '1.0" encoding="latin-1').replace("é", "e").encode("ascii")),
    ("CRLF", lambda text: text.replace("\n", "\r\n").encode()),
    ("CR", lambda text: text.replace("\n", "\r").encode()),
]


@pytest.mark.parametrize("stored", [row[1] for row in ENCODED], ids=[row[0] for row in ENCODED])
def test_encodings_keep_rows_and_columns(stored: object, tmp_path: Path) -> None:
    text = NET.replace("clip", "café").replace("<dim>3</dim></port></output>", "<dim>4</dim></port></output>")
    path = tmp_path / "model.xml"
    text = text.replace('<port id="0" ', '<port id="0" names="é" ').replace('<port id="1" ', '<port id="1" names="o" ')
    path.write_bytes(stored(text))  # type: ignore[operator]
    findings = lint(path).findings()
    assert [(item.diagnostic.code, item.place.row, item.place.column) for item in findings] == [
        ("IR401", 6, 78),
        ("IR401", 11, 78),
    ]
    assert findings[1].diagnostic.layer is not None
    assert findings[1].diagnostic.layer.name in ("café", "cafe")
