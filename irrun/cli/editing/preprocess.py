"""Write a model that preprocesses an input, as OpenVINO's PrePostProcessor does.

The caller passes a tensor of --type, --layout and --color, with images of any size if --resize is given. The steps are:
to f32, to --model-color, to the size of the model, minus --mean, divided by --scale, to --model-layout.

\b
Examples:
  irrun edit preprocess model.xml --type u8 --layout NHWC --model-layout NCHW --scale 255 -o pixels.xml
  irrun edit preprocess model.xml --type u8 --layout NHWC --model-layout NCHW --color rgb --model-color bgr -o bgr.xml
  irrun edit preprocess model.xml --layout NCHW --mean 0.5,0.5,0.5 --scale 0.2,0.2,0.2 -o normalized.xml
"""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli.editing import sharing
from irrun.cli.inputs import FILE
from irrun.surgery import Preprocessing, preprocess
from irrun.surgery.preprocessing import COLORS, RESIZES


@click.command(name="preprocess", help=__doc__)
@click.argument("model", type=FILE)
@click.option("--input", "name", metavar="NAME", help="The input, if the model has several.")
@click.option("--type", metavar="TYPE", help="The element type that the caller passes, such as u8.")
@click.option("--layout", help="The layout that the caller passes, such as NHWC.")
@click.option("--model-layout", help="The layout that the model takes, if the file does not say it.")
@click.option("--color", type=click.Choice(list(COLORS)), help="The colours that the caller passes.")
@click.option("--model-color", type=click.Choice(["rgb", "bgr", "gray"]), help="The colours that the model takes.")
@click.option("--resize", type=click.Choice(list(RESIZES)), help="Resize images to the size of the model.")
@click.option("--size", metavar="HEIGHTxWIDTH", help="The size of the images that the caller passes.")
@click.option("--mean", metavar="NUMBERS", help="Subtract a number, or one for each channel.")
@click.option("--scale", metavar="NUMBERS", help="Divide by a number, or by one for each channel.")
@sharing.options
def command(
    model: Path,
    output: Path,
    name: str | None,
    type: str | None,
    layout: str | None,
    model_layout: str | None,
    color: str | None,
    model_color: str | None,
    resize: str | None,
    size: str | None,
    mean: str | None,
    scale: str | None,
    weights: Path | None,
) -> None:
    numbers = [_numbers(text, option) for text, option in ((mean, "--mean"), (scale, "--scale"))]
    steps = Preprocessing(type, layout, model_layout, color, model_color, resize, _size(size), *numbers)
    if steps == Preprocessing():
        raise click.UsageError("expected a step, such as --type, --mean or --resize")
    sharing.write(preprocess(sharing.read(model, weights, output), steps, name), output)


def _numbers(text: str | None, option: str) -> tuple[float, ...]:
    try:
        return () if text is None else tuple(float(part) for part in text.split(","))
    except ValueError:
        raise click.UsageError(f'{option} is "{text}", expected numbers such as 0.5 or 0.5,0.5,0.5') from None


def _size(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    height, cross, width = text.partition("x")
    if not (cross and height.isdecimal() and width.isdecimal()):
        raise click.UsageError(f'--size is "{text}", expected HEIGHTxWIDTH such as 480x640')
    return int(height), int(width)
