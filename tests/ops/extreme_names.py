"""The operations that general departures of OpenVINO's CPU plugin concern, by what differs."""

from __future__ import annotations

from typing import Final

ORDERED_NAN: Final = "AdaptiveMaxPool Bucketize FakeQuantize Greater GreaterEqual GridSample TopK Unique"
"""Operations that compare NaN with numbers."""

EMPTY: Final = {
    "crashes": (
        "Broadcast DFT Einsum FakeQuantize Gather GroupedMatMul GRUSequence IRDFT LSTMSequence RDFT RNNSequence"
        " SegmentMax"
    ),
    "refuses": (
        "AUGRUCell AUGRUSequence AvgPool BatchNormInference BatchToSpace BinaryConvolution Broadcast Convolution"
        " ConvolutionBackpropData Einsum GatedDeltaNet GroupConvolutionBackpropData GroupNormalization GRUCell"
        " LSTMSequence MatMul MaxPool Pad RMS RNNCell RNNSequence SelectiveSSM SpaceToBatch Unsqueeze"
    ),
    "shapes": "RDFT Unique",
    "values": (
        "AvgPool Convolution CTCGreedyDecoderSeqLen DeformableConvolution DeformablePSROIPooling DFT"
        " ExperimentalDetectronDetectionOutput ExperimentalDetectronPriorGridGenerator"
        " ExperimentalDetectronROIFeatureExtractor ExperimentalDetectronTopKROIs Eye Gather GatherND GenerateProposals"
        " GridSample IDFT Interpolate MatMul MaxPool MulticlassNms NMSRotated Proposal PSROIPooling RandomUniform"
        " ROIAlign ROIAlignRotated Roll ScaledDotProductAttention SearchSorted SegmentMax SparseFillEmptyRows"
        " StridedSlice Tile"
    ),
}
F64: Final = {
    "values": (
        "Asinh Ceiling Convert ConvertPromoteTypes Cos Cosh DetectionOutput Elu Exp Floor Gelu GRN GroupNormalization"
        " HSwish IsFinite IsInf Log LogSoftmax LRN MatMul Mish Multiply ReduceL2 ReduceMean RegionYolo ROIAlign"
        " ROIPooling Selu Sin Sinh SoftPlus SoftSign Sqrt Swish Tan"
    ),
}
RANK: Final = {
    "crashes": "Interpolate PReLU",
    "refuses": "GatherND Interpolate LRN MVN ReduceL1 ReduceMean Roll ScaledDotProductAttention ScatterNDUpdate",
    "shapes": "FakeQuantize RMS ScaledDotProductAttention",
    "values": "Interpolate IRDFT NormalizeL2",
}
MEMORY: Final = {
    "crashes": "DeformablePSROIPooling Gather",
    "values": (
        "CTCGreedyDecoderSeqLen ExperimentalDetectronTopKROIs GatherTree LSTMSequence Multinomial Pad Proposal"
        " RNNSequence StringTensorPack"
    ),
}
IN_F32: Final = {
    "values": (
        "Convolution Divide Einsum Elu FloorMod GroupConvolution MatMul Mod Power PReLU RandomUniform ReduceL1 ReLU"
    ),
}
IN_32_BITS: Final = {
    "refuses": "AUGRUSequence",
    "shapes": "Range",
    "values": (
        "Bucketize ConvertPromoteTypes FloorMod Greater GRUSequence LessEqual LSTMSequence Mod OneHot RandomUniform"
        " ScatterNDUpdate Slice SliceScatter StridedSlice Unique"
    ),
}
UNDEFINED: Final = {
    "shapes": "GenerateProposals MatrixNms MulticlassNms NonMaxSuppression",
    "values": (
        "DetectionOutput ExperimentalDetectronDetectionOutput ExperimentalDetectronGenerateProposalsSingleImage"
        " ExperimentalDetectronTopKROIs GenerateProposals MatrixNms Proposal SearchSorted TopK"
    ),
}
OVERFLOW: Final = {
    "values": (
        "AvgPool BatchNormInference Convolution ConvolutionBackpropData CTCLoss DeformableConvolution"
        " DeformablePSROIPooling Einsum FakeQuantize GridSample GroupConvolution GroupConvolutionBackpropData"
        " GroupedMatMul Interpolate Inverse PSROIPooling RegionYolo RMS ROIAlignRotated ScaledDotProductAttention Selu"
    ),
}
