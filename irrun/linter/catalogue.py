"""The rules as plain records, for whatever prints them."""

from __future__ import annotations

from collections.abc import Iterable

from irrun.diagnostics.results import RuleInfo
from irrun.linter.rule import Rule, rules, url


def catalogue(codes: Iterable[str] | None = None) -> dict[str, RuleInfo]:
    """The rules of some codes, or all, by code."""
    known = rules()
    return {code: _info(known[code]) for code in (known if codes is None else codes)}


def _info(rule: type[Rule]) -> RuleInfo:
    explanation = rule.explanation()
    summary = " ".join(explanation.partition("\n\n")[0].split())
    return RuleInfo(rule.code, rule.name, rule.severity, summary, explanation, url(rule.code))
