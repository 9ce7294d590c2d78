"""Pre- and post-processing as a part of the model, as OpenVINO's ``preprocess``."""

from irrun.openvino.preprocess.flow import ColorFormat
from irrun.openvino.preprocess.processor import (
    InputInfo,
    InputModelInfo,
    InputTensorInfo,
    OutputInfo,
    OutputModelInfo,
    OutputTensorInfo,
    PrePostProcessor,
)
from irrun.openvino.preprocess.steps import PaddingMode, PostProcessSteps, PreProcessSteps, ResizeAlgorithm

__all__ = ["InputInfo", "InputModelInfo", "InputTensorInfo", "OutputInfo", "OutputModelInfo", "OutputTensorInfo"]
__all__ += ["ColorFormat", "PaddingMode", "PostProcessSteps", "PrePostProcessor", "PreProcessSteps", "ResizeAlgorithm"]
