"""``TextEmbeddingPipeline``: texts to vectors, by the encoder of a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.diagnostics import listing
from irrun.generation.errors import GenerationError
from irrun.generation.folder import Folder
from irrun.generation.tokenizer import Tokenizer
from irrun.model import build, load
from irrun.tensor import Array

POOLINGS: Final = ("cls", "mean", "last_token")
"""How the vectors of the tokens become one of the text: that of the first, their mean, that of the last."""

_OUTPUTS: Final = ("last_hidden_state", "token_embeddings", "hidden_states")
_WHOLE: Final = ("sentence_embedding", "embeddings", "pooler_output")


class Encoder:
    """A model that reads whole texts, with its tokenizer."""

    def __init__(
        self,
        path: str | Path,
        config: Mapping[str, Any] | None = None,
        extensions: Sequence[str] = (),
        max_length: int | None = None,
    ) -> None:
        if max_length is not None and max_length < 1:
            raise GenerationError(f"max_length is {max_length}, expected 1 token or more")
        self.folder = Folder(path)
        loaded = load(self.folder.model(), extensions=extensions)
        if any(node.type == "ReadValue" for node in loaded.graph.ordered()):
            what = "has variables, as a model that generates text does"
            raise GenerationError(f"{self.folder.path} {what}, expected a model that reads whole texts")
        self.compiled = build(loaded, config)
        self.tokenizer = Tokenizer(self.folder)
        self._names = [port.any_name for port in self.compiled.inputs]
        self._max_length = max_length
        self._session = self.compiled.session()

    def run(self, texts: Sequence[str], pairs: Sequence[str] | None = None) -> tuple[dict[str, Array], Array]:
        """Return the outputs of the model by name for some texts, or pairs of texts, and the mask of their tokens."""
        given = self.tokenizer.run(texts, pairs)
        if self._max_length is not None:
            given = _truncated(given, self._max_length)
        mask = given.setdefault("attention_mask", np.ones_like(given["input_ids"]))
        if "position_ids" in self._names:
            given["position_ids"] = np.maximum(np.cumsum(mask, axis=1) - 1, 0)
        if "token_type_ids" in self._names:
            given.setdefault("token_type_ids", np.zeros_like(given["input_ids"]))
        missing = [name for name in self._names if name not in given]
        if missing:
            raise GenerationError(
                f"{self.folder.path}: the model has the input {missing[0]}, which no tokenizer provides"
            )
        outputs = self._session.run({name: given[name] for name in self._names})
        return {name: array for port, array in outputs.to_dict().items() for name in port.all_names}, mask


class TextEmbeddingPipeline:
    """Vectors of texts, such that texts of like meaning have close ones.

    The methods and the settings are named as those of ``openvino_genai.TextEmbeddingPipeline``. ``pooling_type`` is
    ``cls``, ``mean`` or ``last_token``; by default it is that of the folder's ``1_Pooling/config.json``, or ``cls``
    without one. With ``normalize`` vectors have the length 1. ``max_length`` is the most tokens of a text,
    ``batch_size`` the most texts of an inference. A model whose output is a vector for each text is not pooled.
    """

    def __init__(
        self,
        models_path: str | Path,
        device: str = "CPU",
        config: Mapping[str, Any] | None = None,
        *,
        pooling_type: str | None = None,
        normalize: bool = True,
        max_length: int | None = None,
        batch_size: int = 32,
        query_instruction: str = "",
        embed_instruction: str = "",
        extensions: Sequence[str] = (),
    ) -> None:
        del device
        if pooling_type is not None and pooling_type.lower() not in POOLINGS:
            raise GenerationError(f'pooling_type is "{pooling_type}", expected {listing(POOLINGS)}')
        if batch_size < 1:
            raise GenerationError(f"batch_size is {batch_size}, expected 1 text or more")
        self._encoder = Encoder(models_path, config, extensions, max_length)
        self._pooling = pooling_type.lower() if pooling_type is not None else _pooling_of(self._encoder.folder)
        self._normalize = normalize
        self._batch = batch_size
        self._instructions = query_instruction, embed_instruction

    def embed_query(self, text: str) -> Array:
        """Return the vector of a question, f32[size]."""
        return np.asarray(self._embedded([self._instructions[0] + text])[0])

    def embed_documents(self, texts: Sequence[str]) -> Array:
        """Return the vectors of texts, f32[texts, size]."""
        return self._embedded([self._instructions[1] + text for text in texts])

    embed = embed_documents

    def _embedded(self, texts: Sequence[str]) -> Array:
        if not texts:
            raise GenerationError("there are no texts, expected one or more")
        found = np.concatenate([self._pooled(*self._encoder.run(part)) for part in batches(texts, self._batch)])
        if self._normalize:
            lengths = np.linalg.norm(found, axis=1, keepdims=True)
            found = found / np.maximum(lengths, np.finfo(np.float32).tiny)
        return np.asarray(found)

    def _pooled(self, outputs: Mapping[str, Array], mask: Array) -> Array:
        for name in _WHOLE[:-1]:
            if name in outputs and outputs[name].ndim == 2:
                return outputs[name].astype(np.float32)
        vectors = next((outputs[name] for name in _OUTPUTS if name in outputs), next(iter(outputs.values())))
        if vectors.ndim == 2 and len(vectors) == len(mask):
            return vectors.astype(np.float32)
        if vectors.ndim != 3:
            what = f"[{','.join(map(str, vectors.shape))}]"
            raise GenerationError(f"the output of the model has the shape {what}, expected [texts,tokens,size]")
        return pooled(vectors.astype(np.float32), mask, self._pooling)


def pooled(vectors: Array, mask: Array, pooling: str) -> Array:
    """Return one vector for each text from those of its tokens, [texts, tokens, size]; a 0 in ``mask`` is padding."""
    rows, weights = np.arange(len(vectors)), mask.astype(np.float32)
    if pooling == "mean":
        return np.asarray(np.einsum("tks,tk->ts", vectors, weights) / np.maximum(weights.sum(1, keepdims=True), 1))
    first = mask.argmax(axis=1)
    last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
    return np.asarray(vectors[rows, first if pooling == "cls" else last])


def batches(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """Yield the items in parts of some size."""
    for begin in range(0, len(items), size):
        yield items[begin : begin + size]


def _pooling_of(folder: Folder) -> str:
    """Return the pooling that a model of sentence-transformers declares."""
    table = folder.json("1_Pooling/config.json")
    for key, name in (("pooling_mode_mean_tokens", "mean"), ("pooling_mode_lasttoken", "last_token")):
        if table.get(key) is True:
            return name
    return "cls"


def _truncated(outputs: Mapping[str, Array], most: int) -> dict[str, Array]:
    """Return rows of ``most`` tokens; those behind, except the last special one of each row, are left out."""
    ids, mask = outputs["input_ids"], outputs.get("attention_mask")
    if ids.shape[1] <= most:
        return dict(outputs)
    found = {name: array[:, :most].copy() for name, array in outputs.items()}
    if mask is not None:
        for place in np.flatnonzero(mask.sum(axis=1) > most):
            last = ids.shape[1] - 1 - int(mask[place, ::-1].argmax())
            found["input_ids"][place, -1] = ids[place, last]
    return found
