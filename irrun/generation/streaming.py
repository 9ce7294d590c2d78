"""Text as its tokens come: complete characters only, and nothing that a later token may change."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from enum import Enum
from typing import Any, Final

from irrun.generation.errors import GenerationError

_INCOMPLETE: Final = "\ufffd"
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

    def found(self, text: str, begin: int = 0) -> tuple[int, int] | None:
        """Return the begin and the end of the first one in a text from ``begin`` on."""
        places = [(place, place + len(stop)) for stop in self._texts if (place := text.find(stop, begin)) >= 0]
        return min(places, default=None)

    def undecided(self, text: str) -> int:
        """Return the number of last characters that may be the begin of one."""
        most = min(max(map(len, self._texts), default=0) - 1, len(text))
        sizes = (size for size in range(most, 0, -1) if any(stop.startswith(text[-size:]) for stop in self._texts))
        return next(sizes, 0)

    @property
    def longest(self) -> int:
        return max(map(len, self._texts), default=0)


class TextStream:
    """The text of tokens that come one by one.

    ``text`` is what is settled: later tokens never change it. ``add`` and ``end`` return what is new of it. Each call
    decodes a window of the last tokens only. ``cleans`` says that the detokenizer removes spaces before punctuation.
    """

    def __init__(
        self, decode: Callable[[Sequence[int]], str], stop: Collection[str] = (), cleans: bool = False
    ) -> None:
        self.text = ""
        self.stopped: tuple[int, int] | None = None
        self._decode = decode
        self._stop = Stop(stop)
        self._cleans = cleans
        self._window: list[int] = []
        self._settled = ""
        """The text before that of the window."""

        self._skipped = 0
        """The characters of the window's text that belong to ``_settled``."""

    def add(self, token: int) -> str:
        """Take a token; return the text that has become settled."""
        self._window.append(token)
        text = self._decode(self._window)
        whole = self._settled + text[self._skipped :]
        complete = len(whole.rstrip(_INCOMPLETE))
        if self._cleans and (joined := _CLEANED.search(whole, 0, complete)):
            complete = joined.start()
        if len(self._window) >= _LONG and complete == len(whole):
            self._advance(text)
        return self._settle(whole, complete)

    def end(self) -> str:
        """Take the end of the tokens; return the rest of the text."""
        whole = self._settled + (self._decode(self._window)[self._skipped :] if self._window else "")
        return self._settle(whole, len(whole), is_last=True)

    def _advance(self, text: str) -> None:
        """Leave out the first tokens of the window, where the last ones alone end in the same text."""
        kept = self._window[-_CONTEXT:]
        tail = self._decode(kept)
        if tail and text.endswith(tail):
            self._settled += text[self._skipped :]
            self._window, self._skipped = kept, len(tail)

    def _settle(self, whole: str, complete: int, is_last: bool = False) -> str:
        if self.stopped is not None:
            return ""
        begin = max(len(self.text) - self._stop.longest, 0)
        self.stopped = self._stop.found(whole[:complete], begin)
        if self.stopped is not None:
            complete = self.stopped[0]
        elif not is_last:
            complete -= self._stop.undecided(whole[:complete])
        new = whole[len(self.text) : complete]
        self.text += new
        return new


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
