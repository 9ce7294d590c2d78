"""Passes that change the types of floats, as OpenVINO's ``passes``."""

from __future__ import annotations

from irrun.document.info import DECOMPRESSION
from irrun.openvino.models.halves import as_half, is_quantised, stays_in_f32
from irrun.openvino.models.model import Model
from irrun.openvino.models.subgraphs import with_bodies
from irrun.openvino.nodes.node import make
from irrun.openvino.nodes.notes import Notes
from irrun.openvino.nodes.op import Constant
from irrun.openvino.passes.rewriting import ModelPass
from irrun.openvino.values.types import Type
from irrun.tensor.element_type import F16, F32


class CompressFloats(ModelPass):
    """Store the constants that ``save_model`` compresses in f16, each with a Convert behind it."""

    def run_on_model(self, model: Model) -> bool:
        """Change a model; return whether it was changed."""
        if is_quantised(model.value.bound.graph):
            return False
        nodes = [node for inner in with_bodies(model) for node in inner.get_ordered_ops()]
        constants = [node for node in nodes if isinstance(node, Constant)]
        halves = [(node, as_half(node.fact(0))) for node in constants]
        for node, half in halves:
            if half is None or stays_in_f32(node._graph, node._id):
                continue
            constant = Constant.of_fact(half, f"{node.friendly_name}_compressed")
            attributes = {"destination_type": node.fact(0).type}
            convert = make("Convert", "opset1", [constant.output(0)], attributes, node.friendly_name)
            Notes(convert).take(Notes(node))
            convert.set_rt_info("", DECOMPRESSION)
            node.output(0).replace(convert.output(0))
        return any(half is not None for _, half in halves)


class ConvertFP32ToFP16(ModelPass):
    """Let a model and its bodies compute in f16: Parameters, constants and conversions of f32."""

    def run_on_model(self, model: Model) -> bool:
        """Change a model; return whether it was changed."""
        nodes = [node for inner in with_bodies(model) for node in inner.get_ordered_ops()]
        is_changed = False
        for node in nodes:
            if isinstance(node, Constant):
                is_changed |= _halve(node)
                continue
            for name, value in node.get_attributes().items():
                if value == F32.name:
                    node.set_attribute(name, F16.name)
                    is_changed = True
            if node.get_type_name() == "Parameter" and node.fact(0).type is F32:
                node.set_element_type(Type.f16)
                is_changed = True
        model.validate_nodes_and_infer_types()
        return is_changed


def _halve(node: Constant) -> bool:
    """Replace a constant of f32 by one of f16; return whether it was one."""
    values = node.fact(0).constant if node.fact(0).type is F32 else None
    if values is None:
        return False
    half = Constant(Type.f16, list(values.shape), values)
    half.friendly_name = node.friendly_name
    node.output(0).replace(half.output(0))
    return True
