"""The prompts of a call: texts, conversations or ids."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from irrun.generation.batch import TokenizedInputs
from irrun.generation.config import GenerationConfig
from irrun.generation.errors import GenerationError
from irrun.generation.history import ChatHistory, Message, question
from irrun.generation.tokenizer import Tokenizer
from irrun.tensor import Array


class EncodedPrompts(NamedTuple):
    """The ids of each prompt; whether the caller gave ids, and whether it gave one text.

    ``seconds`` is the time that chat templates took, None where there were none.
    """

    rows: list[Array]
    is_encoded: bool = False
    is_one: bool = False
    seconds: float | None = None


def read(inputs: Any, config: GenerationConfig, tokenizer: Tokenizer, history: ChatHistory | None) -> EncodedPrompts:
    """Return the request of a call: the next question of a conversation where there is a ``history``.

    GenerationError where there are no prompts, or one has no tokens.
    """
    if isinstance(inputs, str) or _are(inputs, str):
        prompts = [inputs] if isinstance(inputs, str) else list(inputs)
        return _checked(_of_texts(prompts, config, tokenizer, history)._replace(is_one=isinstance(inputs, str)))
    if history is not None:
        raise GenerationError(f"the inputs are {type(inputs).__name__}, expected the text of a question")
    if isinstance(inputs, ChatHistory) or _are(inputs, Mapping):
        if not config.apply_chat_template:
            raise GenerationError("apply_chat_template is False, expected True for a conversation")
        return _checked(_of_conversations([inputs], tokenizer))
    return _checked(EncodedPrompts(_ids(inputs), is_encoded=True))


def _of_texts(
    prompts: list[str], config: GenerationConfig, tokenizer: Tokenizer, history: ChatHistory | None
) -> EncodedPrompts:
    """Encode texts: by the chat template, which has the special tokens itself, or as they are."""
    if history is not None:
        if len(prompts) != 1 or config.num_return_sequences != 1:
            what = f"{len(prompts)} prompts with {config.num_return_sequences} answers each are given in a conversation"
            raise GenerationError(f"{what}, expected one with one")
        return _of_conversations([[*history, question(prompts[0])]], tokenizer)
    if config.apply_chat_template and tokenizer.chat_template:
        return _of_conversations([[question(text)] for text in prompts], tokenizer)
    return EncodedPrompts(tokenizer.rows(prompts))


def _of_conversations(given: Sequence[ChatHistory | Sequence[Message]], tokenizer: Tokenizer) -> EncodedPrompts:
    begin = time.perf_counter()
    prompts = [tokenizer.apply_chat_template(messages) for messages in given]
    seconds = time.perf_counter() - begin
    return EncodedPrompts(tokenizer.rows(prompts, False), seconds=seconds)


def _ids(inputs: Any) -> list[Array]:
    """Return the ids of each prompt, from an array, a Tensor or TokenizedInputs."""
    if isinstance(inputs, TokenizedInputs):
        pairs = zip(inputs.input_ids, inputs.attention_mask, strict=True)
        return [np.asarray(ids, np.int64)[np.asarray(mask, bool)] for ids, mask in pairs]
    try:
        ids = np.asarray(inputs if isinstance(inputs, np.ndarray) else getattr(inputs, "data", inputs))
    except ValueError:
        ids = np.zeros(())
    if ids.dtype.kind not in "iu" or ids.ndim not in (1, 2):
        what = f"the inputs are {type(inputs).__name__}"
        raise GenerationError(f"{what}, expected a text, a list of texts, a conversation, or ids [texts,tokens]")
    return list(np.atleast_2d(ids).astype(np.int64))


def _are(inputs: Any, kind: type) -> bool:
    return isinstance(inputs, list | tuple) and len(inputs) > 0 and all(isinstance(item, kind) for item in inputs)


def _checked(request: EncodedPrompts) -> EncodedPrompts:
    if not request.rows:
        raise GenerationError("there are no prompts, expected one or more")
    for place, row in enumerate(request.rows):
        if len(row) == 0:
            raise GenerationError(f"prompt {place} has no tokens, expected one or more")
    return request


def require_known(rows: Sequence[Array], positions: int | None, tokens: int | None) -> None:
    """Raise GenerationError for prompts with as many tokens as the model has positions, or with unknown tokens."""
    for place, row in enumerate(rows):
        if positions is not None and len(row) >= positions:
            what = f"prompt {place} has {len(row):,} tokens"
            raise GenerationError(f"{what}, expected fewer than {positions:,}, the positions of the model")
        wrong = row[(row < 0) | (row >= tokens)] if tokens is not None else row[row < 0]
        if len(wrong):
            known = f"0 to {tokens - 1:,}, those of the model" if tokens is not None else "0 or more"
            raise GenerationError(f"prompt {place} has the token {wrong[0]:,}, expected {known}")
