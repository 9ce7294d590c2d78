"""Ids to text, by the detokenizer of a folder."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Final

import numpy as np

from irrun.editing import MutableGraph
from irrun.generation.last_position import added_constant
from irrun.generation.streaming import Bytes, TextSource, Window
from irrun.graph import Node
from irrun.graph.graph import Inlet
from irrun.model import Loaded, Session, build
from irrun.tensor import Array
from irrun.tensor.element_type import U8

_JOINING: Final = frozenset(
    {"Convert", "FuzeRagged", "Parameter", "Result", "StringTensorPack", "UTF8Validate", "VocabDecoder"}
)
"""The operations of a detokenizer that joins the bytes of its tokens."""

_CLEANING: Final = b"n't"
"""A part of the regular expression by which detokenizers remove spaces before punctuation."""

_SKIPPED: Final = 4
"""The input of a VocabDecoder with the ids that are skipped."""


class Detokenizer:
    """A model that turns ids into text."""

    def __init__(self, model: Loaded) -> None:
        self._model = model
        decoders = [node for node in model.graph.ordered() if node.type == "VocabDecoder"]
        self._decoder: Node | None = decoders[0] if len(decoders) == 1 else None

    @functools.cached_property
    def _skipping(self) -> Session:
        return build(self._model).session()

    @functools.cached_property
    def _whole(self) -> Session:
        """The session of a model that decodes special tokens too."""
        model, decoder = self._model, self._decoder
        sources = () if decoder is None else model.graph.sources(decoder.id)
        if decoder is None or len(sources) <= _SKIPPED:
            return self._skipping
        graph = MutableGraph(model.graph, model.facts, model.weights)
        graph.connect(added_constant(graph, np.zeros(0, np.int32)), Inlet(decoder.id, _SKIPPED))
        edited, facts = graph.freeze()
        return build(Loaded(model.bound._replace(graph=edited), facts, model.weights, model.origin)).session()

    def text(self, ids: Sequence[int] | Array, skips: bool = True) -> str:
        """Return the text of some ids, with special tokens unless it ``skips`` them.

        Bytes that are not UTF-8 become U+FFFD.
        """
        if len(ids) == 0:
            return ""
        session = self._skipping if skips else self._whole
        found = str(session.run([np.asarray(ids, np.int64)[np.newaxis]])[0].reshape(-1)[0])
        if found.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in found):
            return found
        return found.encode(errors="surrogateescape").decode(errors="replace")

    def source(self) -> TextSource:
        """Return the text of tokens that come one by one."""
        return Window(self.text, self._cleans) if self._pieces is None else Bytes(self._pieces, self.text)

    @functools.cached_property
    def _cleans(self) -> bool:
        """True if the detokenizer removes spaces before punctuation, which an earlier token has written."""
        texts = [fact.constant for fact in self._model.facts.of.values() if fact.type is U8]
        return any(text is not None and _CLEANING in text.tobytes() for text in texts)

    @functools.cached_property
    def vocabulary(self) -> list[bytes]:
        """The bytes of each token; empty where they cannot be told."""
        begins, ends, chars = (self._constant(place) for place in (1, 2, 3))
        if begins is None or ends is None or chars is None:
            return []
        data = chars.tobytes()
        return [data[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]

    @functools.cached_property
    def _pieces(self) -> list[bytes] | None:
        """The bytes of each token that is not skipped; None for a detokenizer that does more than to join them."""
        graph = self._model.graph
        running = graph.downstream(graph.parameters)
        if not self.vocabulary or self._decoder is None or not {graph.node(id).type for id in running} <= _JOINING:
            return None
        pieces = list(self.vocabulary)
        skipped: Sequence[int] = getattr(self._decoder.op, "skip_tokens", ())
        if len(graph.sources(self._decoder.id)) > _SKIPPED:
            listed = self._constant(_SKIPPED)
            if listed is None:
                return None
            skipped = listed.tolist()
        for id in skipped:
            if 0 <= id < len(pieces):
                pieces[id] = b""
        return pieces

    def _constant(self, place: int) -> Array | None:
        """Return the value of an input of the VocabDecoder; None where it is not constant."""
        if self._decoder is None:
            return None
        sources = self._model.graph.sources(self._decoder.id)
        outlet = sources[place] if place < len(sources) else None
        fact = self._model.facts.get(outlet) if outlet is not None else None
        return None if fact is None else fact.constant
