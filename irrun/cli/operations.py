"""Operation types and opsets as arguments of commands."""

from __future__ import annotations

import re
from contextlib import suppress

import click

from irrun.cli.extending import extensions
from irrun.cli.failures import Failure
from irrun.ops.available import Operations, operations_of
from irrun.ops.operation import OpClass
from irrun.ops.registry import LATEST, UnknownOperation, declarations, resolve


def known_operations() -> Operations:
    """Return irrun's operations and those of ``--extension``."""
    return operations_of(extensions())


def operation_named(type: str, opset: str | None) -> OpClass:
    """Return an operation, the newest version unless an opset is given; Failure where there is none."""
    try:
        return known_operations().resolve(type, opset)
    except UnknownOperation as error:
        if error.attribute == "type" and error.meant is None:
            raise Failure(f"{error}; irrun ops lists all") from None
        raise


def opset_named(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Parse the name of an opset: ``opset8``, ``8``, or one outside the numbered ones that has operations."""
    if value is None or any(cls.opset == value for cls in known_operations().declarations()):
        return value
    number = re.fullmatch(r"(?:opset)?(\d+)", value)
    if number is None or not 1 <= int(number[1]) <= LATEST:
        raise click.BadParameter(f'there is no opset "{value}", expected opset1 to opset{LATEST}')
    return f"opset{int(number[1])}"


def of_opset(opset: str) -> list[OpClass]:
    """Return the operations that a model of this opset uses, by type; for other domains, those that it declares."""
    if not opset.startswith("opset"):
        return [cls for cls in known_operations().declarations() if cls.opset == opset]
    newest: dict[str, OpClass] = {}
    for cls in declarations():
        with suppress(UnknownOperation):
            newest[cls.type] = resolve(cls.type, opset)
    return list(newest.values())


def complete_type(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the operation types that begin with a text, in any case."""
    types = dict.fromkeys(cls.type for cls in declarations())
    return [type for type in types if type.lower().startswith(incomplete.lower())]
