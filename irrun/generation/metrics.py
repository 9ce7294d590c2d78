"""Measurements of text generation, named and defined as in ``openvino_genai.PerfMetrics``."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class MeanStdPair(NamedTuple):
    """The mean and the standard deviation of measurements; -1 where there are none."""

    mean: float
    std: float


@dataclass(slots=True)
class PerfMetrics:
    """Measurements of one call of ``generate``, or of several that are added.

    Durations are lists of seconds: ``first`` has the time from the call to the first token, ``steps`` the time of each
    later step and the number of its tokens, ``inferences`` the time of each inference. ``input_tokens`` are those that
    the model has read, ``cached_tokens`` those of the prompts that it knew from an earlier call.
    """

    load_time: float = 0.0
    input_tokens: int = 0
    cached_tokens: int = 0
    generated_tokens: int = 0
    first: list[float] = field(default_factory=list)
    steps: list[tuple[float, int]] = field(default_factory=list)
    inferences: list[float] = field(default_factory=list)
    inference: list[float] = field(default_factory=list)
    sampling: list[float] = field(default_factory=list)
    chat_template: list[float] = field(default_factory=list)
    tokenization: list[float] = field(default_factory=list)
    detokenization: list[float] = field(default_factory=list)
    total: list[float] = field(default_factory=list)

    def __add__(self, other: PerfMetrics) -> PerfMetrics:
        """Return the measurements of both, of the same pipeline."""
        names = [item.name for item in dataclasses.fields(self) if item.name != "load_time"]
        return PerfMetrics(self.load_time, **{name: getattr(self, name) + getattr(other, name) for name in names})

    def get_load_time(self) -> float:
        """Return the time that reading and compiling the models took, in milliseconds."""
        return 1000 * self.load_time

    def get_num_input_tokens(self) -> int:
        """Return the number of tokens that were read: those of the prompts that no earlier call has read."""
        return self.input_tokens

    def get_num_cached_tokens(self) -> int:
        """Return the number of tokens of the prompts that an earlier call has read."""
        return self.cached_tokens

    def get_num_generated_tokens(self) -> int:
        """Return the number of tokens of the texts."""
        return self.generated_tokens

    def get_ttft(self) -> MeanStdPair:
        """Return the time from the call to the first token, in milliseconds."""
        return _milliseconds(self.first)

    def get_tpot(self) -> MeanStdPair:
        """Return the time of an output token after the first step, in milliseconds.

        A step of several texts makes a token of each, which share its time.
        """
        return _milliseconds([step / count for step, count in self.steps for _ in range(count)])

    def get_ipot(self) -> MeanStdPair:
        """Return the time of an inference, in milliseconds."""
        return _milliseconds(self.inferences)

    def get_throughput(self) -> MeanStdPair:
        """Return the number of tokens per second after the first step: the inverse of the time of an output token."""
        mean, std = self.get_tpot()
        return MeanStdPair(1000 / mean, std * 1000 / mean**2) if mean > 0 else MeanStdPair(-1.0, -1.0)

    def get_generate_duration(self) -> MeanStdPair:
        """Return the time of a call, in milliseconds."""
        return _milliseconds(self.total)

    def get_inference_duration(self) -> MeanStdPair:
        """Return the time of all inferences of a call, in milliseconds."""
        return _milliseconds(self.inference)

    def get_sampling_duration(self) -> MeanStdPair:
        """Return the time of choosing the tokens of a step, in milliseconds."""
        return _milliseconds(self.sampling)

    def get_chat_template_duration(self) -> MeanStdPair:
        """Return the time of rendering the chat template, in milliseconds."""
        return _milliseconds(self.chat_template)

    def get_tokenization_duration(self) -> MeanStdPair:
        """Return the time of encoding the prompts, in milliseconds."""
        return _milliseconds(self.tokenization)

    def get_detokenization_duration(self) -> MeanStdPair:
        """Return the time of decoding the tokens, in milliseconds."""
        return _milliseconds(self.detokenization)


def _milliseconds(values: Sequence[float]) -> MeanStdPair:
    scaled = [1000 * value for value in values]
    return MeanStdPair(statistics.fmean(scaled), statistics.pstdev(scaled)) if scaled else MeanStdPair(-1.0, -1.0)
