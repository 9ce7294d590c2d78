from __future__ import annotations

from irrun.document import faults
from irrun.linter.rule import Rule


class NotAnIr(Rule):
    """The file is not an OpenVINO IR of version 10 or 11.

    ## What it does
    Expects the root element `<net>` with version 10 or 11. A file with one or more bare `<layer>` elements at its root
    is checked too. Versions 2 to 9 were read by OpenVINO up to 2021.4.

    ## Why is this bad
    OpenVINO says `Unable to read the model` and nothing else.

    ## Example
    `<net name="net" version="7">`

    ## Use instead
    `<net name="net" version="11">`, in a file that a current OpenVINO has converted from the original model.
    """

    code = "IR102"
    name = "not-an-ir"
    faults = (faults.NotAnIr,)
    breaks = ("structure",)
