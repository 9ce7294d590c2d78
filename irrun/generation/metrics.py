"""Measurements of text generation, named as in ``openvino_genai.PerfMetrics``."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class MeanStdPair(NamedTuple):
    """The mean and the standard deviation of measurements."""

    mean: float
    std: float


@dataclass(slots=True)
class PerfMetrics:
    """Times of one call of ``generate``, in milliseconds. ``steps`` are those between two tokens, in seconds."""

    load_time: float = 0.0
    input_tokens: int = 0
    generated_tokens: int = 0
    tokenization: float = 0.0
    detokenization: float = 0.0
    inference: float = 0.0
    sampling: float = 0.0
    first: float = 0.0
    total: float = 0.0
    steps: list[float] = field(default_factory=list)
    sequences: int = 1

    def get_load_time(self) -> float:
        """Return the time that reading and compiling the models took."""
        return 1000 * self.load_time

    def get_num_input_tokens(self) -> int:
        """Return the number of tokens of the prompts."""
        return self.input_tokens

    def get_num_generated_tokens(self) -> int:
        """Return the number of tokens of the texts."""
        return self.generated_tokens

    def get_ttft(self) -> MeanStdPair:
        """Return the time to the first token."""
        return MeanStdPair(1000 * self.first, 0.0)

    def get_tpot(self) -> MeanStdPair:
        """Return the time of an output token after the first, of each text."""
        return _of([1000 * step for step in self.steps])

    def get_ipot(self) -> MeanStdPair:
        """Return the inference time of an output token."""
        return MeanStdPair(1000 * self.inference / max(len(self.steps) + 1, 1), 0.0)

    def get_throughput(self) -> MeanStdPair:
        """Return the number of tokens in a second, of all texts, without the first of each."""
        return _of([self.sequences / step for step in self.steps if step > 0])

    def get_generate_duration(self) -> MeanStdPair:
        """Return the time of the whole call."""
        return MeanStdPair(1000 * self.total, 0.0)

    def get_inference_duration(self) -> MeanStdPair:
        """Return the time of all inferences of the language model."""
        return MeanStdPair(1000 * self.inference, 0.0)

    def get_sampling_duration(self) -> MeanStdPair:
        """Return the time of choosing tokens."""
        return MeanStdPair(1000 * self.sampling, 0.0)

    def get_tokenization_duration(self) -> MeanStdPair:
        """Return the time of encoding the prompts."""
        return MeanStdPair(1000 * self.tokenization, 0.0)

    def get_detokenization_duration(self) -> MeanStdPair:
        """Return the time of decoding tokens."""
        return MeanStdPair(1000 * self.detokenization, 0.0)


def _of(values: Sequence[float]) -> MeanStdPair:
    return MeanStdPair(statistics.fmean(values), statistics.pstdev(values)) if values else MeanStdPair(0.0, 0.0)
