"""Greedy and random decoding of several texts at once."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from irrun.generation.language_model import Decoding
from irrun.generation.metrics import PerfMetrics
from irrun.generation.results import GenerationFinishReason
from irrun.generation.sampling import Sampler
from irrun.generation.streaming import StreamingStatus, StreamWriter, TextStream
from irrun.tensor import Array


class Text:
    """A text: its tokens, the sum of the logarithms of their probabilities, and why it ended."""

    def __init__(self, stream: TextStream | None = None) -> None:
        self.tokens: list[int] = []
        self.score: float = 0.0
        self.reason = GenerationFinishReason.NONE
        self.stream = stream


class Draft(Text):
    """A text as it is generated, of ``most`` tokens at most."""

    def __init__(self, sampler: Sampler, ends: frozenset[int], most: int, stream: TextStream | None = None) -> None:
        super().__init__(stream)
        self.sampler = sampler
        self.is_finished: bool = most == 0
        self._ends = ends
        self._most = most
        if self.is_finished:
            self.reason: GenerationFinishReason = GenerationFinishReason.LENGTH

    def choose(self, scores: Array) -> int:
        """Choose the next token."""
        token, score = self.sampler.choose(scores)
        self.tokens.append(token)
        self.score += score
        if token in self._ends:
            self._finish(GenerationFinishReason.STOP)
        elif len(self.tokens) >= self._most:
            self._finish(GenerationFinishReason.LENGTH)
        return token

    def write(self, token: int, writer: StreamWriter | None) -> None:
        """Decode a chosen token, and pass what is new to a streamer."""
        if writer is not None:
            writer.token(token)
        if self.stream is not None:
            new = self.stream.add(token)
            if self.stream.is_stopped:
                self._finish(GenerationFinishReason.STOP)
            if writer is not None:
                writer.text(new)
        if writer is not None and writer.status is not StreamingStatus.RUNNING:
            is_cancelled = writer.status is StreamingStatus.CANCEL
            self._finish(GenerationFinishReason.NONE if is_cancelled else GenerationFinishReason.STOP)

    def end(self, writer: StreamWriter | None) -> None:
        """Decode the rest of the text, and pass it to a streamer."""
        rest = self.stream.end() if self.stream is not None else ""
        if self.stream is not None and self.stream.is_stopped:
            self.reason = GenerationFinishReason.STOP
        if writer is not None:
            writer.text(rest)
            writer.end()

    def _finish(self, reason: GenerationFinishReason) -> None:
        self.is_finished, self.reason = True, reason


def generate(
    decoding: Decoding,
    scores: Array,
    texts: Sequence[Draft],
    metrics: PerfMetrics,
    called: float,
    writer: StreamWriter | None = None,
) -> None:
    """Generate all tokens of some texts, since a call at the time ``called``.

    ``scores`` are those after each prompt, of shape [prompts, vocabulary]; each prompt has the same number of texts,
    which follow each other. Finished texts stay in the batch until half of it is finished, so that its size rarely
    changes.
    """
    each = len(texts) // max(len(scores), 1)
    active = [text for text in texts if not text.is_finished]
    rows = np.array([place // each for place, text in enumerate(texts) if not text.is_finished], np.int32)
    before = called
    while active:
        count = sum(not text.is_finished for text in active)
        _choose(active, scores[rows], metrics, writer)
        now = time.perf_counter()
        metrics.generated_tokens += count
        if metrics.first:
            metrics.steps.append((now - before, count))
        else:
            metrics.first.append(now - before)
        before = now
        going = [place for place, text in enumerate(active) if not text.is_finished]
        if not going:
            break
        if 2 * len(going) <= len(active):
            active, rows = [active[place] for place in going], rows[going]
        ids = np.array([[text.tokens[-1]] for text in active], np.int64)
        is_same = len(rows) == len(scores) and bool((rows == np.arange(len(rows))).all())
        scores = decoding.run(ids, rows=None if is_same else rows)
        metrics.inferences.append(time.perf_counter() - before)
        rows = np.arange(len(active), dtype=np.int32)
    for text in texts:
        text.end(writer)


def _choose(active: Sequence[Draft], scores: Array, metrics: PerfMetrics, writer: StreamWriter | None) -> None:
    """Choose the next token of each unfinished text, and write it."""
    sampling = detokenization = 0.0
    for text, row in zip(active, scores, strict=True):
        if text.is_finished:
            continue
        begin = time.perf_counter()
        token = text.choose(row)
        chosen = time.perf_counter()
        text.write(token, writer)
        sampling += chosen - begin
        detokenization += time.perf_counter() - chosen
    metrics.sampling.append(sampling)
    metrics.detokenization[-1] += detokenization
