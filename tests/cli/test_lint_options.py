"""``irrun lint``: files, folders and patterns, selection, exit statuses, baselines, output."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click.testing
import pytest

from irrun.cli.app import app
from irrun.cli.progress import watched
from irrun.linter import lint
from tests.cli.conftest import Run
from tests.linter.models import CLAMP, NET

WRONG = NET.replace("<dim>3</dim></port></output>", "<dim>4</dim></port></output>", 1)
UNKNOWN = NET.replace('type="Clamp"', 'type="Clmp"')
UNUSED = NET.replace("<layers>", "<!-- irrun: ignore-file[IR401] --><layers>")
LINE = '6:68: error: Parameter 0 "x": output port 0 is declared [2,4], inferred [2,3] [IR401]'

Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty project the current folder, without a CI system in the environment."""
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "irrun.toml").write_text("")
    return tmp_path


@pytest.fixture
def write(folder: Path) -> Write:
    """Write a file of the project."""

    def write(name: str, text: str = NET) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return Path(name)

    return write


def piped(*arguments: str, input: bytes) -> click.testing.Result:
    return click.testing.CliRunner().invoke(app, ["lint", *arguments], input=input)


def codes(result: click.testing.Result) -> list[tuple[str, str]]:
    return [(item["filename"], item["code"]) for item in json.loads(result.stdout)]


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
    assert result.stderr == "1 file checked, 2 output ports verified: 1 finding\n"


@pytest.mark.parametrize("flag", ["-q", "--quiet"])
def test_quiet(run: Run, write: Write, flag: str) -> None:
    result = run("lint", flag, write("a.xml", WRONG), "--output-format", "concise")
    assert (result.exit_code, result.stdout, result.stderr) == (1, f"a.xml:{LINE}\n", "")


def test_a_folder_is_searched_in_order(run: Run, write: Write) -> None:
    for name in ("m/b.xml", "m/a.XML", "m/deep/c.xml", "m/.hidden/d.xml", "m/.e.xml", "m/f.txt"):
        write(name, UNKNOWN)
    result = run("lint", "m", "--output-format", "json")
    assert codes(result) == [("m/a.XML", "IR301"), ("m/b.xml", "IR301"), ("m/deep/c.xml", "IR301")]
    assert result.exit_code == 1


@pytest.mark.parametrize(
    "text",
    [
        "<svg/>",
        "",
        "no XML",
        '<net version="1.16" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><location/></net>',
        '<layer name="roads"/>',
        '<!DOCTYPE html [<!ENTITY a "b">]><html/>',
        "<project><net/></project>",
    ],
)
def test_what_is_no_ir_is_passed_over_where_it_is_found(run: Run, write: Write, text: str) -> None:
    path = write("m/other.xml", text)
    result = run("lint", "m")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "warning: no IR file was found\n")
    result = run("lint", path, "--quiet-non-ir")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert run("lint", "-v", "m").stderr.startswith("m/other.xml is no IR and was passed over\n")
    assert run("lint", path).exit_code == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (CLAMP.replace("<dim>3</dim>", "<dim>3/dim>", 1), "IR101"),
        (NET.replace('version="11"', 'version="7"', 1), "IR102"),
        ("<!DOCTYPE net>" + NET.replace('<?xml version="1.0"?>\n', ""), "IR901"),
        (NET[:500], "IR101"),
    ],
)
def test_a_faulty_ir_is_an_ir(run: Run, write: Write, text: str, code: str) -> None:
    write("m/a.xml", text)
    assert codes(run("lint", "m", "--output-format", "json")) == [("m/a.xml", code)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_folder_holds_more_than_files(run: Run, write: Write, folder: Path) -> None:
    write("m/a.xml", WRONG)
    os.mkfifo(folder / "m" / "pipe.xml")
    (folder / "m" / "gone.xml").symlink_to("nowhere")
    result = run("lint", "m", "--output-format", "concise")
    assert (result.exit_code, result.stdout) == (2, f"m/a.xml:{LINE}\n")
    assert result.stderr == "error: m/gone.xml: No such file or directory\n"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_that_cannot_be_read(run: Run, write: Write, folder: Path) -> None:
    write("m/a.xml")
    (folder / "m").chmod(0)
    result = run("lint", "m")
    (folder / "m").chmod(0o755)
    assert (result.exit_code, result.stderr) == (2, "error: m: Permission denied\n")


def test_no_weights_are_needed(run: Run, write: Write) -> None:
    constant = '<layer id="1" name="w" type="Const" version="opset1"><data element_type="f32" shape="2" offset="0"'
    write("m/a.xml", f'{constant} size="8"/><output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>')
    assert run("lint", "m", "--quiet-non-ir").exit_code == 0


def test_patterns(run: Run, write: Write) -> None:
    for name in ("m/a.xml", "m/deep/b.xml", "n/a.xml"):
        write(name, UNKNOWN)
    write("m/other.xml", "<svg/>")
    found = codes(run("lint", "m/**/*.xml", "n/?.xml", "m/a.xml", "--output-format", "json"))
    assert [name for name, _ in found] == ["m/a.xml", "m/deep/b.xml", "n/a.xml"]


def test_a_pattern_without_a_match(run: Run) -> None:
    result = run("lint", "q*.xml")
    assert (result.exit_code, result.stderr) == (2, "error: no file matches q*.xml\n")


def test_a_file_that_is_not_there(run: Run, write: Write) -> None:
    result = run("lint", "no.xml", write("a.xml", WRONG), "--output-format", "concise")
    assert (result.exit_code, result.stdout) == (2, f"a.xml:{LINE}\n")
    assert result.stderr == "error: no.xml: No such file or directory\n"


def test_exclude(run: Run, write: Write, folder: Path) -> None:
    for name in ("m/a.xml", "m/third_party/b.xml", "m/c.gen.xml"):
        write(name, UNKNOWN)
    result = run("lint", "m", "--exclude", "third_party", "--exclude", "*.gen.xml", "--output-format", "json")
    assert codes(result) == [("m/a.xml", "IR301")]
    (folder / "irrun.toml").write_text('exclude = ["m/a.xml", "third_party/"]')
    assert codes(run("lint", "m", "--output-format", "json")) == [("m/c.gen.xml", "IR301")]
    assert codes(run("lint", "m/a.xml", "--output-format", "json")) == [("m/a.xml", "IR301")]


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
    ports = 4 + lint("a.xml").ports
    result = run("lint", ".", "--statistics")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == (
        "2  IR401  error    wrong-output-dims\n"
        "1  IR301  error    unknown-operation\n"
        f"3 files checked, {ports} output ports verified\n"
        "needs OpenVINO 2022.1 or later\n"
    )
    record = json.loads(run("lint", ".", "--statistics", "--output-format", "json").stdout)
    assert (record["ports"], record["openvino"]) == (ports, "2022.1")
    result = run("lint", ".", "--statistics", "--output-format", "sarif")
    assert (result.exit_code, result.stderr) == (
        2,
        "error: --statistics goes with the formats full, concise, grouped and json, not with sarif\n",
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


def test_the_format_of_the_configuration(run: Run, write: Write, folder: Path) -> None:
    path = write("a.xml", WRONG)
    (folder / "irrun.toml").write_text('output-format = "concise"')
    assert run("lint", path).stdout == f"a.xml:{LINE}\n"
    assert run("lint", path, "--output-format", "json").stdout.startswith("[")


def test_standard_input(write: Write) -> None:
    result = piped("-", "--output-format", "concise", input=WRONG.encode())
    assert (result.exit_code, result.stdout) == (1, f"-:{LINE}\n")
    result = piped("-", "--stdin-filename", "m/a.xml", "--output-format", "concise", input=WRONG.encode())
    assert (result.exit_code, result.stdout) == (1, f"m/a.xml:{LINE}\n")
    write("m/irrun.toml", 'ignore = ["IR4"]')
    assert piped("-", "--stdin-filename", "m/a.xml", input=WRONG.encode()).exit_code == 0
    assert piped("-", "--quiet-non-ir", input=b"<svg/>").exit_code == 0
    assert piped("-", input=b"").exit_code == 1


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no files that name open ones")
@pytest.mark.parametrize("options", [(), ("--quiet-non-ir",)])
def test_a_pipe(options: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.write(writer, above(WRONG).encode())
    os.close(writer)
    command = [sys.executable, "-m", "irrun", "lint", f"/dev/fd/{reader}", "--output-format", "concise", *options]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, pass_fds=[reader])
    os.close(reader)
    assert (ended.returncode, ended.stdout.splitlines()) == (
        1,
        [
            f"/dev/fd/{reader}:2:1: warning: ignore[IR402] suppresses nothing, expected such a finding on this line or "
            "the next [IR112]"
        ],
    )


def above(text: str) -> str:
    """Return the text with its finding suppressed and, on line 2, a comment that suppresses nothing."""
    head, rest = text.split("\n", 1)
    return f"{head}\n<!-- irrun: ignore[IR402] -->\n<!-- irrun: ignore-file[IR401] -->\n{rest}"


def test_the_weights_beside_what_standard_input_is_called(write: Write, folder: Path) -> None:
    write("m/a.xml", "")
    (folder / "m" / "a.bin").write_bytes(bytes(4))
    constant = '<layer id="1" name="w" type="Const" version="opset1"><data element_type="f32" shape="2" offset="0"'
    text = f'{constant} size="8"/><output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>'
    found = codes(piped("-", "--stdin-filename", "m/a.xml", "--output-format", "json", input=text.encode()))
    assert found == [("m/a.xml", "IR502")]
    assert piped("-", input=text.encode()).exit_code == 0
    assert piped("-", "--stdin-filename", ".", input=text.encode()).exit_code == 0


def test_a_baseline(run: Run, write: Write, folder: Path) -> None:
    path = write("m/a.xml", WRONG)
    result = run("lint", "m", "--write-baseline", "known.json")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "note: 1 finding recorded in known.json\n")
    result = run("lint", "m", "--baseline", "known.json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "1 file checked, 2 output ports verified: all is well, 1 in the baseline\n"
    write("m/b.xml", UNKNOWN)
    assert codes(run("lint", "m", "--baseline", "known.json", "--output-format", "json")) == [("m/b.xml", "IR301")]
    write("m/a.xml")
    (folder / "irrun.toml").write_text('baseline = "known.json"')
    result = run("lint", path, "--output-format", "concise")
    assert (result.exit_code, result.stderr) == (
        0,
        "note: 1 finding of the baseline is gone; --write-baseline updates it\n",
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
        "1 file checked, 2 output ports verified: 1 finding.",
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


def test_several_processes_find_the_same_in_the_same_order(run: Run, write: Write) -> None:
    for index, text in enumerate([WRONG, NET, UNKNOWN, UNUSED, WRONG]):
        write(f"m/{index}.xml", text)
    write("m/other.xml", "<svg/>")
    alone = run("lint", "m", "--output-format", "full")
    together = run("lint", "m", "--output-format", "full", "--jobs", "2")
    assert together.stdout == alone.stdout
    assert (together.stderr, together.exit_code) == (alone.stderr, 1)
    ports = 8 + lint("m/2.xml").ports
    assert alone.stderr == f"5 files checked, {ports} output ports verified: 4 findings\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a.xml", "--select", "wrong-dim"), "Invalid value for '--select': no rule is called \"wrong-dim\""),
        (("a.xml", "--ignore", "ir4"), "Invalid value for '--ignore': no rule is called \"ir4\""),
        (("a.xml", "--per-file-ignores", "IR4"), "'IR4' is not of the form PATTERN:CODE,CODE"),
        (("a.xml", "--per-file-ignores", "a.xml:nope"), 'no rule is called "nope"'),
        (("a.xml", "--fail-level", "fatal"), "'fatal' is not one of 'info', 'warning', 'error'"),
        (("a.xml", "--output-format", "xml"), "'xml' is not one of 'concise', 'full', 'github', 'gitlab', 'grouped'"),
        (("a.xml", "--jobs", "-1"), "-1 is not in the range x>=0"),
        (("a.xml", "--value", "x"), "'x' is not of the form PORT=1,2,3"),
        (("a.xml", "--config", "irrun.toml", "--isolated"), "--config and --isolated are given, expected one of both"),
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


@pytest.mark.skipif(not hasattr(os, "fsencode") or sys.platform != "linux", reason="a name that is no text")
def test_a_file_name_that_is_no_text(folder: Path) -> None:
    name = os.fsdecode(b"\xff\x1b[31m.xml")
    (folder / name).write_text(WRONG)
    for output_format in ("full", "json", "sarif", "junit", "github", "gitlab"):
        command = [sys.executable, "-m", "irrun", "lint", name, "--output-format", output_format]
        ended = subprocess.run(command, capture_output=True, timeout=120, check=False)
        assert (ended.returncode, b"Traceback" in ended.stderr, b"itself failed" in ended.stderr) == (1, False, False)
        assert b"\x1b" not in ended.stdout


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def ticks(step: float) -> Callable[[], float]:
    """Return a clock that advances by a step each time it is read."""
    times: Iterator[float] = iter(index * step for index in range(10_000))
    return lambda: next(times)


def test_progress_on_a_terminal() -> None:
    stream = Terminal()
    assert list(watched(range(4), 4, stream, ticks(0.6))) == [0, 1, 2, 3]
    empty = " " * len("[##############################] 4 of 4 files,   0:00:00 left")
    assert stream.getvalue().split("\r") == [
        "",
        "[###############---------------] 2 of 4 files,   0:00:01 left",
        "[######################--------] 3 of 4 files,   0:00:00 left",
        "[##############################] 4 of 4 files,   0:00:00 left",
        empty,
        "",
    ]


@pytest.mark.parametrize(("stream", "step"), [(io.StringIO(), 10.0), (Terminal(), 0.01)])
def test_no_progress_off_a_terminal_or_when_it_is_quick(stream: io.StringIO, step: float) -> None:
    assert list(watched("abc", 3, stream, ticks(step))) == ["a", "b", "c"]
    assert stream.getvalue() == ""
