"""Other runtime information of models and layers."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from irrun.diagnostics import near_match
from irrun.document.info import USER, entry_of, find, key_of, with_entry, without
from irrun.model import InputError, Loaded
from irrun.model.layers import find_id
from irrun.surgery.drafts import closed, opened


def set_notes(model: Loaded, values: Mapping[str, str], dropped: Iterable[str] = ()) -> Loaded:
    """Return a model with other entries of its ``<rt_info>``, by paths such as ``model_info/labels``.

    InputError for a path to drop that there is not, and one to set that has entries inside, or leads through a text.
    """
    notes: dict[str, Any] = copy.deepcopy(dict(model.notes))
    for path in dropped:
        *around, name = path.split("/")
        inside: Any = notes
        for part in around:
            inside = inside.get(part) if isinstance(inside, dict) else None
        if not isinstance(inside, dict) or name not in inside:
            raise InputError(f'the model has no rt_info "{path}"{near_match(path, _paths(notes))}')
        del inside[name]
    for path, value in values.items():
        *around, name = path.split("/")
        inside = notes
        for part in around:
            inside = inside.setdefault(part, {})
            if not isinstance(inside, dict):
                raise InputError(f'"{part}" of "{path}" has a value, expected a path of entries')
        if isinstance(inside.get(name), dict):
            raise InputError(f'"{path}" has entries inside, {", ".join(inside[name]) or "none"}, expected one of these')
        inside[name] = value
    return model.with_notes(notes)


def set_layer_notes(model: Loaded, layer: str, values: Mapping[str, str], dropped: Iterable[str] = ()) -> Loaded:
    """Return a model with other runtime information of a layer: attributes that OpenVINO knows, or ``user_data/NAME``.

    InputError for an unknown layer or attribute.
    """
    plain, edited = opened(model)
    id = find_id(plain, layer)
    node = edited.node(id)
    info = node.info.layer
    for name in dropped:
        if find(info, _key(name)) is None:
            known = [key_of(entry).removesuffix("_0") for entry in info]
            raise InputError(f'layer "{layer}" has no rt_info "{name}"{near_match(name, known)}')
        info = without(info, _key(name))
    for name, value in values.items():
        entry = entry_of(_key(name), value)
        if entry is None:
            what = f'"{name}" is not runtime information of a layer, expected an attribute such as fused_names'
            raise InputError(f"{what}, or user_data/NAME")
        info = with_entry(info, entry)
    edited.update(node._replace(info=node.info._replace(layer=info)))
    return closed(edited, plain)


def _key(name: str) -> str:
    user, slash, own = name.partition("/")
    return f"{USER}{own}" if slash and user == USER else f"{name}_0"


def _paths(notes: Mapping[str, Any], path: str = "") -> list[str]:
    found = []
    for name, value in notes.items():
        found += _paths(value, f"{path}{name}/") if isinstance(value, Mapping) else []
        found.append(path + name)
    return found
