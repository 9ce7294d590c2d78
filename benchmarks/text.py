"""Text generation and embedding, beside openvino_genai: time to the first token, tokens per second and peak memory.

    pip install -e '.[benchmark]'
    python benchmarks/text.py make FOLDER [--model tinyllama-1.1b] [--weights int4]
    python benchmarks/text.py run FOLDER [--embedder FOLDER]

``make`` exports a language model with random weights, with the tokenizer of ``examples/stories``. Each engine runs in a
process of its own. Prompts are random tokens, the same ones for all engines; the end of a text is ignored.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
from exports.table import DECODERS, LARGE_DECODERS

MODELS: Final = {**DECODERS, **LARGE_DECODERS}
STORIES: Final = Path(__file__).resolve().parents[1] / "examples" / "stories"
ENGINES: Final = {
    "irrun f32": ("irrun", {"INFERENCE_PRECISION_HINT": "f32"}),
    "irrun bf16": ("irrun", {"INFERENCE_PRECISION_HINT": "bf16"}),
    "genai": ("genai", {}),
}
"""The engines by name, with their settings; openvino_genai has those of its own."""

PROMPTS: Final = (32, 512, 1500)
NEW: Final = 32
TURNS: Final = tuple(
    f"Tell me about the {word}, and why it was there." for word in ("fox", "sea", "lamp", "hill", "bear")
)
TEXTS: Final = 600


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("make", "run", "engine"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", choices=MODELS, default="tinyllama-1.1b")
    parser.add_argument("--weights", choices=("f32", "int8", "int4"), default="int4")
    parser.add_argument("--embedder", type=Path, help="the folder of an embedder, as tools/text_models.py makes one")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--engine", choices=ENGINES, help="what ``engine`` measures")
    options = parser.parse_args()
    if options.task == "make":
        make(options.folder, options.model, options.weights)
    elif options.task == "engine":
        print(json.dumps(measured(options.folder, options.engine, options.embedder, options.repeat)))
    else:
        print(*table(options), sep="\n")


def make(folder: Path, model: str, weights: str) -> None:
    """Export a language model to a folder, with the tokenizer of the example."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in STORIES.glob("openvino_*tokenizer.*"):
        shutil.copy(file, folder)
    for name in ("tokenizer_config.json", "generation_config.json"):
        shutil.copy(STORIES / name, folder)
    decoder = MODELS[model]
    settings = {"model_type": "llama", **decoder.make.settings, "eos_token_id": 0, "bos_token_id": 0}
    (folder / "config.json").write_text(json.dumps(settings, indent=1), encoding="utf-8")
    decoder.write(folder / "openvino_model", weights)


def table(options: argparse.Namespace) -> list[str]:
    """Return the rows of a table in Markdown, a column for each engine."""
    found = {}
    for name in ENGINES:
        command = [sys.executable, __file__, "engine", str(options.folder), "--engine", name]
        command += ["--repeat", str(options.repeat)]
        command += ["--embedder", str(options.embedder)] if options.embedder else []
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{name}: {done.stderr}")
        found[name] = json.loads(done.stdout.splitlines()[-1])
    rows = ["| | " + " | ".join(ENGINES) + " |", "|---" * (len(ENGINES) + 1) + "|"]
    rows += [
        f"| {what} | " + " | ".join(f"{found[name][what]:.3g}" for name in ENGINES) + " |" for what in found["genai"]
    ]
    return rows


def measured(folder: Path, engine: str, embedder: Path | None, repeat: int) -> dict[str, float]:
    """Return the figures of one engine by their names, the median of the repetitions."""
    library, config = ENGINES[engine]
    begin = time.perf_counter()
    pipe = pipeline(library, folder, config)
    found = {"load, s": time.perf_counter() - begin}
    generate(library, pipe, [tokens(8, 0)], 2)
    for length in PROMPTS:
        forget_peak()
        runs = [generate(library, pipe, [tokens(length, seed)]) for seed in range(1, repeat + 1)]
        found[f"first token after {length}, s"] = statistics.median(first for first, _ in runs)
        found[f"tokens per second after {length}"] = statistics.median(speed for _, speed in runs)
        found[f"peak memory with {length}, MiB"] = peak()
    runs = [generate(library, pipe, [tokens(32, 10 * seed + row) for row in range(4)]) for seed in range(1, repeat + 1)]
    found["tokens per second, 4 texts at once"] = statistics.median(speed for _, speed in runs)
    begin = time.perf_counter()
    chat(library, pipe)
    found[f"chat of {len(TURNS)} turns, s"] = time.perf_counter() - begin
    if embedder is not None:
        found |= embedded(library, embedder)
    return found


def pipeline(library: str, folder: Path, config: dict[str, str]) -> Any:
    if library == "genai":
        import openvino_genai

        return openvino_genai.LLMPipeline(str(folder), "CPU", **config)
    from irrun.generation import TextPipeline

    return TextPipeline(folder, "CPU", **config)


def generate(library: str, pipe: Any, rows: list[list[int]], new: int = NEW) -> tuple[float, float]:
    """Return the seconds to the first token and the tokens per second after it, of all texts together."""
    ids, mask = np.array(rows, np.int64), np.ones((len(rows), len(rows[0])), np.int64)
    if library == "genai":
        import openvino
        import openvino_genai

        given: Any = openvino_genai.TokenizedInputs(openvino.Tensor(ids), openvino.Tensor(mask))
    else:
        from irrun.generation import TokenizedInputs

        given = TokenizedInputs(ids, mask)
    begin = time.perf_counter()
    done = pipe.generate(given, max_new_tokens=new, ignore_eos=True, do_sample=False)
    whole, first = time.perf_counter() - begin, done.perf_metrics.get_ttft().mean / 1000
    return first, len(rows) * (new - 1) / (whole - first)


def chat(library: str, pipe: Any) -> None:
    """Have a conversation: each turn contains all earlier ones."""
    if library == "genai":
        from openvino_genai import ChatHistory
    else:
        from irrun.generation import ChatHistory
    template = "{% for message in messages %}{{ message.content + ' ' }}{% endfor %}"
    pipe.get_tokenizer().set_chat_template(template)
    history = ChatHistory()
    for turn in TURNS:
        history.append({"role": "user", "content": turn})
        done = pipe.generate(history, max_new_tokens=NEW, ignore_eos=True, do_sample=False)
        history.append({"role": "assistant", "content": done.texts[0]})


def embedded(library: str, folder: Path) -> dict[str, float]:
    """Return the seconds of the embeddings of short texts."""
    texts = [f"Otto number {number} slept well and dreamed of the sea." for number in range(TEXTS)]
    if library == "genai":
        import openvino_genai

        pipe: Any = openvino_genai.TextEmbeddingPipeline(str(folder), "CPU")
    else:
        from irrun.generation import TextEmbeddingPipeline

        pipe = TextEmbeddingPipeline(folder, "CPU")
    pipe.embed_documents(texts[:8])
    taken = []
    for _ in range(3):
        begin = time.perf_counter()
        pipe.embed_documents(texts)
        taken.append(time.perf_counter() - begin)
    return {f"{TEXTS} embeddings, s": min(taken)}


def tokens(length: int, seed: int) -> list[int]:
    """Return random tokens of the example's vocabulary."""
    found: list[int] = np.random.default_rng(seed).integers(3, 640, length).tolist()
    return found


def forget_peak() -> None:
    """Let the peak of the memory begin again, where Linux allows it."""
    Path("/proc/self/clear_refs").write_text("5")


def peak() -> float:
    """Return the peak of the resident memory of this process, in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main()
