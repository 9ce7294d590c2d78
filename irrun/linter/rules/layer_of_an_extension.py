from __future__ import annotations

from irrun.linter.rule import Rule


class LayerOfAnExtension(Rule):
    """A result depends on an operation that a library adds to OpenVINO, or that OpenVINO makes for itself.

    ## What it does
    Is reported when a model is compiled. One finding about the first such layer stands for all.

    ## Why is this bad
    irrun runs the operations of the opsets only. The model can be read, checked and shown all the same.

    ## Example
    A tokenizer with a RegexSplit of `version="extension"`, which the library openvino_tokenizers has.

    ## Use instead
    OpenVINO with the library, or a model of operations of the opsets.
    """

    code = "IR803"
    name = "layer-of-an-extension"
    stage = "run"
