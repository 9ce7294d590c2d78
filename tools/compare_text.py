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
from collections import Counter
from pathlib import Path

import numpy as np
import text_endings
from text_faults import bad_inputs
from text_generations import Outcome, generations
from text_models import KINDS, LANGUAGE, POSITIONS
from text_scores import probabilities, roundings, vectors

import irrun


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
    texts.append(" ".join(text_endings.__doc__.split("\n\n")[1].split()))
    rows = ["| model | prompt | token | irrun: token, log probability | text, score "]
    rows[0] += "| openvino_genai: token, log probability | text, score |"
    rows += ["|---|---|---|---|---|---|---|", *text_endings.rows(folder, found)]
    texts.append("\n".join(rows))
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
