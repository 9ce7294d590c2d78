"""Greedy and random decoding of several texts at once."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from irrun.generation.language_model import Decoding
from irrun.generation.metrics import PerfMetrics
from irrun.generation.results import GenerationFinishReason
from irrun.generation.sampling import Sampler
from irrun.generation.streaming import TextStream, Writer
from irrun.tensor import Array


class Text:
    """A text as it is generated: its tokens, the sum of the logarithms of their probabilities, and why it ended."""

    def __init__(self, sampler: Sampler, ends: frozenset[int], most: int, stream: TextStream | None = None) -> None:
        self.tokens: list[int] = []
        self.score = 0.0
        self.reason = GenerationFinishReason.NONE if most > 0 else GenerationFinishReason.LENGTH
        self.sampler = sampler
        self.stream = stream
        self._ends = ends
        self._most = most

    @property
    def is_finished(self) -> bool:
        return self.reason is not GenerationFinishReason.NONE

    def choose(self, scores: Array) -> int:
        """Choose the next token."""
        token, score = self.sampler.choose(scores)
        self.tokens.append(token)
        self.score += score
        if token in self._ends:
            self.reason = GenerationFinishReason.STOP
        elif len(self.tokens) >= self._most:
            self.reason = GenerationFinishReason.LENGTH
        return token

    def write(self, token: int, writer: Writer | None) -> None:
        """Decode a chosen token, and pass what is new to a streamer."""
        is_stopped = writer is not None and writer.token(token)
        if self.stream is not None:
            new = self.stream.add(token)
            if self.is_finished and self.stream.stopped is None:
                new += self.stream.end()
            if self.stream.stopped is not None:
                self.reason = GenerationFinishReason.STOP
            is_stopped = (writer is not None and writer.text(new)) or is_stopped
        if is_stopped:
            self.reason = GenerationFinishReason.STOP


def generate(
    decoding: Decoding, scores: Array, texts: Sequence[Text], metrics: PerfMetrics, writer: Writer | None = None
) -> None:
    """Generate all tokens of some texts.

    ``scores`` are those after each prompt, of shape [prompts, vocabulary]; each prompt has the same number of texts,
    which follow each other. Finished texts stay in the batch until half of it is finished, so that its size rarely
    changes.
    """
    each = len(texts) // max(len(scores), 1)
    active = [text for text in texts if not text.is_finished]
    rows = np.array([place // each for place, text in enumerate(texts) if not text.is_finished], np.int32)
    begin = time.perf_counter()
    while active:
        _choose(active, scores[rows], metrics, writer)
        metrics.generated_tokens = sum(len(text.tokens) for text in texts)
        now = time.perf_counter()
        if metrics.first == 0:
            metrics.first = metrics.inference + now - begin
        else:
            metrics.steps.append(now - begin)
        begin = now
        going = [place for place, text in enumerate(active) if not text.is_finished]
        if not going:
            return
        if 2 * len(going) <= len(active):
            active, rows = [active[place] for place in going], rows[going]
        ids = np.array([[text.tokens[-1]] for text in active], np.int64)
        is_same = len(rows) == len(scores) and bool((rows == np.arange(len(rows))).all())
        scores = decoding.run(ids, rows=None if is_same else rows)
        metrics.inference += time.perf_counter() - begin
        rows = np.arange(len(active), dtype=np.int32)


def _choose(active: Sequence[Text], scores: Array, metrics: PerfMetrics, writer: Writer | None) -> None:
    """Choose the next token of each unfinished text, and write it."""
    for text, row in zip(active, scores, strict=True):
        if text.is_finished:
            continue
        begin = time.perf_counter()
        token = text.choose(row)
        chosen = time.perf_counter()
        text.write(token, writer)
        metrics.sampling += chosen - begin
        metrics.detokenization += time.perf_counter() - chosen
