"""Element types that the specification excludes and OpenVINO's CPU plugin computes: irrun reads or refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from irrun.ops.registry import declarations
from irrun.ops.spec import also_text


class Refused(NamedTuple):
    """Types of one input of some operations that the plugin computes and irrun refuses; ``port`` is its name."""

    operations: tuple[str, ...]
    port: str
    types: tuple[str, ...]
    reason: str


_INTEGERS: Final = ("i16", "i32", "i4", "i64", "i8", "u16", "u32", "u4", "u64", "u8")
_CUT: Final = "the results are fractions, which the plugin cuts, so that most are false"
_NONZERO: Final = "the results are fractions, which the plugin makes true, so that all but 0 are"
_UNREAD: Final = "nothing checks the type, and the plugin copies or skips what it does not understand"

REFUSED: Final = (
    Refused(("AdaptiveAvgPool", "AvgPool", "LRN", "MVN", "SoftMax", "LogSoftmax"), "data", ("boolean",), _CUT),
    Refused(("GRN", "HardSigmoid", "NormalizeL2"), "data", ("boolean",), _NONZERO),
    Refused(("FakeQuantize",), "X", ("boolean",), _NONZERO),
    Refused(("DeformablePSROIPooling",), "input", ("boolean",), _CUT),
    Refused(
        ("DeformablePSROIPooling",), "input", _INTEGERS, "the means are fractions, which the plugin rounds to nearest"
    ),
    Refused(
        ("GenerateProposals",), "im_info", (*_INTEGERS, "boolean"), "the scores are fractions, which the plugin rounds"
    ),
    Refused(("RMS",), "data", (*_INTEGERS, "boolean"), "the plugin reads the bytes of the integers as floats"),
    Refused(("LSTMCell", "LSTMSequence"), "X", _INTEGERS, "the plugin cuts the gates to integers: a half becomes 0"),
    Refused(("GroupNormalization",), "scale", ("boolean",), "for data of f64 only, with data of f32 refused"),
    Refused(("GroupNormalization",), "bias", ("boolean",), "for data of f64 only, with data of f32 refused"),
    Refused(
        ("FakeQuantize",), "output_low", ("i4", "u4"), "only where nothing follows that the plugin joins to the layer"
    ),
    Refused(("LSTMSequence",), "sequence_lengths", ("f8e4m3",), "of floats of 8 bits, in this operation alone"),
    Refused(
        ("Clamp", "Col2Im", "MVN", "PReLU", "SpaceToBatch", "SegmentMax", "LogicalNot"), "data", ("string",), _UNREAD
    ),
    Refused(("LSTMCell",), "P", ("string", "u1", "u3", "u6"), _UNREAD),
    Refused(
        ("LogicalNot",),
        "data",
        ("f8e4m3",),
        "the plugin crashes on other floats of 8 and 4 bits, by the shape",
    ),
)
"""Types whose results are not what one expects, found by running each operation with each type on the plugin."""


def section() -> Iterator[str]:
    yield from ("", "## Other element types", "")
    yield "Inputs of types that the specification excludes and the CPU plugin computes. irrun computes them as the type"
    yield "after *as*: booleans are 0 and 1, floats lose their fractions, numbers other than 0 are true. A Convert of"
    yield "booleans that were added gets how many were true; the plugin counts up to 255, or modulo 256. Fractions as"
    yield "sizes of AdaptiveAvgPool and AdaptiveMaxPool give other windows in the plugin. `irrun lint --select IR317`"
    yield "finds such inputs."
    yield from ("", "| operations | input | types |", "|---|---|---|")
    found: dict[tuple[str, str], list[str]] = {}
    for spec in sorted((cls.spec for cls in declarations()), key=lambda spec: spec.type.lower()):
        for port in spec.inputs:
            if port.also:
                found.setdefault((port.name, also_text(port.also).removeprefix("also ")), []).append(spec.type)
    yield from (f"| {', '.join(dict.fromkeys(types))} | {name} | {text} |" for (name, text), types in found.items())
    yield from ("", "irrun refuses these, which the plugin computes in ways that one does not expect:", "")
    yield from ("| operations | input | types | reason |", "|---|---|---|---|")
    yield from (
        f"| {', '.join(row.operations)} | {row.port} | {', '.join(row.types)} | {row.reason} |" for row in REFUSED
    )
