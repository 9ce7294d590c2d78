"""The pages of the rules, with the real output of irrun for their examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from irrun.diagnostics.render import Finding, full
from irrun.linter.check import lint_bytes
from irrun.linter.rule import Rule, rules

LONGEST = 60
WIDEST = 160
FILE = "model.xml"
GROUPS = {
    "IR1": "The document",
    "IR2": "The graph",
    "IR3": "Operations",
    "IR4": "Shapes and types",
    "IR5": "Weights",
    "IR6": "Numerics",
    "IR7": "Compatibility",
    "IR8": "Running",
    "IR9": "Safety",
}


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
    for prefix, members in groupby(rules().values(), key=lambda rule: rule.code[:3]):
        lines += [
            "",
            f"## {GROUPS[prefix]}",
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
    facts += ["Reported when a model is compiled or runs, never by `irrun lint`."] if rule.stage == "run" else []
    facts += ["Findings of level info are reported only if you select the rule."] if rule.opt_in else []
    lines = [f"# {rule.name} ({rule.code})", "", " ".join(facts), "", rule.explanation()]
    bad = next((text for text in rule.bad if text and _fits(text)), None)
    if bad is not None:
        option = f" --target-version {rule.target_version}" if rule.target_version is not None else ""
        option += f" --extend-select {rule.code}" if rule.opt_in else ""
        lines += ["", "## Output of irrun", "", f"For this `{FILE}`:", "", *_listing(bad, "xml")]
        lines += ["", *_listing(f"$ irrun lint{option} {FILE}\n{full(findings(rule, bad))}", "text")]
        good = max((text for text in rule.good if _fits(text)), key=lambda text: _likeness(text, bad), default=None)
        if good is not None:
            lines += ["", "For this one, irrun reports nothing:", "", *_listing(good, "xml")]
    return "\n".join(lines) + "\n"


def findings(rule: type[Rule], text: str) -> Sequence[Finding]:
    """Return the findings of the linter in an example, with the weights of its rule."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / FILE
        if rule.weights is not None:
            path.with_suffix(".bin").write_bytes(rule.weights)
        report = lint_bytes(text.encode(), path, target_version=rule.target_version, asked=[rule.code])
        report.filename = FILE
        return report.findings()


def _fixes(rule: type[Rule]) -> str:
    """Return the kinds of fixes that the findings of the examples have."""
    found = (item.diagnostic for text in rule.bad for item in findings(rule, text))
    ways = {item.fix.applicability for item in found if item.fix is not None and item.code == rule.code}
    return " or ".join(sorted(ways))


def _summary(rule: type[Rule]) -> str:
    return " ".join(rule.explanation().partition("\n\n")[0].split()).replace("|", "\\|")


def _fits(text: str) -> bool:
    lines = text.splitlines()
    return len(lines) <= LONGEST and all(len(line) <= WIDEST for line in lines)


def _likeness(a: str, b: str) -> float:
    return SequenceMatcher(None, a.splitlines(), b.splitlines()).ratio()


def _listing(text: str, language: str) -> list[str]:
    return [f"```{language}", text.rstrip("\n"), "```"]
