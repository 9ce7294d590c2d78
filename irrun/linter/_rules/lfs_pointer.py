from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic
from irrun.document import faults
from irrun.linter.constants import constants
from irrun.linter.context import Context
from irrun.linter.rule import Rule


class LfsPointer(Rule):
    """The model or its weights file is a Git LFS pointer.

    ## What it does
    Reads the first bytes of the `.xml` and the `.bin`. A file that begins with `version https://git-lfs` only refers to
    the model or the weights. Such weights are treated as absent.

    ## Why is this bad
    The repository was cloned without Git LFS. OpenVINO says `Incorrect weights in bin file!`.

    ## Example
    A `.bin` of 130 bytes beside a model of 100 MB.

    ## Use instead
    `git lfs install` and `git lfs pull`.
    """

    code = "IR505"
    name = "lfs-pointer"
    faults = (faults.LfsPointer,)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        path = context.document.weights.path
        if path is not None and context.document.weights.is_pointer and constants(context):
            what = f"{path.name} is a Git LFS pointer, not the weights; git lfs pull fetches them"
            yield self.report(context.document.net, what)
