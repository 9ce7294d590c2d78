"""Compare irrun's text generation with transformers and openvino_genai, on the models of ``text_models.py``.

    python tools/text_models.py FOLDER
    python tools/compare_text.py FOLDER docs/measurements/text.md [MODEL]

With a MODEL, only its generations are made, and kept in FOLDER for the page.

The page has probabilities of filters, generations, conversations, embeddings, precision, and bad inputs. Texts are
compared with transformers token by token, for equal ids of the prompt, and with openvino_genai as text.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
import transformers
from text_faults import bad_inputs
from text_models import KINDS, LANGUAGE, POSITIONS

import irrun
from irrun.generation.penalties import Penalties
from irrun.generation.sampling import candidates

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


def probabilities(count: int = 200) -> float:
    """Return the largest difference of a probability from transformers', over random settings of filters.

    Of equally likely tokens at the edge of ``top_p``, transformers keeps any: where scores are rounded to integers, the
    probabilities are compared in ascending order.
    """
    from transformers.generation import logits_process as processes

    chance = np.random.default_rng(7)
    worst = 0.0
    for _ in range(count):
        size = int(chance.choice([20, 300, 2000]))
        scores = (chance.normal(size=size) * chance.choice([0.5, 2, 5])).astype(np.float32)
        is_rounded = chance.random() < 0.3
        if is_rounded:
            scores = np.round(scores)
        known = chance.integers(0, size, 12)
        given = {
            "temperature": float(chance.choice([0.3, 0.7, 1.0, 1.5])),
            "top_k": int(chance.choice([0, 1, 5, 40, size])),
            "top_p": float(chance.choice([0.1, 0.5, 0.9, 1.0])),
            "min_p": float(chance.choice([0.0, 0.02, 0.3])),
            "repetition_penalty": float(chance.choice([1.0, 0.8, 1.5])),
            "no_repeat_ngram_size": int(chance.choice([0, 1, 2])),
        }
        used = [processes.RepetitionPenaltyLogitsProcessor(given["repetition_penalty"])]
        if given["no_repeat_ngram_size"]:
            used.append(processes.NoRepeatNGramLogitsProcessor(given["no_repeat_ngram_size"]))
        used.append(processes.TemperatureLogitsWarper(given["temperature"]))
        if given["top_k"]:
            used.append(processes.TopKLogitsWarper(given["top_k"]))
        if given["top_p"] < 1:
            used.append(processes.TopPLogitsWarper(given["top_p"]))
        if given["min_p"]:
            used.append(processes.MinPLogitsWarper(given["min_p"]))
        theirs = torch.tensor(scores)[None]
        for process in used:
            theirs = process(torch.tensor(known)[None], theirs)
        config = irrun.GenerationConfig(do_sample=True, **given)
        tokens, weights = candidates(Penalties(config, known).applied(scores), config)
        ours = np.zeros(size)
        ours[tokens] = weights / weights.sum()
        expected = theirs.double().softmax(-1)[0].numpy()
        pair = (np.sort(ours), np.sort(expected)) if is_rounded else (ours, expected)
        worst = max(worst, float(np.abs(pair[0] - pair[1]).max()))
    return worst


def generations(folder: Path, name: str) -> Iterator[Outcome]:
    """Yield the outcomes of all settings and prompts for a model."""
    import openvino_genai

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / name / "hf")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder / name / "hf", attn_implementation="eager")
    ours = irrun.TextPipeline(folder / name / "ov", INFERENCE_PRECISION_HINT="f32")
    exact = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32", "ATTENTION_BACKEND": "SDPA"}
    theirs = openvino_genai.LLMPipeline(str(folder / name / "ov"), "CPU", **exact)
    for (setting, given), prompt in itertools.product(SETTINGS.items(), PROMPTS):
        ids = tokenizer(prompt, return_tensors="np")["input_ids"]
        if not np.array_equal(ids, ours.get_tokenizer().encode(prompt).input_ids):
            yield Outcome(name, setting, prompt, None, None, None, "the ids of the prompt differ")
            continue
        ends = [tokenizer.eos_token_id]
        if "ends" in given:
            ends.append(tokenizer(given["ends"], add_special_tokens=False)["input_ids"][-1])
        want = _of_transformers(model, tokenizer, ids, given, ends)
        config = _config(given, ends)
        found = ours.generate(ids, config)
        equal = found.tokens == want
        parts: list[str] = []
        streams = None
        if "num_beams" not in given:
            text = ours.generate(prompt, config.updated(apply_chat_template=False), parts.append)
            streams = "".join(parts) == text
        plain = config.updated(apply_chat_template=False)
        texts = ours.generate([prompt], plain).texts
        other = _of_genai(theirs, prompt, given, ends)
        alike = None if isinstance(other, str) else other == texts
        note = other if isinstance(other, str) else ""
        if not alike and not isinstance(other, str):
            note = _reason(ours, prompt, plain, texts, other)
        if not equal:
            note = f"{found.tokens} beside {want}; {note}"
        yield Outcome(name, setting, prompt, equal, alike, streams, note)


def _of_transformers(model: Any, tokenizer: Any, ids: Any, given: dict[str, Any], ends: list[int]) -> list[list[int]]:
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


def _config(given: dict[str, Any], ends: list[int]) -> irrun.GenerationConfig:
    settings = {name: value for name, value in given.items() if name not in ("ends", "early_stopping")}
    if "early_stopping" in given:
        settings["stop_criteria"] = "EARLY" if given["early_stopping"] is True else "NEVER"
    return irrun.GenerationConfig(
        max_new_tokens=LENGTH, eos_token_id=ends[0], stop_token_ids=set(ends), **settings
    ).updated()


def _reason(
    pipeline: irrun.TextPipeline, prompt: str, config: irrun.GenerationConfig, texts: list[str], theirs: list[str]
) -> str:
    """Return why openvino_genai generates other texts, as irrun shows by other settings."""
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
    if config.stop_strings and all(any(stop in text for stop in config.stop_strings) for text in theirs):
        return "its beams keep the stop string"
    if config.stop_strings and config.is_beam_search():
        return "its beams end at a stop string in another text"
    return f"not explained: {theirs} beside {texts}"


def _of_genai(pipeline: Any, prompt: str, given: dict[str, Any], ends: list[int]) -> list[str] | str:
    """Return the texts of openvino_genai, or its error where it refuses the settings."""
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
    try:
        found = pipeline.generate([prompt], config).texts
    except RuntimeError as error:
        return str(error).strip().splitlines()[-1]
    return list(found)


def conversation(folder: Path, name: str, turns: int = 10) -> list[tuple[int, int, bool]]:
    """Hold a conversation; return for each turn the tokens that were read, those that were new, and the equality.

    New tokens are those behind the begin that the turn has in common with the tokens of the turn before. The last value
    is whether the answer is that of a new pipeline, which has no cache.
    """
    kept = irrun.TextPipeline(folder / name / "ov", INFERENCE_PRECISION_HINT="f32")
    tokenizer = kept.get_tokenizer()
    history = irrun.generation.ChatHistory([{"role": "system", "content": "Stories."}])
    before: list[int] = []
    rows = []
    for turn in range(turns):
        history.append({"role": "user", "content": f" What did {('Otto', 'Mila', 'Ida')[turn % 3]} do? "})
        ids = tokenizer.rows([tokenizer.apply_chat_template(history)], False)[0].tolist()
        if len(ids) + 6 >= POSITIONS:
            break
        encoded = kept.generate(np.array([ids]), max_new_tokens=5)
        read = encoded.perf_metrics.get_num_input_tokens()
        common = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(ids, before, strict=False)))
        new = len(ids) - min(common, len(ids) - 1)
        fresh = irrun.TextPipeline(folder / name / "ov", INFERENCE_PRECISION_HINT="f32")
        alone = fresh.generate(np.array([ids]), max_new_tokens=5)
        rows.append((read, new, alone.tokens == encoded.tokens))
        before = [*ids, *encoded.tokens[0][:-1]]
        history.append({"role": "assistant", "content": tokenizer.decode(encoded.tokens[0])})
    return rows


def vectors(folder: Path) -> dict[str, float]:
    """Return the largest difference of a vector, or a score, of texts from openvino_genai's, by model and pooling.

    The stories are longer than the models read.
    """
    import openvino_genai
    from text import stories

    texts = ["Otto was a brave fox", "the wind came", *stories(20, seed=98)]
    exact = {"INFERENCE_PRECISION_HINT": "f32"}
    found = {}
    warnings.simplefilter("ignore", irrun.generation.GenerationWarning)
    for pooling in ("cls", "mean", "last_token"):
        config = openvino_genai.TextEmbeddingPipeline.Config()
        config.pooling_type = getattr(openvino_genai.TextEmbeddingPipeline.PoolingType, pooling.upper())
        path = str(folder / "embedder" / "ov")
        theirs = openvino_genai.TextEmbeddingPipeline(path, "CPU", config, **exact).embed_documents(texts)
        ours = irrun.TextEmbeddingPipeline(path, config=exact, pooling_type=pooling).embed_documents(texts)
        found[f"embedder, {pooling}"] = float(np.abs(ours - np.array(theirs)).max())
    for name, what in (("reranker", "a tokenizer with one input"), ("paired", "a tokenizer with two inputs")):
        path = str(folder / name / "ov")
        pipeline = openvino_genai.TextRerankPipeline(path, "CPU", top_n=len(texts), **exact)
        theirs = [score for _, score in sorted(pipeline.rerank("Who was brave?", texts))]
        ours = irrun.TextRerankPipeline(path, config=exact).scores("Who was brave?", texts)
        found[f"reranker, {what}"] = float(np.abs(ours - np.array(theirs)).max())
    return found


class Rounding(NamedTuple):
    """The distance of the scores of an engine and a precision from irrun's in f32.

    ``perplexity`` is that of texts, ``divergence`` the mean of KL(f32 || other) in nats, ``agreement`` the share of
    positions with the same likeliest token.
    """

    perplexity: float
    divergence: float
    agreement: float


def roundings(folder: Path, name: str, count: int = 20) -> dict[str, Rounding]:
    """Return what each engine and precision does to the scores of a model, on texts that it was not trained on."""
    import openvino
    from text import stories

    model = folder / name / "ov" / "openvino_model.xml"
    tokenizer = irrun.Tokenizer(folder / name / "ov")
    limit = json.loads((folder / name / "ov" / "config.json").read_text())
    most = int(limit.get("max_position_embeddings", limit.get("n_positions", POSITIONS)))
    rows = [row[:most] for row in tokenizer.rows(stories(count, seed=99))]
    core = openvino.Core()
    exact = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"}
    engines: dict[str, Any] = {
        "irrun f32": irrun.compile_model(model, config={"INFERENCE_PRECISION_HINT": "f32"}),
        "irrun bf16": irrun.compile_model(model, config={"INFERENCE_PRECISION_HINT": "bf16"}),
        "OpenVINO f32": core.compile_model(model, "CPU", exact),
        "OpenVINO's default": core.compile_model(model, "CPU"),
    }
    logs = {engine: _logs(compiled, rows) for engine, compiled in engines.items()}
    exactly = logs["irrun f32"]
    targets = np.concatenate([row[1:] for row in rows])
    found = {}
    for engine, other in logs.items():
        loss = -other[np.arange(len(targets)), targets].mean()
        divergence = (np.exp(exactly) * (exactly - other)).sum(axis=1).mean()
        agreement = (exactly.argmax(axis=1) == other.argmax(axis=1)).mean()
        found[engine] = Rounding(float(np.exp(loss)), float(divergence), float(agreement))
    return found


def _logs(compiled: Any, rows: list[Any]) -> Any:
    """Return the logarithms of probabilities behind each token but the last, [tokens, vocabulary]."""
    found = []
    for row in rows:
        ids = np.asarray(row)[None]
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "beam_idx": np.zeros(1, np.int32)}
        given["position_ids"] = np.arange(ids.shape[1])[None]
        names = {name for port in compiled.inputs for name in port.get_names()}
        request = compiled.create_infer_request()
        scores = request.infer({name: value for name, value in given.items() if name in names})
        logits = torch.tensor(np.array(scores["logits"])[0, :-1]).double()
        found.append(logits.log_softmax(-1).numpy())
    return np.concatenate(found)


def page(folder: Path) -> str:
    """Return the page with all comparisons."""
    versions = {name: _version(name) for name in ("transformers", "openvino_genai", "optimum.intel", "torch")}
    texts = [
        "# Text generation beside transformers and openvino_genai",
        "Written by `python tools/compare_text.py`, with " + ", ".join(f"{n} {v}" for n, v in versions.items()) + ".",
        "## Probabilities of filters",
        f"The largest difference of a probability over 200 settings is {probabilities():.1e}.",
        "## Generations",
    ]
    found = [outcome for name in LANGUAGE for outcome in outcomes(folder, name)]
    rows = ["| model | generations | as transformers | as openvino_genai | streams join |", "|---|---|---|---|---|"]
    for name in LANGUAGE:
        mine = [outcome for outcome in found if outcome.model == name]
        cells = [_share([getattr(one, key) for one in mine]) for key in ("transformers", "genai", "streams")]
        rows.append(f"| {name} | {len(mine)} | {' | '.join(cells)} |")
    every = [_share([getattr(one, key) for one in found]) for key in ("transformers", "genai", "streams")]
    rows.append(f"| all | {len(found)} | {' | '.join(every)} |")
    texts.append("\n".join(rows))
    counts = Counter(one.note for one in found if one.genai is False)
    texts.append("Differences from openvino_genai: " + _counted(counts) + ".")
    refused = Counter(one.setting for one in found if one.genai is None)
    texts.append("Settings that openvino_genai refuses: " + _counted(refused) + ".")
    texts.append("## Conversations")
    talks = {name: conversation(folder, name) for name, kind in KINDS.items() if kind.chat is not None}
    rows = ["| model | tokens read in each turn | all of them new | answers as without a cache |", "|---|---|---|---|"]
    for name, talk in talks.items():
        read = ", ".join(str(read) for read, _, _ in talk)
        exact, equal = all(read == new for read, new, _ in talk), all(equal for _, _, equal in talk)
        rows.append(f"| {name} | {read} | {'yes' if exact else 'no'} | {'yes' if equal else 'no'} |")
    texts += ["\n".join(rows), "## Embeddings and rerankers"]
    rows = ["| model | largest difference from openvino_genai |", "|---|---|"]
    rows += [f"| {name} | {difference:.1e} |" for name, difference in vectors(folder).items()]
    texts += ["\n".join(rows), "## Precision"]
    texts.append(
        "Scores of 20 texts beside those of irrun in f32: perplexity, mean divergence in nats, and the share of "
        "positions with the same likeliest token."
    )
    rows = ["| model | engine | perplexity | divergence | same token |", "|---|---|---|---|---|"]
    for name in LANGUAGE:
        for engine, one in roundings(folder, name).items():
            numbers = f"{one.perplexity:.4f} | {one.divergence:.1e} | {100 * one.agreement:.2f} %"
            rows.append(f"| {name} | {engine} | {numbers} |")
    texts += ["\n".join(rows), "## Inputs that cannot be used"]
    rows = ["| input | exit status | line |", "|---|---|---|"]
    rows += [f"| {what} | {status} | {line.replace('|', chr(92) + '|')} |" for what, status, line in bad_inputs(folder)]
    texts.append("\n".join(rows))
    (folder / "differences.json").write_text(
        json.dumps([one._asdict() for one in found if False in (one.transformers, one.genai, one.streams)], indent=1)
    )
    return "\n\n".join(texts) + "\n"


def outcomes(folder: Path, name: str) -> list[Outcome]:
    """Return the outcomes of a model, which are kept in ``FOLDER/NAME/outcomes.json``."""
    path = folder / name / "outcomes.json"
    if not path.exists():
        path.write_text(json.dumps(list(generations(folder, name)), indent=0))
    found = [Outcome(*row) for row in json.loads(path.read_text())]
    print(name, len(found), _share([one.transformers for one in found]), flush=True)
    return found


def _share(values: list[bool | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known)} of {len(known)}"


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in counts.most_common()) or "none"


def _version(name: str) -> str:
    module = __import__(name, fromlist=["__version__"])
    with contextlib.suppress(AttributeError):
        return str(module.__version__).split("-")[0]
    import importlib.metadata

    return importlib.metadata.version(name.replace(".", "-"))


if __name__ == "__main__":
    if len(sys.argv) > 3:
        outcomes(Path(sys.argv[1]), sys.argv[3])
    else:
        Path(sys.argv[2]).write_text(page(Path(sys.argv[1])))
