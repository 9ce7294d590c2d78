"""irrun schema: the schemas of the repository, as the package prints them."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from irrun.cli.commands.schema import command, complete_name
from tests.cli.conftest import Run, one_line

SCHEMAS = Path(__file__).parents[2] / "schemas"
FILES = {
    "rng": "ir-v11.rng",
    "xsd": "ir-v11.xsd",
    "settings": "irrun.schema.json",
    "report": "lint-report.schema.json",
    "lint-run": "lint-run.schema.json",
    "compare": "compare.schema.json",
    "debug blame": "debug-blame.schema.json",
}


@pytest.mark.parametrize("name", FILES)
def test_printed_and_written(run: Run, name: str, tmp_path: Path) -> None:
    expected = (SCHEMAS / FILES[name]).read_text(encoding="utf-8")
    assert run("schema", *name.split()).stdout == expected
    assert run("schema", *name.split(), "-o", tmp_path / "schema").stderr == f"note: wrote {tmp_path / 'schema'}\n"
    assert (tmp_path / "schema").read_text(encoding="utf-8") == expected


def test_standard_output_and_extensions(run: Run, tmp_path: Path) -> None:
    assert run("schema", "xsd", "-o", "-").stdout == run("schema", "xsd").stdout
    path = tmp_path / "own.py"
    path.write_text("from tests.ops.own_operations import Ends\n")
    result = run("schema", "rng", "--extension", path, "-o", path)
    assert one_line(result) == f"error: {path} is read by this command, expected another file for the output"


def test_unknown(run: Run) -> None:
    assert run("schema", "rng2").stderr.splitlines()[-1] == 'Error: no schema "rng2"; did you mean rng?'
    result = run("schema", "debug")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "debug blame, debug precision, debug reduce" in result.stderr


def test_names_are_completed() -> None:
    context = click.Context(command)
    assert [item.value for item in complete_name(context, command.params[0], "d")] == ["debug", "diff"]
    context.params["words"] = ("debug",)
    assert [item.value for item in complete_name(context, command.params[0], "")] == ["blame", "precision", "reduce"]
