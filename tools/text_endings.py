"""The beams with a stop string of which openvino_genai returns others than irrun: the first token that differs.

openvino_genai removes as many tokens as have the stop string from a beam before the last token is added to it. So the
beam keeps the last token, loses one in front of the stop string too many, and has the score of the tokens that are
left, with which it competes. With stop strings as part of texts (`include_stop_str_in_output`) nothing is removed, and
the texts are equal. Besides, a beam that ended at a stop string may be missing from its results after some more tokens,
although its score is among the best; if texts may not be longer than this beam, it is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from text_generations import CUT_BEAMS, LOST_BEAMS, SETTINGS, Outcome, config_of, genai_config, genai_pipeline

import irrun


def rows(folder: Path, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a row of a table for each generation with this difference."""
    for outcome in outcomes:
        if outcome.note in (CUT_BEAMS, LOST_BEAMS):
            yield _row(folder, outcome)


def _row(folder: Path, outcome: Outcome) -> str:
    import openvino
    import openvino_genai

    home, given = folder / outcome.model, SETTINGS[outcome.setting]
    tokenizer = transformers.AutoTokenizer.from_pretrained(home / "hf")
    model = transformers.AutoModelForCausalLM.from_pretrained(home / "hf", attn_implementation="eager")
    ends = [tokenizer.eos_token_id]
    ids = tokenizer(outcome.prompt, return_tensors="np")["input_ids"].astype(np.int64)
    ours = irrun.TextPipeline(home / "ov", INFERENCE_PRECISION_HINT="f32").generate(ids, config_of(given, ends))
    inputs = openvino_genai.TokenizedInputs(openvino.Tensor(ids), openvino.Tensor(np.ones_like(ids)))
    theirs = genai_pipeline(folder, outcome.model).generate(inputs, genai_config(given, ends))
    pair = list(ours.tokens[0]), list(theirs.tokens[0])
    at = next(place for place, (a, b) in enumerate(zip(*pair, strict=False)) if a != b)
    logs = _logs(model, [*ids[0].tolist(), *pair[0][:at]])
    cells = [outcome.model, outcome.prompt, str(at + 1)]
    for tokens, score in zip(pair, (ours.scores[0], theirs.scores[0]), strict=True):
        token = tokens[at]
        cells.append(f"`{tokenizer.decode([token])}`, {logs[token]:.3f}")
        cells.append(f"…`{tokenizer.decode(tokens[-3:])}`, {len(tokens)} tokens, {score:.4f}")
    return f"| {' | '.join(cells)} |"


def _logs(model: Any, tokens: list[int]) -> Any:
    """Return the logarithms of the probabilities of the next token."""
    with torch.no_grad():
        return model(torch.tensor([tokens])).logits[0, -1].double().log_softmax(-1).numpy()
