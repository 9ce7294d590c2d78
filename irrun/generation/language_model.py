"""A language model that continues several texts at once, a token of each by one inference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.diagnostics import listing
from irrun.generation.errors import GenerationError
from irrun.generation.last_position import only_last_position
from irrun.generation.past import Past
from irrun.model import Compiled, Loaded, build, load
from irrun.tensor import Array

_IDS: Final = "input_ids"
_MASK: Final = "attention_mask"
_POSITIONS: Final = "position_ids"
_BEAMS: Final = "beam_idx"
_TYPES: Final = "token_type_ids"
_KNOWN: Final = (_IDS, _MASK, _POSITIONS, _BEAMS, _TYPES)
_ROOM: Final = 256
"""The least number of tokens by which the mask grows."""


class LanguageModel:
    """A compiled language model.

    The cache of its layers is in variables; in files of older exporters it is an input and an output for each layer; a
    model without either gets the whole texts each time. GenerationError where its inputs are others.
    """

    def __init__(self, path: Path, config: Mapping[str, Any] | None = None, extensions: Sequence[str] = ()) -> None:
        loaded = load(path, extensions=extensions)
        names = [port.any_name for port in loaded.inputs]
        self.past = Past.of(loaded)
        unknown = [name for name in names if name not in (*_KNOWN, *self.past.inputs)]
        if _IDS not in names or unknown:
            wrong = f"has the input {listing(unknown)}" if unknown else f"has no input {_IDS}"
            raise GenerationError(f"{path} {wrong}, expected {listing(_KNOWN)} of a language model")
        self.inputs = frozenset(names)
        self.has_variables = any(node.type == "ReadValue" for node in loaded.graph.ordered())
        self.has_cache = self.has_variables or bool(self.past.inputs)
        self.loaded: Loaded = loaded
        self.compiled: Compiled = build(only_last_position(loaded), config)
        outputs = [port for port in self.compiled.outputs if "logits" in port.all_names]
        self.logits = (outputs or self.compiled.outputs)[0].index
        shape = self.compiled.outputs[self.logits].partial_shape
        if shape.rank not in (2, 3, None):
            raise GenerationError(
                f"{path}: the output of {shape} has no scores of tokens, expected [texts,tokens,scores]"
            )

    def start(self) -> Decoding:
        """Return a new decoding, without any tokens."""
        return Decoding(self)


class Decoding:
    """Texts that are continued. ``tokens`` are those that the cache knows, of shape [texts, tokens]."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._session = model.compiled.session()
        self._past = model.past.empty()
        self._mask = np.zeros((0, 0), np.int64)
        self._count = np.zeros(0, np.int64)
        """The number of tokens of each text."""

        self._length = 0
        self.tokens: list[Array] = []
        """The ids that were given, a part of shape [texts, tokens] for each inference."""

    @property
    def length(self) -> int:
        """The number of tokens of the longest text."""
        return self._length

    def run(self, ids: Array, mask: Array | None = None, rows: Array | None = None) -> Array:
        """Continue the texts by ids of shape [texts, tokens]; return the scores of the token after the last.

        A 0 in ``mask`` is padding. ``rows`` are the earlier texts that these continue, one for each: a text may be
        continued in several ways, and dropped. The scores have the shape [texts, vocabulary].
        """
        count, new = ids.shape
        if rows is None:
            rows = np.arange(count, dtype=np.int32)
        elif self._length:
            self._mask, self._count = self._mask[rows], self._count[rows]
            self.tokens = [part[rows] for part in self.tokens]
        if not self._length:
            self._mask, self._count = np.zeros((count, 0), np.int64), np.zeros(count, np.int64)
        positions = self._extend(new, mask, count)
        given = {_IDS: ids, _MASK: self._mask[:, : self._length], _POSITIONS: positions, _BEAMS: rows.astype(np.int32)}
        self.tokens.append(ids)
        if not self._model.has_cache:
            given[_IDS] = np.concatenate(self.tokens, axis=1)
            given[_POSITIONS] = _positions(given[_MASK], np.zeros(count, np.int64))
        if _TYPES in self._model.inputs:
            given[_TYPES] = np.zeros_like(given[_IDS])
        inputs: dict[str, Array] = {name: value for name, value in given.items() if name in self._model.inputs}
        inputs |= self._past.given(count, rows)
        outputs = self._session.run(inputs)
        self._past.take(outputs)
        scores: Array = outputs[self._model.logits]
        return scores if scores.ndim == 2 else scores[:, -1]

    def _extend(self, new: int, mask: Array | None, count: int) -> Array:
        """Extend the mask by new tokens; return their positions."""
        end = self._length + new
        if end > self._mask.shape[1]:
            longer = np.zeros((count, end + max(_ROOM, end // 2)), np.int64)
            longer[:, : self._length] = self._mask[:, : self._length]
            self._mask = longer
        self._mask[:, self._length : end] = 1 if mask is None else mask
        positions = _positions(self._mask[:, self._length : end], self._count)
        self._count = self._count + (new if mask is None else mask.sum(axis=1))
        self._length = end
        return positions


def _positions(mask: Array, before: Array) -> Array:
    """Return the position of each token in its text; that of padding is 1, and does not matter."""
    positions: Array = before[:, np.newaxis] + np.cumsum(mask, axis=1) - 1
    positions[mask == 0] = 1
    return positions
