"""The results of text generation, named as in openvino_genai."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from irrun.generation.metrics import PerfMetrics


class GenerationFinishReason(Enum):
    """Why a text ends: at an end token or a stop string, at the most tokens, or because the streamer said so."""

    NONE = "none"
    STOP = "stop"
    LENGTH = "length"


@dataclass(slots=True)
class EncodedResults:
    """The tokens of each text, the sum of the logarithms of their probabilities, and why each ends."""

    tokens: list[list[int]]
    scores: list[float]
    finish_reasons: list[GenerationFinishReason]
    perf_metrics: PerfMetrics = field(default_factory=PerfMetrics)


@dataclass(slots=True)
class DecodedResults:
    """The texts, all of a prompt before those of the next, their scores, and why each ends."""

    texts: list[str]
    scores: list[float]
    finish_reasons: list[GenerationFinishReason]
    perf_metrics: PerfMetrics = field(default_factory=PerfMetrics)

    def __str__(self) -> str:
        return "\n".join(self.texts)
