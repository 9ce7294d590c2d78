"""Names of parameters that differ between the forms of a call of OpenVINO, such as ``index`` and ``tensor_name``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def also_named(parameter: str, *others: str) -> Callable[[F], F]:
    """Let callers pass a parameter of a function under other names as well."""

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            if named:
                named = {parameter if name in others else name: value for name, value in named.items()}
            return function(*arguments, **named)

        return cast("F", call)

    return decorate
