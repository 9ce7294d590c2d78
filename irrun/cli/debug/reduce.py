"""Find the smallest model for which a command still fails.

The command is run for smaller and smaller models: first with fewer layers, then with smaller shapes and plain
constants. {} in it is the path of the model, {inputs} that of an .npz file with the inputs that the layers get in the
whole model. A smaller model is kept if the command exits with the same status as for MODEL, which must not be 0, and if
its output matches --match. The command is run without a shell.

\b
Examples:
  irrun debug reduce model.xml --check 'python convert.py {}'
  irrun debug reduce model.xml --check 'irrun run {} -i {inputs} --stop-at nan' -i image=cat.npy -o small.xml
  irrun debug reduce model.xml --check 'python convert.py {}' --match 'unsupported axis'

When it is interrupted, the smallest model so far is there.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from irrun.cli import inputs, limits, values
from irrun.cli.console import detail, note, result
from irrun.cli.failures import Failure
from irrun.cli.inputs import FILE, InputCommand, InputOptions, usual_options
from irrun.cli.options import Number, count_option, output_option
from irrun.cli.settings import CommandSettings
from irrun.debugging.cases import Case, layers_of
from irrun.debugging.reducing import Command, write
from irrun.debugging.reducing import reduce as reduced
from irrun.diagnostics import amount
from irrun.evaluation.files import reading
from irrun.evaluation.files.targets import refuse_inputs, refuse_other_than_xml

if TYPE_CHECKING:
    from irrun.cli.records import NamedLayer, ReduceRecord


@click.command(help=__doc__, cls=InputCommand)
@click.argument("model", type=FILE)
@click.option("--check", required=True, metavar="COMMAND", help="The command that fails; {} is the model.")
@click.option("--match", metavar="PATTERN", help="A pattern that the output of the command must match.")
@click.option(
    "--check-timeout", type=Number(min=0, min_open=True), metavar="SECONDS", help="Kill the command after this time."
)
@count_option("--most", default=1000, help="Run it at most N times.")
@click.option("--keep-shapes", is_flag=True, help="Only remove layers.")
@output_option("The file to write.  [default: MODEL-reduced.xml]")
@inputs.source_options
@limits.options
@usual_options
def reduce(
    model: Path,
    check: str,
    match: str | None,
    check_timeout: float | None,
    most: int,
    keep_shapes: bool,
    output: Path | None,
    source: InputOptions,
    settings: CommandSettings,
    output_format: str,
) -> None:
    target = output if output is not None else model.with_name(f"{model.stem}-reduced.xml")
    refuse_other_than_xml(target)
    written = [target, target.with_suffix(".bin"), target.with_suffix(".npz")]
    refuse_inputs(written, source.read(model))
    config = settings.of(model)

    def better(case: Case) -> None:
        write(case, target)
        detail(f"fails with {amount(len(layers_of(case.model)), 'layer')}")

    command = Command(check, match=match, timeout=check_timeout)
    loaded, _ = source.load(model)
    given = source.values(loaded, config)
    arrays = reading.by_index(given) if command.wants_inputs else None
    if not command(Case((loaded,), None if arrays is None else tuple(arrays[i] for i in sorted(arrays)))):
        why = "its output does not match" if command.status else "it ends with status 0"
        raise Failure(f"the command does not fail for {model}: {why}")
    found = reduced(loaded, command, arrays, better=better, most=most, shapes=not keep_shapes, config=config)
    paths = write(found.case, target)
    if output_format == "json":
        record: ReduceRecord = {
            "before": found.before,
            "after": found.after,
            "checks": found.checks,
            "layers": _layers(found.case),
            "files": [str(path) for path in paths],
        }
        result(values.as_json(record))
    else:
        names = ", ".join(f'{item["type"]} "{values.printable(item["name"])}"' for item in _layers(found.case))
        result(f"{amount(found.before, 'layer')} reduced to {found.after}: {names}")
        result(f"the command ran {found.checks} times")
    for path in paths:
        note(f"wrote {path}")


def _layers(case: Case) -> list[NamedLayer]:
    nodes = (case.model.graph.node(id) for id in layers_of(case.model))
    return [{"name": node.name, "type": node.type} for node in nodes]
