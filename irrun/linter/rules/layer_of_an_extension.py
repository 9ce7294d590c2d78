from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.runtime import faults


class LayerOfAnExtension(Rule):
    """A result depends on an operation that a library adds to OpenVINO, or that is internal to OpenVINO.

    ## What it does
    Reported when a model is compiled, for the first of these layers.

    ## Why is this bad
    irrun runs the operations of the opsets only. You can still read, check and show the model.

    ## Example
    A tokenizer with a RegexSplit of `version="extension"`, from the library openvino_tokenizers.

    ## Use instead
    OpenVINO with the library, or a model that uses only operations of the opsets.
    """

    code = "IR803"
    name = "layer-of-an-extension"
    faults = (faults.LayerOfAnExtension,)
    at_run_time = True
