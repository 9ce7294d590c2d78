"""Passes that change models, as OpenVINO's ``passes`` has them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from enum import Enum
from typing import Any

from irrun.diagnostics import listing
from irrun.model.loaded import require_unchanged
from irrun.openvino.models.model import Model
from irrun.openvino.models.saving import serialize
from irrun.openvino.models.subgraphs import SubGraphs, with_bodies
from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.op import Constant
from irrun.openvino.nodes.ports import Output
from irrun.openvino.passes.patterns import Found, Pattern, as_pattern
from irrun.openvino.values.keywords import also_named


class Matcher:
    """A pattern, and the outputs that it matched last."""

    @also_named("pattern", "node", "output")
    def __init__(self, pattern: Any, name: str) -> None:
        self._pattern = as_pattern(pattern)
        self._name = name
        self._found: Found = {}
        self._root: Output | None = None

    def match(self, value: Node | Output) -> bool:
        """Return whether the pattern fits an output, or one of the outputs of a node."""
        for output in value.outputs() if isinstance(value, Node) else [value]:
            found: Found = {}
            if self._pattern.match(output, found):
                self._found, self._root = found, output
                return True
        return False

    def get_name(self) -> str:
        """Return the name."""
        return self._name

    def get_match_value(self) -> Output:
        """Return the output that matched; RuntimeError where none did."""
        if self._root is None:
            raise RuntimeError(f"the pattern {self._name!r} matched nothing")
        return self._root

    def get_match_root(self) -> Node:
        """Return the node that matched; RuntimeError where none did."""
        node: Node = self.get_match_value().node
        return node

    def get_match_values(self) -> list[Output]:
        """Return the outputs that the patterns match."""
        return list(self._found.values())

    def get_match_nodes(self) -> list[Node]:
        """Return the nodes of the outputs that the patterns match."""
        return [output.node for output in self._found.values()]

    def get_pattern_value_map(self) -> dict[Pattern, Output]:
        """Return the outputs by the patterns that they match."""
        return dict(self._found)


class PassBase:
    """A change of a model."""

    _name: str | None = None

    def get_name(self) -> str:
        """Return the name, by default that of the class."""
        return self._name or type(self).__name__

    def set_name(self, name: str) -> None:
        """Set the name."""
        self._name = name


class ModelPass(PassBase):
    """A pass with a method ``run_on_model``, which returns whether it changed the model."""

    def run_on_model(self, model: Model) -> bool:
        """Change a model and return whether it was changed; NotImplementedError unless overridden."""
        raise NotImplementedError(f"{self.get_name()} has no run_on_model")


class MatcherPass(PassBase):
    """A pass that calls a function for each match of a pattern; the function returns whether it changed the model."""

    def __init__(self, matcher: Matcher | None = None, callback: Callable[[Matcher], bool] | None = None) -> None:
        self._matcher, self._callback = matcher, callback
        self._new: list[Node] = []

    def register_matcher(self, matcher: Matcher, callback: Callable[[Matcher], bool]) -> None:
        """Set the pattern, and the function that is called for each match."""
        self._matcher, self._callback = matcher, callback

    def register_new_node(self, node: Node) -> Node:
        """Note a node that the function made, for which the pass runs as well; return the node."""
        self._new.append(node)
        return node

    def apply(self, node: Node) -> bool:
        """Call the function where the pattern fits a node; return whether it changed the model."""
        if self._matcher is None or self._callback is None:
            raise RuntimeError(f"{self.get_name()} has no pattern; register_matcher sets it")
        return self._matcher.match(node) and bool(self._callback(self._matcher))

    def run_on_model(self, model: Model) -> bool:
        """Change a model; return whether it was changed."""
        return GraphRewrite([self]).run_on_model(model)


class GraphRewrite(ModelPass):
    """Applies passes with patterns to each node, from the inputs to the outputs: the first that changes the model.

    The bodies of a node come before the node.
    """

    def __init__(self, matchers: list[MatcherPass] | MatcherPass | None = None) -> None:
        self._matchers = [matchers] if isinstance(matchers, MatcherPass) else list(matchers or ())

    def add_matcher(self, transformation: MatcherPass) -> MatcherPass:
        """Add a pass and return it."""
        self._matchers.append(transformation)
        return transformation

    def _order(self, nodes: list[Node]) -> list[Node]:
        return nodes

    def run_on_model(self, model: Model) -> bool:
        """Apply the passes to each node; return whether one changed the model."""
        waiting, is_changed = deque(self._order(model.get_ordered_ops())), False
        while waiting:
            node = waiting.popleft()
            for body in node.models if isinstance(node, SubGraphs) else ():
                is_changed |= self.run_on_model(body)
            for item in self._matchers:
                done = item.apply(node)
                waiting.extendleft(reversed(item._new))
                item._new.clear()
                is_changed |= done
                if done:
                    break
        return is_changed


class BackwardGraphRewrite(GraphRewrite):
    """Applies passes with patterns to each node, from the outputs to the inputs."""

    def _order(self, nodes: list[Node]) -> list[Node]:
        return nodes[::-1]


class ConstantFolding(ModelPass):
    """Replace outputs whose values are known by constants, also in bodies."""

    def run_on_model(self, model: Model) -> bool:
        """Change a model; return whether it was changed."""
        nodes = [node for inner in with_bodies(model) for node in inner.get_ordered_ops()]
        is_changed = False
        for node in nodes:
            if isinstance(node, Constant) or node.get_type_name() in ("Result", "Assign", "ReadValue"):
                continue
            for output in node.outputs():
                if output.fact.is_constant and output.get_target_inputs():
                    constant = Constant.of_fact(output.fact, node.friendly_name)
                    output.replace(constant.output(0))
                    is_changed = True
        return is_changed


class Version(Enum):
    """A version of the format of files; UNSPECIFIED is the newest one."""

    UNSPECIFIED = 0
    IR_V10 = 10
    IR_V11 = 11


class Serialize(ModelPass):
    """Write the model as an .xml and a .bin."""

    def __init__(self, path_to_xml: Any, path_to_bin: Any = "", version: Any = "UNSPECIFIED") -> None:
        self._paths = os.fspath(path_to_xml), os.fspath(path_to_bin)
        self._version = "UNSPECIFIED" if version is None else str(getattr(version, "name", version))
        if self._version not in Version.__members__:
            raise TypeError(f"version is {version!r}, expected {listing(list(Version.__members__))}")

    def run_on_model(self, model: Model) -> bool:
        """Write a model; return False, since it is not changed."""
        serialize(model, *self._paths, self._version)
        return False


class LowLatency2(ModelPass):
    """Replace loops of one iteration by their bodies; irrun runs them as they are, so nothing changes."""

    def __init__(self, use_const_initializer: bool = True) -> None:
        self._uses_constants = use_const_initializer

    def run_on_model(self, model: Model) -> bool:
        """Return False, since the model is not changed."""
        return False


class Manager:
    """Runs passes in the order of their registration."""

    def __init__(self) -> None:
        self._passes: list[Any] = []
        self._validates = True

    def register_pass(self, item: Any) -> Any:
        """Add a pass and return it; TypeError for anything else."""
        if not isinstance(item, PassBase):
            raise TypeError(f"{item!r} is not a pass")
        self._passes.append(item)
        return item

    def set_per_pass_validation(self, new_state: bool) -> None:
        """Infer types and shapes after each pass, or at the end only."""
        self._validates = new_state

    def run_passes(self, model: Model) -> bool:
        """Run the passes; return whether one changed the model. RuntimeError where its file of weights was changed."""
        is_changed = False
        weights = model._graph.weights
        require_unchanged(weights, "")
        for item in self._passes:
            is_changed |= bool(item.run_on_model(model))
            if self._validates:
                model.validate_nodes_and_infer_types()
        model.validate_nodes_and_infer_types()
        require_unchanged(weights, "")
        return is_changed
