"""Checks of passes: patterns of nodes, and changes of models where they match."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tests.openvino.comparing import Check
from tests.openvino.graphs import F, x


def net(ov: Any) -> Any:
    """Return ``tanh(relu(x) + 1) * relu(x)``."""
    ops, parameter = ov.opset13, x(ov)
    relu = ops.relu(parameter, name="relu")
    total = ops.add(relu, ops.constant(np.array([1, 2], F)), name="add")
    return ov.Model([ops.multiply(ops.tanh(total, name="tanh"), relu, name="last")], [parameter], "net")


def matched(make: Callable[[Any], Any], name: str) -> Check:
    """Return a check of a pattern on the node of a name."""

    def check(ov: Any) -> Any:
        passes = import_module(f"{ov.__name__}.passes")
        matcher = passes.Matcher(make(passes), "name")
        node = next(item for item in net(ov).get_ops() if item.friendly_name == name)
        found = matcher.match(node)
        return [found, matcher.get_name(), matcher.get_match_root().friendly_name if found else None]

    return check


def rewritten(pattern: Callable[[Any], Any], change: Callable[[Any, Any, Any], bool], new: bool = False) -> Check:
    """Return a check of a pass with a pattern, in a manager."""

    def check(ov: Any) -> Any:
        passes = import_module(f"{ov.__name__}.passes")

        class Pass(passes.MatcherPass):  # type: ignore[misc,name-defined]
            def __init__(self) -> None:
                passes.MatcherPass.__init__(self)
                root = pattern(passes)
                self.register_matcher(
                    passes.Matcher(root, "Pass"), lambda matcher: change(ov, matcher, self if new else root)
                )

        model, manager = net(ov), passes.Manager()
        manager.register_pass(Pass())
        manager.run_passes(model)
        types = sorted(node.get_type_name() for node in model.get_ops())
        return [types, ov.compile_model(model, "CPU")(np.array([3, -4], F))[0]]

    return check


def _to_sigmoid(ov: Any, matcher: Any, _root: Any) -> bool:
    root = matcher.get_match_root()
    made = ov.opset13.sigmoid(root.input(0).get_source_output())
    ov.utils.replace_node(root, made)
    return True


def _scale(ov: Any, matcher: Any, _root: Any) -> bool:
    root = matcher.get_match_root()
    root.input(0).replace_source_output(ov.opset13.multiply(root.input_value(0), F(2)).output(0))
    return True


def _by_map(ov: Any, matcher: Any, root: Any) -> bool:
    output = matcher.get_pattern_value_map()[root]
    ov.utils.replace_node(output.get_node(), ov.opset13.abs(output.get_node().input_value(0)))
    return True


def _drop(ov: Any, matcher: Any, _root: Any) -> bool:
    root = matcher.get_match_root()
    return bool(ov.utils.replace_output_update_name(root.output(0), root.input_value(0)))


def _model_pass(ov: Any) -> Any:
    passes, seen = import_module(f"{ov.__name__}.passes"), []

    class Names(passes.ModelPass):  # type: ignore[misc,name-defined]
        def run_on_model(self, model: Any) -> bool:
            seen.extend(sorted(node.get_type_name() for node in model.get_ops()))
            return False

    manager = passes.Manager()
    manager.register_pass(Names())
    manager.run_passes(net(ov))
    return seen


def _folded(ov: Any) -> Any:
    passes, ops = import_module(f"{ov.__name__}.passes"), ov.opset13
    parameter = x(ov)
    known = ops.add(ops.constant(np.array([1, 2], F)), ops.constant(np.array([3, 4], F)))
    model, manager = ov.Model([ops.multiply(parameter, known)], [parameter], "m"), passes.Manager()
    manager.register_pass(passes.ConstantFolding())
    manager.run_passes(model)
    return [sorted(node.get_type_name() for node in model.get_ops()), ov.compile_model(model, "CPU")(np.ones(2, F))[0]]


def _serialized(ov: Any) -> Any:
    passes, manager = import_module(f"{ov.__name__}.passes"), import_module(f"{ov.__name__}.passes").Manager()
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / name) for name in ("m.xml", "m.bin")]
        manager.register_pass(passes.Serialize(*paths))
        manager.run_passes(net(ov))
        return len(ov.Core().read_model(*paths).get_ops())


def _made_stateful(ov: Any, named: bool) -> Any:
    passes, ops = import_module(f"{ov.__name__}.passes"), ov.opset13
    parameter, past = x(ov, (1, 2), "x"), x(ov, (1, 2), "past")
    total = ops.add(parameter, past, name="total")
    for node, name in ((parameter, "x"), (past, "past"), (total, "present")):
        node.output(0).set_names({name})
    model = ov.Model([ov.op.Result(total.output(0)), ov.op.Result(ops.negative(total).output(0))], [parameter, past])
    manager = passes.Manager()
    manager.register_pass(
        passes.MakeStateful({"past": "present"} if named else [(model.parameters[1], model.results[0])])
    )
    manager.run_passes(model)
    request = ov.compile_model(model, "CPU").create_infer_request()
    found = [request.infer([np.ones((1, 2), F)])[0] for _ in range(2)]
    return [found, len(model.inputs), len(model.outputs), len(request.query_state())]


def _several(ov: Any) -> Any:
    passes = import_module(f"{ov.__name__}.passes")
    counts = {"Relu": 0, "Tanh": 0}

    def counting(name: str) -> Any:
        def count(_matcher: Any) -> bool:
            counts[name] += 1
            return False

        return passes.MatcherPass(passes.Matcher(passes.WrapType(f"opset13.{name}"), name), count)

    manager, rewrite = passes.Manager(), passes.GraphRewrite()
    for name in counts:
        rewrite.add_matcher(counting(name))
    manager.register_pass(rewrite)
    manager.run_passes(net(ov))
    return counts


PASSES: dict[str, Check] = {
    "pattern of a type": matched(lambda p: p.WrapType("opset13.Relu"), "relu"),
    "pattern of another type": matched(lambda p: p.WrapType("opset13.Tanh"), "relu"),
    "pattern of types": matched(lambda p: p.WrapType(["opset13.Tanh", "opset13.Relu"]), "relu"),
    "pattern with an input": matched(lambda p: p.WrapType("opset13.Tanh", p.WrapType("opset13.Add").output(0)), "tanh"),
    "pattern with a wrong input": matched(
        lambda p: p.WrapType("opset13.Tanh", p.WrapType("opset13.Relu").output(0)), "tanh"
    ),
    "pattern with inputs": matched(
        lambda p: p.WrapType("opset13.Add", [p.AnyInput().output(0), p.WrapType("opset13.Constant").output(0)]), "add"
    ),
    "pattern of a commutative node": matched(
        lambda p: p.WrapType("opset13.Add", [p.WrapType("opset13.Constant").output(0), p.AnyInput().output(0)]), "add"
    ),
    "pattern with too few inputs": matched(lambda p: p.WrapType("opset13.Add", [p.AnyInput().output(0)]), "add"),
    "pattern with a condition": matched(
        lambda p: p.WrapType("opset13.Relu", lambda output: len(output.get_target_inputs()) == 2), "relu"
    ),
    "pattern with a false condition": matched(
        lambda p: p.WrapType("opset13.Relu", lambda output: len(output.get_target_inputs()) == 1), "relu"
    ),
    "pattern with consumers": matched(lambda p: p.WrapType("opset13.Relu", p.consumers_count(2)), "relu"),
    "pattern with a static shape": matched(lambda p: p.WrapType("opset13.Relu", p.has_static_shape()), "relu"),
    "any input": matched(lambda p: p.AnyInput(), "tanh"),
    "either": matched(lambda p: p.Or([p.WrapType("opset13.Tanh"), p.WrapType("opset13.Relu")]), "relu"),
    "neither": matched(lambda p: p.Or([p.WrapType("opset13.Tanh"), p.WrapType("opset13.Exp")]), "relu"),
    "optional": matched(
        lambda p: p.WrapType("opset13.Tanh", p.Optional(["opset13.Relu"], p.WrapType("opset13.Add"))), "tanh"
    ),
    "one pattern for two inputs": matched(
        lambda p: (lambda relu: p.WrapType("opset13.Multiply", [p.WrapType("opset13.Tanh").output(0), relu.output(0)]))(
            p.WrapType("opset13.Relu")
        ),
        "last",
    ),
    "replace a node": rewritten(lambda p: p.WrapType("opset13.Tanh"), _to_sigmoid),
    "replace a node with two consumers": rewritten(lambda p: p.WrapType("opset13.Relu"), _to_sigmoid),
    "insert a node": rewritten(lambda p: p.WrapType("opset13.Tanh"), _scale),
    "by the map of patterns": rewritten(lambda p: p.WrapType("opset13.Relu"), _by_map),
    "drop a node": rewritten(lambda p: p.WrapType("opset13.Tanh"), _drop),
    "change nothing": rewritten(lambda p: p.WrapType("opset13.Tanh"), lambda *_: False),
    "pass of models": _model_pass,
    "constants folded": _folded,
    "serialized": _serialized,
    "several matchers": _several,
    "variables by names": lambda ov: _made_stateful(ov, True),
    "variables by nodes": lambda ov: _made_stateful(ov, False),
    "no pass": lambda ov: import_module(f"{ov.__name__}.passes").Manager().register_pass(5),
}

CHECKS: dict[str, Check] = {f"pass, {name}": check for name, check in PASSES.items()}
