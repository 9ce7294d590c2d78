"""The content of a weights file that is written: new values, and ranges of the file that a model was read with."""

from __future__ import annotations

import hashlib
from typing import BinaryIO, Final, NamedTuple

from irrun.document.weights import Weights, WeightsOutOfRange
from irrun.tensor import Array

_PIECE: Final = 1 << 20


class ByteRange(NamedTuple):
    """Bytes of the weights file of a model."""

    start: int
    size: int


class Content:
    """Pieces of a weights file, in their order; equal new values share one piece, and so do equal ranges."""

    def __init__(self, weights: Weights | None = None) -> None:
        self.size: int = 0
        self._weights = weights
        self._pieces: list[bytes | ByteRange] = []
        self._known: dict[bytes | ByteRange, int] = {}

    def keep(self) -> None:
        """Begin with the whole weights file, so that its ranges stay where they are."""
        assert self._weights is not None
        self._append(ByteRange(0, len(self._weights.bytes)))

    @property
    def is_kept(self) -> bool:
        """True if the content is that of the weights file, or if there is none and none is needed."""
        if self._weights is None or not self._weights.exists:
            return not self._pieces
        return self._pieces == [ByteRange(0, len(self._weights.bytes))]

    def add(self, data: bytes) -> int:
        """Return the offset of new values."""
        key = hashlib.blake2b(data, digest_size=16).digest()
        if key not in self._known:
            self._known[key] = self._append(data)
        return self._known[key]

    def add_range(self, start: int, size: int) -> int:
        """Return the offset of a range of the weights file; WeightsOutOfRange for one that it does not have."""
        piece = ByteRange(start, size)
        if piece not in self._known:
            first = self._pieces[0] if self._pieces else None
            is_inside = isinstance(first, ByteRange) and first.start == 0 and start + size <= first.size
            self._known[piece] = start if is_inside else self._append(piece)
        return self._known[piece]

    def _append(self, piece: bytes | ByteRange) -> int:
        offset = self.size
        self._pieces.append(piece)
        self.size += piece.size if isinstance(piece, ByteRange) else len(piece)
        return offset

    def write(self, file: BinaryIO) -> None:
        """Write the content; WeightsOutOfRange where the weights file was changed since it was read."""
        source = None if self._weights is None else self._weights.stream()
        try:
            for piece in self._pieces:
                if isinstance(piece, bytes):
                    file.write(piece)
                elif source is None:
                    file.write(self._read(piece).data)
                else:
                    _copy(source, file, piece)
        finally:
            if source is not None:
                source.close()
        if self._weights is not None:
            self._weights.check()

    def whole(self) -> bytes:
        """Return the whole content."""
        return b"".join([piece if isinstance(piece, bytes) else self._read(piece).tobytes() for piece in self._pieces])

    def _read(self, piece: ByteRange) -> Array:
        data = None if self._weights is None else self._weights.read(*piece)
        if data is None:
            raise WeightsOutOfRange("the weights file is missing")
        return data


def _copy(source: BinaryIO, file: BinaryIO, piece: ByteRange) -> None:
    source.seek(piece.start)
    left = piece.size
    while left:
        data = source.read(min(left, _PIECE))
        if not data:
            raise WeightsOutOfRange("the weights file was truncated while it was read; read the model again")
        file.write(data)
        left -= len(data)
