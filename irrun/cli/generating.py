"""The work of ``irrun generate``: streams texts, and holds conversations."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

import click

from irrun.cli.console import STDOUT, level, result
from irrun.cli.progress import erase
from irrun.cli.values import as_json, printable
from irrun.diagnostics import amount
from irrun.diagnostics.naming import naming
from irrun.generation import DecodedResults, GenerationConfig, PerfMetrics, TextPipeline
from irrun.jobs.progress import listening

if TYPE_CHECKING:
    from irrun.cli.records import GeneratedText, GenerateRecord, GenerationStats

_KEPT: Final = "\n\t"
"""Control characters that a terminal may get."""


class Terminal:
    """Writes a text as it comes. On a terminal, control characters are escaped, so that a text cannot command it.

    No progress is shown between the first part and the last.
    """

    def __init__(self) -> None:
        self.text: str = ""
        self._silent = ExitStack()
        self._begin = time.perf_counter()
        self._escapes = sys.stdout.isatty()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._begin

    def write(self, new: str) -> None:
        """Write a new part of the text at once."""
        if not self.text:
            erase()
            self._silent.enter_context(listening(None))
        self.text += new
        if level() > -2:
            with naming(STDOUT):
                click.echo(_escaped(new) if self._escapes else new, nl=False)
                sys.stdout.flush()

    def end(self) -> None:
        """End the last line of the text."""
        if self.text and not self.text.endswith("\n"):
            self.write("\n")
        self._silent.close()


def _escaped(text: str) -> str:
    return "".join(letter if letter in _KEPT else printable(letter) for letter in text)


def stream(pipeline: TextPipeline, prompt: str, config: GenerationConfig, stats: bool) -> None:
    """Generate one text and write it as it comes. What was written stays where the user interrupts it."""
    terminal = Terminal()
    try:
        found = pipeline.generate([prompt], config, terminal.write)
    except KeyboardInterrupt:
        if stats:
            terminal.end()
            click.echo(f"interrupted after {terminal.seconds:.2f} s", err=True)
        raise
    finally:
        terminal.end()
    if stats:
        click.echo(summary(found.perf_metrics), err=True)


def converse(pipeline: TextPipeline, turns: Sequence[str], system: str, config: GenerationConfig, stats: bool) -> None:
    """Hold a conversation: the turns of the user are the given ones, or the lines of the standard input."""
    pipeline.start_chat(system)
    for turn in turns or _lines():
        if turn.strip():
            stream(pipeline, turn, config.updated(echo=False), stats)
    pipeline.finish_chat()


def _lines() -> Iterator[str]:
    """Yield the lines of the standard input, after a prompt on a terminal."""
    while True:
        if sys.stdin.isatty():
            click.echo("> ", nl=False, err=True)
        line = sys.stdin.readline()
        if not line:
            return
        yield line.rstrip("\n")


def show(found: DecodedResults, stats: bool) -> None:
    """Print several texts, one below the other."""
    for text in found.texts:
        result(_escaped(text) if sys.stdout.isatty() else text)
    if stats:
        click.echo(summary(found.perf_metrics), err=True)


def record(found: DecodedResults, prompts: Sequence[str]) -> str:
    """Return texts and measurements as JSON."""
    each = len(found.texts) // len(prompts)
    texts: list[GeneratedText] = [
        {"prompt": prompts[place // each], "text": text, "finish_reason": reason.value, "score": score}
        for place, (text, reason, score) in enumerate(zip(found.texts, found.finish_reasons, found.scores, strict=True))
    ]
    whole: GenerateRecord = {"texts": texts, "stats": measured(found.perf_metrics)}
    return as_json(whole)


def measured(metrics: PerfMetrics) -> GenerationStats:
    """Return the measurements by name; None where there is none."""
    return {
        "input_tokens": metrics.get_num_input_tokens(),
        "cached_tokens": metrics.get_num_cached_tokens(),
        "generated_tokens": metrics.get_num_generated_tokens(),
        "load_ms": _known(metrics.get_load_time()),
        "first_token_ms": _known(metrics.get_ttft().mean),
        "token_ms": _known(metrics.get_tpot().mean),
        "tokens_per_second": _known(metrics.get_throughput().mean),
        "inference_ms": _known(metrics.get_inference_duration().mean),
        "sampling_ms": _known(metrics.get_sampling_duration().mean),
        "chat_template_ms": _known(metrics.get_chat_template_duration().mean),
        "tokenization_ms": _known(metrics.get_tokenization_duration().mean),
        "detokenization_ms": _known(metrics.get_detokenization_duration().mean),
        "total_ms": _known(metrics.get_generate_duration().mean),
    }


def _known(value: float) -> float | None:
    return None if value == -1 else value


def summary(metrics: PerfMetrics) -> str:
    """Return the measurements as a line."""
    found = measured(metrics)
    cached = f" ({found['cached_tokens']} known)" if found["cached_tokens"] else ""
    first = f", the first answer after {found['first_token_ms']:.1f} ms" if found["first_token_ms"] is not None else ""
    speed = f", {found['tokens_per_second']:.1f} tokens/s" if found["tokens_per_second"] is not None else ""
    read, written = amount(found["input_tokens"], "token"), amount(found["generated_tokens"], "token")
    return f"{read} read{cached}{first}; {written} written{speed}"
