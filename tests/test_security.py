"""The promises of SECURITY.md: each has its tests, and commands open and write nothing but what they are given."""

from __future__ import annotations

import ast
import json
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.processes import environment

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROMISES: Final = PAGE.partition("## Promises")[2].partition("## Out of scope")[0]

HOSTILE: Final = """<?xml version="1.0"?>
<net name="{outside}" version="11" xmlns:xi="http://www.w3.org/2001/XInclude">
  <layers>
    <layer id="0" name="http://127.0.0.1:9/" type="Parameter" version="opset1">
      <data shape="1,2" element_type="f32" href="http://127.0.0.1:9/x" path="{outside}" command="touch {outside}.new"/>
      <output><port id="0" precision="FP32" names="__import__('os').system('touch {outside}.new')">
        <dim>1</dim><dim>3</dim></port></output>
    </layer>
    <layer id="1" name="../../{name}" type="Result" version="opset1">
      <input><port id="0" precision="FP32"><dim>1</dim><dim>2</dim></port></input>
    </layer>
  </layers>
  <edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges>
  <rt_info><xi:include href="file://{outside}"/><framework value="$(touch {outside}.new)"/></rt_info>
</net>
"""
WITH_ENTITY: Final = (
    '<!DOCTYPE net SYSTEM "file://{outside}" [<!ENTITY e SYSTEM "{outside}">]><net name="&e;" version="11"/>'
)

WATCHED: Final = """
import json, os, sys
FOREIGN = "socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "urllib.", "pickle."
events = []
def hook(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        if isinstance(path, (str, bytes)):
            writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) if isinstance(flags, int) else 0
            events.append(["write" if writes else "read", os.path.abspath(os.fsdecode(path))])
    elif event in ("os.rename", "os.remove", "os.mkdir", "os.link", "os.symlink", "os.truncate"):
        events.append(["write", os.path.abspath(os.fsdecode(arguments[1 if event == "os.rename" else 0]))])
    elif event.startswith(FOREIGN):
        events.append(["runs", event])
from click.testing import CliRunner
from irrun.cli.app import app
for warm in (["lint", "--isolated", "sound.xml"], ["run", "sound.xml", "--random"]):
    CliRunner().invoke(app, warm, prog_name="irrun")
sys.addaudithook(hook)
codes = [CliRunner().invoke(app, words, prog_name="irrun").exit_code for words in json.loads(sys.argv[1])]
print(json.dumps([codes, events]))
"""


def functions(path: Path) -> set[str]:
    """Return the names of the tests of a file, and those that ``unittest`` finds there."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = {item.name for item in tree.body if isinstance(item, ast.FunctionDef)}
    return named | {
        target.id
        for item in tree.body
        if isinstance(item, ast.Assign)
        for target in item.targets
        if isinstance(target, ast.Name)
    }


def test_every_promise_names_its_tests() -> None:
    rows = [line for line in PROMISES.splitlines() if line.startswith("| ") and "`tests/" in line]
    bullets = [line for line in PROMISES.splitlines() if line.startswith("* ")]
    assert len(bullets) == 5
    numbers = {int(row.split("|")[1].split(".")[0]) for row in rows}
    assert numbers == {1, 2, 3, 4, 5}
    for row in rows:
        names = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
        assert names, row
        for file, name in names:
            assert (ROOT / file).is_file(), file
            assert name in functions(ROOT / file), (file, name)


def test_nothing_is_opened_or_run_but_what_commands_are_given(tmp_path: Path) -> None:
    outside = tmp_path / "outside" / "secret.txt"
    inside = tmp_path / "inside"
    outside.parent.mkdir()
    inside.mkdir()
    outside.write_text("secret")
    text = HOSTILE.format(outside=outside, name=outside.name)
    (inside / "model.xml").write_text(text)
    for suffix in (".xml", ".bin"):
        shutil.copy(ROOT / "examples" / f"wrong_dims{suffix}", inside / f"fixed{suffix}")
    (inside / "entity.xml").write_text(WITH_ENTITY.format(outside=outside))
    (inside / "sound.xml").write_text(text.replace("<dim>3</dim>", "<dim>2</dim>"))
    (inside / "pickled.npy").write_bytes(pickle.dumps({"x": _Runs(f"touch {outside}.new")}))
    array: Any = np.array([_Runs(f"touch {outside}.new")], dtype=object)
    np.save(inside / "objects.npy", array, allow_pickle=True)
    commands = [
        ["lint", "--isolated", "model.xml", "entity.xml"],
        ["lint", "--isolated", "--fix", "--unsafe-fixes", "fixed.xml"],
        ["info", "model.xml"],
        ["run", "sound.xml", "-i", "pickled.npy"],
        ["run", "sound.xml", "-i", "objects.npy"],
        ["run", "sound.xml", "--random", "-o", "out.npy"],
    ]
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, json.dumps(commands)],
        cwd=inside,
        env=environment(PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
        check=True,
    )
    codes, events = json.loads(done.stdout)
    assert codes == [1, 0, 0, 2, 2, 0]
    assert (inside / "fixed.xml").read_bytes() != (ROOT / "examples" / "wrong_dims.xml").read_bytes()
    own = [(kind, Path(path)) for kind, path in events if kind != "runs" and Path(path).is_relative_to(tmp_path)]
    assert {path.name for kind, path in own if kind == "read" and path.is_file()} <= {
        "model.xml",
        "entity.xml",
        "fixed.xml",
        "fixed.bin",
        "sound.xml",
        "pickled.npy",
        "objects.npy",
        "out.npy",
    }
    assert {path for kind, path in own if path.is_relative_to(outside.parent)} == set()
    written = {Path(path) for kind, path in events if kind == "write"} - {Path("/dev/null")}
    assert {path for path in written if not path.is_relative_to(inside)} == set()
    assert [event for kind, event in events if kind == "runs"] == []
    assert sorted(path.name for path in outside.parent.iterdir()) == ["secret.txt"]
    kept = ["entity.xml", "fixed.bin", "fixed.xml", "model.xml", "objects.npy", "out.npy", "pickled.npy", "sound.xml"]
    assert sorted(path.name for path in inside.iterdir()) == kept


class _Runs:
    """An object that runs a command where it is unpickled."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple[Any, ...]:
        import os

        return os.system, (self.command,)
