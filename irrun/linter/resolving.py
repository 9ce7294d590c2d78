"""The settings of the linter for a file, from the command line and from configurations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from irrun.diagnostics import Severity
from irrun.linter.rule import option_rule
from irrun.linter.selection import ALL, Choice, FileIgnores, UnknownRule, is_prefix, meant, selected, selector
from irrun.linter.settings import LinterSettings
from irrun.settings import BadConfiguration, Project, Value, resolve, settings_for

COMMAND: Final = "lint"
_CHOICES: Final = ("select", "ignore", "extend-select")
_PATTERNS: Final = "per-file-ignores"

FIELDS: Final = {
    key: setting.api.lower() for key, setting in settings_for(COMMAND).items() if setting.api not in ("", "codes")
}
"""The field of `LinterSettings` of each setting that is one by itself."""


def settings_of(
    given: Mapping[str, Any], project: Project, current: Project
) -> tuple[LinterSettings, dict[str, Value]]:
    """Return the settings for the files of a project: as ``given``, else in its configuration, or the current one.

    Also returned are all values of the command with their origins. BadConfiguration where a configuration names a rule
    that does not exist.
    """
    values = resolve(COMMAND, given, project, current)
    written = _choice({key: entry.value for key, entry in project.of(COMMAND).items()})
    own = _choice(given)
    _check_rules(project)
    _check_options(values["rules"].value, values["rules"].origin)
    everything = given.get("fail-level") is Severity.INFO
    settings = LinterSettings(
        codes=selected([written, own]),
        asked=meant([ALL]) if everything else _named(written) | _named(own),
        **{field: values[key].value for key, field in FIELDS.items()},
    )
    return settings, values


def unknown_rules(rules: Mapping[str, Any]) -> list[str]:
    """Return the codes or names of rules that have settings, but are not known: those of an absent extension."""
    return [text for text in rules if option_rule(text) is None]


def _check_options(rules: Mapping[str, Mapping[str, Any]], origin: str) -> None:
    """Raise BadConfiguration where a known rule has no such setting, or not with such a value."""
    for text, given in rules.items():
        rule = option_rule(text)
        if rule is None:
            continue
        for name, value in given.items():
            try:
                rule.checked_option(name, value)
            except ValueError as error:
                raise BadConfiguration(f"{origin}: rules.{text}.{name}: {error}") from None


def _choice(values: Mapping[str, Any]) -> Choice:
    return Choice(values.get("select"), values.get("ignore") or (), values.get("extend-select") or ())


def _named(choice: Choice) -> frozenset[str]:
    """Return the rules that are selected one by one, or all; a prefix asks for no infos."""
    return meant(text for text in (*(choice.select or ()), *choice.extend_select) if not is_prefix(text))


def _check_rules(project: Project) -> None:
    for key, entry in project.of(COMMAND).items():
        if key in _CHOICES or key == _PATTERNS:
            texts = entry.value if key in _CHOICES else [text for codes in entry.value.values() for text in codes]
            try:
                for text in texts:
                    selector(text)
            except UnknownRule as error:
                raise BadConfiguration(f"{project.file}: {entry.called}: {error}") from error


def ignored(path: Path, given: Mapping[str, Any], project: Project) -> frozenset[str]:
    """Return the rules that patterns ignore in a file: given ones are relative to the current folder."""
    patterns, root = given.get(_PATTERNS), Path.cwd()
    if patterns is None and _PATTERNS in project.of(COMMAND):
        patterns, root = project.of(COMMAND)[_PATTERNS].value, project.root
    ignores = [FileIgnores(pattern, codes, root) for pattern, codes in (patterns or {}).items()]
    return frozenset(code for item in ignores for code in item.codes(path))
