"""The command that runs laboratories, and what their options draw."""

from __future__ import annotations

import argparse
import importlib
import re

import pytest

from tests.lab import drawing
from tests.lab.__main__ import laboratories, main
from tests.lab.records import ROOT


def test_without_a_name_it_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert main(["no_such_laboratory"]) == 2
    listed, again = capsys.readouterr().out.split("Run a laboratory")[1:]
    assert listed == again
    known = laboratories()
    assert {"conformance", "faults", "fuzz", "graphs", "mutants"} <= known.keys()
    for name, line in known.items():
        assert line.endswith("."), name
        assert f"\n{name} " in listed
        assert line in listed


@pytest.mark.parametrize("name", laboratories())
def test_a_laboratory_explains_its_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        importlib.import_module(f"tests.lab.{name}.__main__")
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"usage: python -m tests.lab {name} " in capsys.readouterr().out


def drawn(*arguments: str) -> list[int]:
    parser = argparse.ArgumentParser()
    drawing.add_options(parser, 3, "numbers")
    return list(drawing.seeds(parser.parse_args(arguments)))


def test_seeds_are_as_many_as_asked_for() -> None:
    assert drawn() == [0, 1, 2]
    assert drawn("--count", "2", "--seed", "7") == [7, 8]
    assert drawn("--count", "2", "--seconds", "60") == [0, 1]
    assert drawn("--seconds", "0") == []
    assert len(drawn("--seconds", "0.01")) > 3


def test_no_test_imports_a_tool() -> None:
    """Tools may import tests, so that nothing is imported in a circle."""
    paths = list((ROOT / "tests").rglob("*.py"))
    assert len(paths) > 100
    importing = re.compile(r"^\s*(?:from|import) tools\b", re.MULTILINE)
    assert [path for path in paths if importing.search(path.read_text(encoding="utf-8"))] == []
