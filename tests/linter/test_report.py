"""The report: its records, their order, and places at the end of long files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import irrun
from irrun.diagnostics import Diagnostic, Severity
from irrun.linter import lint
from irrun.linter.rule import rules
from tests.linter.models import CLAMP, CONST, ITERATOR, NET

WRONG = NET.replace("<dim>3</dim></port></output>", "<dim>4</dim></port></output>")


def written(folder: Path, text: str) -> Path:
    path = folder / "model.xml"
    path.write_text(text, encoding="utf-8")
    return path


def test_record(tmp_path: Path) -> None:
    path = written(tmp_path, WRONG)
    first, second = lint(path).as_dicts()
    assert set(first) - {"fix"} == set(second) - {"fix"}
    assert {key: value for key, value in first.items() if key != "fix"} == {
        "code": "IR401",
        "name": "wrong-output-dims",
        "severity": "error",
        "message": "output port 0 is declared [2,4], inferred [2,3]",
        "filename": str(path),
        "location": {"row": 6, "column": 68},
        "end_location": {"row": 6, "column": 69},
        "layer": {"id": "0", "name": "x", "type": "Parameter", "version": "opset1"},
        "port": "0",
        "declared": "[2,4]",
        "inferred": "[2,3]",
        "notes": [],
        "url": rules()["IR401"].url(),
    }
    assert (second["port"], second["location"]) == ("1", {"row": 11, "column": 68})
    json.dumps([first, second])


def test_record_with_a_fix(tmp_path: Path) -> None:
    (record,) = lint(written(tmp_path, CLAMP.replace("<dim>2</dim>", "<dim>2/dim>", 1))).as_dicts()
    assert (record["code"], record["layer"], record["port"]) == ("IR101", None, None)
    assert (record["declared"], record["inferred"]) == (None, None)
    assert record["fix"] == {
        "applicability": "unsafe",
        "message": "write </dim>",
        "edits": [{"content": "<", "location": {"row": 5, "column": 19}, "end_location": {"row": 5, "column": 19}}],
    }


def test_the_report_is_a_sequence_of_diagnostics(tmp_path: Path) -> None:
    report = irrun.lint(written(tmp_path, WRONG))
    assert isinstance(report, Sequence)
    assert all(isinstance(item, Diagnostic) for item in report)
    assert [item.severity for item in report] == [Severity.ERROR, Severity.ERROR]
    assert report[0].layer is not None
    assert report[0].layer.name == "x"
    assert [item.port for item in report[:1]] == ["0"]
    assert (report.ports, report.unverified) == (0, ())
    assert len(irrun.lint(written(tmp_path, NET))) == 0


def test_ports_of_bodies_are_verified_too(tmp_path: Path) -> None:
    assert lint(written(tmp_path, ITERATOR)).ports == 5


def test_findings_are_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = WRONG.replace('<edge from-layer="1"', '<edge note="x" from-layer="1"').replace("<layers>", "<layers><zzz/>")
    report = lint(written(tmp_path, text))
    assert [item.code for item in report] == ["IR104", "IR401", "IR401", "IR105"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_row_at_the_end_of_a_long_file(end: str, tmp_path: Path) -> None:
    layers = "".join(
        f'<layer id="{id}" name="clip" type="Clamp" version="opset1">\n<data min="0" max="6"/>\n<input>\n'
        f'<port id="0" precision="FP32">\n<dim>3</dim>\n</port>\n</input>\n<output>\n<port id="1" precision="FP32">\n'
        f"<dim>3</dim>\n</port>\n</output>\n</layer>\n"
        for id in range(7_700)
    )
    last = layers.rindex("<dim>3</dim>")
    text = layers[:last] + "\t<dim>4</dim>" + layers[last + len("<dim>3</dim>") :]
    path = tmp_path / "layers.xml"
    path.write_bytes(text.replace("\n", end).encode())
    assert text.count("\n") > 100_000
    (finding,) = lint(path).findings()
    place = finding.place
    assert (place.row, place.column, place.end_column) == (text.count("\n") - 3, 7, 8)
    assert finding.source.line(place.row) == "\t<dim>4</dim>"


def test_constants_out_of_range_are_one_finding(tmp_path: Path) -> None:
    names = ("a", "b", "c", "d")
    text = "".join(
        CONST.replace("weights", name).replace('offset="0"', f'offset="{8 * index}"')
        for index, name in enumerate(names)
    )
    path = written(tmp_path, text)
    assert len(lint(path)) == 0
    path.with_suffix(".bin").write_bytes(bytes(10))
    (item,) = lint(path)
    assert item.code == "IR502"
    assert item.message == "bytes 8 to 16 are outside model.bin, which has 10 bytes"
    assert item.notes == ("2 more constants reach beyond it",)
    assert item.layer is not None
    assert item.layer.name == "b"
    path.with_suffix(".bin").write_bytes(bytes(24))
    assert [item.notes for item in lint(path)] == [()]
    other = tmp_path / "other.bin"
    other.write_bytes(bytes(32))
    assert len(lint(path, other)) == 0


def test_an_input_that_repeats_wrong_dims_is_a_note(tmp_path: Path) -> None:
    text = NET.replace("<dim>3</dim></port></output>", "<dim>4</dim></port></output>", 1)
    text = text.replace("<dim>3</dim></port></input>", "<dim>4</dim></port></input>", 1)
    (item,) = lint(written(tmp_path, text))
    assert (item.code, item.notes) == ("IR401", ('input port 0 of layer 1 "clip" repeats these dims',))
    text = text.replace("<dim>4</dim></port></input>", "<dim>5</dim></port></input>", 1)
    assert [(item.code, item.declared) for item in lint(written(tmp_path, text))] == [
        ("IR401", "[2,4]"),
        ("IR402", "[2,5]"),
    ]


def test_rank_is_reported_at_the_port(tmp_path: Path) -> None:
    text = NET.replace(
        "<dim>2</dim><dim>3</dim></port></output>", "<dim>2</dim><dim>3</dim><dim>1</dim></port></output>"
    )
    (first, second) = lint(written(tmp_path, text)).findings()
    assert first.diagnostic.message == "output port 0 is declared [2,3,1], inferred [2,3] (rank 3, expected 2)"
    assert (first.place.row, first.place.column, first.place.end_column) == (6, 21, 26)
    assert second.place.row == 11


def test_dims_that_are_not_known_contradict_nothing(tmp_path: Path) -> None:
    text = NET.replace("<dim>2</dim>", "<dim>-1</dim>").replace('shape="2,3"', 'shape="?,3"')
    assert len(lint(written(tmp_path, text))) == 0
    head, dims, rest = NET.partition("<dim>2</dim>")
    assert len(lint(written(tmp_path, head + dims + rest.replace("<dim>2</dim>", "<dim>-1</dim>")))) == 0
    open_rank = NET.replace("<dim>2</dim><dim>3</dim>", "").replace('shape="2,3"', 'shape="..."')
    assert len(lint(written(tmp_path, open_rank))) == 0
