"""irrun diff: texts, JSON and exit statuses."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.reporting.models import network, save

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"


def test_equal_models(run: Run) -> None:
    result = run("diff", DIGITS, DIGITS)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "equal: 33 layers\n", "")


def test_changes(run: Run, tmp_path: Path) -> None:
    first = save(tmp_path, "a.xml", network())
    second = save(
        tmp_path,
        "b.xml",
        network(),
        ('type="Sigmoid"', 'type="Exp"'),
        ('name="bias"', 'name="offset"'),
        ('shape="1,3,8,8"', 'shape="2,3,8,8"'),
    )
    result = run("diff", first, second)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "renamed (1)",
        '  Add "bias" -> "offset"',
        "operation (1)",
        '  Sigmoid "left": operation Sigmoid-1 -> Exp-1',
        "shape (1)",
        '  Parameter "image": output 0 [1,3,8,8] -> [2,3,8,8]',
        "and 8 shapes that follow from these",
    ]
    every = run("diff", first, second, "--all", "--ignore-names").stdout.splitlines()
    assert "renamed (1)" not in every
    assert '  ReLU "relu": output 0 [1,4,8,8] -> [2,4,8,8]' in every


def test_json(run: Run, tmp_path: Path) -> None:
    first = save(tmp_path, "a.xml", network())
    second = save(tmp_path, "b.xml", network(), ('type="Sigmoid"', 'type="Exp"'))
    result = run("diff", first, second, "--json")
    record = json.loads(result.stdout)
    assert (result.exit_code, record["equal"], record["counts"]) == (1, False, {"operation": 1})
    assert record["changes"][0]["before"] == "Sigmoid-1"


def test_many_changes_are_cut(run: Run, tmp_path: Path) -> None:
    from irrun.document.writer import Writer
    from irrun.tensor import Fact, Shape
    from irrun.tensor.element_type import F32

    def chain(prefix: str) -> Path:
        ir = Writer("chain")
        x = ir.parameter("x", F32, Shape([2]))
        for number in range(30):
            (x,) = ir.layer("ReLU", "opset1", [x], [Fact(F32, Shape([2]))], name=f"{prefix}{number}")
        ir.result(x, "y")
        return save(tmp_path, f"{prefix}.xml", ir)

    lines = run("diff", chain("a"), chain("b")).stdout.splitlines()
    assert lines[0] == "renamed (30)"
    assert lines[-1] == "  and 10 more; --all lists them"
    assert len(lines) == 22


def test_constants_without_weights(run: Run, tmp_path: Path) -> None:
    path = save(tmp_path, "a.xml", network())
    path.with_suffix(".bin").unlink()
    result = run("diff", path, path)
    assert result.exit_code == 0
    assert result.stderr == "note: constants without a weights file are compared by type and shape\n"


def test_a_file_that_is_no_model(run: Run, tmp_path: Path) -> None:
    (tmp_path / "no.xml").write_text("<a/>")
    result = run("diff", DIGITS, tmp_path / "no.xml")
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
