"""The table of all settings.

A setting changes how a model is checked, computed or compared. What a command reads, writes or executes is none: a
folder that was downloaded must not make irrun write files, run code or read other weights. A project may name
``extensions``; only ``--trust`` and a variable of the environment load them, and only in the current folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from irrun.diagnostics import Severity
from irrun.settings import values
from irrun.settings.values import Kind

_LINT: Final = ("lint",)
_COMPILING: Final = ("bench", "embed", "evaluate", "generate", "info", "profile", "run")
_RUNNING: Final = (*_COMPILING, "compare", "debug", "report")
_COMPARING: Final = ("compare", "debug")

COMMANDS: Final = tuple(sorted((*_LINT, *_RUNNING)))
"""The commands that have settings, and tables of configuration files with settings of their own."""


class Setting(NamedTuple):
    """A setting, called ``--key`` on the command line and ``key`` in a configuration.

    ``api`` is what Python calls it: a property of ``compile_model``, a field of ``LinterSettings``; empty where Python
    has the files and the findings themselves. ``environment`` is a variable that holds a text in place of it. A setting
    that decides what a verdict means is taken from the configuration of the current folder only, never from that of a
    model: it is ``of_project``.
    """

    kind: Kind
    commands: tuple[str, ...]
    doc: str
    api: str
    default: Any = None
    environment: str = ""
    of_project: bool = False


EXTENSIONS: Final = "extensions"
"""The key under which a project names its extensions."""

SETTINGS: Final[Mapping[str, Setting]] = {
    "select": Setting(values.TEXTS, _LINT, "The rules to check: codes, prefixes, names, or ALL.", "codes"),
    "ignore": Setting(values.TEXTS, _LINT, "Rules not to check.", "codes", ()),
    "extend-select": Setting(values.TEXTS, _LINT, "Rules to check besides the selected ones.", "codes", ()),
    "per-file-ignores": Setting(
        values.BY_PATTERN, _LINT, "Rules not to check in files that match a pattern.", "codes", {}
    ),
    "rules": Setting(values.BY_RULE, _LINT, "The settings of rules that have some, by their codes.", "rules", {}),
    "exclude": Setting(values.PATTERNS, _LINT, "Files and folders to skip.", "", (), of_project=True),
    "force-exclude": Setting(
        values.SWITCH, _LINT, "Whether to skip excluded files also if they are named.", "", False, of_project=True
    ),
    "require-verified": Setting(
        values.SWITCH,
        _LINT,
        "Whether the exit status is 1 also for output ports that are not verified.",
        "require_verified",
        False,
    ),
    "fail-level": Setting(
        values.SEVERITY,
        _LINT,
        "The lowest severity for which the exit status is 1.",
        "fail_level",
        Severity.WARNING,
    ),
    "output-format": Setting(values.FORMAT, _LINT, "The format of the findings.", "", "full"),
    "baseline": Setting(values.PATH, _LINT, "A file with findings that are not reported.", ""),
    "target-version": Setting(
        values.RELEASE, _LINT, "The oldest release of OpenVINO that must read the file.", "target_version"
    ),
    "target-precision": Setting(
        values.one_of("f16"), _LINT, "The type in which the floats of the model are computed.", "target_precision"
    ),
    "max-memory": Setting(
        values.MEMORY, (*_LINT, *_RUNNING), "The limit on the memory of all tensors, such as 4GiB.", "MAX_MEMORY"
    ),
    "for": Setting(values.some_of(*values.PURPOSES), _LINT, "What the file is for.", "purposes", ()),
    "max-iterations": Setting(
        values.count("a positive number of iterations", 1),
        _RUNNING,
        "The limit on iterations of a loop.",
        "MAX_ITERATIONS",
        1_000_000,
    ),
    "timeout": Setting(values.SECONDS, _RUNNING, "The limit on seconds of an inference.", "TIMEOUT"),
    "precision": Setting(
        values.one_of("f32", "bf16", "f16"),
        _COMPILING,
        "The type that the operands of products are rounded to.",
        "INFERENCE_PRECISION_HINT",
        "f32",
    ),
    "dynamic-quantization": Setting(
        values.count("a number of activations, 0 for none"),
        _COMPILING,
        "The number of activations that are rounded to 8 bits with one scale.",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE",
        0,
    ),
    "threads": Setting(
        values.count("a number of threads, 0 for all processors"),
        _COMPILING,
        "The number of threads.",
        "INFERENCE_NUM_THREADS",
        0,
    ),
    "low-memory": Setting(
        values.SWITCH, _COMPILING, "Whether weights keep their stored form, even if slower.", "LOW_MEMORY", False
    ),
    "tier": Setting(
        values.one_of("auto", "numpy", "compiled"), _RUNNING, "What computes layers.", "TIER", "auto", "IRRUN_TIER"
    ),
    "rtol": Setting(
        values.TOLERANCE,
        _COMPARING,
        "The tolerance of comparisons, relative to the largest magnitude.",
        "Tolerance.rtol",
        1e-3,
        of_project=True,
    ),
    "atol": Setting(
        values.TOLERANCE, _COMPARING, "The absolute tolerance of comparisons.", "Tolerance.atol", 1e-5, of_project=True
    ),
    EXTENSIONS: Setting(values.TEXTS, (), "Python files and modules that --trust loads.", "EXTENSIONS", ()),
}


def settings_for(command: str) -> dict[str, Setting]:
    """Return the settings that a command has, by key."""
    return {key: setting for key, setting in SETTINGS.items() if command in setting.commands}


def schema() -> str:
    """Return the JSON schema of a configuration, draft 2020-12: keys for all commands, and tables of single ones."""
    import json

    def table(settings: Mapping[str, Setting]) -> dict[str, Any]:
        return {key: {"description": setting.doc, **setting.kind.schema} for key, setting in settings.items()}

    tables = {
        command: {"type": "object", "properties": table(settings_for(command)), "additionalProperties": False}
        for command in COMMANDS
    }
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "irrun.toml, or the table tool.irrun of pyproject.toml",
        "type": "object",
        "properties": {**table(SETTINGS), **tables},
        "additionalProperties": False,
    }
    return json.dumps(whole, indent=2) + "\n"
