"""The rules as plain records, for output formats and commands."""

from __future__ import annotations

from collections.abc import Iterable

from irrun.diagnostics.results import RuleInfo
from irrun.linter.rule import Rule, rules


def catalogue(codes: Iterable[str] | None = None) -> dict[str, RuleInfo]:
    """Return the rules with the given codes, or all rules, by code."""
    known = rules()
    return {code: _info(known[code]) for code in (known if codes is None else codes)}


def _info(rule: type[Rule]) -> RuleInfo:
    explanation = rule.explanation()
    summary = " ".join(explanation.partition("\n\n")[0].split())
    return RuleInfo(rule.code, rule.name, rule.severity, summary, explanation, rule.url())
