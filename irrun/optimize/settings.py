"""The options of the optimiser."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from irrun.tensor import ElementType
from irrun.tensor.element_type import F32

if TYPE_CHECKING:
    from irrun.optimize.added import Kernel, Pass


class Settings(NamedTuple):
    """Options of one compilation.

    ``disabled`` names passes to skip. ``accurate`` forbids rewrites that lose precision for speed. ``low_memory`` keeps
    compressed weights compressed, even where that is slower. The operands of products are rounded to ``precision``.
    Elements that integer weights are multiplied by are rounded to integers, ``group_size`` of a row with a common
    scale; 0 leaves them as they are. Without ``compiled`` kernels, codes of a table are looked up once, in advance.
    ``passes`` and ``kernels`` are those of users.
    """

    enabled: bool = True
    disabled: frozenset[str] = frozenset()
    accurate: bool = False
    low_memory: bool = False
    precision: ElementType = F32
    group_size: int = 0
    compiled: bool = True
    passes: tuple[type[Pass], ...] = ()
    kernels: tuple[type[Kernel], ...] = ()
