"""Makers of modules, by library. They are data, so a table of networks imports no library.

Weights are those of the library's own random initialisation. Parameters that begin as zeros or ones (biases, norms,
scales of layers) are perturbed, since exporters and compilers drop what changes nothing, and batch norms get the
statistics of random images, so that activations keep their size from layer to layer.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Module = Any
"""A ``torch.nn.Module``."""


@dataclass(frozen=True, slots=True)
class Maker:
    """A function or class of a Python module, its settings, and the class that holds them if there is one."""

    module: str
    name: str
    settings: Mapping[str, Any]
    config: str = ""

    def __call__(self) -> Module:
        library = importlib.import_module(self.module)
        if self.config:
            _use_masks_that_are_traced()
        make = getattr(library, self.name)
        return make(getattr(library, self.config)(**self.settings)) if self.config else make(**self.settings)

    def __str__(self) -> str:
        part = self.settings.get("model_name") or self.settings.get("path") or self.name
        return f"{self.module.partition('.')[0]} {part.rpartition('.')[2]}"


def torchvision(name: str, /, **settings: Any) -> Maker:
    """A model of torchvision."""
    return Maker("torchvision.models", name, {"weights": None, **settings})


def timm(name: str, /, **settings: Any) -> Maker:
    """A model of timm."""
    return Maker("timm", "create_model", {"model_name": name, "pretrained": False, **settings})


def transformers(name: str, head: str = "Model", /, **settings: Any) -> Maker:
    """A model of transformers, with its configuration; the names of both begin with ``name``."""
    return Maker("transformers", name + head, settings, f"{name}Config")


def own(name: str, /, **settings: Any) -> Maker:
    """A module of ``exports.modules``."""
    return Maker("exports.modules", name, settings)


def wrapped(name: str, /, **settings: Any) -> Maker:
    """A module of ``exports.wrapped``."""
    return Maker("exports.wrapped", name, settings)


def _use_masks_that_are_traced() -> None:
    """Let transformers make masks that ``torch.jit.trace`` follows, as the exporters of optimum do."""
    masking: Any = importlib.import_module("transformers.masking_utils")
    if hasattr(masking, "_vmap_for_bhqkv"):
        # transformers 4: the indices of a mask are broadcast, since torch.vmap is refused.
        masking._vmap_for_bhqkv = _broadcast
        masking.TransformGetItemToIndex = contextlib.nullcontext
    elif masking.sdpa_mask.__module__ == masking.__name__:
        # transformers 5: a number of queries is a tensor while it is traced, which is taken for their positions.
        masking.sdpa_mask = _with_positions(masking.sdpa_mask)
        masking.ALL_MASK_ATTENTION_FUNCTIONS._global_mapping["sdpa"] = masking.sdpa_mask


def _broadcast(mask: Any) -> Any:
    def apply(batch: Any, head: Any, query: Any, key: Any) -> Any:
        found = mask(batch.view(-1, 1, 1, 1), head.view(-1, 1, 1), query.view(-1, 1), key)
        return found.expand(len(batch), len(head), len(query), len(key))

    return apply


def _with_positions(mask: Any) -> Any:
    import torch

    def apply(batch_size: Any, q_length: Any, kv_length: Any, q_offset: Any = 0, *rest: Any, **named: Any) -> Any:
        if isinstance(q_length, torch.Tensor) and q_length.dim() == 0:
            q_length = torch.arange(q_length) + q_offset
        return mask(batch_size, q_length, kv_length, q_offset, *rest, **named)

    return apply


def seeded(make: Maker, seed: int) -> Module:
    """The module for inference, with the same weights each time."""
    import torch

    torch.manual_seed(seed)
    module = make().eval()
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() < 2 or parameter.std() == 0:
                parameter += 0.05 * torch.randn_like(parameter)
    return module


def normalize(module: Module, inputs: tuple[Any, ...]) -> None:
    """Give batch norms the mean and variance of four random inputs; the variance is perturbed."""
    import torch

    norms = [part for part in module.modules() if isinstance(part, torch.nn.modules.batchnorm._BatchNorm)]
    if not norms:
        return
    for norm in norms:
        norm.train()
        norm.momentum = 1.0
    with torch.no_grad():
        module(*(torch.randn(4, *each.shape[1:]) for each in inputs))
        for norm in norms:
            norm.eval()
            norm.running_var.clamp_(min=1e-3).mul_(torch.empty_like(norm.running_var).uniform_(0.8, 1.25))


def coarse(module: Module) -> None:
    """Round weights to four values each, which compress to two bits, and biases and norms to 64ths."""
    import torch

    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() > 1 and parameter.numel() > 64:
                scale = parameter.std() / 2
                parameter.copy_(scale * (2 * (parameter / scale / 2).floor().clamp(-2, 1) + 1))
            else:
                parameter.copy_((64 * parameter).round() / 64)
