"""Layers and ports that are not closed, and conflicts of a merge: reported at their own place, the rest is checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.diagnostics import Diagnostic
from irrun.linter import lint
from irrun.linter.apply import apply_fixes
from tests.linter.models import NET

WRONG = Path(__file__).parents[2] / "examples" / "wrong_dims.xml"
LINES = WRONG.read_text().splitlines(keepends=True)


def without(tag: str, count: int) -> tuple[str, int]:
    """Return the file without the n-th line of a tag, and the number of the next line."""
    rows = [row for row, line in enumerate(LINES) if line.strip() == tag]
    row = rows[count]
    return "".join(LINES[:row] + LINES[row + 1 :]), row + 1


@pytest.mark.parametrize("count", [0, 2, 4, 7])
def test_a_layer_that_is_not_closed(tmp_path: Path, count: int) -> None:
    text, row = without("</layer>", count)
    path = tmp_path / "model.xml"
    path.write_text(text)
    path.with_suffix(".bin").write_bytes(WRONG.with_suffix(".bin").read_bytes())
    findings = lint(path).findings()
    assert sorted(item.diagnostic.code for item in findings) == ["IR101", "IR401", "IR401"]
    (lost,) = [item for item in findings if item.diagnostic.code == "IR101"]
    following = "</layers>" if count == 7 else "<layer>"
    assert lost.diagnostic.message == f"<layer> is not closed; </layer> was meant before this {following}"
    assert lost.place.row == row


def test_a_port_that_is_not_closed(tmp_path: Path) -> None:
    text, row = without("</port>", 4)
    path = tmp_path / "model.xml"
    path.write_text(text)
    (lost,) = [item for item in lint(path).findings() if item.diagnostic.code == "IR101"]
    assert lost.diagnostic.message.startswith("<port> is not closed; </port> was meant before this <")
    assert lost.place.row == row


def test_the_fix_closes_it(tmp_path: Path) -> None:
    text, _ = without("</layer>", 2)
    path = tmp_path / "model.xml"
    path.write_text(text)
    (lost,) = [item for item in lint(path) if item.code == "IR101"]
    assert lost.fix is not None
    (edit,) = lost.fix.edits
    path.write_text(text[: edit.start] + edit.content + text[edit.end :])
    assert [item.code for item in lint(path) if item.code == "IR101"] == []


def conflict(text: str, at: str) -> str:
    return text.replace(at, f"\n<<<<<<< HEAD\n{at}\n=======\n<!-- theirs -->\n>>>>>>> feature\n", 1)


def test_a_merge_conflict(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(conflict(NET, "<edges>"))
    (found,) = lint(path).findings()
    row = found.place.row
    assert path.read_text().splitlines()[row - 1] == "<<<<<<< HEAD"
    assert found.diagnostic.code == "IR101"
    assert found.diagnostic.message == (
        f"a merge conflict is left in the file, up to line {row + 4}; "
        "expected one of its two sides, without the markers"
    )
    assert found.diagnostic.notes == ()


def test_several_merge_conflicts(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(conflict(conflict(conflict(NET, "<edges>"), "</edges>"), "</net>"))
    (found,) = lint(path)
    assert found.notes == ("2 more conflicts",)


@pytest.mark.parametrize("count", [1, 2, 150])
@pytest.mark.parametrize("at", ["<data ", "<output>", "</layers>"])
@pytest.mark.parametrize("bad", ["", "<dim>3<</dim>"])
def test_layers_inside_each_other_are_closed_in_one_run(count: int, at: str, bad: str) -> None:
    """Also where another fault, for which there is no fix, keeps the file malformed."""
    text = NET.replace(at, "<layer>" * count + at, 1).replace("<dim>3</dim>", bad or "<dim>3</dim>", 1)

    def check(data: bytes) -> list[Diagnostic]:
        return [finding.diagnostic for finding in lint("net.xml", data=data).findings()]

    once = apply_fixes(text.encode(), check, unsafe=True)
    assert apply_fixes(once.data, check, unsafe=True).data == once.data
    if at != "</layers>":
        assert once.data.count(b"<layer") == once.data.count(b"</layer>") + once.data.count(b"<layers")
