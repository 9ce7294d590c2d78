"""The command group: help, version, near matches, exit statuses, colours, and the modules imported at start."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import click.testing
import pytest

import irrun
import irrun.cli.commands as commands
from irrun.cli.app import app
from irrun.diagnostics import Diagnostic, IRError, OpError
from irrun.model import InputError
from tests import processes
from tests.cli.conftest import Run
from tests.nets import Net

NAMES = sorted(path.stem for path in Path(commands.__path__[0]).glob("[a-z]*.py"))


def python(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return processes.python("-c", code, env=processes.environment(**variables))


def test_version(run: Run) -> None:
    result = run("--version")
    assert (result.stdout, result.exit_code) == (f"irrun {irrun.__version__}\n", 0)


def test_the_help_has_a_line_for_each_command(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("--help").stdout.splitlines()
    assert [line.split()[0] for line in lines[-len(NAMES) :]] == NAMES
    assert len(lines) - len(NAMES) <= 20, "what is above the commands fits a screen with them"


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_starting_imports_nothing_heavy(argument: str) -> None:
    code = (
        "import sys\nfrom irrun.cli import main\n"
        f"sys.argv = ['irrun', {argument!r}]\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "heavy = {'numpy', 'lxml', 'networkx', 'irrun.ops', 'irrun.model'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    assert python(code).stderr == "[]\n"


def test_a_small_model_loads_only_what_it_needs() -> None:
    digits = Path(__file__).resolve().parents[2] / "examples" / "digits"
    rare = {
        *("statistics", "threadpoolctl"),
        *(("json",) if sys.version_info < (3, 14) else ()),  # importlib.metadata imports it, which networkx does
        *("irrun.document.malformed", "irrun.document.repair", "irrun.document.source_map", "irrun.graph.pre_process"),
        *("irrun.kernels.packed_product", "irrun.kernels.recurrent", "irrun.runtime.lowering", "irrun.runtime.workers"),
        *("irrun.optimize.passes.compute_in_integers", "irrun.optimize.passes.round_operands"),
        *("irrun.tensor.rounding", "irrun.tensor.strings"),
    }
    code = (
        "import sys\nbefore = set(sys.modules)\nfrom irrun.cli import main\n"
        "from irrun.kernels.contention import Contention\n"
        "Contention.limit = lambda self, wanted: wanted\n"
        f"sys.argv = ['irrun', 'run', {str(digits / 'model.xml')!r}, '-i', {str(digits / 'seven.npy')!r}, '-q']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert end.code == 0\n"
        f"print(sorted({rare} & set(sys.modules) - before), file=sys.stderr)"
    )
    assert python(code).stderr == "[]\n"


@pytest.mark.parametrize("package", ["lxml", "networkx"])
def test_nothing_is_read_without_what_the_project_stands_on(package: str) -> None:
    digits = Path(__file__).resolve().parents[2] / "examples" / "digits" / "model.xml"
    done = python(f"import sys\nsys.modules[{package!r}] = None\nimport irrun\nirrun.read_model({str(digits)!r})")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"ModuleNotFoundError: import of {package}")


def test_help_lists_every_command_with_the_first_line_of_its_module(run: Run) -> None:
    result = run("--help")
    assert result.exit_code == 0
    assert {"run", "info", "ops", "eval", "completion"} <= set(NAMES)
    for name in NAMES:
        module = Path(commands.__path__[0], f"{name}.py").read_text()
        summary = (ast.get_docstring(ast.parse(module)) or "").splitlines()[0]
        assert f"{name} " in result.stdout
        assert " ".join(summary.split()[:3]) in " ".join(result.stdout.split())


@pytest.mark.parametrize("name", NAMES)
def test_every_command_teaches_by_example(run: Run, name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    assert "Examples:" in result.stdout
    assert f"irrun {name} " in result.stdout


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("rn", 'no command "rn"; did you mean run?'),
        ("Info", 'no command "Info"; did you mean info?'),
        ("model.xml", 'no command "model.xml"; did you mean irrun run model.xml?'),
        ("zzzz", f'no command "zzzz"; the commands are {", ".join(NAMES)}'),
    ],
)
def test_unknown_command(run: Run, word: str, message: str) -> None:
    result = run(word)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_unknown_option(run: Run) -> None:
    result = run("run", "--sed", "3")
    assert result.exit_code == 2
    assert "No such option '--sed'" in result.stderr or "No such option: --sed" in result.stderr


def _failing(error: BaseException) -> click.testing.Result:
    """Return the result of a command that raises an error."""
    from irrun.cli.failures import reported

    @click.command()
    def failing() -> None:
        with reported():
            raise error

    return click.testing.CliRunner().invoke(failing)


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (InputError('input "a" is float64, expected i64'), 2, 'error: input "a" is float64, expected i64\n'),
        (OpError("axis 5 is outside a tensor of rank 2"), 2, "error: axis 5 is outside a tensor of rank 2\n"),
        (FileNotFoundError(2, "No such file or directory", "x.npy"), 2, "error: x.npy: No such file or directory\n"),
        (OSError("the disk is gone"), 2, "error: the disk is gone\n"),
        (MemoryError(), 2, "error: not enough memory\n"),
        (IRError([Diagnostic("IR102", "not an IR")], "no.xml"), 2, "no.xml: error: not an IR [IR102]\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (
            ZeroDivisionError("a\nb"),
            70,
            "error: irrun itself failed: ZeroDivisionError: a b; please report it with the model at "
            "https://github.com/irrun/irrun/issues (--traceback shows where)\n",
        ),
    ],
)
def test_an_error_ends_in_a_line_and_a_status(error: BaseException, status: int, message: str) -> None:
    result = _failing(error)
    assert (result.exit_code, result.stderr, result.stdout) == (status, message, "")


@pytest.mark.parametrize(("end", "status"), [(KeyboardInterrupt(), 130), (SystemExit(143), 143)])
def test_a_signal_while_a_class_is_made_is_a_signal(end: BaseException, status: int) -> None:
    """Before version 3.12, Python wraps what is raised in ``__set_name__`` in a RuntimeError."""
    error = RuntimeError("Error calling __set_name__ on 'cached_property' instance 'order' in 'Graph'")
    error.__cause__ = end
    result = _failing(error)
    assert (result.exit_code, result.stderr) == (status, "interrupted\n" if status == 130 else "")


@pytest.mark.sample(3)
@pytest.mark.parametrize("argument", ["ops", "--help", "--version"])
def test_a_closed_pipe_ends_quietly(argument: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ended = processes.irrun(argument, stdout=writer)
    os.close(writer)
    assert (ended.stderr, ended.returncode) == ("", 141)


def test_findings_beyond_ten_are_counted(run: Run, tmp_path: Path) -> None:
    net = Net()
    for index in range(12):
        net.result(net.layer("Frob", [net.parameter(f"p{index}", "2")], "2", 8))
    path = net.save(tmp_path / "frob.xml")
    result = run("run", path, "--random")
    assert result.exit_code == 2
    assert result.stderr.count("no operation Frob in opset8 [IR301]") == 10
    assert result.stderr.endswith(f"and 2 more; irrun lint {path} shows them all\n")


def test_a_fault_in_the_file_is_shown_with_its_place(run: Run, tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("ReLo", [net.parameter("p", "2")], "2", name="r"))
    path = net.save(tmp_path / "relo.xml")
    result = run("run", path, "--random")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        f'{path}:12:26: error: ReLo 1 "r": no operation ReLo in opset1; did you mean ReLU? [IR301]'
    )


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)],
)
def test_colours(environment: dict[str, str], coloured: bool) -> None:
    runner = click.testing.CliRunner(env={"NO_COLOR": None, "TERM": None, **environment})
    result = runner.invoke(app, ["eval", "Nope"], color=True)
    assert result.stderr == (
        "\x1b[31m\x1b[1merror:\x1b[0m no operation Nope; irrun ops lists all\n"
        if coloured
        else "error: no operation Nope; irrun ops lists all\n"
    )


def test_no_colours_where_there_is_no_terminal() -> None:
    ended = processes.irrun("eval", "Nope")
    assert (ended.stderr, ended.returncode) == ("error: no operation Nope; irrun ops lists all\n", 2)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(run: Run, shell: str) -> None:
    result = run("completion", shell)
    assert result.exit_code == 0
    assert f"_IRRUN_COMPLETE={shell}_complete" in result.stdout


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("irrun inf", ["info"]),
        ("irrun ops clam", ["Clamp"]),
        ("irrun eval Convolution", ["Convolution", "ConvolutionBackpropData"]),
        ("irrun evaluate --lab", ["--labels"]),
    ],
)
def test_completion_offers(words: str, offered: list[str]) -> None:
    environment = {
        "_IRRUN_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    code = "import sys; sys.argv = ['irrun']; from irrun.cli import main; main()"
    answered = python(code, **environment).stdout
    assert [line.partition(",")[2] for line in answered.splitlines()] == offered


def test_an_interrupted_start_has_the_status_of_an_interrupt() -> None:
    code = (
        "def interrupt(*_args, **_kwargs): raise KeyboardInterrupt\n"
        "import irrun.cli.app as module\n"
        "module.app.main = interrupt\n"
        "from irrun.cli import main\nmain()"
    )
    ended = python(code)
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")


def test_an_interrupt_before_the_command_is_known() -> None:
    code = (
        "import irrun.cli.app as module\n"
        "def interrupt(*_args): raise KeyboardInterrupt\n"
        "module.app.parse_args = interrupt\n"
        "from irrun.cli import main\nmain()"
    )
    ended = python(code)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals that a process sends to itself")
@pytest.mark.parametrize(("name", "status", "said"), [("SIGINT", 130, "interrupted\n"), ("SIGTERM", 143, "")])
def test_a_signal_during_a_callback_is_repeated(name: str, status: int, said: str) -> None:
    """Python discards what is raised in the callback of a weak reference."""
    code = (
        "import signal, time, weakref\n"
        "import irrun.cli.app as module\n"
        "class Thing: pass\n"
        "def run(**_):\n"
        "    thing = Thing()\n"
        f"    kept = weakref.ref(thing, lambda _: signal.raise_signal(signal.{name}))\n"
        "    del thing\n"
        "    time.sleep(60)\n"
        "module.app.main = run\n"
        "from irrun.cli import main\nmain()"
    )
    ended = python(code)
    assert (ended.returncode, ended.stderr) == (status, said)


@pytest.mark.skipif(sys.platform == "win32", reason="signals that a process sends to itself")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_while_the_interpreter_ends_is_quiet(name: str) -> None:
    code = (
        "import atexit, signal\n"
        "import irrun.cli.app as module\n"
        f"atexit.register(lambda: signal.raise_signal(signal.{name}))\n"
        "module.app.main = lambda **_: None\n"
        "from irrun.cli import main\nmain()"
    )
    ended = python(code)
    assert (ended.returncode, ended.stderr) == (-getattr(signal, name), "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is full")
@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_to_a_full_device(argument: str) -> None:
    with open("/dev/full", "w") as full:
        ended = processes.irrun(argument, stdout=full)
    expected = "error: the standard output: No space left on device\n"
    assert (ended.returncode, ended.stderr) == (2, expected)


@pytest.mark.parametrize("spelling", [["--json"], ["--format", "json"], ["--output-format", "json"]])
@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (["info", "{model}"], "ir_version"),
        (["run", "{model}", "--random"], "outputs"),
        (["bench", "{model}", "--niter", "1"], "engines"),
        (["profile", "{model}", "--niter", "1"], "layers"),
        (["rule", "IR401"], "summary"),
    ],
)
def test_every_way_to_ask_for_json(run: Run, clamp: Path, arguments: list[str], key: str, spelling: list[str]) -> None:
    words = [word.replace("{model}", str(clamp)) for word in arguments]
    assert key in json.loads(run(*words, *spelling).stdout)
    assert not run(*words).stdout.startswith("{")
    assert not run(*words, "--json", "--format", "text").stdout.startswith("{")


def test_loud_and_quiet(run: Run, clamp: Path, npy: Callable[[str, Any], str]) -> None:
    image = npy("x.npy", [[1.0, 2.0, 3.0]])
    assert run("run", clamp, "-i", image).stderr == ""
    assert "run in " in run("run", "-v", clamp, "-i", image).stderr
    assert "run in " in run("-v", "run", clamp, "-i", image).stderr
    assert run("-v", "run", "-q", clamp, "-i", image).stderr == ""


def test_too_little_memory_to_say_more() -> None:
    code = (
        "from irrun.cli import main\nimport irrun.cli.app\n"
        "def main_of_all(**_): raise MemoryError\n"
        "irrun.cli.app.app.main = main_of_all\nmain()\n"
    )
    done = python(code)
    assert (done.stderr, done.returncode) == ("error: not enough memory\n", 2)


@pytest.mark.skipif(os.name == "nt", reason="Windows does not remove the current folder of a process")
def test_a_current_folder_that_is_gone(tmp_path: Path) -> None:
    model = Path(__file__).resolve().parents[2] / "examples" / "wrong_dims.xml"
    gone = tmp_path / "gone"
    gone.mkdir()
    script = tmp_path / "script.py"
    script.write_text(
        f"import os, sys\nos.chdir({str(gone)!r})\nos.rmdir({str(gone)!r})\n"
        f"from irrun.cli import main\nsys.argv = ['irrun', 'lint', {str(model)!r}]\nmain()\n"
    )
    done = processes.python(script, env=processes.environment())
    assert (done.stderr, done.returncode) == ("error: the current folder no longer exists\n", 2)


def test_a_character_that_the_output_cannot_hold_is_escaped(tmp_path: Path) -> None:
    net = Net("größe ☃")
    net.result(net.parameter("x", "2"))
    environment = processes.environment(PYTHONIOENCODING="latin-1")
    done = processes.irrun("info", net.save(tmp_path / "net.xml"), env=environment, encoding="latin-1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "model       größe \\u2603, IR version 11"


@pytest.mark.skipif(os.name == "nt", reason="Windows ends processes otherwise")
def test_a_signal_that_comes_late_ends_the_process_quietly() -> None:
    code = (
        "import signal, types\nfrom irrun.cli import _repeat\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n"
        "_repeat(types.SimpleNamespace(exc_value=OSError('Signal 2 ignored due to race condition')))"
    )
    done = python(code)
    assert (done.stderr, done.returncode) == ("", -signal.SIGINT)
