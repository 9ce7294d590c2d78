"""The configuration of a project: its place, its keys, its faults."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from irrun.diagnostics import Severity
from irrun.settings import BadConfiguration, Project, Projects, read

WHOLE = """
output-format = "concise"
baseline = "known/old.json"
target-version = "2023.3"
target-precision = "f16"

[lint]
select = ["IR4"]
ignore = ["IR401"]
extend-select = ["wrong-output-dims"]
exclude = ["third_party"]
fail-level = "error"

[lint.per-file-ignores]
"legacy/*.xml" = ["IR402", "IR403"]
"""


def written(folder: Path, text: str, name: str = "irrun.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def values(project: Project, command: str = "lint") -> dict[str, Any]:
    return {key: entry.value for key, entry in project.of(command).items()}


def test_every_key(tmp_path: Path) -> None:
    assert values(read(written(tmp_path, WHOLE))) == {
        "output-format": "concise",
        "baseline": tmp_path / "known" / "old.json",
        "target-version": "2023.3",
        "target-precision": "f16",
        "select": ("IR4",),
        "ignore": ("IR401",),
        "extend-select": ("wrong-output-dims",),
        "exclude": ("third_party",),
        "fail-level": Severity.ERROR,
        "per-file-ignores": {"legacy/*.xml": ("IR402", "IR403")},
    }


def test_the_table_of_a_project_file(tmp_path: Path) -> None:
    text = '[project]\nname = "x"\n[tool.irrun]\nfail-level = "info"\n[tool.irrun.lint]\nselect = ["IR1"]\n'
    found = read(written(tmp_path, text, "pyproject.toml"))
    assert values(found) == {"select": ("IR1",), "fail-level": Severity.INFO}


def test_nothing_said(tmp_path: Path) -> None:
    assert values(read(written(tmp_path, ""))) == {}


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    written(tmp_path, 'select = ["IR1"]')
    written(tmp_path / "a", '[tool.irrun]\nselect = ["IR2"]', "pyproject.toml")
    written(tmp_path / "a" / "b", '[tool.other]\nselect = "x"', "pyproject.toml")
    written(tmp_path / "c", 'select = ["IR3"]')
    written(tmp_path / "c", '[tool.irrun]\nselect = ["IR4"]', "pyproject.toml")
    found = Projects()
    assert values(found.of(tmp_path))["select"] == ("IR1",)
    assert values(found.of(tmp_path / "a" / "b"))["select"] == ("IR2",)
    assert found.of(tmp_path / "a" / "b").root == tmp_path / "a"
    assert values(found.of(tmp_path / "c" / "no" / "such"))["select"] == ("IR3",)


def test_a_given_file_counts_everywhere(tmp_path: Path) -> None:
    written(tmp_path, 'select = ["IR1"]')
    given = written(tmp_path / "ci", 'select = ["IR2"]', "strict.toml")
    assert values(Projects(given).of(tmp_path))["select"] == ("IR2",)


def test_isolated_means_no_file(tmp_path: Path) -> None:
    written(tmp_path, "this is not TOML")
    assert Projects(isolated=True).of(tmp_path).of("lint") == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("selct = []", "selct is not known; did you mean select?"),
        ("[lint]\nper_file_ignores = {}", "lint.per_file_ignores is not known; did you mean per-file-ignores?"),
        (
            "zzzz = 1",
            "zzzz is not known, expected select, ignore, extend-select, per-file-ignores, exclude, "
            "force-exclude, require-verified, fail-level, "
            "output-format, baseline, target-version, target-precision, max-memory, for, max-iterations, "
            "timeout, precision, dynamic-quantization, threads, low-memory, tier, rtol or atol",
        ),
        ('select = "IR4"', 'select is "IR4", expected a list of strings'),
        ("select = [4]", "select is 4, expected a list of strings only"),
        ("[lint]\nignore = true", "lint.ignore is true, expected a list of strings"),
        ("per-file-ignores = []", "per-file-ignores is [], expected a table from patterns to lists of rules"),
        ('[per-file-ignores]\n"*.xml" = "IR4"', 'per-file-ignores is "IR4", expected a list of strings'),
        ('target-version = "new"', 'target-version is "new", expected a release of OpenVINO such as "2023.3"'),
        ("target-version = 2023.3", 'target-version is 2023.3, expected a release of OpenVINO such as "2023.3"'),
        ('target-precision = "f32"', 'target-precision is "f32", expected f16'),
        ("dynamic-quantization = -1", "dynamic-quantization is -1, expected a number of activations, 0 for none"),
        ('precision = "f8"', 'precision is "f8", expected f32, bf16 or f16'),
        ('fail-level = "fatal"', 'fail-level is "fatal", expected info, warning or error'),
        ("baseline = {}", "baseline is a table, expected a path"),
        ('baseline = ""', 'baseline is "", expected a path'),
        ("lint = 3", "lint is 3, expected a table"),
        ("select = []\n[lint]\nselect = []", "select is given twice, once in the table lint"),
        ("select = [", "not TOML: Invalid value (at end of document)"),
        (
            'output-format = "xml"',
            'output-format is "xml", expected concise, full, github, gitlab, grouped, json, json-lines, json-report, '
            "junit, rdjson or sarif",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadConfiguration) as raised:
        Projects().of(tmp_path)
    assert str(raised.value) == f"{path}: {message}"


def test_a_table_that_is_none(tmp_path: Path) -> None:
    path = written(tmp_path, "[tool]\nirrun = 3", "pyproject.toml")
    with pytest.raises(BadConfiguration) as raised:
        read(path)
    assert str(raised.value) == f"{path}: tool.irrun is 3, expected a table"


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "irrun.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadConfiguration, match=r"irrun\.toml: not TOML: 'utf-8' codec"):
        read(path)


def test_deep_nesting(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match="nested too deep"):
        read(written(tmp_path, "a = " + "[" * 100_000))


@pytest.mark.parametrize("part", ["a", '"a b"', "'a b'"])
def test_keys_of_many_parts(tmp_path: Path, part: str) -> None:
    with pytest.raises(BadConfiguration, match="nested too deep"):
        read(written(tmp_path, f"{part} . " * 100_000 + "a = 1"))
    with pytest.raises(BadConfiguration, match="a is not known" if part == "a" else "a b is not known"):
        read(written(tmp_path, f"{part} . " * 50 + "a = 1"))


def test_large_files(tmp_path: Path) -> None:
    path = written(tmp_path, "#" * 1048576)
    assert values(read(path)) == {}
    written(tmp_path, "#" * 1048577)
    with pytest.raises(OSError, match="the file has more than 1048576 bytes"):
        read(path)


@pytest.mark.parametrize("key", ["max-iterations", "max-memory", "timeout", "dynamic-quantization"])
def test_huge_numbers(tmp_path: Path, key: str) -> None:
    with pytest.raises(BadConfiguration, match=f"{key} is a number of thousands of digits, expected a"):
        read(written(tmp_path, f"{key} = 0x{'f' * 5000}"))
    with pytest.raises(BadConfiguration, match=f"{key} is 9{{100}}…, expected a"):
        read(written(tmp_path, f"{key} = {'9' * 400}"))
    with pytest.raises(BadConfiguration, match="not TOML: Exceeds the limit"):
        read(written(tmp_path, f"{key} = {'9' * 5000}"))


def test_long_names_are_shortened(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match=r"irrun\.toml: x{100}… is not known, expected"):
        read(written(tmp_path, f"{'x' * 1000} = 1"))


def test_the_number_of_patterns_is_limited(tmp_path: Path) -> None:
    patterns = ", ".join(f'"{index}"' for index in range(1001))
    with pytest.raises(BadConfiguration, match=r"exclude is .*…, expected at most 1000 patterns"):
        read(written(tmp_path, f"exclude = [{patterns}]"))
    rules = "".join(f'"{index}" = []\n' for index in range(1001))
    with pytest.raises(BadConfiguration, match=r"per-file-ignores is .*…, expected at most 1000 patterns"):
        read(written(tmp_path, f"[per-file-ignores]\n{rules}"))
    assert values(read(written(tmp_path, "exclude = [" + '"a",' * 2000 + "]")))["exclude"] == ("a",)


def test_a_byte_order_mark(tmp_path: Path) -> None:
    assert values(read(written(tmp_path, "\ufeffselect = ['IR4']")))["select"] == ("IR4",)


def test_a_path_with_a_null_character(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match=r"baseline is .*, expected a path"):
        read(written(tmp_path, 'baseline = "\\u0000"'))


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have no names")
def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "irrun.toml")
    assert Projects().of(tmp_path).of("lint") == {}
    with pytest.raises(OSError, match="a named pipe, expected a regular file"):
        read(tmp_path / "irrun.toml")
