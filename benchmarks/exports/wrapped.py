"""Modules of libraries whose own ``forward`` takes or returns more than tensors."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn


class Segmentation(nn.Module):
    """A model of ``torchvision.models.segmentation``: the scores at each pixel."""

    def __init__(self, path: str, **settings: Any) -> None:
        super().__init__()
        library = importlib.import_module("torchvision.models.segmentation")
        self.body = getattr(library, path)(weights=None, weights_backbone=None, **settings)

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x)["out"]


class Detection(nn.Module):
    """An SSD of ``torchvision.models.detection``: boxes and scores at each anchor, before suppression."""

    def __init__(self, path: str, **settings: Any) -> None:
        super().__init__()
        library = importlib.import_module("torchvision.models.detection")
        self.body = getattr(library, path)(weights=None, weights_backbone=None, **settings)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        levels = list(self.body.backbone(x).values())
        found = self.body.head(levels)
        generator = self.body.anchor_generator
        grids = [[level.shape[2], level.shape[3]] for level in levels]
        anchors = generator._grid_default_boxes(grids, [x.shape[2], x.shape[3]])
        boxes = self.body.box_coder.decode_single(found["bbox_regression"][0], anchors)
        return boxes, found["cls_logits"][0].softmax(-1)


class Sound(nn.Module):
    """A part of a model of transformers that maps features of sound, by its path below ``transformers.models``."""

    def __init__(self, path: str, config: str, **settings: Any) -> None:
        super().__init__()
        module, _, name = path.rpartition(".")
        part = getattr(importlib.import_module(f"transformers.models.{module}"), name)
        self.body = part(getattr(importlib.import_module("transformers"), f"{config}Config")(**settings))

    def forward(self, input_features: Tensor) -> Tensor:
        return self.body(input_features, return_dict=False)[0]


class Codec(nn.Module):
    """The encoder and decoder of Encodec, without the code book between them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        from transformers import EncodecConfig, EncodecModel

        self.body = EncodecModel(EncodecConfig(**settings))

    def forward(self, input_values: Tensor) -> Tensor:
        return self.body.decoder(self.body.encoder(input_values))


class Diffusion(nn.Module):
    """A conditioned UNet of diffusers: one step of removing noise."""

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        from diffusers import UNet2DConditionModel

        self.body = UNet2DConditionModel(**settings)

    def forward(self, sample: Tensor, timestep: Tensor, encoder_hidden_states: Tensor) -> Tensor:
        return self.body(sample, timestep, encoder_hidden_states, return_dict=False)[0]


class Named(nn.Module):
    """A model of transformers whose inputs are in the order of some names."""

    def __init__(self, body: nn.Module, names: Sequence[str]) -> None:
        super().__init__()
        self.body, self.names = body, list(names)

    def forward(self, *values: Tensor) -> Any:
        return self.body(**dict(zip(self.names, values, strict=True)))
