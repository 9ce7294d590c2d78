"""The names of OpenVINO's converters of models of other frameworks; irrun reads IR files only."""

from __future__ import annotations

from typing import Any

from irrun.openvino.importing.absent import CONVERSION
from irrun.openvino.importing.refused import refused_class

_CLASSES: tuple[str, ...] = ("ConversionExtension", "DecoderTransformationExtension", "FrontEnd", "FrontEndManager")
_CLASSES += ("InputModel",)
_CLASSES += ("NodeContext", "OpExtension", "Place", "ProgressReporterExtension", "TelemetryExtension")


class GeneralFailure(RuntimeError):
    """Base class of what a converter raises in OpenVINO; nothing raises it here."""


class InitializationFailure(GeneralFailure):
    """A converter that cannot begin."""


class NotImplementedFailure(GeneralFailure):
    """A model that a converter does not know."""


class OpConversionFailure(GeneralFailure):
    """An operation that a converter does not know."""


class OpValidationFailure(GeneralFailure):
    """An operation that a converter finds wrong."""


for _name in _CLASSES:
    globals()[_name] = refused_class(_name, CONVERSION)

FrontEndManager: Any
__all__ = ["GeneralFailure", "InitializationFailure", "NotImplementedFailure", "OpConversionFailure"]
__all__ += ["OpValidationFailure", *_CLASSES]
