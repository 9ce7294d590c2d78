from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from irrun.diagnostics import Diagnostic, IRError, Severity
from irrun.document import read
from irrun.graph import Graph, bind
from irrun.inference import Facts, infer
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import InferredLayer, inferred_layers

_VOCABULARIES: Final = {
    "BPETokenizer": 5,
    "TrieTokenizer": 5,
    "UnigramTokenizer": 5,
    "VocabDecoder": 1,
    "WordpieceTokenizer": 5,
}
"""The input with the begins of the tokens, in the order of their ids."""

_WITH_ADDED: Final = frozenset({15, 18})
"""The numbers of inputs of a BPETokenizer whose last input is the ids of added tokens."""

_FILES: Final = ("openvino_tokenizer.xml", "openvino_detokenizer.xml")


class TokensBeyondEmbedding(Rule):
    """The tokenizer beside a model has more tokens than the embedding of the model.

    ## What it does
    With `--for genai`, compares the rows of the table from which `input_ids` picks, with the vocabularies in
    `openvino_tokenizer.xml` and `openvino_detokenizer.xml` of the same folder. More rows than tokens are common, and
    not reported.

    ## Why is this bad
    The tokenizer belongs to another model. An id beyond the table reads past its end, which is an error in some engines
    and an arbitrary vector in others; the other ids stand for different words than in training.

    ## Example
    A model with an embedding of 32,000 rows, and a tokenizer with 32,064 tokens.

    ## Use instead
    The tokenizer that was exported with the model, or an embedding with a row for each token.
    """

    code = "IR705"
    name = "tokens-beyond-embedding"
    severity = Severity.WARNING
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        path = context.document.path if "genai" in context.settings.purposes else None
        table = _embedding(context) if path is not None else None
        if path is None or table is None:
            return
        rows = (table.inputs[0].shape.dims or ())[0].hi
        for name in _FILES:
            file = Path(path).with_name(name)
            tokens = _tokens(file) if file.is_file() else 0
            if tokens > rows:
                what = f"the embedding has {rows:,} rows, expected one for each of the {tokens:,} tokens of {name}"
                yield self.report(table, what)
                return


def _embedding(context: Context) -> InferredLayer | None:
    """Return the Gather that picks rows of a table by the input ``input_ids``."""
    for item in inferred_layers(context, "Gather"):
        dims = item.inputs[0].shape.dims
        if item.path or dims is None or len(dims) != 2 or not dims[0].is_static:
            continue
        if _is_input_ids(item.scope.graph, item.node.id):
            return item
    return None


def _is_input_ids(graph: Graph, id: int) -> bool:
    """Return whether the indices of a Gather are ``input_ids``, perhaps converted."""
    source = graph.sources(id)[1]
    while source is not None and graph.node(source.node).type == "Convert":
        source = graph.sources(source.node)[0]
    if source is None:
        return False
    node = graph.node(source.node)
    return node.type == "Parameter" and "input_ids" in (node.name, *(name for names in node.names for name in names))


def _tokens(path: Path) -> int:
    """Return the number of tokens of a tokenizer or a detokenizer; 0 where it cannot be told."""
    try:
        document = read(path)
    except (IRError, OSError):
        return 0
    graph = bind(document).graph
    facts = infer(graph, document.weights)
    return max((_vocabulary(graph, facts, id) for id in graph), default=0)


def _vocabulary(graph: Graph, facts: Facts, id: int) -> int:
    node, sources = graph.node(id), graph.sources(id)
    place = _VOCABULARIES.get(node.type)
    outlet = sources[place] if place is not None and place < len(sources) else None
    fact = facts.get(outlet) if outlet is not None else None
    count = fact.shape.size.lo if fact is not None and fact.shape.is_static else 0
    if node.type == "BPETokenizer" and node.inputs in _WITH_ADDED and sources[-1] is not None:
        added = facts.get(sources[-1])
        ids = None if added is None else added.constant
        count = max(count, int(ids.max()) + 1) if ids is not None and ids.size else count
    return count
