"""An exported network: its module, its inputs, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from workload import Array, Inputs, Workload

from exports.sources import Maker, Module, coarse, normalize, seeded

OPSET: Final = 17
"""The opset of the ONNX files."""
SAMPLES: Final = 16
"""The number of inputs that calibrate a quantised network."""


@dataclass(frozen=True, slots=True)
class Values:
    """The inputs of a network, by name, and their axes of any size, by name and axis."""

    make: Callable[[np.random.Generator], Inputs]
    names: Mapping[str, Mapping[int, str]] = field(default_factory=dict)


def image(*sizes: int, name: str = "x", channels: int = 3) -> Values:
    """Random pixels for one image, around zero as normalized images are."""
    height, width = sizes if len(sizes) == 2 else sizes * 2
    return Values(lambda random: {name: random.standard_normal((1, channels, height, width), np.float32)})


def pixels(size: int) -> Values:
    """An image, as transformers name it."""
    return image(size, name="pixel_values")


def text(length: int, vocabulary: int, *, mask: bool = True, types: bool = False) -> Values:
    """Random tokens, all of them attended to; ``types`` adds the input of BERT that tells two sentences apart."""
    names = ["input_ids", *(["attention_mask"] if mask else []), *(["token_type_ids"] if types else [])]

    def make(random: np.random.Generator) -> Inputs:
        ids = random.integers(3, vocabulary, (1, length))
        others = {"attention_mask": np.ones_like(ids), "token_type_ids": np.arange(length)[None] // (length // 2 + 1)}
        return {name: ids if name == "input_ids" else others[name] for name in names}

    return Values(make, {name: {0: "batch", 1: "length"} for name in names})


def features(name: str, *shape: int) -> Values:
    """Random values of one input, such as sound, or what hears it."""
    return Values(lambda random: {name: random.standard_normal(shape, np.float32)})


def latent(side: int, length: int, width: int) -> Values:
    """A noisy latent image, its time, and a text of ``length`` positions that says what it shows."""

    def make(random: np.random.Generator) -> Inputs:
        return {
            "sample": random.standard_normal((1, 4, side, side), np.float32),
            "timestep": np.array([500], np.int64),
            "encoder_hidden_states": random.standard_normal((1, length, width), np.float32),
        }

    return Values(make)


@dataclass(frozen=True, slots=True)
class Network:
    """A module, its inputs, and whether sizes that may differ stay open."""

    make: Maker
    values: Values
    dynamic: bool = False
    seed: int = 1

    def __str__(self) -> str:
        sizes = "dynamic shape, " if self.dynamic else ""
        return f"{self.make}, {sizes}{', '.join(f'{name} {list(x.shape)}' for name, x in self.inputs().items())}"

    def inputs(self, seed: int = 0) -> Inputs:
        """The same values each time."""
        return self.values.make(np.random.default_rng(self.seed + seed))

    def lengths(self, least: int, most: int, count: int) -> Workload:
        """Inferences whose inputs are cut to another length each, at random."""
        lengths = np.random.default_rng(self.seed).integers(least, most + 1, count)
        return Workload([{name: x[:, :length] for name, x in self.inputs(int(length)).items()} for length in lengths])

    def module(self) -> Module:
        module = seeded(self.make, self.seed)
        if hasattr(module, "config"):
            module.config.use_cache = False
            module.config.return_dict = returns_records(module)
        normalize(module, tuple(tensors(self.inputs()).values()))
        return module

    def convert(self, module: Module) -> Any:
        """The model of OpenVINO, whose inputs have the names and shapes of the values."""
        import openvino as ov

        values = self.inputs()
        examples = tensors(values)
        example: Any = examples if hasattr(module, "config") and len(examples) > 1 else tuple(examples.values())
        model = ov.convert_model(module, example_input=example)
        by_name = {name: port for port in model.inputs for name in port.names}
        ports = [by_name.get(name) or model.inputs[index] for index, name in enumerate(values)]
        shapes: dict[Any, Any] = {}
        for port, (name, array) in zip(ports, values.items(), strict=True):
            port.get_tensor().set_names({name})
            open_axes = self.values.names.get(name, {}) if self.dynamic else {}
            shapes[port] = ov.PartialShape([-1 if axis in open_axes else size for axis, size in enumerate(array.shape)])
        model.reshape(shapes)
        model.validate_nodes_and_infer_types()
        return model

    def write_onnx(self, module: Module, path: Path) -> None:
        """The same module by PyTorch's exporter."""
        import torch

        from exports.wrapped import Named

        examples = tensors(self.inputs())
        with torch.no_grad():
            torch.onnx.export(
            Named(module, list(examples)) if hasattr(module, "config") else module, tuple(examples.values()), str(path),
            input_names=list(examples), opset_version=OPSET, dynamo=False,
            dynamic_axes=self.values.names if self.dynamic else None,
        )  # fmt: skip

    def write(self, stem: Path) -> None:
        """Write the IR with weights of f32, the ONNX file, and the inputs."""
        import openvino as ov

        module = self.module()
        ov.save_model(self.convert(module), stem.with_suffix(".xml"), compress_to_fp16=False)
        self.write_onnx(module, stem.with_suffix(".onnx"))
        Workload([self.inputs()]).save(stem.with_suffix(".npz"))

    def write_coarse(self, stem: Path) -> None:
        """Write the IR and the inputs, with few different values in both, which compress well."""
        import openvino as ov

        module = self.module()
        coarse(module)
        ov.save_model(self.convert(module), stem.with_suffix(".xml"), compress_to_fp16=False)
        Workload([{name: halves(x) for name, x in self.inputs().items()}]).save(stem.with_suffix(".npz"))

    def write_twice(self, stem: Path) -> None:
        """Write two IRs with coarse weights, directly and by way of ONNX, the ONNX file, and the inputs."""
        import openvino as ov

        self.write_coarse(stem)
        module = self.module()
        coarse(module)
        self.write_onnx(module, stem.with_suffix(".onnx"))
        other = ov.convert_model(stem.with_suffix(".onnx"))
        ov.save_model(other, stem.with_name("other.xml"), compress_to_fp16=False)

    def write_quantized(self, stem: Path) -> None:
        """Write the IR in 8 bits, calibrated with random inputs, and the inputs."""
        import nncf
        import openvino as ov

        samples = nncf.Dataset([self.inputs(seed) for seed in range(SAMPLES)])
        kind = nncf.ModelType.TRANSFORMER if self.make.module == "transformers" else None
        model = nncf.quantize(self.convert(self.module()), samples, subset_size=SAMPLES, model_type=kind)
        ov.save_model(model, stem.with_suffix(".xml"), compress_to_fp16=False)
        Workload([self.inputs()]).save(stem.with_suffix(".npz"))


def returns_records(module: Module) -> bool:
    """Return whether a causal language model reads the result of its body by name, and so returns a record itself."""
    return type(module).__name__.endswith(("ForCausalLM", "LMHeadModel"))


def halves(array: Array) -> Array:
    """Floats as multiples of 0.5."""
    return (np.rint(2 * array) / 2).astype(array.dtype)


def tensors(values: Mapping[str, Array]) -> dict[str, Any]:
    import torch

    return {name: torch.from_numpy(array) for name, array in values.items()}
