"""The edits and passes whose results are compared with the file that they were given.

``EDITS`` and ``SAVES`` change nothing, or back what they have changed; ``CHANGES`` has the differences that are meant.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np

import irrun.openvino as ov
from irrun.graph import Outlet
from irrun.model import Loaded
from irrun.openvino import passes
from irrun.ops.extension import Extension
from irrun.surgery import (
    Preprocessing,
    convert,
    extract,
    make_states,
    preprocess,
    remove_states,
    rename,
    reshape,
    set_attributes,
    set_layer_notes,
    set_notes,
    set_outputs,
    set_weights,
    strip,
)

_ENDS: Final = ("Parameter", "Result", "Const", "ReadValue", "Assign")


def _middle(model: Loaded) -> str | None:
    """Return the name of a layer in the middle of a model, with one output that is none of the model; None for none."""
    graph = model.graph
    found = [
        node.name
        for node in graph.ordered()
        if node.type not in _ENDS
        and node.outputs == 1
        and all(graph.node(inlet.node).type != "Result" for inlet in graph.consumers(Outlet(node.id, 0)))
    ]
    return found[len(found) // 2] if found else None


def _renamed(model: Loaded) -> Loaded:
    """Rename a layer and a tensor there and back."""
    name = _middle(model)
    if name is None:
        return model
    there = rename(model, {name: "another name"}, {f"{name}:0": "another tensor"})
    node = next(node for node in there.graph.ordered() if node.name == "another name")
    own = next(item for item in model.graph.ordered() if item.name == name)
    back = rename(there, {"another name": name})
    return Loaded(
        back.bound._replace(graph=back.graph.with_nodes([back.graph.node(node.id)._replace(names=own.names)])),
        *(back.facts, back.weights, back.origin),
        name=back.friendly_name,
        version="11",
    )


def _other_outputs(model: Loaded) -> Loaded:
    name = _middle(model)
    if name is None:
        return model
    more = set_outputs(model, [f"{name}:0"])
    return set_outputs(more, [], [more.outputs[-1].any_name])


def _same_attributes(model: Loaded) -> Loaded:
    for node in model.graph.ordered():
        is_known = node.op is not None and not isinstance(node.op, Extension) and node.type not in _ENDS
        if is_known and node.op is not None and node.layer is not None and node.layer.data:
            known = {spec.name for spec in node.op.spec.attributes}
            texts = {key: text for key, text in node.layer.data.items() if key in known}
            return set_attributes(model, node.name, texts)
    return model


def _same_notes(model: Loaded) -> Loaded:
    made = set_notes(set_notes(model, {"further/entry": "1"}), {}, ["further"])
    name = _middle(model)
    return made if name is None else set_layer_notes(made, name, {})


def _same_weights(model: Loaded) -> Loaded:
    for node in model.graph.ordered():
        fact = model.facts.get(Outlet(node.id, 0)) if node.type == "Const" else None
        if fact is not None and fact.type.name == "f32" and fact.constant is not None:
            return set_weights(model, node.name, np.array(fact.constant))
    return model


def _same_precision(model: Loaded) -> Loaded:
    """Convert weights to f32, where all are."""
    types = {fact.type.name for fact in model.facts.of.values() if fact.type.is_float}
    return convert(model, "f32") if types <= {"f32"} else model


EDITS: Final[dict[str, Callable[[Loaded], Loaded]]] = {
    "nothing": lambda model: model,
    "a part with all outputs": lambda model: extract(model, [], [port.result_name for port in model.outputs]).model,
    "the same shapes": lambda model: reshape(model, {port.any_name: port.partial_shape for port in model.inputs}),
    "names": _renamed,
    "outputs": _other_outputs,
    "attributes": _same_attributes,
    "notes": _same_notes,
    "weights": _same_weights,
    "precision": _same_precision,
}


def _noisy(model: Loaded) -> Loaded:
    return strip(model, seed=3)


def _halved(model: Loaded) -> Loaded:
    return convert(model, "f16")


def _shifted(model: Loaded) -> Loaded:
    """Subtract a mean of the first input of floats."""
    names = [port.any_name for port in model.inputs if port.element_type.is_float and port.element_type.bits >= 16]
    return preprocess(model, Preprocessing(mean=(0.5,)), names[0]) if names else model


def _remembering(model: Loaded) -> Loaded:
    """Make a variable of the first input and output that have one type and static shape."""
    for port in model.inputs:
        for output in model.outputs:
            kinds = [(item.element_type, item.partial_shape) for item in (port, output)]
            if (
                kinds[0] == kinds[1]
                and port.partial_shape.is_static
                and len(model.inputs) > 1
                and len(model.outputs) > 1
            ):
                return make_states(model, {port.any_name: output.result_name})
    return model


def _meant(*differences: str) -> re.Pattern[str]:
    """Return a pattern of differences, each of a layer, as OpenVINO or irrun sees it, or of the model."""
    layer = r"(OpenVINO: layer|layers:) .*: "
    return re.compile("|".join(item if item.startswith("(") else layer + item for item in differences))


_NEW_LAYER: Final = "None != "
_LAYER_GONE: Final = ".* != None$"
_SOURCES: Final = "sources: "
_ENDS_CHANGED: Final = "(OpenVINO: )?(inputs|outputs|variables|sinks): "

# Edits that change what they are asked to, each with the differences that it means to make.
CHANGES: Final[dict[str, tuple[Callable[[Loaded], Loaded], re.Pattern[str]]]] = {
    "noise as weights": (_noisy, _meant("values: '")),
    "f16": (
        _halved,
        _meant(
            *(r"None != \('Convert', ", "type: 'Constant' != 'Convert'", r"values: '\w+' != None"),
            *(r"sources: \[\] != ", r"inputs: \[\] != \[\{\}\]", "info: decompression_0: None != ''"),
            *(r"attributes: .* != \"\[\('destination_type', 'f32'\)\]\"", "(OpenVINO: layer .*_compressed: None != )"),
        ),
    ),
    "a mean": (_shifted, _meant(_NEW_LAYER, _SOURCES)),
    "a variable": (
        _remembering,
        _meant(_ENDS_CHANGED, _NEW_LAYER, _LAYER_GONE, _SOURCES, r"outputs: \[", r"\('Parameter'"),
    ),
    "no variables": (
        lambda model: remove_states(model) if model.graph.sinks else model,
        _meant(_ENDS_CHANGED, _NEW_LAYER, _LAYER_GONE, _SOURCES, r".*\('present\.", r"outputs: .*'present\."),
    ),
}


class _Nothing(passes.ModelPass):
    def run_on_model(self, model: Any) -> bool:
        return not model


_UNARY: Final = ("abs", "cos", "erf", "exp", "floor", "log", "negative", "relu", "sigmoid", "sin", "sqrt", "tanh")


class _Replaced(passes.MatcherPass):
    """Replace functions of one number by new layers of the same type, with what the old ones had."""

    def __init__(self) -> None:
        super().__init__()
        made = {name: getattr(ov.opset13, name) for name in _UNARY}
        types = [f"opset13.{name.title()}" for name in _UNARY]

        def replace(matcher: passes.Matcher) -> bool:
            old = matcher.get_match_root()
            new = made[old.get_type_name().lower()](old.input_value(0))
            new.set_friendly_name(old.get_friendly_name())
            for end, own in ((new, old), (new.input(0), old.input(0)), (new.output(0), old.output(0))):
                for key, value in own.get_rt_info().items():
                    end.get_rt_info()[key] = value
            ov.utils.replace_node(old, new)
            return False

        self.register_matcher(passes.Matcher(passes.WrapType(types), "unary"), replace)


def _passed(one: Callable[[], Any]) -> Callable[[Any], Any]:
    def run(model: Any) -> Any:
        manager = passes.Manager()
        manager.register_pass(one())
        manager.run_passes(model)
        return model

    return run


SAVES: Final[dict[str, Callable[[Any], Any]]] = {
    "as read": lambda model: model,
    "nodes asked for": lambda model: (model.get_ordered_ops(), model.outputs, model)[-1],
    "a clone": lambda model: (model.inputs, model.clone())[-1],
    "pickled": lambda model: pickle.loads(pickle.dumps(model)),
    "after a pass": _passed(_Nothing),
    "layers replaced by a pass": _passed(_Replaced),
}
