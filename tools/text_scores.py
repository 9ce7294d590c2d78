"""Probabilities, scores and vectors of transformers, openvino_genai and irrun."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from text_models import POSITIONS

import irrun
from irrun.generation.penalties import Penalties
from irrun.generation.sampling import candidates


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
