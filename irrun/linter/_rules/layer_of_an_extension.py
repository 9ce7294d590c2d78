from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.runtime import faults


class LayerOfAnExtension(Rule):
    """A result depends on an operation that a library adds to OpenVINO, or that is internal to OpenVINO.

    ## What it does
    Reported when a model is compiled, for the first of these layers.

    ## Why is this bad
    irrun runs the operations of the opsets and of openvino_tokenizers. You can still read, check and inspect the model.

    ## Example
    A SparseConv of `version="extension"`, from the library openvino_contrib.

    ## Use instead
    OpenVINO with the library, or a model that uses only operations that irrun runs.
    """

    code = "IR803"
    name = "layer-of-an-extension"
    faults = (faults.LayerOfAnExtension,)
    at_run_time = True
