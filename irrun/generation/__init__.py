"""Text in, text out: generation, embedding and reranking by folders of models, as optimum-intel writes them."""

from irrun.generation.batch import TokenizedInputs
from irrun.generation.config import GenerationConfig, StopCriteria
from irrun.generation.embedding import TextEmbeddingPipeline
from irrun.generation.errors import GenerationError, GenerationWarning
from irrun.generation.history import ChatHistory
from irrun.generation.metrics import PerfMetrics
from irrun.generation.pipeline import TextPipeline
from irrun.generation.reranking import TextRerankPipeline
from irrun.generation.results import DecodedResults, EncodedResults, GenerationFinishReason
from irrun.generation.streaming import StreamerBase, StreamingStatus, TextStreamer
from irrun.generation.tokenizer import Tokenizer

__all__ = [
    "ChatHistory",
    "DecodedResults",
    "EncodedResults",
    "GenerationConfig",
    "GenerationError",
    "GenerationFinishReason",
    "GenerationWarning",
    "PerfMetrics",
    "StopCriteria",
    "StreamerBase",
    "StreamingStatus",
    "TextEmbeddingPipeline",
    "TextPipeline",
    "TextRerankPipeline",
    "TextStreamer",
    "TokenizedInputs",
    "Tokenizer",
]
