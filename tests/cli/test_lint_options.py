"""``irrun lint``: selection, configuration, exit statuses, baselines, output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from irrun.diagnostics import formats
from irrun.linter import lint
from tests.cli.conftest import Run
from tests.cli.linting import LINE, UNKNOWN, UNUSED, WRONG, Write, codes
from tests.linter.models import NET

pytestmark = pytest.mark.usefixtures("folder")


def test_a_clean_file(run: Run, write: Write) -> None:
    result = run("lint", write("a.xml"))
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        "",
        "1 file checked, 2 output ports verified: all is well\n",
    )


def test_a_finding(run: Run, write: Write) -> None:
    result = run("lint", write("a.xml", WRONG))
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == f"a.xml:{LINE}"
    assert result.stderr == "1 file checked, 1 output port verified: 1 finding\nnote: --fix fixes 1\n"


@pytest.mark.parametrize("flag", ["-q", "--quiet"])
def test_quiet(run: Run, write: Write, flag: str) -> None:
    result = run("lint", flag, write("a.xml", WRONG), "--output-format", "concise")
    assert (result.exit_code, result.stdout, result.stderr) == (1, f"a.xml:{LINE}\n", "")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), ["IR301", "IR401"]),
        (("--select", "IR4"), ["IR401"]),
        (("--select", "wrong-output-dims,IR301"), ["IR301", "IR401"]),
        (("--select", "IR4", "--select", "IR3"), ["IR301", "IR401"]),
        (("--ignore", "IR4"), ["IR301"]),
        (("--ignore", "IR4", "--extend-select", "IR401"), ["IR301", "IR401"]),
        (("--per-file-ignores", "a.xml:IR3,IR4"), ["IR401"]),
        (("--per-file-ignores", "m/*:ALL"), []),
    ],
)
def test_selection(run: Run, write: Write, options: tuple[str, ...], expected: list[str]) -> None:
    write("m/a.xml", UNKNOWN)
    write("m/b.xml", WRONG)
    result = run("lint", "m", "--output-format", "json", *options)
    assert ([code for _, code in codes(result)], result.exit_code) == (expected, 1 if expected else 0)


def test_the_configuration_nearest_to_a_file_counts(run: Run, write: Write) -> None:
    write("m/a.xml", UNKNOWN)
    write("n/a.xml", UNKNOWN)
    write("n/irrun.toml", 'ignore = ["IR301"]')
    assert codes(run("lint", ".", "--output-format", "json")) == [("m/a.xml", "IR301")]
    assert run("lint", "n", "--isolated", "-q").exit_code == 1
    assert run("lint", "m", "--config", "n/irrun.toml").exit_code == 0
    assert run("lint", "n", "--extend-select", "IR301", "-q").exit_code == 1


def test_the_level_that_fails(run: Run, write: Write, folder: Path) -> None:
    path = write("a.xml", UNUSED)
    assert run("lint", path).exit_code == 1
    assert run("lint", path, "--fail-level", "error").exit_code == 0
    assert run("lint", path, "--fail-level", "info").exit_code == 1
    assert run("lint", path, "--exit-zero").exit_code == 0
    (folder / "irrun.toml").write_text('fail-level = "error"')
    assert run("lint", path).exit_code == 0
    assert run("lint", path, "--fail-level", "warning").exit_code == 1
    assert run("lint", "no.xml", "--exit-zero").exit_code == 2


def test_statistics(run: Run, write: Write) -> None:
    write("a.xml", UNKNOWN)
    write("b.xml", WRONG)
    write("c.xml", WRONG)
    ports = 2 + lint("a.xml").ports
    result = run("lint", ".", "--statistics")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == (
        "2  IR401  error    wrong-output-dims\n"
        "1  IR301  error    unknown-operation\n"
        f"3 files checked, {ports} output ports verified, "
        '1 not verified (Clmp "clip": its type or its attributes are faulty)\n'
        "needs OpenVINO 2022.1 or later\n"
    )
    record = json.loads(run("lint", ".", "--statistics", "--output-format", "json").stdout)
    assert (record["ports"], record["openvino"]) == (ports, "2022.1")
    result = run("lint", ".", "--statistics", "--output-format", "sarif")
    assert (result.exit_code, result.stderr) == (
        2,
        "error: --statistics requires the format full, concise, grouped or json, not sarif\n",
    )


def test_output_file(run: Run, write: Write, folder: Path) -> None:
    path = write("a.xml", WRONG)
    result = run("lint", path, "-o", "report.txt", "--output-format", "concise")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "")
    assert (folder / "report.txt").read_text() == f"a.xml:{LINE}\n"
    run("lint", write("b.xml"), "--output-file", "report.txt", "-q")
    assert (folder / "report.txt").read_text() == ""
    result = run("lint", path, "-o", "no/report.txt")
    assert (result.exit_code, result.stderr) == (2, "error: no/report.txt: No such file or directory\n")


def test_output_to_standard_output(run: Run, write: Write, folder: Path) -> None:
    result = run("lint", write("a.xml", WRONG), "-o", "-", "--output-format", "concise")
    assert (result.stdout, (folder / "-").exists()) == (f"a.xml:{LINE}\n", False)


def test_outputs_do_not_replace_what_is_read(run: Run, write: Write, folder: Path) -> None:
    path = write("a.xml", WRONG)
    for name in ("a.bin", "irrun.toml", "pyproject.toml", "w.bin", "c.toml", "own.py"):
        (folder / name).write_text("from tests.ops.own_operations import Ends\n" if name == "own.py" else "")
    run("lint", path, "--write-baseline", "b.json")
    options = (("a.bin",), ("irrun.toml",), ("pyproject.toml",), ("w.bin", "--weights", "w.bin"))
    options = (*options, ("c.toml", "--config", "c.toml"), ("own.py", "--extension", "own.py"))
    for target, *others in (*options, ("b.json", "--baseline", "b.json")):
        result = run("lint", path, "-o", target, *others)
        expected = f"error: {target} is read by this command, expected another file for the output\n"
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", expected)
    assert run("lint", path, "--write-baseline", "b.json", "--baseline", "b.json").exit_code == 0


def test_the_format_of_the_configuration(run: Run, write: Write, folder: Path) -> None:
    path = write("a.xml", WRONG)
    (folder / "irrun.toml").write_text('output-format = "concise"')
    assert run("lint", path).stdout == f"a.xml:{LINE}\n"
    assert run("lint", path, "--output-format", "json").stdout.startswith("[")


def test_a_baseline(run: Run, write: Write, folder: Path) -> None:
    path = write("m/a.xml", WRONG)
    result = run("lint", "m", "--write-baseline", "known.json")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "note: 1 finding recorded in known.json\n")
    result = run("lint", "m", "--baseline", "known.json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "1 file checked, 1 output port verified: no findings, 1 in the baseline\n"
    write("m/b.xml", UNKNOWN)
    assert codes(run("lint", "m", "--baseline", "known.json", "--output-format", "json")) == [("m/b.xml", "IR301")]
    write("m/a.xml")
    (folder / "irrun.toml").write_text('baseline = "known.json"')
    result = run("lint", path, "--output-format", "concise")
    assert (result.exit_code, result.stderr) == (
        0,
        "note: 1 finding of the baseline no longer occurs; --write-baseline updates it\n",
    )
    result = run("lint", path, "--write-baseline", "known.json")
    assert (result.exit_code, result.stderr) == (0, "note: no findings recorded in known.json\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "known.json: No such file or directory"),
        ("{}", "known.json: not a baseline, expected what --write-baseline writes"),
    ],
)
def test_a_baseline_that_is_none(run: Run, write: Write, folder: Path, content: str | None, message: str) -> None:
    if content is not None:
        (folder / "known.json").write_text(content)
    result = run("lint", write("a.xml"), "--baseline", "known.json")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"error: {message}\n")


def test_no_baseline_is_written_of_half_the_files(run: Run, write: Write, folder: Path) -> None:
    assert run("lint", write("a.xml", WRONG), "no.xml", "--write-baseline", "known.json").exit_code == 2
    assert not (folder / "known.json").exists()


def test_the_summary_page_of_a_run(run: Run, write: Write, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("m/a.xml", WRONG)
    page = folder / "summary.md"
    page.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder / "m"))
    result = run("lint", path, "--output-format", "github")
    assert result.stdout.startswith("::error title=irrun IR401 wrong-output-dims,file=a.xml,line=6,endLine=6,col=68,")
    assert page.read_text().splitlines()[:4] == [
        "before",
        "### irrun",
        "",
        "1 file checked, 1 output port verified: 1 finding.",
    ]
    run("lint", path, "--output-format", "concise")
    assert page.read_text().count("### irrun") == 1
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "no" / "summary.md"))
    result = run("lint", path, "--output-format", "github")
    assert (result.exit_code, result.stderr) == (
        1,
        f"warning: the summary was not written: {folder / 'no' / 'summary.md'}: No such file or directory\n",
    )


@pytest.mark.parametrize("variable", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
def test_paths_are_those_of_the_project(
    run: Run, write: Write, folder: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    write("m/a.xml", WRONG)
    monkeypatch.setenv(variable, str(folder))
    monkeypatch.chdir(folder / "m")
    (found,) = json.loads(run("lint", "a.xml", "--output-format", "gitlab").stdout)
    assert found["location"]["path"] == "m/a.xml"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a.xml", "--select", "wrong-dim"), "Invalid value for '--select': no rule is called \"wrong-dim\""),
        (("a.xml", "--ignore", "ir4"), "Invalid value for '--ignore': no rule is called \"ir4\""),
        (("a.xml", "--per-file-ignores", "IR4"), "'IR4' is not of the form PATTERN:CODE,CODE"),
        (("a.xml", "--per-file-ignores", "a.xml:nope"), 'no rule is called "nope"'),
        (("a.xml", "--fail-level", "fatal"), "'fatal' is not one of 'info', 'warning', 'error'"),
        (("a.xml", "--output-format", "xml"), f"'xml' is not one of {', '.join(map(repr, formats.names()))}"),
        (("a.xml", "--jobs", "-1"), "-1 is not in the range x>=0"),
        (("a.xml", "--value", "x"), "'x' is not of the form PORT=1,2,3"),
        (
            ("a.xml", "--config", "irrun.toml", "--isolated"),
            "--config and --isolated are given, expected only one of them",
        ),
        (("a.xml", "--config", "no.toml"), "error: no.toml: No such file or directory"),
        (("a.xml", "--weights", "no.bin"), "error: no.bin: No such file or directory"),
        ((), "Missing argument 'FILES...'"),
        (("a.xml", "--baseline", "."), "error: .: Is a directory"),
        (("a.xml", "--write-baseline", "no/known.json"), "error: no/known.json: No such file or directory"),
    ],
)
def test_wrong_use_is_one_message_and_status_2(
    run: Run, write: Write, arguments: tuple[str, ...], message: str
) -> None:
    write("a.xml")
    result = run("lint", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert "itself failed" not in result.stderr


def test_a_wrong_configuration(run: Run, write: Write, folder: Path) -> None:
    path = write("a.xml")
    (folder / "irrun.toml").write_text("[lint]\nper-file-ignore = {}")
    result = run("lint", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"error: {folder / 'irrun.toml'}: lint.per-file-ignore is not known; did you mean per-file-ignores?\n"
    )


TILE = '<layer type="Tile" name="t"><input>{data}<port id="1"><dim>2</dim></port></input><output>{out}</output></layer>'
OPEN = TILE.format(
    data='<port id="0"><dim>2</dim><dim>3</dim></port>', out='<port id="2"><dim>4</dim><dim>6</dim></port>'
)
REASON = 'Tile "t": repeats is unknown; --value 1=… decides'


def test_what_is_not_verified_is_said(run: Run, write: Write) -> None:
    path = write("tile.xml", OPEN)
    result = run("lint", path)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"1 file checked, 0 output ports verified, 1 not verified ({REASON}): no findings\n"
    assert run("lint", path, "--value", "1=2,2").stderr == "1 file checked, 1 output port verified: all is well\n"
    assert run("lint", path, "--statistics").stdout.startswith(
        "1 file checked, 0 output ports verified, 1 not verified"
    )
    report = json.loads(run("lint", path, "--output-format", "json-report").stdout)
    assert (report["verdict"], report["verified"]) == ("no findings", 0)
    assert report["unverified"] == [{"filename": "tile.xml", "reason": REASON, "ports": 1}]


def test_several_files_with_ports_that_are_not_verified(run: Run, write: Write) -> None:
    write("m/a.xml", OPEN)
    write("m/b.xml", OPEN)
    result = run("lint", "m")
    assert result.stderr.splitlines() == [
        "2 files checked, 0 output ports verified, 2 not verified: no findings",
        f"note: m/a.xml: 1 not verified ({REASON})",
        f"note: m/b.xml: 1 not verified ({REASON})",
    ]


def test_at_most_three_reasons(run: Run, write: Write) -> None:
    layers = [OPEN.replace('"t"', f'"{name}"') for name in "abcde"]
    layers.append('<layer type="ReLU" name="r"><input/><output/></layer>')
    path = write("tiles.xml", "".join(layers[:5]))
    stderr = run("lint", path).stderr
    assert "5 not verified (" in stderr
    assert stderr.count("repeats is unknown") == 3
    assert "; and 2 more): no findings" in stderr


def test_unverified_ports_can_fail(run: Run, write: Write, folder: Path) -> None:
    path = write("tile.xml", OPEN)
    assert run("lint", path, "--require-verified").exit_code == 1
    assert run("lint", path, "--require-verified", "--exit-zero").exit_code == 0
    assert run("lint", path, "--require-verified", "--value", "1=2,2").exit_code == 0
    (folder / "irrun.toml").write_text("require-verified = true\n")
    assert run("lint", path).exit_code == 1


@pytest.mark.parametrize("output_format", ["github", "gitlab", "json-report", "junit", "rdjson", "sarif"])
def test_each_format_says_that_the_run_failed(run: Run, write: Write, output_format: str) -> None:
    write("irrun.toml", "fail-leve = 1\n")
    result = run("lint", write("a.xml"), "--output-format", output_format)
    assert result.exit_code == 2
    assert "fail-leve is not known" in result.stdout
    write("irrun.toml", "")
    result = run("lint", "zz*.xml", "--output-format", output_format)
    assert result.exit_code == 2
    assert "no file matches zz*.xml" in result.stdout
    result = run("lint", "a.xml", "none.xml", "--output-format", output_format)
    assert result.exit_code == 2
    assert "none.xml: No such file or directory" in result.stdout


def test_the_summary_of_a_run_that_failed(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    run("lint", write("a.xml"), "none.xml", "--output-format", "github")
    text = (folder / "summary.md").read_text()
    assert "no findings, 1 file could not be checked." in text
    assert "all is well" not in text


@pytest.mark.parametrize(
    ("selectors", "count"), [("IR2", 0), ("IR", 0), ("IR21", 0), ("IR212", 1), ("unused-parameter", 1), ("ALL", 1)]
)
def test_a_prefix_adds_no_notes(run: Run, write: Write, selectors: str, count: int) -> None:
    extra = '<layer id="9" name="z" type="Parameter" version="opset1"><data element_type="f32" shape="1"/><output>'
    port = '<port id="0" precision="FP32"><dim>1</dim></port></output></layer></layers>'
    path = write("a.xml", NET.replace("</layers>", extra + port))
    found = json.loads(run("lint", path, "--select", selectors, "--json").stdout)
    assert [item["code"] for item in found] == ["IR212"] * count
    everything = json.loads(run("lint", path, "--select", "IR2", "--fail-level", "info", "--json").stdout)
    assert [item["code"] for item in everything] == ["IR212"]
