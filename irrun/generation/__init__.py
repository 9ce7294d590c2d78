"""Text in, text out: generation, embedding and reranking by folders of models, as optimum-intel writes them."""

from irrun.generation.config import GenerationConfig
from irrun.generation.embedding import TextEmbeddingPipeline
from irrun.generation.errors import GenerationError
from irrun.generation.metrics import PerfMetrics
from irrun.generation.pipeline import TextPipeline
from irrun.generation.reranking import TextRerankPipeline
from irrun.generation.results import DecodedResults, EncodedResults, GenerationFinishReason
from irrun.generation.streaming import StreamerBase, StreamingStatus
from irrun.generation.tokenizer import TokenizedInputs, Tokenizer

__all__ = [
    "DecodedResults",
    "EncodedResults",
    "GenerationConfig",
    "GenerationError",
    "GenerationFinishReason",
    "PerfMetrics",
    "StreamerBase",
    "StreamingStatus",
    "TextEmbeddingPipeline",
    "TextPipeline",
    "TextRerankPipeline",
    "TokenizedInputs",
    "Tokenizer",
]
