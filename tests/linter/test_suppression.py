"""Comments that suppress findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.diagnostics import Severity
from irrun.linter import Report, lint
from tests.linter.models import NET

PORT = "<dim>3</dim></port></output>"
WRONG = NET.replace(PORT, "<dim>4</dim></port></output>", 1)
ROW = 6
"""The row of the wrong dim; the input that it reaches is on row 10."""


def checked(folder: Path, text: str) -> Report:
    path = folder / "model.xml"
    path.write_bytes(text.encode())
    return lint(path)


def found(folder: Path, text: str) -> list[tuple[str, int, str]]:
    return [
        (item.diagnostic.code, item.place.row, item.diagnostic.message) for item in checked(folder, text).findings()
    ]


def above(comment: str, text: str = WRONG) -> str:
    """Return the text with a comment on a separate line above the first output."""
    return text.replace("            <output>", f"            {comment}\n            <output>", 1)


def beside(comment: str, text: str = WRONG) -> str:
    """Return the text with a comment at the end of the line of the first output."""
    return text.replace("</output>", f"</output> {comment}", 1)


def test_the_fault_is_found_without_a_comment(tmp_path: Path) -> None:
    assert found(tmp_path, WRONG) == [("IR401", ROW, "output port 0 is declared [2,4], inferred [2,3]")]


@pytest.mark.parametrize(
    "text",
    [
        beside("<!-- irrun: ignore[IR401] the application sets it -->"),
        above("<!-- irrun: ignore[IR401] the application sets it -->"),
        above("<!-- irrun: ignore[wrong-output-dims] -->"),
        above("<!-- irrun: ignore[IR4] -->"),
        above("<!--irrun:ignore [ IR401 ]-->"),
        above("<!-- irrun: ignore[IR401]\n over\n three lines -->"),
        above("<!-- irrun: ignore[IR401] -->\n<!-- irrun: ignore-file[IR112] -->"),
        WRONG.replace("<layers>", "<!-- irrun: ignore-file[IR401] -->\n    <layers>"),
        WRONG + "<!-- irrun: ignore-file[IR401] at the end -->",
        above("<!-- irrun: ignore[IR401] größer -->"),
    ],
    ids=range(10),
)
def test_suppressed(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text) == []


def test_other_comments_suppress_nothing(tmp_path: Path) -> None:
    text = above("<!-- ignore[IR401] -->")
    assert [item[:2] for item in found(tmp_path, text)] == [("IR401", ROW + 1)]


def test_a_comment_beside_a_finding_is_not_about_the_next_line(tmp_path: Path) -> None:
    two = WRONG.replace("<dim>2</dim><dim>4</dim></port></output>", "<dim>5</dim></port></output>\n", 1)
    dims = '<port id="0" precision="FP32"><dim>9</dim><!-- irrun: ignore[IR401] -->\n<dim>3</dim></port>'
    assert checked(tmp_path, two.replace('<port id="0" precision="FP32"><dim>5</dim></port>', dims)).as_dicts() == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            above("<!-- irrun: ignore[IR402] -->"),
            [
                (6, "IR112", "ignore[IR402] suppresses nothing, expected such a finding on this line or the next"),
                (7, "IR401", "output port 0 is declared [2,4], inferred [2,3]"),
            ],
        ),
        (
            above("<!-- irrun: ignore[IR401, IR403] -->"),
            [(6, "IR112", "ignore[IR403] suppresses nothing, expected such a finding on this line or the next")],
        ),
        (
            above("<!-- irrun: ignore-file[IR5] -->", NET),
            [(6, "IR112", "ignore-file[IR5] suppresses nothing, expected such a finding in the file")],
        ),
        (
            above("<!-- irrun: ignore[wrong-output-dim] -->", NET),
            [(6, "IR112", 'no rule is called "wrong-output-dim"; did you mean wrong-output-dims?')],
        ),
        (
            above("<!-- irrun: ignore -->", NET),
            [(6, "IR112", '"irrun: ignore" names no rule, expected ignore[CODE]')],
        ),
        (
            above("<!-- irrun: ignore-file[] -->", NET),
            [(6, "IR112", '"irrun: ignore-file" names no rule, expected ignore-file[CODE]')],
        ),
        (
            above("<!-- irrun: ignor[IR401] -->", NET),
            [(6, "IR112", '"irrun: ignor" is not known; did you mean ignore?')],
        ),
        (
            above("<!-- irrun: disable[IR401] -->", NET),
            [(6, "IR112", '"irrun: disable" is not known, expected ignore[CODE] or ignore-file[CODE]')],
        ),
    ],
    ids=range(8),
)
def test_an_unused_comment_is_a_finding(tmp_path: Path, text: str, expected: list[tuple[int, str, str]]) -> None:
    assert [(row, code, message) for code, row, message in found(tmp_path, text)] == expected


def test_where_the_finding_stands(tmp_path: Path) -> None:
    (finding,) = checked(tmp_path, above("<!-- irrun: ignore[IR401] größer -->", NET)).findings()
    place = finding.place
    assert (place.row, place.column, place.end_row, place.end_column) == (6, 13, 6, 49)
    assert (finding.diagnostic.severity, finding.name) == (Severity.WARNING, "unused-suppression")


@pytest.mark.parametrize(
    ("comment", "place", "message"),
    [
        ("<!-- irrun: ignore[IR401] -->", above, "remove the comment"),
        ("<!-- irrun: ignore[IR401]\n twice -->", above, "remove the comment"),
        ("<!-- irrun: ignore-file[IR401] -->", beside, "remove the comment"),
    ],
)
def test_the_fix_gives_back_the_file_without_the_comment(
    tmp_path: Path, comment: str, place: object, message: str
) -> None:
    text = above(comment, NET) if place is above else beside(comment, NET)
    (finding,) = checked(tmp_path, text)
    assert finding.fix is not None
    assert (finding.fix.message, finding.fix.applicability) == (message, "safe")
    (edit,) = finding.fix.edits
    fixed = text[: edit.start] + edit.content + text[edit.end :]
    assert fixed == (NET if place is above else NET.replace("</output>", "</output> ", 1))


def test_the_fix_of_a_comment_with_a_use_keeps_it(tmp_path: Path) -> None:
    text = above("<!-- irrun: ignore[IR402,IR401, IR403] why -->")
    (finding,) = checked(tmp_path, text)
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    assert finding.fix.message == "remove IR402, IR403 from the comment"
    assert text[: edit.start] + edit.content + text[edit.end :] == above("<!-- irrun: ignore[IR401] why -->")


@pytest.mark.parametrize("comment", ["<!-- irrun: ignore-file[IR112] -->", "<!-- irrun: ignore-file[IR1] -->"])
def test_a_comment_may_suppress_that_others_are_unused(tmp_path: Path, comment: str) -> None:
    text = above("<!-- irrun: ignore[IR401] -->", NET)
    assert found(tmp_path, text.replace("<layers>", f"{comment}<layers>")) == []


def test_a_file_that_cannot_be_read_further(tmp_path: Path) -> None:
    assert [item[0] for item in found(tmp_path, "<html></html>")] == ["IR102"]
    assert found(tmp_path, "<!-- irrun: ignore-file[IR102] a page --><html></html>") == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1"])
def test_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    head = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>'
    text = above("<!-- irrun: ignore[IR401] größer -->").replace('<?xml version="1.0"?>', head)
    path = tmp_path / "model.xml"
    path.write_bytes(text.encode(encoding))
    assert lint(path).as_dicts() == []


@pytest.mark.parametrize(
    ("comment", "row"),
    [
        ("<!-- irrun: ignore[ -->\n<!-- IR401] -->", 6),
        ("<!-- irrun: ignore[IR402 -->", 6),
    ],
)
def test_a_list_ends_within_its_comment(tmp_path: Path, comment: str, row: int) -> None:
    message = '"irrun: ignore" names no rule, expected ignore[CODE]'
    assert found(tmp_path, above(comment, NET)) == [("IR112", row, message)]


def test_a_great_many_comments(tmp_path: Path) -> None:
    """The cost is linear in the number of comments on one line."""
    comments = "<!-- irrun: ignore[IR401] -->" * 3000
    assert len(found(tmp_path, NET.replace("<layers>", f"{comments}<layers>"))) == 3000


def test_a_comment_without_an_end(tmp_path: Path) -> None:
    assert [code for code, _, _ in found(tmp_path, "<!-- irrun: ignore[" * 3000)] == ["IR102"]
