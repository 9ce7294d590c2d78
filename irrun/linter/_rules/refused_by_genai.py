from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from irrun.diagnostics import Diagnostic, Severity, listing
from irrun.graph import Graph, Node
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import InferredLayer, Placed, by_type, inferred_layers

_REQUIRED: Final = ("attention_mask", "beam_idx")
_TOKENS: Final = "input_ids"
_OF_AN_ENCODER: Final = "encoder_hidden_states"


class RefusedByGenai(Rule):
    """A language model does not have the variables or the inputs that OpenVINO GenAI requires.

    ## What it does
    With `--for genai`, looks for a language model: tokens pick rows of an embedding, and an output has a score for each
    of these rows. Such a model needs variables for its cache, and inputs with the tensor names `input_ids`,
    `attention_mask` and `beam_idx`. Decoders that read the states of an encoder are not checked.

    ## Why is this bad
    OpenVINO GenAI refuses the model, with `Model is supposed to be stateful` or `Port for tensor name beam_idx was not
    found`.

    ## Example
    A model that was exported with `stateful=False`, or by `convert_model` without a cache.

    ## Use instead
    An export by optimum-intel for `text-generation-with-past`, which is stateful.
    """

    code = "IR709"
    name = "refused-by-genai"
    severity = Severity.WARNING
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        model = _language_model(context) if "genai" in context.settings.purposes else None
        names = _input_names(context.bound.graph)
        if model is None or _OF_AN_ENCODER in names:
            return
        net = context.document.net
        if not by_type(context).get("ReadValue"):
            yield self.report(net, "a language model without variables, expected its cache in variables")
        if _TOKENS not in names and model.tokens.layer is not None:
            what = f"the tokens arrive at this input, expected one with the tensor name {_TOKENS}"
            yield self.report(Placed(model.tokens, model.table.scope, model.tokens.layer), what)
        missing = [name for name in _REQUIRED if name not in names]
        if missing:
            yield self.report(net, f"no input has the tensor name {listing(missing)}, expected one for each")


class _LanguageModel(NamedTuple):
    """The Gather that picks rows of the embedding, and the Parameter of the tokens."""

    table: InferredLayer
    tokens: Node


def _language_model(context: Context) -> _LanguageModel | None:
    results = [fact.shape.dims for fact in context.facts.results()]
    scores = {dims[-1].lo for dims in results if dims is not None and len(dims) == 3 and dims[-1].is_static}
    for item in inferred_layers(context, "Gather"):
        dims = item.inputs[0].shape.dims
        if item.path or dims is None or len(dims) != 2 or not dims[0].is_static or dims[0].lo not in scores:
            continue
        tokens = _tokens(item.scope.graph, item.node.id)
        if tokens is not None:
            return _LanguageModel(item, tokens)
    return None


def _tokens(graph: Graph, id: int) -> Node | None:
    """Return the Parameter whose integers are the indices of a Gather, perhaps converted; None where it is another."""
    source = graph.sources(id)[1]
    while source is not None and graph.node(source.node).type == "Convert":
        source = graph.sources(source.node)[0]
    node = None if source is None else graph.node(source.node)
    return node if node is not None and node.type == "Parameter" else None


def _input_names(graph: Graph) -> set[str]:
    return {name for id in graph.parameters for names in graph.node(id).names for name in names}
