"""Text as its tokens come: complete characters only, and nothing that a later token may change."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from enum import Enum
from typing import Any, Final, Protocol

from irrun.generation.errors import GenerationError

_INCOMPLETE: Final = "\ufffd"
_UNFINISHED: Final = "unexpected end of data"
"""What Python says of bytes that end inside a character."""

_LONG: Final = 32
"""Tokens that are decoded at once, at most; then those before the last ``_CONTEXT`` are settled."""

_CONTEXT: Final = 8
_CLEANED: Final = re.compile(r" \S{0,3}\Z")
"""What detokenizers that remove the spaces before punctuation may join to the text before it."""


class StreamingStatus(Enum):
    """Whether generation goes on, as a streamer answers."""

    RUNNING = "running"
    STOP = "stop"
    CANCEL = "cancel"


class StreamerBase:
    """The base of streamers: ``write`` gets the tokens one by one, ``end`` is called after the last."""

    def write(self, token: int) -> StreamingStatus | bool | None:
        """Take a token; True, STOP or CANCEL ends the generation."""
        raise NotImplementedError

    def end(self) -> None:
        """Take the end of the text."""


class Stop:
    """The texts that end a text."""

    def __init__(self, texts: Collection[str]) -> None:
        self._texts = tuple(texts)
        self._longest = max(map(len, self._texts), default=0)

    def found(self, text: str, begin: int = 0) -> tuple[int, int] | None:
        """Return the begin and the end of the first one in a text from ``begin`` on."""
        places = [(place, place + len(stop)) for stop in self._texts if (place := text.find(stop, begin)) >= 0]
        return min(places, default=None)

    def undecided(self, text: str) -> int:
        """Return the number of last characters that may be the begin of one."""
        most = min(self._longest - 1, len(text))
        sizes = (size for size in range(most, 0, -1) if any(stop.startswith(text[-size:]) for stop in self._texts))
        return next(sizes, 0)


class Source(Protocol):
    """The text of tokens that come one by one, as far as later tokens do not change it."""

    def add(self, token: int) -> str:
        """Take a token; return the text that has become settled."""
        ...

    def end(self) -> str:
        """Take the end of the tokens; return the rest of the text."""
        ...


class Window:
    """The text of tokens by any detokenizer, which decodes a window of the last ones again for each token.

    ``cleans`` says that it removes spaces before punctuation.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str], cleans: bool = False) -> None:
        self._decode = decode
        self._cleans = cleans
        self._tokens: list[int] = []
        self._given = 0
        """The characters of the window's text that are settled."""

    def begin(self, tokens: Sequence[int], given: int) -> None:
        """Begin with tokens of whose text some characters are settled."""
        self._tokens, self._given = list(tokens), given

    def add(self, token: int) -> str:
        self._tokens.append(token)
        text = self._decode(self._tokens)
        complete = len(text.rstrip(_INCOMPLETE))
        if self._cleans and (joined := _CLEANED.search(text, 0, complete)):
            complete = joined.start()
        new = text[self._given : complete]
        self._given = max(self._given, complete)
        if len(self._tokens) >= _LONG and complete == len(text):
            self._advance(text)
        return new

    def end(self) -> str:
        return self._decode(self._tokens)[self._given :] if self._tokens else ""

    def _advance(self, text: str) -> None:
        """Leave out the first tokens of the window, where the last ones alone end in the same text."""
        tail = self._decode(self._tokens[-_CONTEXT:])
        if tail and text.endswith(tail):
            self._tokens, self._given = self._tokens[-_CONTEXT:], len(tail)


class Bytes:
    """The text of tokens that are bytes each. Behind the first one that is not UTF-8, it is that of a Window."""

    def __init__(self, pieces: Sequence[bytes], decode: Callable[[Sequence[int]], str]) -> None:
        self._pieces = pieces
        self._rest = Window(decode)
        self._tokens: list[int] = []
        """The tokens with bytes of an unfinished character."""

        self._data = b""
        self._given = 0
        """The characters of their text that are settled."""

        self._is_text = True

    def add(self, token: int) -> str:
        if not self._is_text:
            return self._rest.add(token)
        self._tokens.append(token)
        self._data += self._pieces[token] if token < len(self._pieces) else b""
        try:
            text = self._data.decode()
        except UnicodeDecodeError as error:
            if error.end < len(self._data) or error.reason != _UNFINISHED:
                self._is_text = False
                self._rest.begin(self._tokens[:-1], self._given)
                return self._rest.add(token)
            text = self._data[: error.start].decode()
            new, self._given = text[self._given :], len(text)
            return new
        new = text[self._given :]
        self._tokens, self._data, self._given = [], b"", 0
        return new

    def end(self) -> str:
        if self._is_text:
            self._rest.begin(self._tokens, self._given)
        return self._rest.end()


class TextStream:
    """The text of tokens that come one by one, up to a stop string.

    ``text`` is what is settled: later tokens never change it, and it is no part of a stop string. ``add`` and ``end``
    return what is new of it. ``stopped`` is the begin and the end of the stop string, None before it.
    """

    def __init__(self, source: Source, stop: Collection[str] = ()) -> None:
        self.text = ""
        self.stopped: tuple[int, int] | None = None
        self._source = source
        self._stop = Stop(stop)
        self._waiting = ""
        """What may become a stop string."""

    def add(self, token: int) -> str:
        """Take a token; return the text that has become settled."""
        return self._settled(self._source.add(token))

    def end(self) -> str:
        """Take the end of the tokens; return the rest of the text."""
        return self._settled(self._source.end(), is_last=True)

    def _settled(self, new: str, is_last: bool = False) -> str:
        if self.stopped is not None:
            return ""
        whole = self._waiting + new
        found = self._stop.found(whole)
        complete = found[0] if found is not None else len(whole)
        if found is not None:
            self.stopped = len(self.text) + found[0], len(self.text) + found[1]
        elif not is_last:
            complete -= self._stop.undecided(whole)
        self._waiting = whole[complete:]
        self.text += whole[:complete]
        return whole[:complete]


class Writer:
    """Passes what is generated to a streamer: a function of new texts, or a StreamerBase of tokens."""

    def __init__(self, streamer: Any) -> None:
        if not isinstance(streamer, StreamerBase) and not callable(streamer):
            raise GenerationError(f"the streamer is {streamer!r}, expected a function of texts, or a StreamerBase")
        self._streamer = streamer

    def token(self, token: int) -> bool:
        """Pass a token; return whether generation ends."""
        return isinstance(self._streamer, StreamerBase) and _ends(self._streamer.write(token))

    def text(self, text: str) -> bool:
        """Pass a new text; return whether generation ends."""
        return bool(text) and not isinstance(self._streamer, StreamerBase) and _ends(self._streamer(text))

    def end(self) -> None:
        """Pass the end of the text."""
        if isinstance(self._streamer, StreamerBase):
            self._streamer.end()


def _ends(answer: StreamingStatus | bool | None) -> bool:
    return answer in (StreamingStatus.STOP, StreamingStatus.CANCEL, True)
