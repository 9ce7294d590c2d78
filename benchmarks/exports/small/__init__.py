"""Small configurations of many architectures, which the tests run: each a line, with weights that compress well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from exports.network import Network
from exports.small.decoders import DECODERS
from exports.small.images import IMAGES
from exports.small.others import OTHERS
from exports.small.texts import TEXTS

NETWORKS: Final[Mapping[str, Network]] = {**TEXTS, **DECODERS, **IMAGES, **OTHERS}
TWICE: Final = ("bert", "bilstm", "detector", "gpt2", "llama", "resnet", "segformer", "swin", "unet-resized", "vit")
"""The networks that are written directly and by way of ONNX."""
