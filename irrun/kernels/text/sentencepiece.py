"""Encoding and decoding by a model of SentencePiece (Kudo and Richardson, 2018), as its version 0.2.1 does."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

import numpy as np

from irrun.kernels.text.charsmap import ESCAPED_SPACE, Normalizer, compiled_map
from irrun.kernels.text.sentencepiece_bpe import ScoredPairs
from irrun.kernels.text.sentencepiece_model import (
    BPE,
    BYTE,
    CONTROL,
    NORMAL,
    UNIGRAM,
    UNKNOWN,
    USER_DEFINED,
    WORD,
    ScoredPiece,
    Spaces,
    read,
)
from irrun.kernels.text.strings import encoded
from irrun.kernels.text.unigram import PENALTY, Unigrams
from irrun.kernels.text.utf8 import WIDTHS

_SPACE: Final = ESCAPED_SPACE.encode()
_BYTES: Final = {f"<0x{byte:02X}>".encode(): byte for byte in range(256)}
_WORDS: Final = re.compile(f"{ESCAPED_SPACE}[^{ESCAPED_SPACE}]*|[^{ESCAPED_SPACE}]+")
_LONE: Final = re.compile("[\udc80-\udcff]")
_LEAST: Final = float(np.finfo(np.float32).tiny)


class SentencePiece:
    """A model: encodes texts without ``bos`` and ``eos``, and decodes ids. ValueError where it is malformed."""

    def __init__(self, data: bytes) -> None:
        model = read(data)
        kinds = [piece.kind for piece in model.pieces]
        if kinds.count(UNKNOWN) != 1:
            raise ValueError(f"the model has {kinds.count(UNKNOWN)} unknown pieces, expected 1")
        self.pieces: Final = model.pieces
        self.unknown: Final = kinds.index(UNKNOWN)
        self._model: Final = model
        found = [(piece.text, id) for id, piece in enumerate(model.pieces)]
        reserved = [item for item, kind in zip(found, kinds, strict=True) if kind in (CONTROL, UNKNOWN, BYTE)]
        self._ids: Final = dict([*found, *reserved])
        own = [piece.text.decode() for piece in model.pieces if piece.kind == USER_DEFINED and piece.text]
        self._normalizer: Final = _normalizer(model.normalizer, own, space_is_suffix=model.space_is_suffix)
        self._denormalizer: Final = _normalizer(model.denormalizer) if model.denormalizer.map else None
        self._bytes: Final = [self.id(piece) for piece in _BYTES]
        self.pairs: Final = ScoredPairs(model.pieces, self._ids, self.unknown, own)
        self.unigrams: Final = _unigrams(model.pieces, self.unknown) if model.algorithm == UNIGRAM else None

    def id(self, piece: bytes) -> int:
        """Return the id of a piece, or the unknown one."""
        return self._ids.get(piece, self.unknown)

    @property
    def bos(self) -> int:
        return self.id(self._model.bos)

    @property
    def eos(self) -> int:
        return self.id(self._model.eos)

    @property
    def is_of_pairs(self) -> bool:
        return self._model.algorithm == BPE

    def is_control(self, id: int) -> bool:
        return self.pieces[id].kind == CONTROL

    def normalized(self, texts: Sequence[bytes]) -> list[bytes]:
        """Return texts as the model segments them."""
        given = [text.decode("utf-8", "surrogateescape") for text in texts]
        return [*map(encoded, self._normalizer.normalized_each(given))]

    def encode(self, normal: bytes) -> list[int]:
        """Return the ids of a normalized text."""
        return self.finished(normal, self._segmented(normal)) if normal else []

    def finished(self, text: bytes, ids: list[int]) -> list[int]:
        """Return the ids of the pieces of a normal text, with unknown ones as bytes, or one for several in a row."""
        unknown = self.unknown
        if unknown not in ids:
            return ids
        if not self._model.byte_fallback:
            return [id for id, before in zip(ids, [None, *ids], strict=False) if id != unknown or before != unknown]
        found, at = [], 0
        for id in ids:
            size = self._unknown_size(text, at) if id == unknown else len(self.pieces[id].text)
            found += [self._bytes[byte] for byte in text[at : at + size]] if id == unknown else [id]
            at += size
        return found

    def _unknown_size(self, text: bytes, at: int) -> int:
        if self._model.algorithm == WORD:
            return len(encoded(_WORDS.match(text[at:].decode())[0]))  # type: ignore[index]
        return WIDTHS[text[at] >> 4]

    def _segmented(self, text: bytes) -> list[int]:
        """Return the ids of the pieces of a normal text; of the unknown ones one for each character or word."""
        if self.unigrams is not None:
            return self.unigrams.encode(text)
        if self._model.algorithm == BPE:
            return self.pairs.encode(text)
        parts = _WORDS.findall if self._model.algorithm == WORD else self.pairs.characters
        return [self.id(encoded(part)) for part in parts(text.decode())]

    def decode(self, ids: Iterable[int]) -> bytes:
        """Return the text of ids: without control pieces, with U+FFFD for bytes that are not UTF-8."""
        spec = self._model.normalizer
        drops_space = spec.add_dummy_prefix or spec.remove_extra_whitespaces
        text, pending = b"", b""
        is_first, has_dropped = True, False
        for id in ids:
            piece = self.pieces[id]
            if piece.kind == BYTE:
                pending += bytes((_BYTES[piece.text],))
                continue
            text, pending = text + _readable(pending), b""
            is_first = is_first and not has_dropped and not text
            has_dropped = False
            if piece.kind == UNKNOWN:
                text += self._model.unknown_surface
            elif piece.kind != CONTROL:
                part = piece.text
                if is_first and drops_space and part.startswith(_SPACE):
                    part = part[len(_SPACE) :]
                    has_dropped = not spec.remove_extra_whitespaces
                text += part.replace(_SPACE, b" ")
        text += _readable(pending)
        if self._denormalizer is None:
            return text
        return encoded(self._denormalizer.normalized(text.decode("utf-8", "surrogateescape")))


def _readable(text: bytes) -> bytes:
    """Return a text in which U+FFFD stands for each byte that is not UTF-8."""
    decoded = text.decode("utf-8", "surrogateescape")
    return _LONE.sub("\ufffd", decoded).encode()


def _normalizer(spec: Spaces, own: Collection[str] = (), *, space_is_suffix: bool = False) -> Normalizer:
    replacements = compiled_map(spec.map, own)
    flags = spec.add_dummy_prefix, spec.remove_extra_whitespaces, spec.escape_whitespaces
    return Normalizer(replacements, *flags, space_is_suffix)


def _unigrams(pieces: Sequence[ScoredPiece], unknown: int) -> Unigrams:
    """Return the model of pieces; those that users defined have a score that is above all others."""
    known = np.array([piece.score for piece in pieces if piece.kind == NORMAL], np.float32)
    most = max(float(known.max(initial=_LEAST)), _LEAST)
    least = np.float32(known.min(initial=np.finfo(np.float32).max))
    scores = [
        float(np.float32(len(piece.text)) * np.float32(most)) - 0.1 if piece.kind == USER_DEFINED else piece.score
        for piece in pieces
    ]
    tokens = {piece.text: id for id, piece in enumerate(pieces) if piece.kind in (NORMAL, USER_DEFINED)}
    return Unigrams(tokens, scores, unknown, float(least - np.float32(PENALTY)), rounds_first=False)
