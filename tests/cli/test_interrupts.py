"""Interrupts at any time: a command ends at once, by the signal or with status 130, and prints no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.processes import ROOT, ended, python, start

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

DIGITS = "examples/digits/model.xml"
IMAGE = "examples/digits/seven.npy"
COMMANDS = {
    "bench": ["bench", DIGITS, "--niter", "2"],
    "compare": ["compare", DIGITS, DIGITS, "-i", IMAGE],
    "debug": ["debug", "precision", DIGITS, "-i", IMAGE],
    "diff": ["diff", DIGITS, "examples/wrong_dims.xml"],
    "edit": ["edit", "strip", DIGITS, "-o", "{folder}/out.xml"],
    "eval": ["eval", "Clamp", "[1,2]", "--min", "0", "--max", "1"],
    "evaluate": ["evaluate", DIGITS, "--batch", IMAGE, "--labels", "examples/digits/heldout_labels.npy"],
    "explain": ["explain", DIGITS, "0"],
    "generate": ["generate", "examples/stories", "Once", "--max-new-tokens", "4"],
    "graph": ["graph", DIGITS],
    "help": ["--help"],
    "info": ["info", DIGITS],
    "lint": ["lint", "examples", "--exit-zero"],
    "lint in processes": ["lint", "examples", "--exit-zero", "--jobs", "2"],
    "ops": ["ops"],
    "profile": ["profile", DIGITS, "--niter", "2"],
    "report": ["report", DIGITS, "-o", "{folder}/page.html"],
    "rule": ["rule", "IR401"],
    "run": ["run", DIGITS, "-i", IMAGE, "-o", "{folder}/out.npy"],
    "run many": ["run", DIGITS, "--batch", "examples/digits/*o*.npy", "-o", "{folder}/out", "--requests", "2"],
    "schema": ["schema", "rng"],
    "version": ["--version"],
}

INTERRUPTED = {(-signal.SIGINT, ""), (130, "interrupted\n")}
DONE = {0, 1, 2}

IMPORTS = """
import os, signal, sys
from irrun.__main__ import main
left = int(sys.argv.pop(1))
def hook(event, _):
    global left
    if event == "import":
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(hook)
main()
"""
"""Interrupts itself at the import of a number."""

READY = """
import os, sys
from irrun.__main__ import main
is_told = False
def hook(event, _):
    global is_told
    if not is_told and event == "import":
        is_told = True
        os.close(int(sys.argv.pop(1)))
sys.addaudithook(hook)
main()
"""
"""Closes a file when the command line has begun. Before, the interpreter itself prints the traceback."""


def begun(code: str, number: int, name: str, folder: Path) -> subprocess.Popen[str]:
    words = [word.replace("{folder}", str(folder)) for word in COMMANDS[name]]
    return start(
        *(sys.executable, "-c", code, number, *words),
        stdout=subprocess.DEVNULL,
        cwd=ROOT,
        pass_fds=[number] if code is READY else [],
    )


@pytest.mark.sample(8)
@pytest.mark.parametrize("place", [1, 2, 5, 20, 50, 100, 200, 400])
@pytest.mark.parametrize("name", ["help", "info", "lint", "run", "run many"])
def test_an_interrupt_during_an_import(name: str, place: int, tmp_path: Path) -> None:
    found = ended(begun(IMPORTS, place, name, tmp_path))
    status, said = found.returncode, found.stderr
    assert (status, said) in INTERRUPTED or (place >= 50 and status == 0 and "Traceback" not in said)


def test_an_interrupt_during_a_destructor_of_the_first_import() -> None:
    """As where Python frees the lock of a module."""
    code = (
        "import os, signal, sys\nfrom irrun.__main__ import main\n"
        "class Late:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), 2)\n"
        "late = [Late()]\n"
        "sys.modules.pop('signal')\n"
        "sys.addaudithook(lambda event, _: late.clear() if event == 'import' else None)\n"
        "main()"
    )
    done = python("-c", code, "--version")
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


@pytest.mark.sample(7)
@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupt_after_some_time(name: str, tmp_path: Path) -> None:
    for milliseconds in (0, 5, 20, 60, 120, 250):
        reader, writer = os.pipe()
        process = begun(READY, writer, name, tmp_path)
        os.close(writer)
        os.read(reader, 1)
        os.close(reader)
        time.sleep(milliseconds / 1000)
        process.send_signal(signal.SIGINT)
        found = ended(process)
        status, said = found.returncode, found.stderr
        assert "Traceback" not in said
        assert "Exception" not in said
        assert status in {-signal.SIGINT, 130} | DONE
        if status == 130:
            assert said.endswith("interrupted\n")


def test_a_second_interrupt_ends_at_once() -> None:
    code = (
        "import signal, time\nimport irrun.cli.app as module\n"
        "def run(**_):\n"
        "    try:\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "    finally:\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "        time.sleep(60)\n"
        "module.app.main = run\n"
        "from irrun.cli import main\nmain()"
    )
    done = python("-c", code)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_an_interrupt_that_nothing_catches_is_quiet() -> None:
    """One that comes after the command, before signals end the process, leaves ``main``."""
    code = (
        "import irrun.__main__, irrun.cli\n"
        "def run(): raise KeyboardInterrupt\n"
        "irrun.cli.main = run\nirrun.__main__.main()"
    )
    done = python("-c", code)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_other_exceptions_are_shown() -> None:
    code = (
        "import irrun.__main__, irrun.cli\n"
        "def run(): raise ValueError('of a test')\n"
        "irrun.cli.main = run\nirrun.__main__.main()"
    )
    done = python("-c", code)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "ValueError: of a test")
