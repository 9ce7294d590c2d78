"""The parts of a ModelProto of SentencePiece."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from irrun.kernels.text.protobuf import fields

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
UNIGRAM, BPE, WORD, CHAR = range(1, 5)
_PIECES, _TRAINER, _NORMALIZER, _DENORMALIZER = 1, 2, 3, 5


class ScoredPiece(NamedTuple):
    """A piece with its score, float32, and its kind."""

    text: bytes
    score: float
    kind: int


class Spaces(NamedTuple):
    """A map of characters and what is done about spaces."""

    map: bytes
    add_dummy_prefix: bool
    remove_extra_whitespaces: bool
    escape_whitespaces: bool


class ModelProto(NamedTuple):
    """A model as it is stored."""

    pieces: tuple[ScoredPiece, ...]
    algorithm: int
    byte_fallback: bool
    space_is_suffix: bool
    unknown_surface: bytes
    bos: bytes
    eos: bytes
    normalizer: Spaces
    denormalizer: Spaces


def read(data: bytes) -> ModelProto:
    """Return the parts of a serialized model; ValueError where it is malformed or has no pieces."""
    pieces: list[ScoredPiece] = []
    found: dict[int, bytes] = {}
    for number, value in fields(data):
        if number == _PIECES:
            piece = _merged(value)
            pieces.append(ScoredPiece(piece.get(1, b""), piece.get(2, 0.0), piece.get(3, NORMAL)))
        elif isinstance(value, bytes):
            found[number] = found.get(number, b"") + value
    if not pieces:
        raise ValueError("the model has no pieces")
    trainer = _merged(found.get(_TRAINER, b""))
    return ModelProto(
        tuple(pieces),
        trainer.get(3, UNIGRAM),
        bool(trainer.get(35, False)),
        bool(trainer.get(24, False)),
        trainer.get(44, " \u2047 ".encode()),
        trainer.get(46, b"<s>"),
        trainer.get(47, b"</s>"),
        _spaces(found.get(_NORMALIZER, b"")),
        _spaces(found.get(_DENORMALIZER, b"")),
    )


def _merged(data: Any) -> Mapping[int, Any]:
    """Return the last value of each field."""
    if not isinstance(data, bytes):
        raise ValueError("a message is a number")
    items: Final[Iterable[tuple[int, Any]]] = fields(data)
    return dict(items)


def _spaces(data: bytes) -> Spaces:
    spec = _merged(data)
    return Spaces(spec.get(2, b""), bool(spec.get(3, True)), bool(spec.get(4, True)), bool(spec.get(5, True)))
