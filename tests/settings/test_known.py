"""Each option of a command is a setting of projects, or there is a reason why it is none."""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from irrun.cli.app import app
from irrun.debugging.layers import Tolerance
from irrun.linter.resolving import FIELDS
from irrun.linter.settings import LinterSettings
from irrun.model.config import known_settings
from irrun.runtime.budget import MOST_ITERATIONS
from irrun.settings import COMMANDS, SETTINGS, BadConfiguration, read
from irrun.settings.known import schema
from tests.cli.conftest import Run

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "ci.md"

READ = "what the command reads: a downloaded folder may not choose it"
WRITTEN = "what the command writes, or that it writes"
EXECUTED = "what the command executes"
ASKED = "what the command is asked for, this time"
MEASURED = "how long or how much is measured, this time"
SPREAD = "where the work is done, which depends on the machine"
TERMINAL = "what the terminal shows"
GENERATED = "how a text is made: the folder of a model has a file for it"
COMPARED = "what counts as the same, which the verdict repeats"

NO_SETTINGS = {
    READ: "--attr --batch --check --chat --config --data --file --input --isolated --classes --labels --layout "
    "--mean-values --onnx --opset --query --random --scale-values --seed --shape --stdin-filename "
    "--value --weights --with-inputs",
    WRITTEN: "--baseline --dump --fix --format-of-dump --output --output-file --records --trace --unsafe-fixes "
    "--into --predictions --save --write-baseline --xml-only",
    EXECUTED: "--extension --trust",
    ASKED: "--all --as-written --compare-openvino --constants --diff --exit-zero --fail-fast --from --generic --graph "
    "--keep-shapes --layer --layers --names --openvino --outputs --outputs-by-type --plan --pooling --run "
    "--show-settings --statistics --stats --steps --stop-at --target --tensor --to --top --zeros --no-normalize "
    "--show --quiet-non-ir --allow-empty --add --color --drop --make --mean --model-color --model-layout --remove "
    "--resize --scale --set --size --type --variable --class-axis --fit --ignore-label --threshold",
    MEASURED: "--batch-size --check-timeout --max-length --metric --most --niter --time --tried",
    SPREAD: "--hint --jobs --requests --scheduler",
    TERMINAL: "--format --json --output-format --quiet --traceback --verbose",
    GENERATED: "--frequency-penalty --ignore-eos --length-penalty --logprobs --max-new-tokens --min-new-tokens --min-p "
    "--no-repeat-ngram --no-template --num-beams --num-return-sequences --presence-penalty --repetition-penalty --stop "
    "--stop-id --system --temperature --top-k --top-p",
    COMPARED: "--check-error-stat --ignore-names --match",
}
"""Options that are no settings, by reason. Some are settings of one command: formats and a baseline, of the linter."""


def options() -> Iterator[tuple[str, str]]:
    """Yield the commands, as configurations call them, and the keys of their options."""

    def walk(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
        if isinstance(command, click.Group):
            for inner in command.list_commands(click.Context(command)):
                found = command.get_command(click.Context(command), inner)
                assert found is not None
                yield from walk(found, name or inner)
            return
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                yield name, max(parameter.opts, key=len).removeprefix("--")

    return walk(app, "")


def test_each_option_is_a_setting_or_has_a_reason() -> None:
    without = {word.removeprefix("--") for words in NO_SETTINGS.values() for word in words.split()}
    unknown = {
        (command, key)
        for command, key in options()
        if not (key in SETTINGS and command in SETTINGS[key].commands) and key not in without
    }
    # `debug` has options of single commands in its group.
    assert unknown - {("debug", "precision")} == set(), "add it to SETTINGS, or to NO_SETTINGS under a reason"


def test_each_setting_is_an_option_of_its_commands() -> None:
    known = {*options()}
    missing = {(command, key) for key, setting in SETTINGS.items() for command in setting.commands} - known
    # The tier is a variable of the environment.
    assert {(command, key) for command, key in missing if key != "tier"} == set(), "add the option to the command"


def test_no_setting_reads_writes_or_executes() -> None:
    words = {reason: {word.removeprefix("--") for word in NO_SETTINGS[reason].split()} for reason in NO_SETTINGS}
    assert (words[READ] | words[EXECUTED]).isdisjoint(SETTINGS)
    assert words[WRITTEN] & {*SETTINGS} == {"baseline"}, "what the linter does not report, which it only reads"


@pytest.mark.parametrize("key", ["weights", "input", "output", "fix", "unsafe-fixes", "extension", "write-baseline"])
def test_a_configuration_cannot_make_irrun_write_or_execute(key: str, tmp_path: Path) -> None:
    path = tmp_path / "irrun.toml"
    path.write_text(f'{key} = "x"')
    with pytest.raises(BadConfiguration, match=rf"irrun\.toml: {key} is not known"):
        read(path)


def test_each_setting_has_a_name_in_python() -> None:
    fields = {field.name for field in dataclasses.fields(LinterSettings)}
    for key, setting in SETTINGS.items():
        if setting.commands == ("lint",):
            assert setting.api in fields or key in ("baseline", "exclude", "force-exclude", "output-format"), key
            assert key not in FIELDS or setting.default == getattr(LinterSettings(), setting.api), key
        elif setting.commands == ("compare", "debug"):
            assert setting.api.removeprefix("Tolerance.") in Tolerance._fields, key
            assert setting.default == getattr(Tolerance(), setting.api.removeprefix("Tolerance."))
        else:
            assert setting.api in known_settings(), key
    assert SETTINGS["max-iterations"].default == MOST_ITERATIONS


def test_the_guide_has_each_setting() -> None:
    table = GUIDE.read_text(encoding="utf-8").partition("| key | commands | in Python |\n")[2].partition("\n\n")[0]
    found = {key for line in table.splitlines()[1:] for key in re.findall("`(.+?)`", line.split("|")[1])}
    assert found == {*SETTINGS}, "the table of docs/ci.md lists each setting"


def test_the_schema_has_each_setting() -> None:
    found = json.loads(schema())["properties"]
    assert {*found} == {*SETTINGS, *COMMANDS}
    for command in COMMANDS:
        assert {*found[command]["properties"]} == {key for key, item in SETTINGS.items() if command in item.commands}


EXAMPLES = {
    "lint": ["lint", "{model}"],
    "bench": ["bench", "{model}"],
    "embed": ["embed", "{folder}", "text"],
    "generate": ["generate", "{folder}", "text"],
    "info": ["info", "{model}", "--plan"],
    "profile": ["profile", "{model}"],
    "run": ["run", "{model}"],
    "compare": ["compare", "{model}", "{model}"],
    "debug": ["debug", "precision", "{model}", "--precision", "bf16"],
    "evaluate": ["evaluate", "{model}", "--data", "{folder}", "--labels", "{model}", "--metric", "top1"],
    "report": ["report", "{model}", "--run", "-o", "{folder}/report.html"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_show_settings_has_each_setting(command: str, run: Run, clamp: Path, folder: Path) -> None:
    words = [word.format(model=clamp, folder=folder) for word in EXAMPLES[command]]
    result = run(*words, "--show-settings")
    assert (result.exit_code, result.stderr) == (0, "")
    shown = {line.split()[0] for line in result.stdout.splitlines() if not line.startswith(" ")}
    assert {key for key, setting in SETTINGS.items() if command in setting.commands} <= shown


def test_where_values_come_from(run: Run, clamp: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRRUN_TIER", "numpy")
    (folder / "irrun.toml").write_text(
        '# limits\ntimeout = 5\n\n[run]\nthreads = 2\nprecision = "bf16"\n[bench]\nthreads = 1\n'
    )
    monkeypatch.setattr("irrun.runtime.budget.default_memory", lambda: 1 << 30)
    record = json.loads(run("run", clamp, "--show-settings", "--json", "--precision", "f32").stdout)
    assert {key: (record[key], origin) for key, origin in record["origins"].items()} == {
        "max-memory": (1 << 30, "default"),
        "max-iterations": (MOST_ITERATIONS, "default"),
        "timeout": (5, "irrun.toml:2"),
        "precision": ("f32", "command line"),
        "dynamic-quantization": (0, "default"),
        "threads": (2, "irrun.toml:5"),
        "low-memory": (False, "default"),
        "tier": ("numpy", "IRRUN_TIER"),
    }
    assert json.loads(run("bench", clamp, "--show-settings", "--json").stdout)["threads"] == 1


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[tool.irrun]\ntimeout = 1", 2),
        ("[project]\nname = 'x'\n[ tool . 'irrun' ]\n\"timeout\" = 1", 4),
        ("tool.irrun.timeout = 1", 1),
        ("\n[tool]\nirrun = { timeout = 1 }", 3),
        ("[tool.irrun]\nthreads = 1\n[tool.irrun.run]\n  timeout= 1", 4),
    ],
)
def test_lines_of_keys(text: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    assert tomllib.loads(text)
    entry = read(path).of("run")["timeout"]
    assert (entry.value, entry.line) == (1, line)


EMPTY = "error: models: no IR file was found, expected at least one; --allow-empty accepts none\n"


def test_what_is_excluded_is_decided_in_the_current_folder(run: Run, clamp: Path, folder: Path) -> None:
    inner = folder / "models"
    inner.mkdir()
    clamp.rename(inner / "clamp.xml")
    (inner / "irrun.toml").write_text('exclude = ["*.xml"]')
    assert run("lint", "models").stderr.startswith("1 file checked")
    (folder / "irrun.toml").write_text('exclude = ["*.xml"]')
    assert run("lint", "models").stderr == EMPTY


def test_a_tolerance_is_that_of_the_current_folder(run: Run, clamp: Path, folder: Path) -> None:
    inner = folder / "models"
    inner.mkdir()
    model = clamp.rename(inner / "clamp.xml")
    (inner / "irrun.toml").write_text("rtol = 0.5")
    found = json.loads(run("compare", model, model, "--json").stdout)
    assert (found["rtol"], found["atol"]) == (1e-3, 1e-5)
    (folder / "irrun.toml").write_text("[compare]\nrtol = 0.25")
    assert json.loads(run("compare", model, model, "--json").stdout)["rtol"] == 0.25
    assert json.loads(run("compare", model, model, "--json", "--rtol", "0.1").stdout)["rtol"] == 0.1


def test_a_variable_of_the_environment_is_checked(run: Run, clamp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRRUN_TIER", "gpu")
    result = run("run", clamp, "--random")
    assert (result.exit_code, result.stderr) == (
        2,
        "error: IRRUN_TIER is 'gpu', expected auto, numpy or compiled\n",
    )
