"""Declarations that small configurations share: sizes of a few dozen, and the inputs of each kind of model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from exports.network import Network, features, image, pixels, text
from exports.sources import timm, transformers

VOCABULARY: Final = 99
LENGTH: Final = 12

SIZES: Final[Mapping[str, Any]] = {
    "vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 48, "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
"""The settings that most configurations share."""

GROUPED: Final = {"num_key_value_heads": 2}
EXPERTS: Final = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24, "num_local_experts": 4}
PICTURE: Final[Mapping[str, Any]] = {
    "image_size": 32, "patch_size": 8, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 48,
}  # fmt: skip


def encoder(name: str, head: str = "Model", *, types: bool = False, mask: bool = True, **settings: Any) -> Network:
    """A text encoder of transformers."""
    maker = transformers(name, head, **{**SIZES, **settings})
    return Network(maker, text(LENGTH, VOCABULARY, types=types, mask=mask))


def open_encoder(name: str, head: str = "Model", **settings: Any) -> Network:
    """A text encoder whose batch and length are open."""
    return Network(transformers(name, head, **{**SIZES, **settings}), text(LENGTH, VOCABULARY), dynamic=True)


def decoder(name: str, head: str = "ForCausalLM", **settings: Any) -> Network:
    """A causal language model, without a cache."""
    return Network(transformers(name, head, **{**SIZES, **settings}), text(LENGTH, VOCABULARY))


def seer(name: str, head: str = "Model", size: int = 32, **settings: Any) -> Network:
    """A vision transformer of transformers."""
    return Network(transformers(name, head, **{**PICTURE, **settings}), pixels(size))


def hearer(name: str, head: str = "Model", **settings: Any) -> Network:
    """A model of sound as wav2vec2 is one: convolutions, then a transformer."""
    layers = {
        "conv_dim": (16, 16, 16), "conv_stride": (4, 4, 2), "conv_kernel": (8, 4, 4), "num_conv_pos_embeddings": 8,
        "num_conv_pos_embedding_groups": 4, "num_feat_extract_layers": 3, "mask_time_prob": 0.0,
        "apply_spec_augment": False,
    }  # fmt: skip
    return Network(transformers(name, head, **{**SIZES, **layers, **settings}), features("input_values", 1, 1600))


def plain(name: str, head: str = "Model", size: int = 32, **settings: Any) -> Network:
    """A model of images with settings of its own."""
    return Network(transformers(name, head, **settings), pixels(size))


def net(name: str, size: int = 64, **settings: Any) -> Network:
    """A model of timm."""
    return Network(timm(name, num_classes=10, **settings), image(size))
