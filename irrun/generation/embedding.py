"""``TextEmbeddingPipeline``: texts to vectors, by the encoder of a folder."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.diagnostics import amount, listing
from irrun.generation.arguments import require_cpu
from irrun.generation.batch import padded
from irrun.generation.errors import GenerationError, GenerationWarning
from irrun.generation.folder import Folder, positions
from irrun.generation.tokenizer import Tokenizer
from irrun.model import Compiled, build, load
from irrun.ops.extending import ExtensionSource
from irrun.tensor import Array

POOLINGS: Final = ("cls", "mean", "last_token")
"""The ways from the vectors of tokens to one of the text: that of the first, their mean, that of the last."""

_OUTPUTS: Final = ("last_hidden_state", "token_embeddings", "hidden_states")
_FROM_PADDING: Final = frozenset({"camembert", "mpnet", "roberta", "xlm-roberta"})
"""Kinds of models whose positions begin behind the id of padding."""

_AT_ONCE: Final = 1024
"""The texts that a tokenizer reads at once."""

_TOKENS: Final = 4096
"""The tokens of the texts that are computed at once, without a number of texts."""

_WHOLE: Final = ("sentence_embedding", "embeddings", "pooler_output")


class Encoder:
    """A model that reads whole texts, with its tokenizer.

    A text has ``max_length`` tokens at most, as many as the model has positions, and as many as the tokenizer says.
    What is longer is cut; a GenerationWarning says so, except for ``max_length``.
    """

    def __init__(
        self,
        path: str | Path,
        config: Mapping[str, Any] | None = None,
        extensions: Iterable[ExtensionSource] = (),
        max_length: int | None = None,
    ) -> None:
        if max_length is not None and max_length < 1:
            raise GenerationError(f"max_length is {max_length}, expected 1 token or more")
        self.folder: Folder = Folder(path)
        loaded = load(self.folder.model(), extensions=extensions)
        if any(node.type == "ReadValue" for node in loaded.graph.ordered()):
            what = "has variables, as a model that generates text does"
            raise GenerationError(f"{self.folder.path} {what}, expected a model that reads whole texts")
        self.compiled: Compiled = build(loaded, config)
        self.tokenizer: Tokenizer = Tokenizer(self.folder)
        self._names = [port.any_name for port in self.compiled.inputs]
        self._most = _most_tokens(self.folder, self.tokenizer)
        self._max_length = max_length
        self._session = self.compiled.session()

    def of_pairs(self, first: Sequence[str], second: Sequence[str]) -> dict[str, Array]:
        """Return the outputs of the model by name for pairs of texts."""
        return self._computed(self.tokenizer.run_pairs(first, second, self._limit))[0]

    def in_batches(self, texts: Sequence[str], size: int | None) -> Iterator[tuple[Array, dict[str, Array], Array]]:
        """Yield batches of texts with similar numbers of tokens: places, outputs by name, and the mask of the tokens.

        The tokenizer reads many texts at once, and the model ``size``, or as many as have 4,096 tokens with padding.
        """
        for begin in range(0, len(texts), _AT_ONCE):
            given = self._tokens(texts[begin : begin + _AT_ONCE])
            mask = given["attention_mask"]
            counts = mask.sum(axis=1)
            order = np.argsort(counts, kind="stable")
            for rows in _batches(order, counts[order], size):
                columns = np.flatnonzero(mask[rows].any(axis=0)) if mask[rows].any() else slice(1)
                yield begin + rows, *self._computed({name: array[rows][:, columns] for name, array in given.items()})

    @property
    def _limit(self) -> int | None:
        """The most tokens of a text; None where nothing limits them."""
        return min([limit for limit in (self._most, self._max_length) if limit is not None], default=None)

    def _computed(self, given: dict[str, Array]) -> tuple[dict[str, Array], Array]:
        """Return the outputs of the model by name for those of the tokenizer, and the mask of the tokens."""
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

    def _tokens(self, texts: Sequence[str]) -> dict[str, Array]:
        """Return the outputs of the tokenizer by name, with a mask, of as many tokens as the limit allows."""
        given, most = self.tokenizer.run(texts), self._limit
        mask = given.setdefault("attention_mask", np.ones_like(given["input_ids"])).astype(bool)
        count = int((mask.sum(axis=1) > most).sum()) if most is not None else 0
        if most is None or not count:
            return given
        if most != self._max_length:
            what = f"{count} of {amount(len(texts), 'text')} {'have' if count > 1 else 'has'} more than {most} tokens"
            warnings.warn(f"{what}, the most of the model; the rest is left out", GenerationWarning, stacklevel=2)
        side = "left" if (~mask[:, 0]).any() else "right"
        rows = [
            self.tokenizer.cut(row[kept].astype(np.int64), most)
            for row, kept in zip(given["input_ids"], mask, strict=True)
        ]
        ids, mask = padded(rows, self.tokenizer.pad_token_id, side)
        return {"input_ids": ids, "attention_mask": mask}


class TextEmbeddingPipeline:
    """Vectors of texts, such that texts of like meaning have close ones.

    The methods and the settings are named as those of ``openvino_genai.TextEmbeddingPipeline``. ``pooling_type`` is
    ``cls``, ``mean`` or ``last_token``; by default it is that of the folder's ``1_Pooling/config.json``, or ``cls``
    without one. With ``normalize`` vectors have the length 1. ``max_length`` is the most tokens of a text,
    ``batch_size`` the most texts of an inference, which have similar lengths; by default as many as have 4,096 tokens
    with padding. A model whose output is a vector for each text is not pooled.
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
        batch_size: int | None = None,
        query_instruction: str = "",
        embed_instruction: str = "",
        extensions: Iterable[ExtensionSource] = (),
    ) -> None:
        require_cpu(device)
        if pooling_type is not None and pooling_type.lower() not in POOLINGS:
            raise GenerationError(f'pooling_type is "{pooling_type}", expected {listing(POOLINGS)}')
        if batch_size is not None and batch_size < 1:
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
        parts = [(at, self._pooled(out, mask)) for at, out, mask in self._encoder.in_batches(texts, self._batch)]
        found = np.empty((len(texts), parts[0][1].shape[1]), np.float32)
        for at, rows in parts:
            found[at] = rows
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


def _batches(order: Array, counts: Array, size: int | None) -> Iterator[Array]:
    """Yield parts of ``order``, texts by ascending ``counts`` of tokens: of ``size`` texts, or of 4,096 tokens."""
    begin = 0
    while begin < len(order):
        if size is None:
            fitting = counts[begin:] * np.arange(1, len(order) - begin + 1) <= _TOKENS
            end = begin + max(int(fitting.sum()), 1)
        else:
            end = begin + size
        yield order[begin:end]
        begin = end


def _pooling_of(folder: Folder) -> str:
    """Return the pooling that a model of sentence-transformers declares."""
    table = folder.json("1_Pooling/config.json")
    for key, name in (("pooling_mode_mean_tokens", "mean"), ("pooling_mode_lasttoken", "last_token")):
        if table.get(key) is True:
            return name
    return "cls"


def _most_tokens(folder: Folder, tokenizer: Tokenizer) -> int | None:
    """Return the most tokens that a model reads, by its positions and its tokenizer; None where nothing tells it."""
    table = folder.json("config.json")
    found = positions(table)
    padding = table.get("pad_token_id")
    if found is not None and table.get("model_type") in _FROM_PADDING and isinstance(padding, int):
        found -= padding + 1
    limit = tokenizer.limit
    limits = [most for most in (found, limit + tokenizer.special_count if limit is not None else None) if most]
    return min(limits, default=None)
