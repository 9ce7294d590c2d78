"""``TextRerankPipeline``: how well texts answer a question, by the classifier of a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from irrun.generation.arguments import require_cpu
from irrun.generation.embedding import Encoder
from irrun.generation.errors import GenerationError
from irrun.ops.extending import ExtensionSource
from irrun.tensor import Array


class TextRerankPipeline:
    """Scores of texts as answers to a question.

    The methods and the settings are named as those of ``openvino_genai.TextRerankPipeline``. The tokenizer takes pairs
    of texts, or its ``rt_info`` has a template of pairs. A score is from 0 to 1: the sigmoid of the output, or the
    probability of the second class where the model has two. ``top_n`` is the number of results.
    """

    def __init__(
        self,
        models_path: str | Path,
        device: str = "CPU",
        config: Mapping[str, Any] | None = None,
        *,
        top_n: int = 3,
        max_length: int | None = None,
        batch_size: int = 32,
        extensions: Iterable[ExtensionSource] = (),
    ) -> None:
        require_cpu(device)
        if top_n < 1 or batch_size < 1:
            raise GenerationError(f"top_n is {top_n} and batch_size is {batch_size}, expected 1 or more")
        self._encoder = Encoder(models_path, config, extensions, max_length)
        self._top, self._batch = top_n, batch_size

    def scores(self, query: str, texts: Sequence[str]) -> Array:
        """Return the score of each text, f32[texts]."""
        if not texts:
            raise GenerationError("there are no texts, expected one or more")
        parts = (texts[begin : begin + self._batch] for begin in range(0, len(texts), self._batch))
        return np.concatenate([self._scored(query, part) for part in parts])

    def rerank(self, query: str, texts: Sequence[str]) -> list[tuple[int, float]]:
        """Return the places and scores of the best texts, the best ones first."""
        scores = self.scores(query, texts)
        return [(int(place), float(scores[place])) for place in np.argsort(-scores, kind="stable")[: self._top]]

    def _scored(self, query: str, texts: Sequence[str]) -> Array:
        outputs = self._encoder.of_pairs([query] * len(texts), texts)
        found = outputs.get("logits", next(iter(outputs.values()))).astype(np.float32)
        if found.ndim == 1:
            found = found[:, np.newaxis]
        if found.ndim != 2 or found.shape[1] not in (1, 2):
            what = f"[{','.join(map(str, found.shape))}]"
            raise GenerationError(f"the output of the model has the shape {what}, expected one score for each text")
        difference = found[:, 0] if found.shape[1] == 1 else found[:, 1] - found[:, 0]
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp(-difference)))
