"""The page about extensions says how many lines its files have; its program for a cluster runs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import irrun
from tests.page_files import files
from tests.processes import ROOT

PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")


def test_the_lines_of_the_ten_tasks() -> None:
    stated = dict(re.findall(r"^\| \[.*\| `([\w.]+)`: (\d+) \|$", PAGE, re.MULTILINE))
    found = {name: len([line for line in text.splitlines() if line.strip()]) for name, text in files(PAGE).items()}
    assert {name: found[name] for name in stated} == {name: int(count) for name, count in stated.items()}
    assert (len(stated), max(found.values()) <= 20) == (10, True)


@pytest.mark.rest
@pytest.mark.filterwarnings("ignore")
def test_the_program_for_a_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("distributed", reason="distributed is not installed, the extra distributed")
    monkeypatch.chdir(tmp_path)
    Path("shrink.py").write_text(files(PAGE)["shrink.py"])
    Path("model.xml").write_bytes((ROOT / "examples" / "extension" / "model.xml").read_bytes())
    try:
        exec(files(PAGE)["cluster.py"], {"scheduler": "local"})
    finally:
        irrun.unextend()
    printed = PAGE.partition("print(outputs[0][0, 0])\n```\n\n```\n")[2].partition("```")[0]
    assert capsys.readouterr().out == printed
    assert [float(line) for line in printed.split()] == np.maximum(np.arange(4) - 0.25, 0).tolist()
