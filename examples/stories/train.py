"""Trains the language model of this folder on stories of ours, and writes it as an IR with its tokenizer.

    pip install torch optimum-intel[openvino,nncf] openvino-tokenizers
    python train.py OUTPUT [--minutes 8]

The model is a Llama of some 200,000 parameters; its weights are rounded to 8 bits.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from optimum.exporters.openvino.convert import export_tokenizer
from optimum.intel import OVModelForCausalLM, OVWeightQuantizationConfig
from text import stories
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

END = "<|end|>"
CONTEXT = 192
BATCH = 32


def tokenizer_of(texts: list[str]) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE of 512 tokens."""
    model = Tokenizer(models.BPE())
    model.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    model.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    model.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=640, special_tokens=[END], initial_alphabet=alphabet)
    )
    return PreTrainedTokenizerFast(tokenizer_object=model, eos_token=END, pad_token=END, model_max_length=CONTEXT)


def batches(texts: list[str], tokenizer: Any, seed: int = 0) -> Any:
    """Yield batches of token ids: stories, each behind the end of another one, cut at random places."""
    ids = np.concatenate([[*tokenizer.encode(text), tokenizer.eos_token_id] for text in texts])
    chance = np.random.default_rng(seed)
    begins = np.flatnonzero(ids == tokenizer.eos_token_id)
    begins = begins[begins < len(ids) - CONTEXT - 2]
    while True:
        starts = chance.choice(begins, BATCH) + 1
        yield torch.from_numpy(np.stack([ids[start : start + CONTEXT] for start in starts]))


def trained(texts: list[str], tokenizer: Any, minutes: float) -> LlamaForCausalLM:
    """Train a model for some minutes on one processor."""
    torch.manual_seed(0)
    end = tokenizer.eos_token_id
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=64,
            intermediate_size=176,
            num_hidden_layers=3,
            num_attention_heads=4,
            num_key_value_heads=4,
            max_position_embeddings=1024,
            tie_word_embeddings=True,
            bos_token_id=end,
            eos_token_id=end,
            pad_token_id=end,
        )
    )
    print(f"{sum(weights.numel() for weights in model.parameters()):,} parameters, {len(tokenizer)} tokens")
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    begin = time.monotonic()
    for step, ids in enumerate(batches(texts, tokenizer)):
        share = (time.monotonic() - begin) / (60 * minutes)
        if share >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = 3e-3 * min(1, (step + 1) / 50) * (1 - share)
        loss = model(input_ids=ids, labels=ids).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step}, {60 * minutes * share:.0f} s: loss {loss.item():.3f}", flush=True)
    return model.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    parser.add_argument("--minutes", type=float, default=8)
    given = parser.parse_args()
    torch.set_num_threads(1)
    texts = stories(20_000)
    tokenizer = tokenizer_of(texts[:4000])
    model = trained(texts, tokenizer, given.minutes)
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        rounded = OVWeightQuantizationConfig(bits=8, sym=False)
        exported = OVModelForCausalLM.from_pretrained(folder, export=True, quantization_config=rounded)
        exported.save_pretrained(given.output)
    export_tokenizer(tokenizer, given.output)
    tokenizer.save_pretrained(given.output)


if __name__ == "__main__":
    main()
