"""Pre- and post-processing as a part of the model, as OpenVINO's ``preprocess``."""

from irrun.api.preprocess.processor import (
    InputInfo,
    InputModelInfo,
    InputTensorInfo,
    OutputInfo,
    OutputModelInfo,
    OutputTensorInfo,
    PrePostProcessor,
)
from irrun.api.preprocess.steps import ColorFormat, PaddingMode, PostProcessSteps, PreProcessSteps, ResizeAlgorithm

__all__ = [
    "ColorFormat",
    "InputInfo",
    "InputModelInfo",
    "InputTensorInfo",
    "OutputInfo",
    "OutputModelInfo",
    "OutputTensorInfo",
    "PaddingMode",
    "PostProcessSteps",
    "PrePostProcessor",
    "PreProcessSteps",
    "ResizeAlgorithm",
]
