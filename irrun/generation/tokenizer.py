"""Texts to ids and back, by the tokenizer and the detokenizer of a folder."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.document.rt_info import rt_info
from irrun.generation import chat
from irrun.generation.errors import GenerationError
from irrun.generation.folder import DETOKENIZER, TOKENIZER, Folder
from irrun.generation.streaming import Bytes, Source, Window
from irrun.model import Loaded, Session, build, load
from irrun.tensor import Array
from irrun.tensor.element_type import U8

_JOINING: Final = frozenset(
    {"Convert", "FuzeRagged", "Parameter", "Result", "StringTensorPack", "UTF8Validate", "VocabDecoder"}
)
"""The operations of a detokenizer that joins the bytes of its tokens."""

_CLEANING: Final = b"n't"
"""A part of the regular expression by which detokenizers remove spaces before punctuation."""


class TokenizedInputs(NamedTuple):
    """Ids of shape [texts, tokens], and 1 in the mask of the same shape where an id is not padding."""

    input_ids: Array
    attention_mask: Array


class Tokenizer:
    """The tokenizer of a folder; its methods are named as in ``openvino_genai.Tokenizer``."""

    def __init__(self, path: str | Path | Folder) -> None:
        self._folder = path if isinstance(path, Folder) else Folder(path)
        model = load(self._folder.file(TOKENIZER))
        self._info = rt_info(model.document)
        self._encoder = build(model).session()
        self._inputs = len(model.inputs)
        self._names = [port.any_name for port in model.outputs]
        if "input_ids" not in self._names:
            raise GenerationError(f'{self._folder.path / TOKENIZER} has no output "input_ids"')

    @functools.cached_property
    def _detokenizer(self) -> Loaded:
        return load(self._folder.file(DETOKENIZER))

    @functools.cached_property
    def _decoder(self) -> Session:
        return build(self._detokenizer).session()

    def source(self) -> Source:
        """Return the text of tokens that come one by one."""
        return Window(self.text, self._cleans) if self._pieces is None else Bytes(self._pieces, self.text)

    @functools.cached_property
    def _cleans(self) -> bool:
        """True if the detokenizer removes spaces before punctuation, which an earlier token has written."""
        facts = self._detokenizer.facts
        texts = [fact.constant for fact in facts.of.values() if fact.type is U8]
        return any(text is not None and _CLEANING in text.tobytes() for text in texts)

    @functools.cached_property
    def _pieces(self) -> list[bytes] | None:
        """The bytes of each token; None for a detokenizer that does more than to join those of its tokens."""
        graph, facts = self._detokenizer.graph, self._detokenizer.facts
        decoders = [node for node in graph.ordered() if node.type == "VocabDecoder"]
        running = graph.downstream(graph.parameters)
        if len(decoders) != 1 or not {graph.node(id).type for id in running} <= _JOINING:
            return None
        sources = [facts.get(outlet) if outlet is not None else None for outlet in graph.sources(decoders[0].id)]
        begins, ends, chars, *skipped = [None if fact is None else fact.constant for fact in sources[1:]]
        if begins is None or ends is None or chars is None or any(ids is None for ids in skipped):
            return None
        data = chars.tobytes()
        pieces = [data[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
        listed = skipped[0] if skipped else None
        left_out = getattr(decoders[0].op, "skip_tokens", ()) if listed is None else listed.tolist()
        for id in left_out:
            if 0 <= id < len(pieces):
                pieces[id] = b""
        return pieces

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

    def run(self, texts: Sequence[str], pairs: Sequence[str] | None = None) -> dict[str, Array]:
        """Return the outputs of the tokenizer by name, as its file pads them; ``pairs`` are the second texts."""
        given: list[Any] = [_strings(texts)]
        if self._inputs > 1:
            given += [_strings(pairs or ())] * (self._inputs - 1)
        elif pairs is not None:
            raise GenerationError(f"{self._folder.path / TOKENIZER} has one input, expected two for pairs of texts")
        outputs = self._encoder.run(given).to_tuple()
        return dict(zip(self._names, outputs, strict=True))

    def encode(
        self, prompts: str | Sequence[str], add_special_tokens: bool = True, padding_side: str = "left"
    ) -> TokenizedInputs:
        """Return the ids of texts and their mask; shorter rows are padded on one side.

        Without ``add_special_tokens`` the tokens that the tokenizer adds at the begin and the end are left out.
        """
        rows = self.rows([prompts] if isinstance(prompts, str) else prompts, add_special_tokens)
        return padded(rows, self.pad_token_id, padding_side)

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

    def decode(self, tokens: Any) -> Any:
        """Return the text of a list of ids, or a list of texts for several lists."""
        if isinstance(tokens, np.ndarray):
            tokens = list(tokens) if tokens.ndim > 1 else tokens
        is_one = len(tokens) == 0 or np.ndim(tokens[0]) == 0
        texts = [self.text(row) for row in ([tokens] if is_one else tokens)]
        return texts[0] if is_one else texts

    def text(self, ids: Sequence[int] | Array) -> str:
        """Return the text of some ids; bytes that are not UTF-8 become U+FFFD."""
        if len(ids) == 0:
            return ""
        found = str(self._decoder.run([np.asarray(ids, np.int64)[np.newaxis]])[0].reshape(-1)[0])
        if found.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in found):
            return found
        return found.encode(errors="surrogateescape").decode(errors="replace")

    @functools.cached_property
    def chat_template(self) -> str:
        """The chat template of the folder in Jinja's language; empty where there is none."""
        return chat.template(self._folder, self.settings, self._info)

    def apply_chat_template(
        self,
        history: Sequence[Mapping[str, Any]],
        add_generation_prompt: bool = True,
        chat_template: str = "",
        tools: Sequence[Mapping[str, Any]] | None = None,
        extra_context: Mapping[str, Any] | None = None,
    ) -> str:
        """Return a conversation as one text, by the chat template of the folder or another one.

        GenerationError where there is none, where it is not a template or where it refuses the conversation.
        """
        used = chat_template or self.chat_template
        if not used:
            raise GenerationError(f"{self._folder.path} has no chat template")
        words = {**chat.special_tokens(self._folder, self.settings), **(extra_context or {})}
        return chat.rendered(used, history, {**words, "tools": tools, "add_generation_prompt": add_generation_prompt})


def padded(rows: Sequence[Array], pad: int, side: str = "left") -> TokenizedInputs:
    """Return rows of ids as one array and its mask; shorter rows are padded on one side."""
    if side not in ("left", "right"):
        raise GenerationError(f'padding_side is "{side}", expected left or right')
    longest = max((len(row) for row in rows), default=0)
    ids, mask = np.full((len(rows), longest), pad, np.int64), np.zeros((len(rows), longest), np.int64)
    for place, row in enumerate(rows):
        part = slice(longest - len(row), longest) if side == "left" else slice(len(row))
        ids[place, part], mask[place, part] = row, 1
    return TokenizedInputs(ids, mask)


def _strings(texts: Sequence[str]) -> Array:
    strings = np.empty(len(texts), dtype=object)
    strings[:] = list(texts)
    return strings


def _id(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() else None
