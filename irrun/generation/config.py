"""The settings of text generation, named as in ``openvino_genai.GenerationConfig``."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple

from irrun.diagnostics import listing, near_match
from irrun.generation.errors import GenerationError
from irrun.generation.folder import json_table

_SEED: Final = 1 << 64


class StopCriteria(StrEnum):
    """When beam search ends, as ``openvino_genai.StopCriteria`` names it."""

    EARLY = "EARLY"
    HEURISTIC = "HEURISTIC"
    NEVER = "NEVER"


@dataclass(slots=True)
class GenerationConfig:
    """Settings of text generation. The names are those of ``openvino_genai.GenerationConfig``.

    ``json_path`` is a ``generation_config.json`` to read, whose entries replace the defaults.

    * ``max_new_tokens``: the most tokens to generate; None for as many as ``max_length`` allows, prompt included. With
      neither, generation goes on to an end token, or to the last position of the model.
    * ``min_new_tokens``: the number of tokens before which no end token is chosen.
    * ``eos_token_id``, ``stop_token_ids``: tokens that end a text; ``ignore_eos`` goes on nevertheless.
    * ``stop_strings``: texts that end a text, which are left out unless ``include_stop_str_in_output``.
    * ``echo``: begin the result with the prompt. ``logprobs``: compute the scores of results, if not 0.
    * ``apply_chat_template``: present a prompt as the message of a user, where the folder has a chat template.
    * ``repetition_penalty`` divides positive and multiplies negative scores of tokens of the prompt and the text;
      ``presence_penalty`` is subtracted from those of the text, ``frequency_penalty`` once for each occurrence.
    * ``no_repeat_ngram_size``: no sequence of this many tokens occurs twice; 0 allows it.
    * ``do_sample``: draw tokens at random, from the likeliest ``top_k``, from those that make up a probability of
      ``top_p``, and from those at least ``min_p`` times as likely as the likeliest, at a ``temperature``.
      ``rng_seed`` seeds the draws: equal seeds give equal texts.
    * ``num_return_sequences``: the number of texts for each prompt.
    * ``num_beams``: search with this many beams, whose scores are divided by their length to the power of
      ``length_penalty``; ``stop_criteria`` is ``EARLY``, ``HEURISTIC`` or ``NEVER``.
    """

    json_path: InitVar[str | Path | None] = None
    _: KW_ONLY
    max_new_tokens: int | None = None
    max_length: int | None = None
    min_new_tokens: int = 0
    ignore_eos: bool = False
    eos_token_id: int = -1
    stop_token_ids: Collection[int] = field(default_factory=set)
    stop_strings: Collection[str] = field(default_factory=set)
    include_stop_str_in_output: bool = False
    echo: bool = False
    logprobs: int = 0
    apply_chat_template: bool = True
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    no_repeat_ngram_size: int = 0
    do_sample: bool = False
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    rng_seed: int = 0
    num_return_sequences: int = 1
    num_beams: int = 1
    length_penalty: float = 1.0
    stop_criteria: str = StopCriteria.HEURISTIC

    def __post_init__(self, json_path: str | Path | None) -> None:
        if json_path is None:
            return
        if not isinstance(json_path, str | Path):
            raise GenerationError(f"json_path is {json_path!r}, expected the path of a generation_config.json")
        for name, value in from_files(json_table(Path(json_path)), {}).settings.items():
            if getattr(self, name) == getattr(_DEFAULT, name):
                setattr(self, name, value)

    @property
    def ends(self) -> frozenset[int]:
        """The tokens that end a text."""
        if self.ignore_eos:
            return frozenset()
        eos = (self.eos_token_id,) if self.eos_token_id >= 0 else ()
        return frozenset((*self.stop_token_ids, *eos))

    def is_greedy_decoding(self) -> bool:
        """Return whether each token is the likeliest one."""
        return not self.do_sample and self.num_beams == 1

    def is_beam_search(self) -> bool:
        """Return whether several beams are searched."""
        return self.num_beams > 1

    def is_multinomial(self) -> bool:
        """Return whether tokens are drawn at random."""
        return self.do_sample

    def set_eos_token_id(self, tokenizer_eos_token_id: int) -> None:
        """Set the token that ends a text."""
        self.eos_token_id = tokenizer_eos_token_id

    def update_generation_config(self, **given: Any) -> None:
        """Replace some settings; GenerationError for an unknown name or an invalid value."""
        changed = self.updated(**given)
        for name in _NAMES:
            setattr(self, name, getattr(changed, name))

    def updated(self, **given: Any) -> GenerationConfig:
        """Return the settings with some replaced; GenerationError for an unknown name or an invalid value."""
        for name in given:
            if name not in _NAMES:
                raise GenerationError(f'there is no setting "{name}" of generation{near_match(name, _NAMES)}')
        changed = dataclasses.replace(self, **given)
        if isinstance(changed.stop_strings, str):
            changed.stop_strings = {changed.stop_strings}
        changed.validate()
        return changed

    def validate(self) -> None:
        """Raise GenerationError where a value is invalid, or contradicts another."""
        for name, (is_valid, expected) in _VALID.items():
            value = getattr(self, name)
            if not is_valid(value):
                raise GenerationError(f"{name} is {value!r}, expected {expected}")
        if self.do_sample and self.num_beams > 1:
            raise GenerationError(f"do_sample is True and num_beams is {self.num_beams}, expected one of the two only")
        if self.num_beams > 1 and self.num_return_sequences > self.num_beams:
            what = f"num_return_sequences is {self.num_return_sequences}"
            raise GenerationError(f"{what}, expected {self.num_beams}, the number of beams, at most")
        if self.num_return_sequences > 1 and not self.do_sample and self.num_beams == 1:
            what = f"num_return_sequences is {self.num_return_sequences}, but every text would be the same"
            raise GenerationError(f"{what}, expected do_sample or num_beams with it")

    def most_new(self, prompt: int, positions: int | None) -> int:
        """Return the most tokens to generate after a prompt of some tokens, in a model with some positions."""
        new = self.max_new_tokens
        if new is None:
            new = _SEED if self.max_length is None else max(self.max_length - prompt, 0)
        return new if positions is None else min(new, max(positions - prompt, 0))


_NAMES: Final = tuple(item.name for item in dataclasses.fields(GenerationConfig))
_DEFAULT: Final = GenerationConfig()


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < _SEED


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _at_least(least: int) -> tuple[Callable[[Any], bool], str]:
    return (lambda value: _is_count(value, least)), f"an integer of at least {least}"


def _or_none(least: int) -> tuple[Callable[[Any], bool], str]:
    return (lambda value: value is None or _is_count(value, least)), f"an integer of at least {least}, or None"


_FLAG: Final = (lambda value: isinstance(value, bool)), "True or False"
_REAL: Final = _is_number, "a number"
_TOKENS: Final = (
    (lambda value: isinstance(value, Collection) and all(_is_count(item, 0) for item in value)),
    "a set of token ids",
)
_TEXTS: Final = (
    (lambda value: isinstance(value, Collection) and all(isinstance(item, str) and item for item in value)),
    "a set of strings that are not empty",
)
_VALID: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "max_new_tokens": _or_none(0),
    "max_length": _or_none(0),
    "min_new_tokens": _at_least(0),
    "eos_token_id": _at_least(-1),
    "ignore_eos": _FLAG,
    "echo": _FLAG,
    "do_sample": _FLAG,
    "apply_chat_template": _FLAG,
    "include_stop_str_in_output": _FLAG,
    "stop_token_ids": _TOKENS,
    "stop_strings": _TEXTS,
    "logprobs": _at_least(0),
    "repetition_penalty": ((lambda value: _is_number(value) and value > 0), "a positive number"),
    "presence_penalty": _REAL,
    "frequency_penalty": _REAL,
    "length_penalty": _REAL,
    "no_repeat_ngram_size": _at_least(0),
    "temperature": ((lambda value: _is_number(value) and value > 0), "a positive number; do_sample=False for 0"),
    "top_k": _at_least(0),
    "top_p": ((lambda value: _is_number(value) and 0 < value <= 1), "a number above 0 and at most 1"),
    "min_p": ((lambda value: _is_number(value) and 0 <= value < 1), "a number of at least 0 and below 1"),
    "rng_seed": _at_least(0),
    "num_return_sequences": _at_least(1),
    "num_beams": _at_least(1),
    "stop_criteria": ((lambda value: value in tuple(StopCriteria)), "EARLY, HEURISTIC or NEVER"),
}


class ReadConfig(NamedTuple):
    """The settings of a file, and for each entry that has no effect the reason."""

    settings: Mapping[str, Any]
    ignored: Sequence[str] = ()

    @property
    def config(self) -> GenerationConfig:
        """The settings, with defaults for the others."""
        return GenerationConfig(**self.settings)


def from_files(generation: Mapping[str, Any], model: Mapping[str, Any]) -> ReadConfig:
    """Return the settings of ``generation_config.json``, and the end tokens of ``config.json`` where it has none.

    Entries that are null or have no meaning here, and invalid ones, have no effect.
    """
    found: dict[str, Any] = {}
    ignored: list[str] = []
    for name, value in generation.items():
        if value is None or name in _SILENT or name == "eos_token_id":
            continue
        name, value = _translated(name, value)
        if name not in _VALID or name == "apply_chat_template":
            ignored.append(f"{name} has no effect")
        elif not _VALID[name][0](value):
            ignored.append(f"{name} is {value!r}, expected {_VALID[name][1]}")
        else:
            found[name] = value
    ends = generation.get("eos_token_id", model.get("eos_token_id"))
    ids = [id for id in (ends if isinstance(ends, list) else [ends]) if _is_count(id, 0)]
    if ids:
        found |= {"eos_token_id": ids[0], "stop_token_ids": {*ids, *found.get("stop_token_ids", ())}}
    try:
        GenerationConfig(**found).validate()
    except GenerationError as error:
        dropped = [name for name in ("num_return_sequences", "num_beams") if found.pop(name, None) is not None]
        ignored.append(f"{error}; ignored: {listing(dropped)}")
    return ReadConfig(found, tuple(ignored))


def _translated(name: str, value: Any) -> tuple[str, Any]:
    """Return an entry of transformers under the name and with the value that it has here."""
    if name == "early_stopping":
        criteria = {True: StopCriteria.EARLY, False: StopCriteria.HEURISTIC, "never": StopCriteria.NEVER}
        return "stop_criteria", criteria.get(value, value) if isinstance(value, bool | str) else value
    if name == "stop_strings":
        return name, {value} if isinstance(value, str) else set(value) if _TEXTS[0](value) else value
    return name, float(value) if _is_number(value) and isinstance(getattr(_DEFAULT, name, None), float) else value


_SILENT: Final = frozenset(
    {
        "_from_model_config",
        "bos_token_id",
        "cache_implementation",
        "decoder_start_token_id",
        "output_attentions",
        "output_hidden_states",
        "output_scores",
        "pad_token_id",
        "return_dict_in_generate",
        "transformers_version",
        "use_cache",
    }
)
"""Entries that change no text."""
