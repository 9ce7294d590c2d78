"""``irrun rule``: the rules, listed and explained."""

from __future__ import annotations

import json

import pytest

from irrun.linter.rule import rules
from tests.cli.conftest import Run


@pytest.mark.parametrize("name", ["IR112", "unused-suppression"])
def test_one_rule(run: Run, name: str) -> None:
    result = run("rule", name)
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[:3] == [
        "IR112 unused-suppression (warning)",
        "",
        "A suppression comment suppresses no finding.",
    ]
    assert [line for line in lines if line.startswith("#")] == [
        "## What it does",
        "## Why is this bad",
        "## Example",
        "## Use instead",
    ]
    assert lines[-1] == "https://github.com/irrun/irrun/blob/main/docs/rules/unused-suppression.md"


def test_one_rule_as_json(run: Run) -> None:
    record = json.loads(run("rule", "IR112", "--format", "json").stdout)
    assert list(record) == ["code", "name", "severity", "summary", "explanation", "url"]
    assert (record["code"], record["name"], record["severity"], record["summary"]) == (
        "IR112",
        "unused-suppression",
        "warning",
        "A suppression comment suppresses no finding.",
    )


def test_all_rules(run: Run) -> None:
    text = run("rule", "--all").stdout
    assert [line.split()[0] for line in text.splitlines() if line.endswith(("(error)", "(warning)", "(info)"))] == list(
        rules()
    )
    records = json.loads(run("rule", "--all", "--format", "json").stdout)
    assert [record["code"] for record in records] == list(rules())


def test_a_list(run: Run) -> None:
    lines = run("rule").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(rules())
    family = run("rule", "IR40").stdout.splitlines()
    assert [line.split()[:3] for line in family][:3] == [
        ["IR401", "error", "wrong-output-dims"],
        ["IR402", "error", "wrong-input-dims"],
        ["IR403", "error", "wrong-precision"],
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("wrong-output-dim",), 'error: no rule is called "wrong-output-dim"; did you mean wrong-output-dims?'),
        (("E501",), 'error: no rule is called "E501", expected a code such as IR401, a prefix such as IR4'),
        (("IR401", "--all"), "Error: a rule and --all are given, expected only one of them"),
    ],
)
def test_wrong_use(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run("rule", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in " ".join(result.stderr.split())
