"""The file that the commands of ``irrun edit`` write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from irrun.cli.console import note, verbosity
from irrun.cli.extending import extension_option, extensions
from irrun.cli.failures import Failure
from irrun.cli.findings import say_findings
from irrun.cli.inputs import weights_option
from irrun.cli.writing import read_files
from irrun.diagnostics import amount
from irrun.evaluation.files.targets import refuse_inputs, refuse_other_than_xml
from irrun.model import Loaded, load
from irrun.surgery import save

F = TypeVar("F", bound=Callable[..., Any])

_XML_ONLY: Final = "irrun.xml_only"


def output_option(command: F) -> F:
    """Add the options of the file that is written."""
    output = click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        required=True,
        help="The .xml to write; the .bin is written beside it.",
    )
    xml_only = click.option(
        "--xml-only",
        is_flag=True,
        expose_value=False,
        callback=lambda context, _, value: context.meta.__setitem__(_XML_ONLY, value),
        help="Write no .bin: the constants stay those of the .bin of the model.",
    )
    return output(xml_only(command))


def options(command: F) -> F:
    """Add the options that every edit has: the file that is written, the weights, extensions and verbosity."""
    return output_option(weights_option(extension_option(verbosity(command))))


def read(model: Path, weights: Path | None, output: Path) -> Loaded:
    """Return the model to edit; Failure where the output cannot be written, or would replace what is read."""
    refuse_other_than_xml(output)
    refuse_inputs([output, output.with_suffix(".bin")], read_files(model, weights))
    loaded = load(model, weights, extensions=extensions())
    say_findings(loaded, model)
    return loaded


def write(model: Loaded, output: Path) -> None:
    """Write an edited model; Failure where its constants are not known, or change where no .bin is written."""
    xml_only = bool(click.get_current_context().meta.get(_XML_ONLY))
    try:
        save(model, output, xml_only=xml_only)
    except RuntimeError as error:
        raise Failure(str(error)) from None
    beside = "" if xml_only else f", and {output.with_suffix('.bin').name}"
    note(f"wrote {output} with {amount(format(len(model.graph), ','), 'layer')}{beside}")


def pairs(
    texts: Sequence[str], form: str, split: Callable[[str, str], tuple[str, str, str]] = str.rpartition
) -> dict[str, str]:
    """Return pairs ``NAME=VALUE``, by default split at the last sign; UsageError for other texts."""
    found = {}
    for text in texts:
        name, equals, value = split(text, "=")
        if not equals or not name or not value:
            raise click.UsageError(f'"{text}" is not a pair of names, expected {form}')
        found[name] = value
    return found
