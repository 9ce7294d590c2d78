"""Text as its tokens come: complete characters only, and nothing that a later token may change."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from enum import Enum
from typing import Any, Final, Protocol

from irrun.generation.errors import GenerationError

_INCOMPLETE: Final = "\ufffd"
_UNFINISHED: Final = "unexpected end of data"
"""The reason that Python states for bytes that end inside a character."""

_LONG: Final = 32
"""Tokens that are decoded at once, at most; then those before the last ``_CONTEXT`` are settled."""

_CONTEXT: Final = 8
_CLEANED: Final = re.compile(r" \S{0,3}\Z")
"""The last characters behind a space, which detokenizers that remove spaces before punctuation may join to the text."""


class StreamingStatus(Enum):
    """The answer of a streamer: generation goes on, ends, or ends without a trace in the conversation."""

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


class StopStrings:
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


class TextSource(Protocol):
    """The text of tokens that come one by one, as far as later tokens do not change it."""

    def begin(self, tokens: Sequence[int]) -> str:
        """Take the tokens before the first one; return the text that is settled."""
        ...

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

    def begin(self, tokens: Sequence[int]) -> str:
        self._tokens = list(tokens[:-1])
        return self.add(tokens[-1]) if len(tokens) else ""

    def add(self, token: int) -> str:
        self._tokens.append(token)
        text = self._decode(self._tokens)
        complete = len(text.rstrip(_INCOMPLETE))
        if self._cleans and (joined := _CLEANED.search(text, 0, complete)):
            complete = joined.start()
        new = text[self._given : complete]
        self._given = max(self._given, complete)
        if len(self._tokens) >= _LONG:
            self._advance(text)
        return new

    def end(self) -> str:
        return self._decode(self._tokens)[self._given :] if self._tokens else ""

    def _advance(self, text: str) -> None:
        """Leave out the first tokens of the window, where the last ones alone end in the same text."""
        tail = self._decode(self._tokens[-_CONTEXT:])
        given = self._given - (len(text) - len(tail))
        if tail and text.endswith(tail) and given >= 0:
            self._tokens, self._given = self._tokens[-_CONTEXT:], given


class Bytes:
    """The text of tokens that are bytes each. The detokenizer decodes those that are not UTF-8."""

    def __init__(self, pieces: Sequence[bytes], decode: Callable[[Sequence[int]], str]) -> None:
        self._pieces = pieces
        self._decode = decode
        self._known: dict[tuple[int, ...], str] = {}
        """The texts of tokens that are not UTF-8."""

        self._tokens: list[int] = []
        """The tokens since the last whole character."""

        self._data = b""
        self._given = 0
        """The characters of their text that are settled."""

    def begin(self, tokens: Sequence[int]) -> str:
        return "".join([self.add(token) for token in tokens])

    def add(self, token: int) -> str:
        piece = self._pieces[token] if token < len(self._pieces) else b""
        new = "" if not self._tokens or _goes_on(piece) else self.end()
        self._tokens.append(token)
        self._data += piece
        try:
            text = self._data.decode()
        except UnicodeDecodeError as error:
            if not _is_unfinished(self._data):
                return new + self.end()
            if error.reason != _UNFINISHED:
                return new
            text = self._data[: error.start].decode()
            new += text[self._given :]
            self._given = len(text)
            return new
        new += text[self._given :]
        self._forget()
        return new

    def end(self) -> str:
        tokens = tuple(self._tokens)
        if tokens not in self._known:
            self._known[tokens] = self._decode(tokens)
        new = self._known[tokens][self._given :]
        self._forget()
        return new

    def _forget(self) -> None:
        self._tokens, self._data, self._given = [], b"", 0


def _goes_on(data: bytes) -> bool:
    """Return whether bytes may go on with a character that others began."""
    return not data or 0x80 <= data[0] < 0xC0


def _is_unfinished(data: bytes) -> bool:
    """Return whether bytes end inside a character, by the width that its first byte says."""
    for size, byte in enumerate(data[:-4:-1], 1):
        if byte >= 0xC0:
            return size < (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4 if byte < 0xF8 else 1)
        if byte < 0x80:
            return False
    return False


class TextStream:
    """The text of tokens that come one by one, up to a stop string.

    ``text`` is what is settled: later tokens never change it, and it is not part of a stop string, unless
    ``includes_stop``. It begins with the text of ``prompt``. ``add`` and ``end`` return what is new of it.
    """

    def __init__(
        self,
        source: TextSource,
        stop: Collection[str] = (),
        includes_stop: bool = False,
        prompt: Sequence[int] = (),
    ) -> None:
        self.text: str = source.begin(prompt)
        self.is_stopped: bool = False
        self._source = source
        self._stop = StopStrings(stop)
        self._includes_stop = includes_stop
        self._waiting = ""
        """The end of the text that may become a stop string."""

    def add(self, token: int) -> str:
        """Take a token; return the text that has become settled."""
        return "" if self.is_stopped else self._settled(self._source.add(token))

    def end(self) -> str:
        """Take the end of the tokens; return the rest of the text."""
        return "" if self.is_stopped else self._settled(self._source.end(), is_last=True)

    def _settled(self, new: str, is_last: bool = False) -> str:
        whole = self._waiting + new
        found = self._stop.found(whole)
        complete = len(whole)
        if found is not None:
            self.is_stopped = True
            complete = found[1] if self._includes_stop else found[0]
        elif not is_last:
            complete -= self._stop.undecided(whole)
        self._waiting = whole[complete:]
        self.text += whole[:complete]
        return whole[:complete]


class StreamWriter:
    """Passes what is generated to a streamer: a function of new texts, or a StreamerBase of tokens.

    ``status`` is the last answer other than RUNNING.
    """

    def __init__(self, streamer: Any) -> None:
        if not isinstance(streamer, StreamerBase) and not callable(streamer):
            raise GenerationError(f"the streamer is {streamer!r}, expected a function of texts, or a StreamerBase")
        self.status: StreamingStatus = StreamingStatus.RUNNING
        self._streamer = streamer

    def token(self, token: int) -> None:
        """Pass a token."""
        if isinstance(self._streamer, StreamerBase):
            self._take(self._streamer.write(token))

    def text(self, text: str) -> None:
        """Pass a new text, unless it is empty."""
        if text and not isinstance(self._streamer, StreamerBase):
            self._take(self._streamer(text))

    def end(self) -> None:
        """Pass the end of the text."""
        if isinstance(self._streamer, StreamerBase):
            self._streamer.end()

    def _take(self, answer: StreamingStatus | bool | None) -> None:
        status = StreamingStatus.STOP if answer is True else answer
        if self.status is StreamingStatus.RUNNING and isinstance(status, StreamingStatus):
            self.status = status


class TextStreamer(StreamerBase):
    """Passes each new part of the text to a function, as ``openvino_genai.TextStreamer`` does.

    ``callback`` returns True, STOP or CANCEL to end the generation.
    """

    def __init__(self, tokenizer: Decoder, callback: Callable[[str], StreamingStatus | bool | None]) -> None:
        self._tokenizer = tokenizer
        self._callback = callback
        self._stream: TextStream | None = None

    def write(self, token: int) -> StreamingStatus | bool | None:
        """Take a token."""
        if self._stream is None:
            self._stream = TextStream(self._tokenizer.source())
        new = self._stream.add(token)
        return self._callback(new) if new else StreamingStatus.RUNNING

    def end(self) -> None:
        """Pass the rest of the text."""
        rest = self._stream.end() if self._stream is not None else ""
        self._stream = None
        if rest:
            self._callback(rest)


class Decoder(Protocol):
    """A tokenizer that decodes tokens one by one."""

    def source(self) -> TextSource:
        """Return the text of tokens that come one by one."""
        ...
