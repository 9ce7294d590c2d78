"""``irrun generate``."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from pathlib import Path

import click
import click.testing
import pytest

from irrun.cli.app import app
from irrun.cli.generating import Terminal, _escaped
from irrun.generation import TextPipeline, Tokenizer
from tests.cli.conftest import Run, one_line
from tests.generation.conftest import STORIES, Copy, copied
from tests.processes import ended, start

__all__ = ["copied"]
FIRST = "Once upon a time there was a clever mole named Mila."
STATS = r"4 tokens read, the first answer after \d+\.\d ms; 11 tokens written, \d+\.\d tokens/s"


def test_a_sentence(run: Run) -> None:
    result = run("generate", STORIES, "Once upon a time", "--max-new-tokens", "11")
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"{FIRST}\n", "")


def test_stats(run: Run) -> None:
    import re

    result = run("generate", STORIES, "Once upon a time", "--max-new-tokens", "11", "--stats")
    assert result.stdout == f"{FIRST}\n"
    assert re.fullmatch(STATS, result.stderr.splitlines()[0])


def test_a_faster_precision_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("irrun.runtime.tiers.faster_precision", lambda: "bf16 is faster")
    given = ["generate", STORIES, "Once upon a time", "--max-new-tokens", 2]
    assert run(*given).stderr == ""
    assert run(*given, "-v").stderr == "bf16 is faster\n"
    assert run(*given, "--stats").stderr.splitlines()[1] == "note: bf16 is faster"
    assert run(*given, "--precision", "f32", "-v").stderr == ""


@pytest.mark.rest
def test_seeds(run: Run) -> None:
    texts = [
        run("generate", STORIES, "Once", "--max-new-tokens", 20, "--temperature", "2", "--seed", seed).stdout
        for seed in (1, 1, 2)
    ]
    assert texts[0] == texts[1] != texts[2]
    greedy = run("generate", STORIES, "Once upon a time", "--max-new-tokens", 11, "--temperature", 0, "--seed", 3)
    assert greedy.stdout == f"{FIRST}\n"


def test_a_stop_string(run: Run) -> None:
    result = run("generate", STORIES, "Once upon a time", "--stop", " named", "--stop", "forest")
    assert result.stdout == "Once upon a time there was a clever mole\n"


@pytest.mark.rest
def test_several_texts(run: Run) -> None:
    result = run("generate", STORIES, "Once upon a time", "Otto", "--max-new-tokens", 11)
    assert result.stdout.splitlines()[0] == FIRST
    assert result.stdout.splitlines()[1].startswith("Otto was a")
    beams = run("generate", STORIES, "Otto", "--num-beams", 3, "--num-return-sequences", 2, "--max-new-tokens", 5)
    assert len(set(beams.stdout.splitlines())) == 2


def test_json(run: Run) -> None:
    result = run("generate", STORIES, "Once upon a time", "Otto", "--max-new-tokens", 11, "--json")
    record = json.loads(result.stdout)
    assert record["texts"][0] == {
        "prompt": "Once upon a time",
        "text": FIRST.removeprefix("Once upon a time"),
        "finish_reason": "length",
        "score": 0.0,
    }
    assert record["stats"]["generated_tokens"] == 22
    assert record["stats"]["tokens_per_second"] > 0


def test_settings_of_generation(run: Run) -> None:
    given = ["--presence-penalty", 2, "--frequency-penalty", 0.5, "--no-repeat-ngram", 2, "--min-new-tokens", 3]
    tokens = ["--ignore-eos", "--stop-id", 400, "--stop-id", 401, "--logprobs", "--max-new-tokens", 12]
    record = json.loads(run("generate", STORIES, "Once upon a time", *given, *tokens, "--json").stdout)
    pipeline = TextPipeline(STORIES)
    settings = {"presence_penalty": 2.0, "frequency_penalty": 0.5, "no_repeat_ngram_size": 2, "min_new_tokens": 3}
    ends = {"ignore_eos": True, "logprobs": 1, "max_new_tokens": 12}
    found = pipeline.generate(["Once upon a time"], **settings, **ends)
    assert record["texts"][0]["text"] == found.texts[0]
    assert record["texts"][0]["score"] == pytest.approx(found.scores[0], abs=1e-4)
    id = pipeline.get_tokenizer().rows([" c"])[0][0]
    stopped = run("generate", STORIES, "Once upon a time", "--stop-id", id, "--max-new-tokens", 12)
    assert stopped.stdout == "Once upon a time there was a c\n"
    beams = run("generate", STORIES, "Otto", "--num-beams", 3, "--length-penalty", -2, "--max-new-tokens", 5)
    expected = pipeline.generate(["Otto"], num_beams=3, length_penalty=-2.0, max_new_tokens=5, echo=True).texts
    assert beams.stdout == f"{expected[0]}\n"


def test_entries_of_the_file_without_effect(run: Run, copied: Copy) -> None:
    folder = copied({"generation_config.json": {"typical_p": 0.5, "top_k": -3}})
    loud = run("generate", folder, "Once upon a time", "--max-new-tokens", 11, "-v")
    assert loud.stdout == f"{FIRST}\n"
    path = folder / "generation_config.json"
    assert f"{path}: typical_p has no effect" in loud.stderr
    assert f"{path}: top_k is -3, expected an integer of at least 0" in loud.stderr
    assert run("generate", folder, "Once upon a time", "--max-new-tokens", 11).stderr == ""


def test_a_tokenizer_that_does_not_fit(run: Run, copied: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tokenizer, "vocabulary_size", 700)
    found = run("generate", copied(), "Once upon a time", "--max-new-tokens", 11)
    assert found.stdout == f"{FIRST}\n"
    assert (
        found.stderr
        == "warning: the tokenizer has 700 tokens, and the model knows 640; prompts with others are refused\n"
    )


def test_tokens_that_the_tokenizer_does_not_have(run: Run, copied: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tokenizer, "vocabulary_size", 437)
    found = run("generate", copied(), "Once upon a time", "--max-new-tokens", 11)
    assert found.stdout == f"{FIRST}\n"
    lost = "the model generates tokens that the tokenizer does not have, such as 437"
    assert found.stderr == f"warning: {lost}; the text is without them\n"


def test_the_standard_input_is_the_prompt() -> None:
    arguments = ["generate", str(STORIES), "--max-new-tokens", "11"]
    result = click.testing.CliRunner().invoke(app, arguments, input="Once upon a time\n")
    assert result.stdout == f"{FIRST}\n"


@pytest.mark.rest
def test_a_conversation(copied: Copy) -> None:
    template = "{% for message in messages %}{{ message.content }}{% endfor %}"
    folder = str(copied(texts={"chat_template.jinja": template}))
    arguments = ["generate", folder, "--chat", "--max-new-tokens", "4"]
    result = click.testing.CliRunner().invoke(app, arguments, input="Once upon a time\n\n named Otto.\n")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == " there was a c"
    assert len(result.stdout.splitlines()) == 2
    turns = click.testing.CliRunner().invoke(app, [*arguments, "Once upon a time", " named Otto."])
    assert turns.stdout == result.stdout


def test_a_template_can_be_left_out(run: Run, copied: Copy) -> None:
    folder = copied(texts={"chat_template.jinja": "{{ messages[0].content }} upon a time"})
    assert (
        run("generate", folder, "Once", "--max-new-tokens", 11).stdout == f"{FIRST.removeprefix('Once upon a time')}\n"
    )
    plain = run("generate", folder, "Once upon a time", "--max-new-tokens", 11, "--no-template")
    assert plain.stdout == f"{FIRST}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["."], "error: . has no openvino_model.xml"),
        (["none"], "error: none: there is no such folder"),
        ([STORIES, ""], "error: prompt 0 has no tokens, expected one or more"),
        ([STORIES, "x", "--chat"], f"error: {STORIES} has no chat template"),
        (
            [STORIES, "x", "--num-return-sequences", 2],
            "error: num_return_sequences is 2, but every text would be the same, "
            "expected do_sample or num_beams with it",
        ),
        (
            [STORIES, "x", "--num-beams", 2, "--seed", 1],
            "error: do_sample is True and num_beams is 2, expected one of the two only",
        ),
    ],
)
def test_what_cannot_be_done(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[object], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    prompt = ["x"] if len(arguments) == 1 else []
    assert one_line(run("generate", *arguments, *prompt)) == message


@pytest.mark.parametrize(
    ("name", "part", "message"),
    [
        ("openvino_tokenizer.bin", None, "there is no weights file [IR501]"),
        ("openvino_detokenizer.xml", None, "has no openvino_detokenizer.xml"),
        ("openvino_detokenizer.bin", None, "there is no weights file [IR501]"),
        ("openvino_model.xml", 0.5, "malformed XML"),
        ("openvino_model.xml", 0, "the file is empty [IR101]"),
        ("openvino_model.bin", 0.5, "are outside openvino_model.bin"),
        ("openvino_tokenizer.bin", 0.5, "are outside openvino_tokenizer.bin"),
    ],
)
def test_files_that_are_missing_or_cut(run: Run, copied: Copy, name: str, part: float | None, message: str) -> None:
    path = copied() / name
    data = path.read_bytes()
    path.unlink()
    if part is not None:
        path.write_bytes(data[: int(part * len(data))])
    result = run("generate", path.parent, "Once", "--max-new-tokens", 2)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--system", "x"], "--system requires --chat"),
        (["--chat", "--json"], "--chat cannot be combined with --json or --no-template"),
        (["--temperature", "nan"], "nan is not a number."),
        (["--top-p", "0"], "0.0 is not in the range 0<x<=1."),
    ],
)
def test_misuse(run: Run, arguments: list[str], message: str) -> None:
    result = run("generate", STORIES, "x", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_an_error_ends_the_line(run: Run) -> None:
    result = run("generate", STORIES, "Once upon a time", "--timeout", "0.00001")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "the inference has not ended after 1e-05 s" in result.stderr


def test_a_terminal_gets_no_commands() -> None:
    assert _escaped("a\x1b[31mb\r\n\tü😀\x07") == "a\\x1b[31mb\\r\n\tü😀\\x07"


@pytest.mark.parametrize(("is_terminal", "written"), [(True, "a\\x07"), (False, "a\x07")])
def test_only_a_terminal_gets_escapes(is_terminal: bool, written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: is_terminal)
    monkeypatch.setattr(sys, "stdout", stream)
    with click.Context(click.Command("generate")):
        Terminal().write("a\x07")
    assert stream.getvalue() == written


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_an_interrupt_keeps_what_was_written() -> None:
    """The text so far stays, its line ends, and the exit status is that of an interrupt."""
    options = ["--stats", "--temperature", "1.5", "--seed", "1", "--max-new-tokens", "1000000", "--stop", "never"]
    process = start(sys.executable, "-m", "irrun", "generate", STORIES, "Once upon a time", *options)
    assert process.stdout is not None
    begin = process.stdout.read(20)
    process.send_signal(signal.SIGINT)
    found = ended(process)
    assert begin.startswith("Once upon a time")
    assert (begin + found.stdout).endswith("\n")
    assert found.returncode == 130
    assert found.stderr.splitlines()[-1] == "interrupted"
    assert "Traceback" not in found.stderr
