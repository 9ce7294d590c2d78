"""``ChatHistory``: the messages of a conversation, and what its chat template gets with them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from irrun.generation.errors import GenerationError

Message = Mapping[str, Any]
"""A part of a conversation: its ``role``, such as user, and its ``content``."""


class ChatHistory:
    """The messages of a conversation, the tools that a model may call, and variables of the chat template.

    The methods are named as those of ``openvino_genai.ChatHistory``. Messages, tools and variables are copied.
    GenerationError for messages that are not mappings.
    """

    def __init__(self, messages: Sequence[Message] = ()) -> None:
        self._messages: list[dict[str, Any]] = []
        self._tools: list[dict[str, Any]] = []
        self._extra_context: dict[str, Any] = {}
        self.set_messages(messages)

    def append(self, message: Message) -> None:
        """Add a message, such as ``{"role": "user", "content": "Hello."}``."""
        self._messages.append(_table(message, "a message"))

    def pop(self) -> dict[str, Any]:
        """Remove the last message and return it; GenerationError where there is none."""
        if not self._messages:
            raise GenerationError("the conversation has no messages, expected one to remove")
        return self._messages.pop()

    def clear(self) -> None:
        """Remove all messages."""
        self._messages.clear()

    def get_messages(self) -> list[dict[str, Any]]:
        """Return the messages."""
        return copy.deepcopy(self._messages)

    def set_messages(self, messages: Sequence[Message]) -> None:
        """Replace the messages."""
        self._messages = [_table(message, "a message") for message in messages]

    def get_tools(self) -> list[dict[str, Any]]:
        """Return the descriptions of the tools."""
        return copy.deepcopy(self._tools)

    def set_tools(self, tools: Sequence[Mapping[str, Any]]) -> None:
        """Set the descriptions of the tools, which the template gets as ``tools``."""
        self._tools = [_table(tool, "a tool") for tool in tools]

    def get_extra_context(self) -> dict[str, Any]:
        """Return the variables of the template."""
        return copy.deepcopy(self._extra_context)

    def set_extra_context(self, extra_context: Mapping[str, Any]) -> None:
        """Set variables of the template, such as ``{"enable_thinking": False}``."""
        self._extra_context = _table(extra_context, "the extra context")

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.get_messages())

    def __getitem__(self, place: int) -> dict[str, Any]:
        return copy.deepcopy(self._messages[place])

    def __repr__(self) -> str:
        return f"ChatHistory({self._messages!r})"


def question(text: str) -> Message:
    """Return a message of the user."""
    return {"role": "user", "content": text}


def _table(given: Mapping[str, Any], what: str) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise GenerationError(f"{what} is {given!r}, expected a mapping")
    return copy.deepcopy(dict(given))
