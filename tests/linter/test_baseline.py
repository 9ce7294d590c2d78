"""Recorded findings, which later runs ignore."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from irrun.diagnostics.fingerprint import counted, fingerprint
from irrun.diagnostics.render import Finding
from irrun.linter import baseline, lint
from tests.linter.models import NET

WRONG = NET.replace("<dim>3</dim></port></output>", "<dim>4</dim></port></output>", 1)
WORSE = WRONG.replace('min="0"', 'mni="0"')


def findings(path: Path, text: str) -> list[Finding]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return lint(path).findings()


@pytest.fixture
def recorded(tmp_path: Path) -> baseline.Baseline:
    path = tmp_path / "known.json"
    path.write_text(baseline.text(findings(tmp_path / "models" / "a.xml", WRONG), tmp_path), encoding="utf-8")
    return baseline.read(path)


def test_text(tmp_path: Path) -> None:
    found = findings(tmp_path / "models" / "a.xml", WRONG)
    assert json.loads(baseline.text([*found, *found], tmp_path)) == {
        "version": 1,
        "findings": [
            {
                "filename": "models/a.xml",
                "code": "IR401",
                "layer": 'Parameter "x"',
                "message": "output port 0 is declared [2,4], inferred [2,3]",
                "fingerprint": "9dc348edae3abc85",
                "count": 2,
            }
        ],
    }


def test_text_does_not_depend_on_the_order(tmp_path: Path) -> None:
    found = [*findings(tmp_path / "a.xml", WORSE), *findings(tmp_path / "b.xml", WRONG)]
    assert len(found) == 3
    assert baseline.text(found, tmp_path) == baseline.text(found[::-1], tmp_path)


def test_what_is_recorded_is_known(tmp_path: Path, recorded: baseline.Baseline) -> None:
    path = tmp_path / "models" / "a.xml"
    assert recorded.split(findings(path, WRONG), [str(path)]) == ([], 1, 0)


def test_lines_may_move(tmp_path: Path, recorded: baseline.Baseline) -> None:
    path = tmp_path / "models" / "a.xml"
    moved = findings(path, WRONG.replace("<layers>", "\n\n<!-- moved -->\n<layers>").replace("\n    ", "\n"))
    assert [finding.place.row for finding in moved] == [9]
    assert recorded.split(moved, [str(path)]) == ([], 1, 0)


def test_what_is_new_is_left(tmp_path: Path, recorded: baseline.Baseline) -> None:
    path = tmp_path / "models" / "a.xml"
    new, known, gone = recorded.split(findings(path, WORSE), [str(path)])
    assert ([finding.diagnostic.code for finding in new], known, gone) == (["IR302"], 1, 0)


def test_a_second_one_like_it_is_new(tmp_path: Path, recorded: baseline.Baseline) -> None:
    path = tmp_path / "models" / "a.xml"
    found = findings(path, WRONG)
    assert recorded.split([*found, *found], [str(path)]) == (found, 1, 0)


def test_another_file_has_findings_of_its_own(tmp_path: Path, recorded: baseline.Baseline) -> None:
    path = tmp_path / "models" / "b.xml"
    found = findings(path, WRONG)
    assert recorded.split(found, [str(path)]) == (found, 0, 0)


def test_what_is_gone_is_counted_where_its_file_was_checked(tmp_path: Path, recorded: baseline.Baseline) -> None:
    assert recorded.split([], [str(tmp_path / "models" / "a.xml")]) == ([], 0, 1)
    assert recorded.split([], [str(tmp_path / "models" / "b.xml")]) == ([], 0, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a baseline, expected what --write-baseline writes"),
        ("[]", "not a baseline, expected what --write-baseline writes"),
        ('{"version": 1}', "not a baseline, expected what --write-baseline writes"),
        ('{"version": 1, "findings": [{"filename": "a"}]}', "not a baseline, expected what --write-baseline writes"),
        ('{"version": 2, "findings": []}', "the baseline is of version 2, expected 1"),
        ('{"version": 1.0, "findings": []}', "the baseline is of another version, expected 1"),
        ('{"version": "\\n", "findings": []}', "the baseline is of another version, expected 1"),
        ("[" * 100_000, "not a baseline, expected what --write-baseline writes"),
    ],
)
def test_a_file_that_is_no_baseline(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(baseline.BadBaseline) as raised:
        baseline.read(path)
    assert str(raised.value) == f"{path}: {message}"


def refuse(path: Path, count: str = "1", mark: str = '"b"') -> None:
    """Fail unless an entry with this count and fingerprint is refused."""
    entry = f'{{"filename": "a", "fingerprint": {mark}, "count": {count}}}'
    path.write_text(f'{{"version": 1, "findings": [{entry}]}}', "utf-8")
    with pytest.raises(baseline.BadBaseline, match="not a baseline"):
        baseline.read(path)


@pytest.mark.parametrize("count", ["0", "-1", "1.0", "true", '"1"', "null", "Infinity", "NaN", f"1{'0' * 30}"])
def test_counts_are_positive_integers(tmp_path: Path, count: str) -> None:
    refuse(tmp_path / "known.json", count=count)


@pytest.mark.parametrize("mark", ["1", "null", '["b"]', "{}"])
def test_fingerprints_are_texts(tmp_path: Path, mark: str) -> None:
    refuse(tmp_path / "known.json", mark=mark)


def test_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text('\ufeff{"version": 1, "findings": [{"filename": "a", "fingerprint": "b", "count": 2}]}', "utf-8")
    assert baseline.read(path).counts == {("a", "b"): 2}


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have no names")
def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "known.json")
    with pytest.raises(OSError, match="a named pipe, expected a regular file"):
        baseline.read(tmp_path / "known.json")
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(OSError, match="the file has more than 67108864 bytes"):
        baseline.read(path)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_bytes(b"\xff\xff")
    with pytest.raises(baseline.BadBaseline):
        baseline.read(path)


def test_a_fingerprint_is_of_code_layer_and_message(tmp_path: Path) -> None:
    (before,) = findings(tmp_path / "a.xml", WRONG)
    (renumbered,) = findings(
        tmp_path / "b.xml", WRONG.replace('layer id="0"', 'layer id="7"').replace('r="0" f', 'r="7" f')
    )
    (renamed,) = findings(tmp_path / "a.xml", WRONG.replace('name="x"', 'name="z"'))
    (other,) = findings(tmp_path / "a.xml", WRONG.replace("<dim>4</dim>", "<dim>5</dim>"))
    assert fingerprint(before.diagnostic) == fingerprint(renumbered.diagnostic) == "9dc348edae3abc85"
    assert len({fingerprint(item.diagnostic) for item in (before, renamed, other)}) == 3


def test_equal_findings_are_counted_by_file(tmp_path: Path) -> None:
    (one,) = findings(tmp_path / "a.xml", WRONG)
    (two,) = findings(tmp_path / "b.xml", WRONG)
    assert [index for _, _, index in counted([one, two, one])] == [0, 0, 1]
