"""Beam search: the likeliest texts by the sum of the logarithms of their probabilities."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from irrun.generation.config import GenerationConfig
from irrun.generation.language_model import Decoding
from irrun.generation.metrics import PerfMetrics
from irrun.generation.penalties import Penalties
from irrun.generation.results import GenerationFinishReason
from irrun.generation.search import Text
from irrun.generation.streaming import StopStrings, TextStream
from irrun.tensor import Array


class _Beam(NamedTuple):
    """A text: its tokens, their score, and the beam that it continues."""

    tokens: list[int]
    score: float
    row: int


class _Finished(NamedTuple):
    score: float
    tokens: list[int]
    reason: GenerationFinishReason


class _Search:
    """The search of one prompt."""

    def __init__(self, config: GenerationConfig, prompt: Array, most: int, decode: Callable[[Sequence[int]], str]):
        self.beams: list[_Beam] = []
        self.finished: list[_Finished] = []
        self.is_done = most == 0
        self._config = config
        self._prompt = prompt
        self._most = most
        self._stop = StopStrings(config.stop_strings)
        self._decode = decode

    def begin(self, scores: Array, row: int) -> None:
        """Choose the first token of each beam."""
        self._extend([_Beam([], 0.0, row)], scores[row][np.newaxis])

    def proceed(self, scores: Array) -> None:
        """Choose the next token of each beam, from the scores of all of them in their order."""
        self._extend(self.beams, scores)

    def _extend(self, beams: Sequence[_Beam], scores: Array) -> None:
        config, width = self._config, self._config.num_beams
        count = max(2, 1 + len(config.ends)) * width
        sums = np.stack([self._scores(beam, row) for beam, row in zip(beams, scores, strict=True)])
        flat = sums.reshape(-1)
        best = np.argpartition(-flat, min(count, flat.size) - 1)[:count]
        best = best[np.lexsort((best, -flat[best]))]
        chosen: list[_Beam] = []
        for place, index in enumerate(best):
            number, token = divmod(int(index), sums.shape[1])
            beam, score = beams[number], float(flat[index])
            tokens = [*beam.tokens, token]
            if token in config.ends or (config.stop_strings and self._stop.found(self._decode(tokens)) is not None):
                if place < width:
                    self._finish(tokens, score, GenerationFinishReason.STOP)
                continue
            if score > -np.inf:
                chosen.append(_Beam(tokens, score, beam.row if not beam.tokens else number))
            if len(chosen) == width:
                break
        self.beams = chosen
        self._end()

    def _scores(self, beam: _Beam, scores: Array) -> Array:
        """Return the scores of the texts that continue a beam: penalties change the logarithms of probabilities."""
        return beam.score + Penalties(self._config, self._prompt, beam.tokens).applied(_log_softmax(scores))

    def _end(self) -> None:
        """End the search where no beam can become better than the finished texts, or where texts are long enough."""
        count = len(self.beams[0].tokens) if self.beams else self._most
        if count >= self._most:
            for beam in self.beams:
                self._finish(beam.tokens, beam.score, GenerationFinishReason.LENGTH)
            self.is_done = True
        elif len(self.finished) == self._config.num_beams:
            criteria, power = self._config.stop_criteria, self._config.length_penalty
            length = self._most if criteria == "NEVER" and power > 0 else count
            best = self.beams[0].score / length**power
            self.is_done = criteria == "EARLY" or self.finished[-1].score >= best

    def texts(self, stream: Callable[[Array], TextStream | None]) -> list[Text]:
        """Return the best finished texts."""
        found = []
        for item in self.finished[: self._config.num_return_sequences]:
            text = Text(stream(self._prompt))
            text.tokens, text.score, text.reason = item.tokens, item.score, item.reason
            if text.stream is not None:
                for token in item.tokens:
                    text.stream.add(token)
                text.stream.end()
            found.append(text)
        return found

    def _finish(self, tokens: list[int], score: float, reason: GenerationFinishReason) -> None:
        scaled = score / len(tokens) ** self._config.length_penalty
        self.finished.append(_Finished(scaled, tokens, reason))
        self.finished = sorted(self.finished, key=lambda item: -item.score)[: self._config.num_beams]


def searched(
    decoding: Decoding,
    scores: Array,
    prompts: Sequence[Array],
    config: GenerationConfig,
    most: Sequence[int],
    metrics: PerfMetrics,
    called: float,
    decode: Callable[[Sequence[int]], str],
    stream: Callable[[Array], TextStream | None],
) -> list[Text]:
    """Return the best ``num_return_sequences`` texts of each prompt, the best ones first.

    ``scores`` are those after each prompt, of shape [prompts, vocabulary]; ``called`` is the time of the call.
    ``stream`` returns the decoded text behind a prompt, None where it is not wanted yet.
    """
    searches = [_Search(config, row, limit, decode) for row, limit in zip(prompts, most, strict=True)]
    for place, one in enumerate(searches):
        if not one.is_done:
            one.begin(scores, place)
    bases = list(range(len(searches)))
    """The row in the last inference where the beams of each search begin."""

    is_first = True
    metrics.first.append(time.perf_counter() - called)
    while going := [place for place, one in enumerate(searches) if not one.is_done]:
        begin = time.perf_counter()
        beams = [(place, beam) for place in going for beam in searches[place].beams]
        rows = np.array([beam.row + (0 if is_first else bases[place]) for place, beam in beams], np.int32)
        scores = decoding.run(np.array([beam.tokens[-1:] for _, beam in beams], np.int64), rows=rows)
        inferred = time.perf_counter()
        metrics.inferences.append(inferred - begin)
        start = 0
        for place in going:
            size = len(searches[place].beams)
            bases[place] = start
            searches[place].proceed(scores[start : start + size])
            start += size
        now = time.perf_counter()
        metrics.sampling.append(now - inferred)
        metrics.steps.append((now - begin, len(going)))
        is_first = False
    found = [text for one in searches for text in one.texts(stream)]
    metrics.generated_tokens = sum(len(text.tokens) for text in found)
    return found


def _log_softmax(scores: Array) -> Array:
    shifted = scores.astype(np.float64) - scores.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))
