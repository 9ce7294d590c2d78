"""The records that commands print as JSON, by command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, NotRequired, TypedDict

from irrun.debugging.keeping import PrecisionErrors
from irrun.debugging.loss import LossRecord
from irrun.debugging.precision import Kept, LayerDamage
from irrun.debugging.records import BlameRecord, NothingBlamed, PairsRecord
from irrun.debugging.statistics import TensorStatistics
from irrun.debugging.stopping import StopRecord
from irrun.diagnostics.formats.json_report import ReportRecord
from irrun.diagnostics.render import FindingRecord
from irrun.diagnostics.results import RuleInfo
from irrun.diagnostics.statistics import StatisticsRecord
from irrun.evaluation.benchmarking import BenchmarkRecord
from irrun.evaluation.files.reading import InputRecord
from irrun.evaluation.profiling import ProfileRecord
from irrun.generation import GenerationFinishReason
from irrun.model.layers import Layer
from irrun.model.summary import SummaryRecord
from irrun.ops.spec import OpRecord
from irrun.reporting.diff.changes import DifferenceRecord
from irrun.reporting.explain import Explanation
from irrun.reporting.plans.listing import ProgramListing
from irrun.reporting.plans.nodes import GraphListing
from irrun.reporting.plans.steps import PlanListing
from irrun.runtime.executor import ExecutionRecord
from irrun.settings import SETTINGS

Record = dict[str, Any]

Elements = Annotated[Any, {"type": ["array", "boolean", "number", "string"]}]
"""The elements of a tensor: nested lists, or the only element."""


class TensorStats(TypedDict, total=False):
    """Statistics of the finite elements, null without any; the number of NaN, infinite and true ones."""

    min: float | None
    max: float | None
    mean: float | None
    nan: int
    inf: int
    true: int


class TensorRecord(TensorStats):
    """An output, with its values where they are few."""

    name: str
    type: str
    shape: list[int]
    values: NotRequired[Elements]


ClassScore = TypedDict("ClassScore", {"class": int, "name": NotRequired[str], "score": float})


class RunRecord(TypedDict):
    """A run: outputs, the likeliest classes of each row (--top), statistics (--stats), errors (--check)."""

    outputs: list[TensorRecord]
    top: NotRequired[list[list[ClassScore]]]
    execution: ExecutionRecord
    layers: NotRequired[list[Annotated[Record, TensorStatistics]]]
    error: NotRequired[LossRecord]


class StoppedRun(TypedDict):
    """A run that stopped at a layer (--stop-at)."""

    stopped: StopRecord
    layers: NotRequired[list[Annotated[Record, TensorStatistics]]]


class BatchRecord(TypedDict):
    """A run on many inputs (--batch): those that are done, those that were before, and those that failed."""

    done: int
    before: int
    failed: int
    seconds: float


class BenchRecord(BenchmarkRecord):
    """A measured model, its inputs, and with --batch the number of their files."""

    model: str
    inputs: list[InputRecord]
    seed: int
    files: NotRequired[int]


class ProfiledModel(ProfileRecord):
    """A measured model, its inputs, and the number of runs."""

    model: str
    inputs: list[InputRecord]
    runs: int
    seed: int


class ModelRecord(SummaryRecord):
    """A model at a glance, and its layers (--layers)."""

    layer_list: NotRequired[list[Annotated[Record, Layer]]]


class PlansRecord(TypedDict, total=False):
    """The optimised graph (--graph), and what runs (--plan)."""

    graph: Annotated[Record, GraphListing]
    plan: Annotated[Record, PlanListing] | Annotated[Record, ProgramListing]


class EvaluatedTensor(TypedDict):
    """An output of an operation."""

    name: str
    type: str
    shape: list[int]
    values: Elements


class EvalRecord(TypedDict):
    """The outputs of an operation."""

    outputs: list[EvaluatedTensor]


class DiffRecord(DifferenceRecord):
    """The structural difference of two files."""

    model: str
    other: str


class ScoreRecord(TypedDict):
    """The value of a metric, the number of elements that it counts and of those to ignore, and figures of classes."""

    value: float
    count: int
    ignored: NotRequired[int]
    classes: NotRequired[dict[str, float]]
    matrix: NotRequired[list[list[int]]]


class EvaluateRecord(TypedDict, total=False):
    """The scores by metric, and the inputs that could not be run."""

    failed: list[str]
    __extra_items__: ScoreRecord


class GeneratedText(TypedDict):
    """A text, why it ends, and the logarithm of its probability."""

    prompt: str
    text: str
    finish_reason: Annotated[str, {"enum": [item.value for item in GenerationFinishReason]}]
    score: float


class GenerationStats(TypedDict):
    """Tokens, and times in milliseconds; null where nothing was measured."""

    input_tokens: int
    cached_tokens: int
    generated_tokens: int
    load_ms: float | None
    first_token_ms: float | None
    token_ms: float | None
    tokens_per_second: float | None
    inference_ms: float | None
    sampling_ms: float | None
    chat_template_ms: float | None
    tokenization_ms: float | None
    detokenization_ms: float | None
    total_ms: float | None


class GenerateRecord(TypedDict):
    """Generated texts, those of a prompt before those of the next."""

    texts: list[GeneratedText]
    stats: GenerationStats


class Embedding(TypedDict):
    """A text and its vector."""

    text: str
    embedding: list[float]


class EmbeddingsRecord(TypedDict):
    """The vectors of texts."""

    embeddings: list[Embedding]


class TextScore(TypedDict):
    """A text and its score as an answer."""

    text: str
    score: float


class ScoresRecord(TypedDict):
    """The scores of texts (--query)."""

    scores: list[TextScore]


class PrecisionRecord(TypedDict):
    """The error of the outputs in a precision, layers to keep in f32, all layers, and with --openvino its errors."""

    precision: str
    predicted: float
    target: float
    openvino: Annotated[Record, PrecisionErrors] | None
    keep: list[Annotated[Record, Kept]]
    layers: list[Annotated[Record, LayerDamage]]


class NamedLayer(TypedDict):
    """A layer of the reduced model."""

    name: str
    type: str


class ReduceRecord(TypedDict):
    """The number of layers before and after, how often the command ran, the layers that are left, and the files."""

    before: int
    after: int
    checks: int
    layers: list[NamedLayer]
    files: list[str]


_SHOWN: Final = {
    "type": "object",
    "properties": {
        "file": {"type": "string"},
        "configuration": {"type": ["string", "null"]},
        "codes": {"type": "array", "items": {"type": "string"}},
        **{key: {"anyOf": [item.kind.schema, {"type": "null"}]} for key, item in SETTINGS.items()},
        "origins": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["file", "configuration", "origins"],
    "additionalProperties": False,
}
ShownSettings = Annotated[Any, {"anyOf": [_SHOWN, {"type": "array", "items": _SHOWN}]}]
"""The settings of a command; those of the linter for each file."""

OTHER_RECORDS: Final[Mapping[str, tuple[Any, str]]] = {
    "report": (list[FindingRecord], "irrun lint --output-format json"),
    "lint-run": (ReportRecord, "irrun lint --output-format json-report"),
    "lint-statistics": (StatisticsRecord, "irrun lint --output-format json --statistics"),
    "show-settings": (ShownSettings, "irrun COMMAND --show-settings --json"),
}
"""The records of the linter, and of settings, and their titles, by the name of the schema."""

RECORDS: Final[Mapping[str, Any]] = {
    "bench": BenchRecord,
    "compare": PairsRecord,
    "debug blame": BlameRecord | NothingBlamed,
    "debug precision": PrecisionRecord,
    "debug reduce": ReduceRecord,
    "diff": DiffRecord,
    "embed": EmbeddingsRecord | ScoresRecord,
    "eval": EvalRecord,
    "evaluate": EvaluateRecord,
    "explain": Explanation,
    "generate": GenerateRecord,
    "info": ModelRecord | PlansRecord,
    "ops": list[OpRecord],
    "profile": ProfiledModel,
    "rule": RuleInfo | list[RuleInfo],
    "run": RunRecord | StoppedRun | BatchRecord,
}
"""The records of all other commands that have ``--json``."""
