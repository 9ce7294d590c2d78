"""Generations of transformers, openvino_genai and irrun by the same settings."""

from __future__ import annotations

import functools
import itertools
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
import transformers

import irrun

PROMPTS: Final = ("Once upon a time", "There once was a brave", "Otto slept well and dreamed of the")
LENGTH: Final = 32
SETTINGS: Final[dict[str, dict[str, Any]]] = {
    "greedy": {},
    "repetition 1.1": {"repetition_penalty": 1.1},
    "repetition 1.8": {"repetition_penalty": 1.8},
    "repetition 0.9": {"repetition_penalty": 0.9},
    "2-grams": {"no_repeat_ngram_size": 2},
    "3-grams": {"no_repeat_ngram_size": 3},
    "3-grams, repetition": {"no_repeat_ngram_size": 3, "repetition_penalty": 1.3},
    "at least 20": {"min_new_tokens": 20},
    "at least 20, repetition": {"min_new_tokens": 20, "repetition_penalty": 1.2},
    "top_k 1": {"do_sample": True, "top_k": 1},
    "top_k 1, penalties": {"do_sample": True, "top_k": 1, "repetition_penalty": 1.3, "no_repeat_ngram_size": 2},
    "small top_p": {"do_sample": True, "top_k": 50, "top_p": 1e-6},
    "stop string": {"stop_strings": ["."]},
    "stop strings": {"stop_strings": ["a ", " was", "qq"]},
    "stop string of a part": {"stop_strings": ["nd h", "ome"], "repetition_penalty": 1.2},
    "2 beams": {"num_beams": 2},
    "4 beams": {"num_beams": 4},
    "6 beams, 3 texts": {"num_beams": 6, "num_return_sequences": 3},
    "3 beams, early": {"num_beams": 3, "early_stopping": True},
    "3 beams, never": {"num_beams": 3, "early_stopping": "never"},
    "3 beams, short": {"num_beams": 3, "length_penalty": -1.0},
    "3 beams, long": {"num_beams": 3, "length_penalty": 2.0},
    "3 beams, never, long": {"num_beams": 3, "length_penalty": 2.0, "early_stopping": "never"},
    "3 beams, repetition": {"num_beams": 3, "repetition_penalty": 1.3},
    "4 beams, repetition": {"num_beams": 4, "repetition_penalty": 1.8},
    "3 beams, 2-grams": {"num_beams": 3, "no_repeat_ngram_size": 2},
    "4 beams, 3-grams, repetition": {"num_beams": 4, "no_repeat_ngram_size": 3, "repetition_penalty": 1.2},
    "3 beams, at least 20": {"num_beams": 3, "min_new_tokens": 20},
    "3 beams, two ends": {"num_beams": 3, "ends": "."},
    "3 beams, stop string": {"num_beams": 3, "stop_strings": ["was"]},
}
"""Settings of generation under transformers' names; ``ends`` is a text whose last token also ends texts."""

CUT_BEAMS: Final = "its beams lose tokens in front of a stop string"
"""The note of a generation that is that of openvino_genai if stop strings are part of texts."""

LOST_BEAMS: Final = "a beam that ended at a stop string is lost while others go on"
"""The note of one that is, if moreover no token may follow the text."""


class Outcome(NamedTuple):
    """A generation: the model, the settings, the prompt, and whether irrun's text is that of the others.

    ``streams`` is whether the parts of a stream join to the result. None where there is nothing to compare.
    """

    model: str
    setting: str
    prompt: str
    transformers: bool | None
    genai: bool | None
    streams: bool | None
    note: str = ""


def generations(folder: Path, name: str) -> Iterator[Outcome]:
    """Yield the outcomes of all settings and prompts for a model."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / name / "hf")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder / name / "hf", attn_implementation="eager")
    ours = irrun.TextPipeline(folder / name / "ov", INFERENCE_PRECISION_HINT="f32")
    theirs = genai_pipeline(folder, name)
    for (setting, given), prompt in itertools.product(SETTINGS.items(), PROMPTS):
        ids = tokenizer(prompt, return_tensors="np")["input_ids"]
        if not np.array_equal(ids, ours.get_tokenizer().encode(prompt).input_ids):
            yield Outcome(name, setting, prompt, None, None, None, "the ids of the prompt differ")
            continue
        ends = [tokenizer.eos_token_id]
        if "ends" in given:
            ends.append(tokenizer(given["ends"], add_special_tokens=False)["input_ids"][-1])
        want = of_transformers(model, tokenizer, ids, given, ends)
        config = config_of(given, ends)
        found = ours.generate(ids, config)
        equal = found.tokens == want
        parts: list[str] = []
        streams = None
        if "num_beams" not in given:
            text = ours.generate(prompt, config.updated(apply_chat_template=False), parts.append)
            streams = "".join(parts) == text
        plain = config.updated(apply_chat_template=False)
        texts = ours.generate([prompt], plain).texts
        other = of_genai(theirs, prompt, given, ends)
        alike = None if isinstance(other, str) else other == texts
        note = other if isinstance(other, str) else ""
        if not alike and not isinstance(other, str):
            ask = functools.partial(_of_genai_with, theirs, prompt, given, ends)
            note = _reason(ours, prompt, plain, (texts, other), len(found.tokens[0]), ask)
        if not equal:
            note = f"{found.tokens} beside {want}; {note}"
        yield Outcome(name, setting, prompt, equal, alike, streams, note)


def of_transformers(model: Any, tokenizer: Any, ids: Any, given: dict[str, Any], ends: list[int]) -> list[list[int]]:
    settings = {name: value for name, value in given.items() if name != "ends"}
    if "stop_strings" in settings:
        settings["tokenizer"] = tokenizer
    pad = 0 if tokenizer.pad_token_id is None else tokenizer.pad_token_id
    defaults: dict[str, Any] = {"do_sample": False, "max_new_tokens": LENGTH, "eos_token_id": ends, "pad_token_id": pad}
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mask = torch.ones(ids.shape, dtype=torch.int64)
        found = model.generate(torch.tensor(ids), attention_mask=mask, **{**defaults, **settings})
    rows = []
    for row in found[:, ids.shape[1] :].tolist():
        end = next((place for place, id in enumerate(row) if id in ends), len(row) - 1)
        rows.append(row[: end + 1])
    return rows


def config_of(given: dict[str, Any], ends: list[int]) -> irrun.GenerationConfig:
    settings = {name: value for name, value in given.items() if name not in ("ends", "early_stopping")}
    if "early_stopping" in given:
        settings["stop_criteria"] = "EARLY" if given["early_stopping"] is True else "NEVER"
    return irrun.GenerationConfig(
        max_new_tokens=LENGTH, eos_token_id=ends[0], stop_token_ids=set(ends), **settings
    ).updated()


def _reason(
    pipeline: irrun.TextPipeline,
    prompt: str,
    config: irrun.GenerationConfig,
    found: tuple[list[str], list[str]],
    count: int,
    theirs_with: Callable[..., list[str] | str],
) -> str:
    """Return why openvino_genai generates other texts, as both show by other settings; ours has ``count`` tokens."""
    texts, theirs = found
    if config.no_repeat_ngram_size and not config.is_beam_search():
        config = config.updated(no_repeat_ngram_size=0)
        if pipeline.generate([prompt], config).texts == theirs:
            return "it uses no_repeat_ngram_size for beams only"
    if config.stop_strings and not config.is_beam_search():
        whole = pipeline.generate([prompt], config.updated(stop_strings=set())).texts[0]
        if whole.startswith(theirs[0]) and texts[0].startswith(theirs[0]):
            return "it leaves out the whole token in which a stop string begins"
        if whole.startswith(theirs[0]):
            return "it goes on behind a stop string"
    if config.stop_strings and config.is_beam_search():
        whole_texts = pipeline.generate([prompt], config.updated(include_stop_str_in_output=True)).texts
        if whole_texts == theirs_with(include_stop_str_in_output=True):
            return CUT_BEAMS
        if whole_texts == theirs_with(include_stop_str_in_output=True, max_new_tokens=count):
            return LOST_BEAMS
    return f"not explained: {theirs} beside {texts}"


def genai_pipeline(folder: Path, name: str) -> Any:
    """Return openvino_genai's pipeline of a model, in f32."""
    import openvino_genai

    exact = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32", "ATTENTION_BACKEND": "SDPA"}
    return openvino_genai.LLMPipeline(str(folder / name / "ov"), "CPU", **exact)


def of_genai(pipeline: Any, prompt: str, given: dict[str, Any], ends: list[int]) -> list[str] | str:
    """Return the texts of openvino_genai, or its error where it refuses the settings."""
    try:
        found = pipeline.generate([prompt], genai_config(given, ends)).texts
    except RuntimeError as error:
        return str(error).strip().splitlines()[-1]
    return list(found)


def _of_genai_with(pipeline: Any, prompt: str, given: dict[str, Any], ends: list[int], **more: Any) -> list[str] | str:
    return of_genai(pipeline, prompt, {**given, **more}, ends)


def genai_config(given: dict[str, Any], ends: list[int]) -> Any:
    """Return settings as openvino_genai's."""
    import openvino_genai

    config = openvino_genai.GenerationConfig()
    config.max_new_tokens, config.apply_chat_template = LENGTH, False
    config.eos_token_id, config.stop_token_ids = ends[0], set(ends)
    criteria = {True: openvino_genai.StopCriteria.EARLY, "never": openvino_genai.StopCriteria.NEVER}
    for name, value in given.items():
        if name == "early_stopping":
            config.stop_criteria = criteria[value]
        elif name == "stop_strings":
            config.stop_strings = set(value)
        elif name != "ends":
            setattr(config, name, value)
    return config
