"""Explain a rule of the linter.

What it finds, why that is bad, and what to use instead.

Without an argument, all rules are listed.

\b
Examples:
  irrun rule
  irrun rule IR401
  irrun rule wrong-output-dims
  irrun rule --all --format json
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from irrun.cli.console import result, text_or_json, verbosity
from irrun.cli.extending import added_rules, rules_option
from irrun.cli.tables import columns, filled, listed
from irrun.cli.values import as_json

if TYPE_CHECKING:
    from irrun.diagnostics.results import RuleInfo


def complete_rule(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the codes and names that begin with a text, the names in lower case; none with an unusable extension."""
    from irrun.cli.failures import Failure
    from irrun.linter.catalogue import catalogue

    try:
        with ctx.scope(cleanup=False), added_rules():
            words = [(word, rule.summary) for rule in catalogue().values() for word in (rule.code, rule.name)]
    except Failure:
        return []
    return [CompletionItem(word, help=summary) for word, summary in words if word.startswith(incomplete)]


@click.command(help=__doc__)
@click.argument("rule", required=False, metavar="[CODE|NAME]", shell_complete=complete_rule)
@click.option("--all", "every", is_flag=True, help="Explain every rule.")
@text_or_json
@rules_option
@verbosity
def command(rule: str | None, every: bool, output_format: str) -> None:
    from irrun.cli.failures import Failure
    from irrun.linter.catalogue import catalogue
    from irrun.linter.selection import UnknownRule, selector

    if rule is not None and every:
        raise click.UsageError("a rule and --all are given, expected only one of them")
    try:
        codes = None if rule is None else selector(rule).codes
    except UnknownRule as error:
        raise Failure(str(error)) from None
    rules = list(catalogue(None if codes is None else sorted(codes)).values())
    if output_format == "json":
        records = [_record(item) for item in rules]
        result(as_json(records[0] if rule is not None and len(records) == 1 else records))
    elif every or (rule is not None and len(rules) == 1):
        result("\n\n\n".join(map(_page, rules)))
    else:
        result(_listing(rules))


def _record(rule: RuleInfo) -> dict[str, object]:
    return {**asdict(rule), "severity": str(rule.severity)}


def _page(rule: RuleInfo) -> str:
    title = click.style(f"{rule.code} {rule.name}", bold=True)
    parts = [f"{title} ({rule.severity})", filled(rule.explanation, columns()), rule.url]
    return "\n\n".join(part for part in parts if part)


def _listing(rules: list[RuleInfo]) -> str:
    return "\n".join(listed([(rule.code, str(rule.severity), rule.name, rule.summary) for rule in rules], columns()))
