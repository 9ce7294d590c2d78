"""Rows and columns: counted from 1, columns in characters, with any text in front."""

from __future__ import annotations

import pytest

from irrun.diagnostics import Anchor
from irrun.document.source_map import SourceMap, element_starts

TEXT = """<net name="a &gt; b"
     version = '11'>
\t<é ключ="日本" x="id=&quot;7&quot; id='8'" id="9">  12 <!-- c --></é>
</net>
"""


def place(source: SourceMap, anchor: Anchor) -> tuple[int, int, int, int]:
    span = source.locate(anchor)
    return span.row, span.column, span.end_row, span.end_column


@pytest.mark.parametrize(
    ("anchor", "want"),
    [
        (Anchor(0), (1, 1, 1, 5)),
        (Anchor(0, "value", "name"), (1, 12, 1, 20)),
        (Anchor(0, "value", "version"), (2, 17, 2, 19)),
        (Anchor(0, "attribute", "version"), (2, 6, 2, 20)),
        (Anchor(1), (3, 2, 3, 4)),
        (Anchor(1, "name", "ключ"), (3, 5, 3, 9)),
        (Anchor(1, "value", "ключ"), (3, 11, 3, 13)),
        (Anchor(1, "value", "id"), (3, 47, 3, 48)),
        (Anchor(1, "text"), (3, 52, 3, 54)),
        (Anchor(1, "value", "absent"), (3, 2, 3, 4)),
        (Anchor(0, "text"), (1, 1, 1, 5)),
        (Anchor(7), (5, 1, 5, 1)),
        (Anchor(offset=0), (1, 1, 1, 2)),
        (Anchor(offset=10**9, length=5), (5, 1, 5, 1)),
        (Anchor(), (1, 1, 1, 2)),
    ],
)
def test_anchor(anchor: Anchor, want: tuple[int, int, int, int]) -> None:
    assert place(SourceMap(TEXT.encode()), anchor) == want


def test_lines() -> None:
    source = SourceMap(TEXT.replace("\n", "\r\n").encode())
    assert source.line(1) == '<net name="a &gt; b"'
    assert source.line(4) == "</net>"
    assert source.line(5) == ""
    assert place(source, Anchor(1, "text")) == (3, 52, 3, 54)


def test_a_byte_order_mark_takes_no_column() -> None:
    source = SourceMap(b"\xef\xbb\xbf" + TEXT.encode())
    assert place(source, Anchor(0)) == (1, 1, 1, 5)
    assert place(source, Anchor(0, "value", "name")) == (1, 12, 1, 20)
    assert source.line(1) == '<net name="a &gt; b"'


def test_places_in_one_long_line_in_any_order() -> None:
    text = "<a>" + "".join(f'<b n="é{index}"/>' for index in range(500)) + "</a>"
    source = SourceMap(text.encode())
    for index in (3, 400, 5, 499, 0, 250):
        row, column, _, end = place(source, Anchor(index + 1, "value", "n"))
        assert row == 1
        assert text[column - 1 : end - 1] == f"é{index}"


def test_the_end_of_a_hundred_thousand_lines() -> None:
    text = "<net>\n" + "<p/>\n" * 99_997 + '<q a="1"/>\n</net>\n'
    assert place(SourceMap(text.encode()), Anchor(99_998, "value", "a")) == (99_999, 7, 99_999, 8)


def test_starts_of_what_is_malformed() -> None:
    assert list(element_starts(b"<a><b/><c")) == [0, 3]


def test_a_line_again() -> None:
    source = SourceMap(TEXT.encode())
    assert [source.line(row) for row in (4, 4, 1)] == ["</net>", "</net>", '<net name="a &gt; b"']


def test_bytes_that_are_no_text_take_one_column() -> None:
    source = SourceMap(b"<a>\n\xff\xfe<b/></a>")
    assert source.line(2) == "\ufffd\ufffd<b/></a>"
    assert (source.span(6, 10).row, source.span(6, 10).column, source.span(6, 10).end_column) == (2, 3, 7)
