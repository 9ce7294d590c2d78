"""The settings of generation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from irrun.generation import GenerationConfig, GenerationError, StopCriteria
from irrun.generation.config import from_files


def test_updates_are_checked() -> None:
    config = GenerationConfig().updated(max_new_tokens=5, stop_strings="END", top_k=3, do_sample=True)
    assert (config.max_new_tokens, config.stop_strings, config.top_k) == (5, {"END"}, 3)
    with pytest.raises(GenerationError, match=r'there is no setting "max_tokens" of generation'):
        config.updated(max_tokens=5)
    with pytest.raises(GenerationError, match=r'"temperatures" of generation; did you mean temperature\?'):
        config.updated(temperatures=1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"temperature": 0.0}, "temperature is 0.0, expected a positive number; do_sample=False for 0"),
        ({"temperature": float("nan")}, "temperature is nan, expected a positive number; do_sample=False for 0"),
        ({"top_p": 1.5}, "top_p is 1.5, expected a number above 0 and at most 1"),
        ({"top_k": -1}, "top_k is -1, expected an integer of at least 0"),
        ({"max_new_tokens": "5"}, "max_new_tokens is '5', expected an integer of at least 0, or None"),
        ({"do_sample": 1}, "do_sample is 1, expected True or False"),
        ({"stop_strings": {""}}, "stop_strings is {''}, expected a set of strings that are not empty"),
        ({"stop_token_ids": {-2}}, "stop_token_ids is {-2}, expected a set of token ids"),
        ({"stop_criteria": "NOW"}, "stop_criteria is 'NOW', expected EARLY, HEURISTIC or NEVER"),
        (
            {"num_beams": 2, "do_sample": True},
            "do_sample is True and num_beams is 2, expected one of the two only",
        ),
        ({"num_beams": 2, "num_return_sequences": 3}, "num_return_sequences is 3, expected 2, the number of beams"),
        (
            {"num_return_sequences": 3},
            "num_return_sequences is 3, but every text would be the same, expected do_sample or num_beams with it",
        ),
    ],
)
def test_invalid_values(given: dict[str, Any], message: str) -> None:
    with pytest.raises(GenerationError) as raised:
        GenerationConfig().updated(**given)
    assert str(raised.value).startswith(message)


def test_the_files_of_a_folder() -> None:
    config = from_files(
        {"eos_token_id": [7, 9], "temperature": 0.6, "top_k": None, "do_sample": True, "top_p": 7, "other": 1},
        {"eos_token_id": 3},
    ).config
    assert (config.eos_token_id, config.ends) == (7, {7, 9})
    assert (config.temperature, config.top_k, config.top_p, config.do_sample) == (0.6, 0, 1.0, True)
    assert from_files({}, {"eos_token_id": 3}).config.ends == {3}
    assert from_files({}, {}).config.ends == frozenset()
    assert from_files({}, {"eos_token_id": 3}).config.updated(ignore_eos=True).ends == frozenset()


@pytest.mark.parametrize(
    ("given", "prompt", "positions", "most"),
    [
        ({"max_new_tokens": 5, "max_length": 3}, 10, 20, 5),
        ({"max_new_tokens": 5}, 10, 12, 2),
        ({"max_length": 30}, 10, 100, 20),
        ({"max_length": 30}, 40, None, 0),
        ({}, 10, 64, 54),
        ({}, 10, None, 1 << 64),
    ],
)
def test_the_most_tokens(given: dict[str, int], prompt: int, positions: int | None, most: int) -> None:
    assert GenerationConfig().updated(**given).most_new(prompt, positions) == most


def test_every_entry_of_the_file_is_read() -> None:
    given = {
        "max_new_tokens": 7,
        "min_new_tokens": 2,
        "ignore_eos": True,
        "stop_strings": ["a", "b"],
        "include_stop_str_in_output": True,
        "echo": True,
        "logprobs": 1,
        "repetition_penalty": 2,
        "presence_penalty": 0.5,
        "frequency_penalty": 0.25,
        "num_beams": 3,
        "num_return_sequences": 2,
        "length_penalty": 0.5,
        "no_repeat_ngram_size": 4,
        "early_stopping": True,
    }
    found = from_files(given, {})
    assert found.ignored == ()
    expected = {**given, "stop_strings": {"a", "b"}, "stop_criteria": StopCriteria.EARLY}
    del expected["early_stopping"]
    assert {name: getattr(found.config, name) for name in expected} == expected
    assert from_files({"early_stopping": "never"}, {}).config.stop_criteria == "NEVER"
    assert from_files({"early_stopping": False}, {}).config.stop_criteria == "HEURISTIC"
    assert from_files({"stop_strings": "END"}, {}).config.stop_strings == {"END"}


def test_entries_without_effect_are_named() -> None:
    given = {"typical_p": 0.9, "top_p": 7, "pad_token_id": 1, "top_k": None, "early_stopping": "soon"}
    assert from_files(given, {}).ignored == (
        "typical_p has no effect",
        "top_p is 7.0, expected a number above 0 and at most 1",
        "stop_criteria is 'soon', expected EARLY, HEURISTIC or NEVER",
    )
    both = from_files({"num_beams": 2, "do_sample": True}, {})
    assert (both.config.num_beams, both.config.do_sample) == (1, True)
    assert both.ignored == ("do_sample is True and num_beams is 2, expected one of the two only; ignored: num_beams",)


def test_a_file_as_genai_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "generation_config.json"
    path.write_text(json.dumps({"top_k": 5, "do_sample": True, "eos_token_id": 9}))
    for given in (path, str(path)):
        config = GenerationConfig(given)
        assert (config.top_k, config.do_sample, config.ends, config.max_new_tokens) == (5, True, {9}, None)
    assert GenerationConfig(path, top_k=3).top_k == 3
    with pytest.raises(GenerationError, match=r"none\.json: there is no such file"):
        GenerationConfig(tmp_path / "none.json")
    with pytest.raises(GenerationError, match="json_path is 5, expected the path"):
        GenerationConfig(5)  # type: ignore[arg-type]


def test_the_methods_of_genai() -> None:
    config = GenerationConfig()
    assert (config.is_greedy_decoding(), config.is_beam_search(), config.is_multinomial()) == (True, False, False)
    config.update_generation_config(do_sample=True, top_k=2)
    config.set_eos_token_id(4)
    assert (config.is_multinomial(), config.top_k, config.ends) == (True, 2, {4})
    with pytest.raises(GenerationError, match="top_k is -2"):
        config.update_generation_config(top_k=-2)
