"""Stateful language models: random weights saved as a model of transformers, exported by optimum-intel, and their
weights compressed by nncf.

Inputs are the tokens, the mask of all positions so far, positions if the exporter keeps them, and the order of beams;
the caches of keys and values are variables.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from workload import Inputs, Workload

from exports.sources import Maker, seeded

GROUP: Final = 64
"""The number of weights in four bits that share a scale."""


@dataclass(frozen=True, slots=True)
class Decoder:
    """A causal language model of transformers."""

    make: Maker
    vocabulary: int
    seed: int = 1

    def export(self) -> Any:
        """The stateful model of OpenVINO in f32."""
        import openvino as ov
        from optimum.intel import OVModelForCausalLM

        with tempfile.TemporaryDirectory() as folder:
            seeded(self.make, self.seed).save_pretrained(folder)
            exported = OVModelForCausalLM.from_pretrained(folder, export=True, load_in_8bit=False, compile=False)
            exported.save_pretrained(f"{folder}/ir")
            model = ov.Core().read_model(f"{folder}/ir/openvino_model.xml")
            return model.clone()

    def write(self, stem: Path, weights: str) -> None:
        """Write the IR with weights of f32, int8 or int4, where embeddings stay in 8 bits."""
        import nncf
        import openvino as ov

        model = self.export()
        if weights == "int8":
            model = nncf.compress_weights(model, mode=nncf.CompressWeightsMode.INT8_ASYM)
        elif weights == "int4":
            model = nncf.compress_weights(model, mode=nncf.CompressWeightsMode.INT4_ASYM, ratio=1.0, group_size=GROUP)
        ov.save_model(model, stem.with_suffix(".xml"), compress_to_fp16=False)

    def prefill(self, length: int) -> Workload:
        """The inference of a prompt of ``length`` tokens."""
        return Workload([self._inputs(0, length)])

    def tokens(self, past: int, count: int) -> Workload:
        """Single tokens behind a prompt of ``past``."""
        return Workload([self._inputs(0, past), *(self._inputs(past + index, 1) for index in range(count))], untimed=1)

    def _inputs(self, past: int, length: int) -> Inputs:
        return {
            "input_ids": np.random.default_rng(past).integers(0, self.vocabulary, (1, length)),
            "attention_mask": np.ones((1, past + length), np.int64),
            "position_ids": np.arange(past, past + length)[None],
            "beam_idx": np.zeros(1, np.int32),
        }
