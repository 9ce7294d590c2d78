"""Operations outside all opsets: those of libraries, and those internal to OpenVINO."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, NoReturn

from irrun.ops.context import BodyCall
from irrun.ops.declaration import Fold, In, Out
from irrun.ops.operation import LazySpec, Op
from irrun.tensor import Fact
from irrun.tensor.element_type import ANY

LIBRARIES: Final[Mapping[str, frozenset[str]]] = {
    "openvino_tokenizers": frozenset(
        (
            *("BPETokenizer", "ByteFallback", "BytesToChars", "CaseFold", "CharsMapNormalization", "CharsToBytes"),
            *("CombineSegments", "ContribStringJoin", "ContribStringSplit", "EqualStr", "FuzeRagged"),
            *("NormalizeUnicode", "NumericToString", "RaggedTensorPack", "RaggedToDense", "RaggedToRagged"),
            *("RaggedToSparse", "RegexNormalization", "RegexSplit", "SentencepieceDetokenizer"),
            *("SentencepieceStreamDetokenizer", "SentencepieceTokenizer", "SpecialTokensSplit", "StringTensorPack"),
            *("StringTensorUnpack", "StringToHashBucket", "TrieTokenizer", "Truncate", "UTF8Validate"),
            *("UnigramTokenizer", "VocabDecoder", "VocabEncoder", "WordpieceTokenizer"),
        )
    ),
    "openvino_contrib": frozenset(
        ("CalculateGrid", "ComplexMultiplication", "FFT", "SparseConv", "SparseConvTranspose")
    ),
    "openvino_template_extension": frozenset(("Identity",)),
}
"""The operations that well-known libraries add to the domain ``extension``, or to that of their name, by library."""

_COMPILED: Final = "a model that is being compiled"
_PIPELINE: Final = "a pipeline that serves a language model"

INTERNAL: Final[Mapping[str, str]] = {
    "SnippetsOpset": "the code generator of the CPU plugin",
    "cpu_plugin_opset": "the CPU plugin",
    "gpu_opset": "the GPU plugin",
    "ie_internal_opset": _COMPILED,
    "intel_gna": "the GNA plugin",
    "type_relaxed_opset": _COMPILED,
    "util": "a model that is being converted",
}
"""Domains of operations that OpenVINO uses internally and reads from no file, and their users."""

PAGED: Final = frozenset(("PagedAttentionExtension", "PagedCausalConv1D", "PagedGatedDeltaNet", "PagedSelectiveSSM"))
"""Operations of the domain ``extension`` that are internal to OpenVINO too."""


class Origin(NamedTuple):
    """The type and the domain of an operation that no opset has."""

    type: str
    domain: str

    @property
    def library(self) -> str | None:
        """The well-known library that provides the operation; None where there is none."""
        return next((name for name, types in LIBRARIES.items() if self._is_in(name) and self.type in types), None)

    def _is_in(self, library: str) -> bool:
        return self.domain in ("extension", library)

    @property
    def internal_to(self) -> str | None:
        """The component of OpenVINO that uses the operation internally; None for other operations."""
        is_paged = self.domain == "extension" and self.type in PAGED
        return _PIPELINE if is_paged else INTERNAL.get(self.domain)

    @property
    def statement(self) -> str:
        """The sentence that states the origin of the operation."""
        if self.internal_to is not None:
            return f"{self.type} of {self.domain} lives only inside {self.internal_to}"
        if self.library is not None:
            return f"{self.type} is an operation of {self.library}"
        return f"{self.type} of {self.domain} is an operation of a library"


class Extension(Op):
    """An unknown operation, whose outputs are as its layer's ports declare.

    ``layer_type`` and ``domain`` are the type and version of the layer. It cannot be run.
    """

    inputs: ClassVar[tuple[In, ...]] = (In("inputs", ANY, variadic=True, optional=True),)
    outputs: ClassVar[tuple[Out, ...]] = (Out("outputs", ANY, variadic=True),)
    foldable = Fold.NEVER

    def __init__(self, layer_type: str, domain: str, declared: Sequence[Fact]) -> None:
        self.layer_type = layer_type
        self.domain = domain
        self.declared: tuple[Fact, ...] = tuple(declared)

    @property
    def origin(self) -> Origin:
        return Origin(self.layer_type, self.domain)

    def infer(self, *inputs: Fact | None, bodies: Mapping[str, BodyCall]) -> tuple[Fact, ...]:
        for body in bodies.values():
            body.call([None] * body.ports.parameters)
        return self.declared

    def run(self, *inputs: Any) -> NoReturn:
        raise NotImplementedError(f"{self.layer_type} of {self.domain}")

    def __repr__(self) -> str:
        return f"{self.domain}::{self.layer_type}"


def origin(op: Op | None) -> Origin | None:
    """Return the origin of an unknown operation, or of one that a well-known library provides; None for others."""
    if isinstance(op, Extension):
        return op.origin
    if op is None or not isinstance(op.opset, str):
        return None
    found = Origin(op.type, op.opset)
    return found if found.library is not None else None


Extension.type, Extension.opset, Extension.page = "Extension", "extension", ""
Extension.spec = LazySpec()  # type: ignore[assignment]
