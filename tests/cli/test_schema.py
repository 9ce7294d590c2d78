"""irrun schema: the schemas of the repository, as the package prints them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run, one_line

SCHEMAS = Path(__file__).parents[2] / "schemas"
FILES = {"rng": "ir-v11.rng", "xsd": "ir-v11.xsd", "report": "lint-report.schema.json"}


@pytest.mark.parametrize("name", FILES)
def test_printed_and_written(run: Run, name: str, tmp_path: Path) -> None:
    expected = (SCHEMAS / FILES[name]).read_text(encoding="utf-8")
    assert run("schema", name).stdout == expected
    assert run("schema", name, "-o", tmp_path / "schema").stderr == f"note: wrote {tmp_path / 'schema'}\n"
    assert (tmp_path / "schema").read_text(encoding="utf-8") == expected


def test_standard_output_and_extensions(run: Run, tmp_path: Path) -> None:
    assert run("schema", "xsd", "-o", "-").stdout == run("schema", "xsd").stdout
    path = tmp_path / "own.py"
    path.write_text("from tests.ops.own_operations import Ends\n")
    result = run("schema", "rng", "--extension", path, "-o", path)
    assert one_line(result) == f"error: {path} is read by this command, expected another file for the output"


def test_unknown(run: Run) -> None:
    result = run("schema", "rnc")
    assert result.exit_code == 2
    assert "'rnc' is not one of 'rng', 'xsd', 'report'" in result.stderr
