"""Texts to ids and back, by the tokenizer and the detokenizer of a folder."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from irrun.diagnostics.installing import install
from irrun.document.rt_info import rt_info
from irrun.generation import chat, pairs
from irrun.generation.batch import TokenizedInputs, padded
from irrun.generation.detokenizer import Detokenizer
from irrun.generation.errors import GenerationError
from irrun.generation.folder import DETOKENIZER, TOKENIZER, Folder
from irrun.generation.history import ChatHistory, Message
from irrun.generation.rendering import rendered
from irrun.generation.streaming import TextSource
from irrun.model import Loaded, build, load
from irrun.tensor import Array


class Tokenizer:
    """The tokenizer of a folder; its methods are named as in ``openvino_genai.Tokenizer``."""

    def __init__(self, path: str | Path | Folder) -> None:
        self._folder = path if isinstance(path, Folder) else Folder(path)
        model = load(self._folder.file(TOKENIZER))
        _require_expressions(model)
        self._info = rt_info(model.document)
        self._encoder = build(model).session()
        self._inputs = len(model.inputs)
        self._names = [port.any_name for port in model.outputs]
        self._template: str | None = None
        if "input_ids" not in self._names:
            raise GenerationError(f'{self._folder.path / TOKENIZER} has no output "input_ids"')
        self.limit: int | None = pairs.limit(model) if self._inputs == 1 else None
        """The most tokens of a text, without special ones, of a model of whole texts; None where the file has none.

        A tokenizer of pairs cuts them itself.
        """

        pairs.leave_whole(model, self._encoder.state)

    @functools.cached_property
    def _detokenizer(self) -> Detokenizer:
        model = load(self._folder.file(DETOKENIZER))
        _require_expressions(model)
        return Detokenizer(model)

    def source(self) -> TextSource:
        """Return the text of tokens that come one by one."""
        return self._detokenizer.source()

    @functools.cached_property
    def settings(self) -> Mapping[str, Any]:
        """The table of ``tokenizer_config.json``."""
        return self._folder.json("tokenizer_config.json")

    @property
    def eos_token_id(self) -> int | None:
        """The token that ends a text, as the tokenizer names it."""
        return _id(self._info.get("eos_token_id"))

    @property
    def pad_token_id(self) -> int:
        """The token that fills shorter rows of a batch; 0 where there is none."""
        return _id(self._info.get("pad_token_id")) or 0

    def get_eos_token_id(self) -> int:
        """Return the token that ends a text; -1 where there is none."""
        return self._named_id("eos")

    def get_bos_token_id(self) -> int:
        """Return the token that begins a text; -1 where there is none."""
        return self._named_id("bos")

    def get_pad_token_id(self) -> int:
        """Return the token that fills shorter rows; -1 where there is none."""
        return self._named_id("pad")

    def get_eos_token(self) -> str:
        """Return the text of the token that ends a text; empty where there is none."""
        return self._token("eos")

    def get_bos_token(self) -> str:
        """Return the text of the token that begins a text; empty where there is none."""
        return self._token("bos")

    def get_pad_token(self) -> str:
        """Return the text of the token that fills shorter rows; empty where there is none."""
        return self._token("pad")

    def _named_id(self, name: str) -> int:
        id = _id(self._info.get(f"{name}_token_id"))
        return -1 if id is None else id

    def _token(self, name: str) -> str:
        known = chat.special_tokens(self._folder, self.settings).get(f"{name}_token")
        id = self._named_id(name)
        return known if known is not None else self.text([id], skip_special_tokens=False) if id >= 0 else ""

    @functools.cached_property
    def vocabulary_size(self) -> int:
        """The number of tokens; 0 where it cannot be told."""
        return len(self._detokenizer.vocabulary) if self._folder.has(DETOKENIZER) else 0

    def get_vocab(self) -> dict[bytes, int]:
        """Return the tokens, as bytes, with their numbers."""
        return {piece: id for id, piece in reversed(list(enumerate(self._detokenizer.vocabulary)))}

    def get_vocab_vector(self) -> list[str]:
        """Return the tokens in the order of their numbers; bytes that are not UTF-8 become U+FFFD."""
        return [piece.decode(errors="replace") for piece in self._detokenizer.vocabulary]

    def supports_paired_input(self) -> bool:
        """Return whether the tokenizer takes pairs of texts."""
        return self._inputs > 1 or self._pair_template is not None

    @functools.cached_property
    def _pair_template(self) -> pairs.Template | None:
        return pairs.template(self._info)

    def run(self, texts: Sequence[str]) -> dict[str, Array]:
        """Return the outputs of the tokenizer by name, as its file pads them."""
        given: list[Any] = [_strings(texts)]
        if self._inputs > 1:
            given += [_strings(())] * (self._inputs - 1)
        return dict(zip(self._names, self._encoder.run(given).to_tuple(), strict=True))

    def run_pairs(self, first: Sequence[str], second: Sequence[str], most: int | None) -> dict[str, Array]:
        """Return ids and mask of pairs of texts, of ``most`` tokens each at most, padded at the end.

        With types, if the tokenizer has them as an output.

        GenerationError where the tokenizer has one input, and its ``rt_info`` no template of pairs.
        """
        if self._inputs > 1:
            outputs = self._encoder.run([_strings(first), _strings(second)]).to_tuple()
            found = dict(zip(self._names, outputs, strict=True))
            longest = found["input_ids"].shape[1]
            if most is None or longest <= most:
                return found
            raise GenerationError(f"a pair of texts has {longest:,} tokens, expected at most {most:,}")
        if self._pair_template is None:
            what = "has one input and no template of pairs in its rt_info"
            raise GenerationError(f"{self._folder.path / TOKENIZER} {what}, expected either for pairs of texts")
        rows = self.rows(first, False), self.rows(second, False)
        found = pairs.joined(*rows, self._pair_template, most, self.pad_token_id)
        return {name: array for name, array in found.items() if name in ("attention_mask", *self._names)}

    def encode(
        self,
        prompts: str | Sequence[str],
        add_special_tokens: bool = True,
        pad_to_max_length: bool = False,
        max_length: int | None = None,
        padding_side: str = "left",
        truncation: bool = False,
    ) -> TokenizedInputs:
        """Return the ids of texts and their mask; shorter rows are padded on one side.

        Without ``add_special_tokens`` the tokens that the tokenizer adds at the begin and the end are left out.
        ``pad_to_max_length`` pads all rows to ``max_length``, ``truncation`` cuts longer ones to it; special tokens
        stay.
        """
        if max_length is None and (pad_to_max_length or truncation):
            raise GenerationError("max_length is None, expected a number of tokens to pad or to cut to")
        if max_length is not None and max_length < 1:
            raise GenerationError(f"max_length is {max_length}, expected 1 token or more")
        rows = self.rows([prompts] if isinstance(prompts, str) else prompts, add_special_tokens)
        if truncation and max_length is not None:
            rows = [self.cut(row, max_length, add_special_tokens) for row in rows]
        return padded(rows, self.pad_token_id, padding_side, (max_length or 0) if pad_to_max_length else 0)

    def cut(self, row: Array, most: int, has_special_tokens: bool = True) -> Array:
        """Return a row of ``most`` ids at most, without the last ones before the special tokens at its end."""
        if len(row) <= most:
            return row
        after = min(self._special[1], most) if has_special_tokens else 0
        return np.concatenate([row[: most - after], row[len(row) - after :]])

    def rows(self, texts: Sequence[str], add_special_tokens: bool = True) -> list[Array]:
        """Return the ids of each text, without padding."""
        if not texts:
            return []
        before, after = (0, 0) if add_special_tokens else self._special
        ids, masks = self._ids(texts)
        found = [row[mask] for row, mask in zip(ids, masks, strict=True)]
        return [row[before : len(row) - after] for row in found]

    def _ids(self, texts: Sequence[str]) -> tuple[Sequence[Array], Sequence[Array]]:
        outputs = self.run(texts)
        ids, mask = outputs["input_ids"].astype(np.int64), outputs.get("attention_mask")
        if mask is not None:
            return list(ids), list(mask.astype(bool))
        if len(texts) == 1:
            return list(ids), [np.ones(ids.shape[1], bool)]
        alone = [self._ids([text]) for text in texts]
        return [ids[0] for ids, _ in alone], [mask[0] for _, mask in alone]

    @functools.cached_property
    def _special(self) -> tuple[int, int]:
        """The number of tokens that are added before and after each text."""
        nothing, something = self.rows([""]), self.rows(["x"])
        added, row = nothing[0].tolist(), something[0].tolist()
        before = next((place for place, id in enumerate(added) if place >= len(row) or row[place] != id), len(added))
        return before, len(added) - before

    @property
    def special_count(self) -> int:
        """The number of tokens that are added to each text."""
        return sum(self._special)

    def decode(self, tokens: Any, skip_special_tokens: bool = True) -> Any:
        """Return the text of a list of ids, or a list of texts for several lists.

        Special tokens are left out where the detokenizer lists them, unless ``skip_special_tokens`` is False.
        """
        if isinstance(tokens, np.ndarray):
            tokens = list(tokens) if tokens.ndim > 1 else tokens
        is_one = len(tokens) == 0 or np.ndim(tokens[0]) == 0
        texts = [self.text(row, skip_special_tokens) for row in ([tokens] if is_one else tokens)]
        return texts[0] if is_one else texts

    def text(self, ids: Sequence[int] | Array, skip_special_tokens: bool = True) -> str:
        """Return the text of some ids; bytes that are not UTF-8 become U+FFFD."""
        return self._detokenizer.text(ids, skip_special_tokens)

    @functools.cached_property
    def original_chat_template(self) -> str:
        """The chat template of the folder in Jinja's language; empty where there is none."""
        return chat.template(self._folder, self.settings, self._info)

    @property
    def chat_template(self) -> str:
        """The chat template in use: that of the folder, or the one that was set."""
        return self._template if self._template is not None else self.original_chat_template

    @chat_template.setter
    def chat_template(self, chat_template: str) -> None:
        self._template = chat_template

    def set_chat_template(self, chat_template: str) -> None:
        """Set the chat template, instead of that of the folder."""
        self._template = chat_template

    def get_original_chat_template(self) -> str:
        """Return the chat template of the folder; empty where there is none."""
        return self.original_chat_template

    def apply_chat_template(
        self,
        history: ChatHistory | Sequence[Message],
        add_generation_prompt: bool = True,
        chat_template: str = "",
        tools: Sequence[Mapping[str, Any]] | None = None,
        extra_context: Mapping[str, Any] | None = None,
    ) -> str:
        """Return a conversation as one text, by the chat template in use or another one.

        ``tools`` and ``extra_context`` are those of a ChatHistory unless they are given. GenerationError where there is
        no template, where it fails, or where it refuses the conversation.
        """
        used = chat_template or self.chat_template
        if not used:
            raise GenerationError(f"{self._folder.path} has no chat template")
        if isinstance(history, ChatHistory):
            tools = tools if tools is not None else history.get_tools() or None
            extra_context = extra_context if extra_context is not None else history.get_extra_context()
        if not len(history):
            raise GenerationError("the conversation has no messages, expected one or more")
        words = {**chat.special_tokens(self._folder, self.settings), **(extra_context or {})}
        words = {**words, "tools": tools, "add_generation_prompt": add_generation_prompt}
        return rendered(used, list(history), words)


def _require_expressions(model: Loaded) -> None:
    """Raise GenerationError for a model with regular expressions where the package for them is not installed."""
    if not any(node.type in ("RegexNormalization", "RegexSplit") for node in model.graph.ordered()):
        return
    try:
        import regex  # noqa: F401
    except ImportError:
        what = "has regular expressions, which need the package regex"
        raise GenerationError(f"{model.filename} {what}: {install('text')}") from None


def _strings(texts: Sequence[str]) -> Array:
    """Return texts as a tensor; GenerationError for one that no bytes can stand for."""
    for place, text in enumerate(texts):
        if text.isascii():
            continue
        try:
            text.encode(errors="surrogateescape")
        except UnicodeEncodeError as error:
            code = f"U+{ord(text[error.start]):04X}"
            raise GenerationError(f"text {place} has half of a surrogate pair, {code} at {error.start}") from None
    strings = np.empty(len(texts), dtype=object)
    strings[:] = list(texts)
    return strings


def _id(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() else None
