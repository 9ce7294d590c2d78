from __future__ import annotations

from irrun.linter.examples import NET
from irrun.linter.rule import Rule


class NotAnIr(Rule):
    """The file is not an OpenVINO IR, or one of another version.

    ## What it does
    Looks at the root element, which is `<net>`, and at its version, which is 10 or 11. A file whose root is a bare
    `<layer>`, or several, is checked as well.

    ## Why is this bad
    OpenVINO says `Unable to read the model` and nothing else.

    ## Example
    `<net name="net" version="7">`

    ## Use instead
    `<net name="net" version="11">`, in a file that a present OpenVINO has written.
    """

    code = "IR102"
    name = "not-an-ir"
    stage = "document"
    good = (NET,)
    bad = (NET.replace('version="11"', 'version="7"'), "<html></html>", "no XML at all")
