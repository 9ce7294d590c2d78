"""``irrun lint`` and the bad example of each rule, from the file to the exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from irrun.diagnostics import Severity
from irrun.linter.rule import Rule, rules
from tests.cli.conftest import Run
from tests.linter.snippets import examples

FOUND = [rule for rule in rules().values() if not rule.at_run_time]


@pytest.mark.sample(4)
@pytest.mark.parametrize("rule", FOUND, ids=lambda rule: rule.code)
def test_a_bad_example(run: Run, rule: type[Rule], tmp_path: Path) -> None:
    bad = next(item for item in examples(rule.name.replace("-", "_")) if item.output)
    path = bad.written(tmp_path)
    select = "--select" if "for" in bad.given else "--extend-select"
    options = ["--isolated", select, rule.code, "--output-format", "json", *bad.options]
    result = run("lint", path, *options)
    found = json.loads(result.stdout)
    assert [item["code"] for item in found] == [rule.code]
    assert result.exit_code == int(found[0]["severity"] != str(Severity.INFO))
    assert run("lint", path, *options, "--ignore", rule.code).exit_code == 0
