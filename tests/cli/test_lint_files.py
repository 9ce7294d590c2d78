"""``irrun lint``: files, folders, patterns, standard input."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click.testing
import pytest

from irrun.cli.app import app
from irrun.linter import lint
from tests.cli.conftest import Run
from tests.cli.linting import LINE, UNKNOWN, UNUSED, WRONG, Write, codes
from tests.linter.models import CLAMP, NET
from tests.processes import irrun

pytestmark = pytest.mark.usefixtures("folder")

POINTER = "version https://git-lfs.github.com/"
EXAMPLES = Path(__file__).parents[2] / "examples"


def piped(*arguments: str, input: bytes) -> click.testing.Result:
    return click.testing.CliRunner().invoke(app, ["lint", *arguments], input=input)


def test_a_folder_is_searched_in_order(run: Run, write: Write) -> None:
    for name in ("m/b.xml", "m/a.XML", "m/deep/c.xml", "m/.hidden/d.xml", "m/.e.xml", "m/f.txt"):
        write(name, UNKNOWN)
    result = run("lint", "m", "--output-format", "json")
    assert codes(result) == [("m/a.XML", "IR301"), ("m/b.xml", "IR301"), ("m/deep/c.xml", "IR301")]
    assert result.exit_code == 1


EMPTY = "error: m: no IR file was found, expected at least one; --allow-empty accepts none\n"


@pytest.mark.parametrize(
    "text",
    [
        "<svg/>",
        '<net version="1.16" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><location/></net>',
        '<layer name="roads"/>',
        '<!DOCTYPE html [<!ENTITY a "b">]><html/>',
        "<project><net/></project>",
    ],
)
def test_what_is_no_ir_is_passed_over_where_it_is_found(run: Run, write: Write, text: str) -> None:
    path = write("m/other.xml", text)
    result = run("lint", "m")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", EMPTY)
    result = run("lint", "m", "--allow-empty")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    result = run("lint", path, "--quiet-non-ir")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert run("lint", "-v", "m").stderr.startswith("m/other.xml is not an IR and was skipped\n")
    assert run("lint", path).exit_code == 1


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside a .bin"])
@pytest.mark.parametrize(
    ("text", "code"),
    [("", "IR101"), ("\n", "IR101"), ("no XML", "IR102"), (f"{POINTER}spec/v1\noid sha256:0\nsize 9\n", "IR505")],
)
def test_what_is_no_xml_is_not_passed_over(run: Run, write: Write, text: str, code: str, beside: bool) -> None:
    path = write("m/other.xml", text)
    if beside:
        write("m/other.bin", "")
    for pattern in ("m", "m/*.xml"):
        assert codes(run("lint", pattern, "--output-format", "json")) == [("m/other.xml", code)]
    assert run("lint", path, "--quiet-non-ir").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "empty"),
    [
        (["m/*.xml", "a.xml"], "m/*.xml"),
        (["n"], "n"),
        (["n", "--quiet-non-ir"], "n"),
        (["a.xml", "n", "--exclude", "*.gen.xml"], "n"),
        (["zz*.xml", "a.xml"], "no file matches zz*.xml"),
    ],
)
def test_each_folder_and_pattern_has_a_file_to_check(run: Run, write: Write, arguments: list[str], empty: str) -> None:
    write("a.xml")
    write("m/other.xml", "<svg/>")
    write("n/deep/a.gen.xml", "<svg/>")
    result = run("lint", *arguments)
    said = result.stderr.split("error: ")[1].splitlines()[0]
    assert (result.exit_code, said.split(":")[0]) == (2, empty)
    assert run("lint", *arguments, "--allow-empty").exit_code == 0


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


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links")
def test_patterns_do_not_follow_links_to_folders(run: Run, write: Write, folder: Path) -> None:
    """Two links to the folder itself make 2^40 paths."""
    write("m/a.xml", WRONG)
    write("m/.hidden/b.xml", WRONG)
    for name in ("m/one", "m/two"):
        (folder / name).symlink_to(".")
    assert codes(run("lint", "**/**/**/*.xml", "--output-format", "json")) == [("m/a.xml", "IR401")]
    assert codes(run("lint", "m/one/*.xml", "--output-format", "json")) == [("m/one/a.xml", "IR401")]
    assert codes(run("lint", f"{folder.resolve()}/m/.hid*/*", "--output-format", "json"))[0][1] == "IR401"
    assert run("lint", "a.xml/*", "none/*").exit_code == 2


def test_a_pattern_without_a_match(run: Run) -> None:
    result = run("lint", "q*.xml")
    assert (result.exit_code, result.stderr) == (2, "error: no file matches q*.xml\n")


def test_an_empty_name_is_not_the_current_folder(run: Run) -> None:
    result = run("lint", "")
    assert (result.stderr, result.exit_code) == ('error: "" names no file; expected a file, a folder or a pattern\n', 2)


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


@pytest.mark.parametrize("prefix", ["", "./", "absolute"])
def test_files_that_are_named_are_excluded_by_force(run: Run, write: Write, folder: Path, prefix: str) -> None:
    (folder / "irrun.toml").write_text('exclude = ["third_party", "m/deep", "n/*.xml", "*.gen.xml"]')
    excluded = [write(name, UNKNOWN) for name in ("third_party/a.xml", "m/deep/b.xml", "n/c.xml", "d.gen.xml")]
    write("m/deep/b.bin", "")
    kept = write("m/a.xml", UNKNOWN)
    before = folder.resolve() if prefix == "absolute" else prefix
    named = [f"{before}/{path}".removeprefix("/") if prefix == "" else f"{before}/{path}" for path in excluded]
    for path in (*named, "m/deep/b.bin"):
        result = run("lint", path, "--force-exclude")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
        assert run("lint", path).exit_code == 1
    result = run("lint", *named, kept, "--force-exclude", "--output-format", "json")
    assert codes(result) == [("m/a.xml", "IR301")]
    assert codes(run("lint", "**/*.xml", "--output-format", "json")) == [("m/a.xml", "IR301")]
    assert run("lint", "third_party").exit_code == 1
    assert run("lint", "third_party", "--force-exclude").exit_code == 2
    assert run("lint", "third_party/*.xml", "--force-exclude", "--allow-empty").exit_code == 0
    with (folder / "irrun.toml").open("a") as file:
        file.write("\nforce-exclude = true\n")
    assert run("lint", named[0]).exit_code == 0


def test_standard_input(write: Write) -> None:
    result = piped("-", "--output-format", "concise", input=WRONG.encode())
    assert (result.exit_code, result.stdout) == (1, f"-:{LINE}\n")
    result = piped("-", "--stdin-filename", "m/a.xml", "--output-format", "concise", input=WRONG.encode())
    assert (result.exit_code, result.stdout) == (1, f"m/a.xml:{LINE}\n")
    write("m/irrun.toml", 'ignore = ["IR4"]')
    assert piped("-", "--stdin-filename", "m/a.xml", input=WRONG.encode()).exit_code == 0
    assert piped("-", "--quiet-non-ir", input=b"<svg/>").exit_code == 0
    assert piped("-", input=b"").exit_code == 1


def test_standard_input_has_no_weights_beside_it(folder: Path) -> None:
    (folder / "-.bin").write_bytes(bytes(4))
    text = (EXAMPLES / "wrong_dims.xml").read_bytes()
    result = piped("-", "--output-format", "concise", input=text)
    assert "there is no file with the bytes of 3 constants: shapes that depend on them" in result.stdout
    result = piped("-", "--weights", str(EXAMPLES / "wrong_dims.bin"), "--output-format", "concise", input=text)
    assert result.stdout.count("IR401") == 2


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no files that name open ones")
@pytest.mark.sample(2)
@pytest.mark.parametrize("options", [(), ("--quiet-non-ir",)])
def test_a_pipe(options: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.write(writer, above(WRONG).encode())
    os.close(writer)
    ended = irrun("lint", f"/dev/fd/{reader}", "--output-format", "concise", *options, pass_fds=[reader])
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


def test_several_processes_find_the_same_in_the_same_order(run: Run, write: Write) -> None:
    for index, text in enumerate([WRONG, NET, UNKNOWN, UNUSED, WRONG]):
        write(f"m/{index}.xml", text)
    write("m/other.xml", "<svg/>")
    alone = run("lint", "m", "--output-format", "full")
    together = run("lint", "m", "--output-format", "full", "--jobs", "2")
    assert together.stdout == alone.stdout
    assert (together.stderr, together.exit_code) == (alone.stderr, 1)
    ports = 6 + lint("m/2.xml").ports
    fixes = "note: --fix fixes 3; --fix --unsafe-fixes also guesses how to fix 1\n"
    undecided = '1 not verified (Clmp "clip": its type or its attributes are faulty)'
    assert alone.stderr == f"5 files checked, {ports} output ports verified, {undecided}: 4 findings\n{fixes}"


@pytest.mark.skipif(not hasattr(os, "fsencode") or sys.platform != "linux", reason="a name that is not text")
@pytest.mark.sample(6)
@pytest.mark.parametrize("output_format", ["full", "json", "sarif", "junit", "github", "gitlab"])
def test_a_file_name_that_is_no_text(folder: Path, output_format: str) -> None:
    name = os.fsdecode(b"\xff\x1b[31m.xml")
    (folder / name).write_text(WRONG)
    ended = irrun("lint", name, "--output-format", output_format, errors="backslashreplace")
    assert (ended.returncode, "Traceback" in ended.stderr, "itself failed" in ended.stderr) == (1, False, False)
    assert "\x1b" not in ended.stdout
