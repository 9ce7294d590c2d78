"""Make small models of text, trained for seconds: transformers' checkpoints and their exports by optimum-intel.

    pip install -e '.[benchmark]'
    python tools/text_models.py FOLDER [NAME...]

For each name, ``FOLDER/NAME/hf`` is a checkpoint and ``FOLDER/NAME/ov`` its export with a tokenizer: eight language
models, an embedder, a cross-encoder, and a cross-encoder with a tokenizer of pairs. What exists is not made again.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples" / "stories"))

END: Final = "<|end|>"
POSITIONS: Final = 256
_TURNS: Final = ("<|user|>", "<|assistant|>", "<|system|>", "<think>", "</think>", "[INST]", "[/INST]")
_SIZES: Final[dict[str, Any]] = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "max_position_embeddings": POSITIONS,
}

LLAMA_CHAT: Final = """\
{%- for message in messages %}
{%- if message.role == 'user' %}{{ '[INST] ' + message.content.strip() + ' [/INST]' }}
{%- elif message.role == 'assistant' %}{{ ' ' + message.content.strip() + ' ' + eos_token }}
{%- else %}{{ message.content.strip() + '\\n' }}{% endif %}
{%- endfor %}"""
MARKED_CHAT: Final = """\
{%- for message in messages %}{{ '<|' + message.role + '|>' + message.content + eos_token + '\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"""
TRIMMING_CHAT: Final = """\
{%- for message in messages %}{{ '<|' + message.role + '|>' + message.content | trim + '\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"""
THINKING_CHAT: Final = """\
{%- for message in messages %}
{%- set content = message.content %}
{%- if message.role == 'assistant' %}{% set content = content.split('</think>')[-1] %}{% endif %}
{{- '<|' + message.role + '|>' + content + eos_token }}
{%- endfor %}
{%- if tools %}{{ tools | tojson }}{% endif %}
{%- if add_generation_prompt %}{{ '<|assistant|>' + ('' if enable_thinking | default(true) else '<think></think>') }}
{%- endif %}"""
LISTED_CHAT: Final = """\
{{- 'Once upon a time' }}
{%- for message in messages %}{{ ' ' + message.content }}{% endfor %}"""


class Kind(NamedTuple):
    """A model: its class and configuration in transformers, its tokenizer, and the task of the export."""

    model: str
    config: str
    tokenizer: Callable[[list[str]], Any]
    settings: dict[str, Any] = {}
    chat: str | None = None
    task: str = "text-generation-with-past"
    pairs: bool = False


def byte_level(texts: list[str]) -> Any:
    """Train a vocabulary of byte pairs, as GPT-2's."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = [END, *_TURNS]
    trainer = trainers.BpeTrainer(
        vocab_size=600, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return _fast(tokenizer)


def byte_fallback(texts: list[str]) -> Any:
    """Train a vocabulary of pieces with bytes for unknown characters, as Llama 2's."""
    from tokenizers import Tokenizer, decoders, models, normalizers, processors, trainers

    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    special = ["<unk>", "<s>", END, *(f"<0x{byte:02X}>" for byte in range(256)), *_TURNS]
    words = [word for text in texts for word in text.replace(" ", " ▁").split(" ")]
    tokenizer.train_from_iterator(
        words, trainers.BpeTrainer(vocab_size=700, special_tokens=special, show_progress=False)
    )
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A", "<s> $A <s> $B", [("<s>", 1)])
    return _fast(_without_bytes(tokenizer), bos_token="<s>", unk_token="<unk>")


def unigram(texts: list[str]) -> Any:
    """Train a vocabulary of likely pieces, as T5's."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<unk>", END, *_TURNS]
    trainer = trainers.UnigramTrainer(vocab_size=500, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return _fast(tokenizer, unk_token="<unk>")


def word_pieces(texts: list[str]) -> Any:
    """Train a vocabulary of word pieces with the frame of BERT."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=500, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 2), ("[SEP]", 3)]
    )
    names: dict[str, Any] = {"model_input_names": ["input_ids", "token_type_ids", "attention_mask"]}
    names |= {"unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    return _fast(tokenizer, end="[SEP]", pad_token="[PAD]", model_max_length=64, **names)


def _without_bytes(tokenizer: Any) -> Any:
    """Return a tokenizer whose bytes are tokens of the vocabulary and not special."""
    import json

    from tokenizers import Tokenizer

    table = json.loads(tokenizer.to_str())
    table["added_tokens"] = [token for token in table["added_tokens"] if not token["content"].startswith("<0x")]
    return Tokenizer.from_str(json.dumps(table))


def _fast(tokenizer: Any, end: str = END, **names: Any) -> Any:
    from transformers import PreTrainedTokenizerFast

    given = {"model_max_length": POSITIONS, "eos_token": end, "pad_token": end, **names}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, clean_up_tokenization_spaces=False, **given)


_GPT2: Final = {"n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 128}
_BERT: Final = {"max_position_embeddings": 64, "num_labels": 1}

KINDS: Final[dict[str, Kind]] = {
    "llama": Kind("LlamaForCausalLM", "LlamaConfig", byte_fallback, chat=LLAMA_CHAT),
    "qwen2": Kind("Qwen2ForCausalLM", "Qwen2Config", byte_level, chat=MARKED_CHAT),
    "qwen3": Kind("Qwen3ForCausalLM", "Qwen3Config", byte_level, chat=THINKING_CHAT),
    "gpt2": Kind("GPT2LMHeadModel", "GPT2Config", byte_level, _GPT2),
    "stablelm": Kind("StableLmForCausalLM", "StableLmConfig", byte_fallback, chat=TRIMMING_CHAT),
    "olmo2": Kind("Olmo2ForCausalLM", "Olmo2Config", unigram),
    "phi": Kind("PhiForCausalLM", "PhiConfig", byte_level, {"num_key_value_heads": 4}),
    "mistral": Kind("MistralForCausalLM", "MistralConfig", unigram, {"sliding_window": None}, LISTED_CHAT),
    "embedder": Kind("BertModel", "BertConfig", word_pieces, _BERT, task="feature-extraction"),
    "reranker": Kind("BertForSequenceClassification", "BertConfig", word_pieces, _BERT, task="text-classification"),
    "paired": Kind(
        "BertForSequenceClassification", "BertConfig", word_pieces, _BERT, task="text-classification", pairs=True
    ),
}
LANGUAGE: Final = tuple(name for name, kind in KINDS.items() if kind.task.startswith("text-generation"))


def make(folder: Path, name: str) -> None:
    """Train and export a model, unless its folder has it."""
    import torch
    import transformers
    from text import stories

    kind, target = KINDS[name], folder / name
    if (target / "ov" / "openvino_tokenizer.xml").exists():
        return
    torch.manual_seed(1)
    texts = stories(600)
    tokenizer = kind.tokenizer(texts)
    tokenizer.chat_template = kind.chat
    is_gpt2 = kind.config == "GPT2Config"
    end = tokenizer.eos_token_id
    settings = {**({} if is_gpt2 else _SIZES), "vocab_size": len(tokenizer), **kind.settings}
    ids = {"eos_token_id": end, "pad_token_id": tokenizer.pad_token_id, "bos_token_id": tokenizer.bos_token_id}
    config = getattr(transformers, kind.config)(**settings, **ids)
    config._attn_implementation = "eager"
    model = getattr(transformers, kind.model)(config)
    if name in LANGUAGE:
        _train(model, tokenizer, texts)
    model.eval()
    model.save_pretrained(target / "hf")
    tokenizer.save_pretrained(target / "hf")
    _export(target, kind, tokenizer)


def _train(model: Any, tokenizer: Any, texts: list[str], steps: int = 220) -> None:
    """Train on sentences, in several of which an answer follows a question in the marks of conversations."""
    import torch

    chance = random.Random(1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    rows = [tokenizer(text)["input_ids"] + [tokenizer.eos_token_id] for text in texts]
    model.train()
    for _ in range(steps):
        part = [chance.choice(rows) for _ in range(12)]
        begins = [chance.randrange(max(1, len(row) - 48)) if chance.random() < 0.7 else 0 for row in part]
        cut = [row[begin : begin + 48] for row, begin in zip(part, begins, strict=True)]
        size = max(map(len, cut))
        ids = torch.tensor([row + [tokenizer.pad_token_id] * (size - len(row)) for row in cut])
        labels = torch.tensor([row + [-100] * (size - len(row)) for row in cut])
        loss = model(input_ids=ids, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"  loss {loss.item():.2f}")


def _export(target: Path, kind: Kind, tokenizer: Any) -> None:
    """Export the model by optimum-intel in f32, and its tokenizer by openvino_tokenizers."""
    import openvino as ov
    from openvino_tokenizers import convert_tokenizer
    from optimum.exporters.openvino import main_export

    main_export(str(target / "hf"), output=target / "ov", task=kind.task, convert_tokenizer=False)
    inputs = {"number_of_inputs": 2} if kind.pairs else {}
    found = convert_tokenizer(tokenizer, with_detokenizer=not kind.pairs, skip_special_tokens=True, **inputs)
    models = found if isinstance(found, tuple) else (found,)
    for model, name in zip(models, ("tokenizer", "detokenizer"), strict=False):
        ov.save_model(model, target / "ov" / f"openvino_{name}.xml")


def main() -> None:
    """Make the models that the command line names, or all of them."""
    folder, *names = sys.argv[1:]
    for name in names or KINDS:
        print(name)
        make(Path(folder), name)


if __name__ == "__main__":
    main()
