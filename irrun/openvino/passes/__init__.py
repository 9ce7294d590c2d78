"""Patterns, and passes that change models by them, as OpenVINO's ``passes``."""

from irrun.openvino.passes.compression import ConvertFP32ToFP16
from irrun.openvino.passes.patterns import (
    AnyInput,
    Optional,
    Or,
    Predicate,
    WrapType,
    consumers_count,
    has_static_dim,
    has_static_dims,
    has_static_rank,
    has_static_shape,
    rank_equals,
    type_matches,
    type_matches_any,
)
from irrun.openvino.passes.rewriting import (
    BackwardGraphRewrite,
    ConstantFolding,
    GraphRewrite,
    LowLatency2,
    Manager,
    Matcher,
    MatcherPass,
    ModelPass,
    PassBase,
    Serialize,
    Version,
)
from irrun.openvino.passes.states import MakeStateful

__all__ = ["AnyInput", "Optional", "Or", "Predicate", "WrapType", "consumers_count", "has_static_dim"]
__all__ += ["has_static_dims", "has_static_rank", "has_static_shape", "rank_equals", "type_matches", "type_matches_any"]
__all__ += ["BackwardGraphRewrite", "ConstantFolding", "GraphRewrite", "MakeStateful", "Manager", "Matcher"]
__all__ += ["ConvertFP32ToFP16", "LowLatency2", "MatcherPass", "ModelPass", "PassBase", "Serialize", "Version"]
