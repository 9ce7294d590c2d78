"""Decorators of functions that make nodes, as OpenVINO's ``utils.decorators``."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from irrun.openvino.nodes.ports import Output, as_output
from irrun.openvino.utils.types import as_node


def nameable_op(node_factory_function: Callable[..., Any]) -> Callable[..., Any]:
    """Name the node that a function returns by its argument ``name``, if that is given."""
    return _with_nodes(node_factory_function, 0)


def unary_op(node_factory_function: Callable[..., Any]) -> Callable[..., Any]:
    """Pass numbers as a constant in the place of the first argument of a function, and name the node it returns."""
    return _with_nodes(node_factory_function, 1)


def binary_op(node_factory_function: Callable[..., Any]) -> Callable[..., Any]:
    """Pass numbers as constants in the place of the first two arguments of a function, and name the node it returns."""
    return _with_nodes(node_factory_function, 2)


def custom_preprocess_function(custom_function: Callable[..., Any]) -> Callable[..., Output]:
    """Return an output where a function returns a node, as steps of preprocessing do."""

    @wraps(custom_function)
    def wrapper(node: Any) -> Output:
        return as_output(custom_function(node))

    return wrapper


def _with_nodes(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    @wraps(function)
    def wrapper(*arguments: Any, **named: Any) -> Any:
        name = named.get("name")
        node = function(*(as_node(item, name) for item in arguments[:count]), *arguments[count:], **named)
        if name is not None:
            node.friendly_name = name
        return node

    return wrapper
