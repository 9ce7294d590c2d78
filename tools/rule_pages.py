"""The pages of the rules, with the real output of irrun for their examples."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path

from irrun.diagnostics.render import full
from irrun.linter.rule import Rule, rules
from tests.linter.snippets import Example, examples

LONGEST = 60
WIDEST = 160
FILE = "model.xml"


def pages(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the path and the text of the index and of the page of each rule."""
    yield folder / "README.md", index()
    for rule in rules().values():
        yield folder / f"{rule.name}.md", page(rule)


def index() -> str:
    lines = [
        "# Rules",
        "",
        "`tools/generate.py` makes these pages from the rules. Each page shows the real output of irrun for its",
        "example; `irrun rule CODE` prints the explanation. *Fix* tells whether `irrun lint --fix` fixes the finding.",
        "A safe fix keeps the meaning of the model; an unsafe one, with `--unsafe-fixes`, guesses the intended one.",
    ]
    for group, members in groupby(rules().values(), key=lambda rule: rule.group()):
        lines += [
            "",
            f"## {group.title}",
            "",
            "| code | name | severity | what is wrong | fix |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f"| {rule.code} | [{rule.name}]({rule.name}.md) | {rule.severity} | {_summary(rule)} | {_fixes(rule)} |"
            for rule in members
        ]
    return "\n".join(lines) + "\n"


def page(rule: type[Rule]) -> str:
    fixes = _fixes(rule)
    facts = [f"Severity: {rule.severity}."]
    facts += [f"Fix: {fixes}."] if fixes else []
    facts += ["Reported when a model is compiled or runs, never by `irrun lint`."] if rule.at_run_time else []
    facts += ["Findings of level info are reported only if you select the rule."] if rule.opt_in else []
    lines = [f"# {rule.name} ({rule.code})", "", " ".join(facts), "", rule.explanation()]
    plain = [item for item in _examples(rule) if item.expected is None and _fits(item)]
    bad = next((item for item in plain if item.output), None)
    if bad is not None:
        options = [*bad.options, *(["--extend-select", rule.code] if rule.opt_in else [])]
        command = " ".join(["irrun lint", *options, FILE])
        lines += ["", "## Output of irrun", "", f"For this `{FILE}`:", "", *_listing(bad.data.decode(), "xml")]
        lines += ["", *_listing(f"$ {command}\n{full(bad.findings_as(FILE))}", "text")]
        sound = (item for item in plain if not item.output)
        good = max(sound, key=lambda item: _likeness(item, bad), default=None)
        if good is not None:
            lines += ["", "For this one, irrun reports nothing:", "", *_listing(good.data.decode(), "xml")]
    return "\n".join(lines) + "\n"


def _examples(rule: type[Rule]) -> list[Example]:
    return examples(rule.name.replace("-", "_"))


def _fixes(rule: type[Rule]) -> str:
    """Return the kinds of fixes that the findings of the examples have."""
    found = (finding.diagnostic for item in _examples(rule) for finding in item.findings)
    ways = {item.fix.applicability for item in found if item.fix is not None and item.code == rule.code}
    return " or ".join(sorted(ways))


def _summary(rule: type[Rule]) -> str:
    return " ".join(rule.explanation().partition("\n\n")[0].split()).replace("|", "\\|")


def _fits(item: Example) -> bool:
    lines = item.data.decode(errors="replace").splitlines()
    return 0 < len(lines) <= LONGEST and all(len(line) <= WIDEST for line in lines)


def _likeness(a: Example, b: Example) -> float:
    return SequenceMatcher(None, a.data.splitlines(), b.data.splitlines()).ratio()


def _listing(text: str, language: str) -> list[str]:
    return [f"```{language}", text.rstrip("\n"), "```"]
