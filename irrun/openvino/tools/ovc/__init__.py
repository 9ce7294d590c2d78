"""OpenVINO's converter by the name of its program, which reads IR files here."""

from irrun.openvino.importing.converting import convert_model

__all__ = ["convert_model"]
