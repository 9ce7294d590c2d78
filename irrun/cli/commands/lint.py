"""Check IR files: XML, graph, attributes, types and dims.

Every dim is compared with the inferred one. A number that inference neither confirms nor refutes is not verified, and
counted; "all is well" means that everything was verified.

FILES are files, folders, quoted patterns, or - for the standard input. Files in a folder that are not IRs are skipped.
The weights file is optional; it is checked where it is beside the model. You can also check one or more bare <layer>
elements; pass the values of their inputs with --value.

\b
Examples:
  irrun lint model.xml
  irrun lint models/ --jobs 4 --output-format concise
  irrun lint 'models/**/*.xml' --select IR4,IR5 --ignore wrong-precision
  irrun lint model.xml --output-format json > report.json
  irrun lint models/ --write-baseline baseline.json
  irrun lint models/ --baseline baseline.json
  irrun lint models/ --output-format sarif --output-file irrun.sarif
  irrun lint model.xml --diff --unsafe-fixes
  irrun lint models/ --fix
  irrun lint tile.xml --value 1=1,2,3
  irrun lint layers.xml --value pads_begin=0,1 --value 2.pad_value=0.5

Put the settings of a project into irrun.toml, or under [tool.irrun] in pyproject.toml. A comment in the file,
<!-- irrun: ignore[IR401] reason -->, suppresses a finding on its line or the next.

The exit status is 0 without findings, 1 with findings, and 2 when a file cannot be checked or none was found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from irrun.cli import jobs
from irrun.cli.console import verbosity
from irrun.cli.extending import added_rules, rules_option
from irrun.cli.limits import MEMORY_OPTION
from irrun.cli.port_values import values_option
from irrun.diagnostics import formats, listing
from irrun.diagnostics.diagnostic import Severity
from irrun.evaluation.files.targets import STANDARD_OUTPUT, refuse_standard_output

_LEVELS = [str(severity) for severity in Severity]


def rules_of(text: str) -> tuple[str, ...]:
    """Parse ``IR401,IR5,wrong-precision``."""
    from irrun.linter.selection import UnknownRule, selector

    words = tuple(word.strip() for word in text.split(",") if word.strip())
    try:
        with added_rules():
            for word in words:
                selector(word)
    except UnknownRule as error:
        raise click.BadParameter(str(error)) from None
    return words


def by_pattern(
    _context: click.Context, _parameter: click.Parameter, given: Sequence[tuple[str, tuple[str, ...]]]
) -> dict[str, tuple[str, ...]] | None:
    found: dict[str, tuple[str, ...]] = {}
    for pattern, words in given:
        found[pattern] = (*found.get(pattern, ()), *words)
    return found or None


def file_ignores(text: str) -> tuple[str, tuple[str, ...]]:
    """Parse ``PATTERN:IR401,IR5``."""
    pattern, colon, words = text.rpartition(":")
    if not colon or not pattern:
        raise click.BadParameter(f"{text!r} is not of the form PATTERN:CODE,CODE")
    return pattern, rules_of(words)


def rule_setting(text: str) -> tuple[str, str, Any]:
    """Parse ``MY201.limit=4``; the value is that of TOML, or a text."""
    import tomllib

    key, equals, value = text.partition("=")
    code, dot, name = key.partition(".")
    if not equals or not dot or not code or not name:
        raise click.BadParameter(f"{text!r} is not of the form RULE.NAME=VALUE")
    try:
        return code, name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return code, name, value


def by_rule(
    _context: click.Context, _parameter: click.Parameter, given: Sequence[tuple[str, str, Any]]
) -> dict[str, dict[str, Any]] | None:
    found: dict[str, dict[str, Any]] = {}
    for code, name, value in given:
        found.setdefault(code, {})[name] = value
    return found or None


def level_of(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Severity | None:
    return None if text is None else Severity[text.upper()]


def joined(_context: click.Context, _parameter: click.Parameter, given: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(word for words in given for word in words)


def joined_if_given(
    context: click.Context, parameter: click.Parameter, given: Sequence[tuple[str, ...]]
) -> tuple[str, ...] | None:
    return joined(context, parameter, given) if given else None


def selecting(name: str, help: str, callback: Callable[..., object] = joined) -> Callable[[Any], Any]:
    """Return a repeatable option for a list of rules."""
    return click.option(name, type=rules_of, multiple=True, callback=callback, metavar="RULES", help=help)


def release_of(_context: click.Context, _option: click.Parameter, text: str | None) -> str | None:
    """Return the release of OpenVINO named by an option; BadParameter where there is none."""
    from irrun.ops.releases import release

    if text is not None:
        try:
            release(text)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
    return text


@click.command("lint", help=__doc__)
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True))
@selecting("--select", "Check only these rules: codes, prefixes such as IR4, names, or ALL.", joined_if_given)
@selecting("--ignore", "Check all but these rules.")
@selecting("--extend-select", "Also check these rules.")
@click.option(
    "--per-file-ignores",
    type=file_ignores,
    multiple=True,
    callback=by_pattern,
    metavar="PATTERN:RULES",
    help="Ignore these rules in files that match a pattern; repeatable.",
)
@click.option(
    "--rules",
    type=rule_setting,
    multiple=True,
    callback=by_rule,
    metavar="RULE.NAME=VALUE",
    help="A setting of a rule that has some; repeatable.",
)
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Skip these files and folders; repeatable.")
@click.option("--force-exclude", is_flag=True, default=None, help="Skip excluded files also if they are named.")
@click.option("--config", type=click.Path(path_type=Path), help="Use this configuration file.")
@click.option("--isolated", is_flag=True, help="Use no configuration file.")
@click.option(
    "--output-format",
    "--format",
    "output_format",
    type=click.Choice(formats.names()),
    metavar="FORMAT",
    help=f"Format of the findings: {listing(formats.names())}.  [default: full]",
)
@click.option(
    "--json",
    "output_format",
    type=click.Choice(formats.names()),
    flag_value="json",
    help="The same as --output-format json.",
)
@click.option("-o", "--output-file", type=click.Path(path_type=Path), help="Write to this file instead.")
@click.option("--show-settings", is_flag=True, help="Print the settings that apply to the files, and check nothing.")
@click.option("--statistics", is_flag=True, help="Print the number of findings of each rule instead of the findings.")
@click.option(
    "--fail-level",
    type=click.Choice(_LEVELS),
    callback=level_of,
    help="The lowest severity for which the exit status is 1.  [default: warning]",
)
@click.option(
    "--require-verified",
    is_flag=True,
    default=None,
    help="Exit with 1 also for output ports that are not verified.",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even with findings.")
@click.option("--baseline", type=click.Path(path_type=Path), help="Ignore the findings that are recorded in this file.")
@click.option("--write-baseline", type=click.Path(path_type=Path), help="Record all findings in this file.")
@click.option("--weights", type=click.Path(path_type=Path), help="The weights file, if it is not beside the model.")
@values_option("The value of an unconnected input, by port id, by name, or as LAYER.PORT; repeatable.")
@click.option(
    "--target-version",
    metavar="RELEASE",
    callback=release_of,
    help="The oldest release of OpenVINO that must read the file, such as 2023.3; report unsupported features.",
)
@click.option(
    "--target-precision",
    type=click.Choice(["f16"]),
    help="The type in which the floats of the model will be computed; report constants beyond its range.",
)
@click.option(
    "--for",
    "for",
    type=click.Choice(["genai", "npu"]),
    multiple=True,
    help="The purpose of the file: a language model pipeline, or a neural processing unit; report what it refuses.",
)
@MEMORY_OPTION
@click.option("--fix", is_flag=True, help="Apply the fixes that keep the meaning of the model.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: also apply fixes that guess the intention.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and write nothing.")
@click.option("--stdin-filename", metavar="FILE", help="The name of the standard input.")
@click.option("--quiet-non-ir", is_flag=True, help="Ignore files that are not IRs, even if named.")
@click.option("--allow-empty", is_flag=True, help="Accept folders and patterns without an IR.")
@jobs.options
@rules_option
@verbosity
@click.pass_context
def command(context: click.Context, /, **given: Any) -> None:
    from irrun.cli.linting import LintOptions, run
    from irrun.settings import settings_for

    if given["config"] is not None and given["isolated"]:
        raise click.UsageError("--config and --isolated are given, expected only one of them")
    if given["unsafe_fixes"] and not given["fix"] and not given["diff"]:
        raise click.UsageError("--unsafe-fixes requires --fix or --diff")
    if given["output_file"] == STANDARD_OUTPUT:
        given["output_file"] = None
    if given["write_baseline"] is not None:
        refuse_standard_output(given["write_baseline"])
    settings = {key: given.pop(key.replace("-", "_"), None) for key in settings_for("lint")}
    settings = {key: value for key, value in settings.items() if value is not None and value != ()}
    context.exit(run(LintOptions(given=settings, **given)))
