"""Repaired slips: the message, its place, and the check of the rest of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.document.repair import repair
from irrun.document.text import wrap_fragment
from irrun.linter import lint
from tests.linter.models import CLAMP, NET

# name, change to a sound bare layer; row, column, end column; message; content of the edits
SLIPS = [
    (
        "lost bracket",
        ("<dim>2</dim>", "<dim>2/dim>"),
        (5, 19, 24),
        "the closing tag of <dim> has lost its <; <dim>2</dim> was meant",
        ["<"],
    ),
    (
        "lost bracket of a container",
        ("    </input>", "    /input>"),
        (8, 5, 12),
        "the closing tag of <input> has lost its <; </input> was meant",
        ["<"],
    ),
    (
        "lost slash",
        ("<dim>2</dim>", "<dim>2<dim>"),
        (5, 19, 24),
        "the closing tag of <dim> has lost its /; <dim>2</dim> was meant",
        ["/"],
    ),
    (
        "lost slash of a container",
        ("</output>", "<output>"),
        (14, 5, 13),
        "the closing tag of <output> has lost its /; </output> was meant",
        ["/"],
    ),
    (
        "ellipsis for a value",
        ('name="clip"', "name=..."),
        (1, 15, 23),
        "an ellipsis stands for attributes of <layer>; expected them in full",
        [""],
    ),
    ("no quotes", ('min="0"', "min=0"), (2, 15, 16), 'the value of min is not quoted; min="0" was meant', ['"', '"']),
    ("bare ampersand", ("clip", "a & b"), (1, 23, 24), "a bare & is not allowed; &amp; was meant", ["&amp;"]),
]


@pytest.mark.parametrize(("change", "place", "message", "edits"), [row[1:] for row in SLIPS], ids=[r[0] for r in SLIPS])
def test_slip(
    change: tuple[str, str], place: tuple[int, int, int], message: str, edits: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "layer.xml"
    path.write_text(CLAMP.replace(change[0], change[1], 1), encoding="utf-8")
    (finding,) = lint(path).findings()
    assert finding.diagnostic.code == "IR101"
    assert finding.diagnostic.message == message
    assert (finding.place.row, finding.place.column, finding.place.end_column) == place
    assert finding.diagnostic.fix is not None
    assert finding.diagnostic.fix.applicability == "unsafe"
    assert [edit.content for edit in finding.diagnostic.fix.edits] == edits


@pytest.mark.parametrize("change", [row[1] for row in SLIPS], ids=[row[0] for row in SLIPS])
def test_the_rest_is_checked(change: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "layer.xml"
    wrong = CLAMP[: CLAMP.index("<output>")] + CLAMP[CLAMP.index("<output>") :].replace("<dim>3</dim>", "<dim>4</dim>")
    path.write_text(wrong.replace(change[0], change[1], 1), encoding="utf-8")
    findings = lint(path).findings()
    assert [item.diagnostic.code for item in findings] == (
        ["IR401", "IR101"] if "output" in change[0] else ["IR101", "IR401"]
    )
    assert next((item.place.row, item.place.column) for item in findings if item.diagnostic.code == "IR401") == (12, 18)


def test_applying_the_edits_gives_a_sound_file(tmp_path: Path) -> None:
    text = CLAMP.replace("<dim>2</dim>", "<dim>2/dim>").replace('min="0" max="6"', "min=0 max=6")
    path = tmp_path / "layer.xml"
    path.write_text(text)
    edits = [edit for item in lint(path) if item.fix is not None for edit in item.fix.edits]
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.content + text[edit.end :]
    assert text == CLAMP
    path.write_text(text)
    assert len(lint(path)) == 0


def test_several_slips_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "layer.xml"
    path.write_text(CLAMP.replace("<dim>2</dim>", "<dim>2/dim>").replace("<dim>3</dim>", "<dim>3<dim>"))
    assert [(item.diagnostic.code, item.place.row) for item in lint(path).findings()] == [
        ("IR101", 5),
        ("IR101", 6),
        ("IR101", 11),
        ("IR101", 12),
    ]


def test_a_slip_before_what_cannot_be_repaired(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(NET.replace('min="0"', "min=0")[:-9])
    messages = [item.message for item in lint(path)]
    assert messages == [
        'the value of min is not quoted; min="0" was meant',
        "malformed XML: the file ends inside the tag that begins here, inside <edges>",
    ]


def test_markup_in_comments_and_data_is_no_slip(tmp_path: Path) -> None:
    path = tmp_path / "layer.xml"
    comment = "<!-- <dim>5/dim> a=1 & ... --><![CDATA[<dim>5/dim>&...]]>"
    path.write_text(CLAMP.replace("<input>", f"{comment}<input>").replace("<dim>2</dim>", "<dim>2/dim>", 1))
    assert [item.message[:24] for item in lint(path)] == ["the closing tag of <dim>"]


def test_nothing_to_repair() -> None:
    assert repair(NET.encode()) is None
    assert repair(b"") is None


def test_offsets_lead_back_to_the_file() -> None:
    data = b"<layer a=1 ... b='x&y'><dim>5/dim></layer>"
    repaired = repair(data)
    assert repaired is not None
    assert repaired.text == (b"<net><layers><layer a=\"1\"     b='x&amp;y'><dim>5</dim></layer></layers></net>")
    for word in (b"<layer a", b"b='", b"y'>", b"<dim>", b"/dim>", b"</layer>"):
        assert repaired.origin(repaired.text.index(word)) == data.index(word), word
    assert repaired.origin(len(repaired.text)) == len(data)


def test_several_bare_layers_are_wrapped() -> None:
    repaired = wrap_fragment(b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- two -->\n<layer/><layer/>")
    assert repaired.fragment
    assert repaired.text == (
        b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- two -->\n<net><layers><layer/><layer/></layers></net>"
    )
    assert not wrap_fragment(NET.encode()).fragment
