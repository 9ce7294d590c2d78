"""A language model that continues several texts at once, a token of each by one inference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.diagnostics import listing
from irrun.generation.anatomy import embedding_rows, variable_axes
from irrun.generation.errors import GenerationError
from irrun.generation.last_position import only_last_position
from irrun.generation.past import Past, part
from irrun.model import Compiled, build, load
from irrun.ops.extending import ExtensionSource
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
    model without either gets the whole texts each time. GenerationError where it has other inputs, or no ``logits`` for
    each token. ``rows`` is the number of tokens that its embedding has, None where it cannot be told.
    """

    def __init__(
        self, path: Path, config: Mapping[str, Any] | None = None, extensions: Iterable[ExtensionSource] = ()
    ) -> None:
        loaded = load(path, extensions=extensions)
        names = [port.any_name for port in loaded.inputs]
        self.past: Past = Past.of(loaded)
        unknown = [name for name in names if name not in (*_KNOWN, *self.past.inputs)]
        if _IDS not in names or unknown:
            wrong = f"has the input {listing(unknown)}" if unknown else f"has no input {_IDS}"
            raise GenerationError(f"{path} {wrong}, expected {listing(_KNOWN)} of a language model")
        self.inputs: frozenset[str] = frozenset(names)
        self.variables: dict[str, int | None] = variable_axes(loaded)
        self.has_cache: bool = bool(self.variables) or bool(self.past.inputs)
        self.rows: int | None = embedding_rows(loaded)
        self.compiled: Compiled = build(only_last_position(loaded), config)
        outputs = [port for port in self.compiled.outputs if "logits" in port.all_names]
        if not outputs:
            has = listing([port.any_name for port in self.compiled.outputs])
            raise GenerationError(f"{path} has the output {has}, expected logits of a language model")
        self.logits: int = outputs[0].index
        shape = outputs[0].partial_shape
        if shape.rank not in (3, None):
            raise GenerationError(f"{path}: logits have the shape {shape}, expected [texts,tokens,scores]")

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
        return scores[:, -1]

    def resume(self, ids: Array) -> int:
        """Keep one text only, the begin that it has in common with ``ids``; return the number of its tokens.

        At least the last of the ids is left out, whose scores are to be computed. Of several texts the one with the
        longest common begin is kept. 0 where nothing can be kept: this decoding is of no further use then.
        """
        model = self._model
        if not self._length or not model.has_cache:
            return 0
        known = np.concatenate(self.tokens, axis=1)
        limit = min(self._length, len(ids) - 1)
        whole = self._mask[:, : self._length].all(axis=1, keepdims=True)
        equal = np.cumprod((known[:, :limit] == ids[:limit]) & whole, axis=1).sum(axis=1)
        row = int(equal.argmax())
        size = int(equal[row])
        if size == 0 or (size < self._length and not (model.past.can_be_cut and None not in model.variables.values())):
            return 0
        if len(known) > 1 or size < self._length:
            values = self._session.state.values
            for name, axis in model.variables.items():
                values[name] = part(values[name], row, size, axis)
            self._past.cut(row, size)
            self.tokens = [known[row : row + 1, :size]]
            self._mask, self._count = np.ones((1, size), np.int64), np.full(1, size)
            self._length = size
        return size

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
