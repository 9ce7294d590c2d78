"""Turn texts into vectors, or score them as answers to a question.

FOLDER is a model folder as optimum-intel writes it. The vector of a text is pooled from those of its tokens: the first
one (cls), their mean, or the last one; it is normalised to length 1 unless --no-normalize is given. With --query, the
model is a reranker: it scores pairs of the question and a text.

\b
Examples:
  irrun embed model/ "a cat" "a dog" "a sonata" --pooling mean
  irrun embed model/ --file texts.txt -o vectors.npy
  irrun embed model/ "a cat" "a dog" --json
  irrun embed reranker/ --query "Who purrs?" "a cat" "a dog"
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from irrun.cli import values
from irrun.cli.compiling import compile_options
from irrun.cli.console import result, warnings_shown
from irrun.cli.extending import extensions
from irrun.cli.failures import Failure
from irrun.cli.inputs import FILE, usual_options
from irrun.cli.options import MOST, count_option, output_option
from irrun.cli.settings import CommandSettings
from irrun.cli.writing import write_arrays
from irrun.document.files import content
from irrun.evaluation.files import saving
from irrun.tensor import Array
from irrun.tensor.element_type import F32


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@click.option("--file", "file", type=FILE, help="Also read texts from this file, one per line.")
@click.option(
    "--pooling",
    type=click.Choice(["cls", "mean", "last_token"]),
    help="How to pool the vectors of tokens.  [default: that of the folder, or cls]",
)
@click.option("--no-normalize", is_flag=True, help="Do not normalise the vectors.")
@click.option("--query", metavar="TEXT", help="Score the texts as answers to this question.")
@count_option("--max-length", most=MOST, help="Limit on the tokens of a text.")
@count_option(
    "--batch-size",
    most=MOST,
    help="Limit on the texts in one inference.  [default: as many as have 4,096 tokens, or 32 with --query]",
)
@output_option("Write the vectors, or scores, to this .npy or .npz file.")
@compile_options
@usual_options
def command(
    folder: Path,
    texts: tuple[str, ...],
    file: Path | None,
    pooling: str | None,
    no_normalize: bool,
    query: str | None,
    max_length: int | None,
    batch_size: int | None,
    output: Path | None,
    settings: CommandSettings,
    output_format: str,
) -> None:
    if query is not None and (pooling is not None or no_normalize):
        raise click.UsageError("--query cannot be combined with --pooling or --no-normalize")
    given = [*texts, *(_lines(file) if file is not None else [])]
    if not given:
        raise click.UsageError("no texts, expected some as arguments or in --file")
    if output is not None:
        saving.check_target(output)
    from irrun.generation import TextEmbeddingPipeline, TextRerankPipeline

    common: dict[str, Any] = {"config": settings.of(folder / "x"), "extensions": extensions()}
    common |= {"max_length": max_length} | ({} if batch_size is None else {"batch_size": batch_size})
    with warnings_shown():
        if query is not None:
            found, name = TextRerankPipeline(folder, **common).scores(query, given), "scores"
        else:
            embedder = TextEmbeddingPipeline(folder, pooling_type=pooling, normalize=not no_normalize, **common)
            found, name = embedder.embed_documents(given), "embeddings"
    if output_format == "json":
        rows = [{"text": text, name[:-1]: row} for text, row in zip(given, found.tolist(), strict=True)]
        result(values.as_json({name: rows}))
    elif query is not None:
        for place in np.argsort(-found, kind="stable"):
            result(f"{found[place]:.4f}  {values.printable(given[place])}")
    else:
        _show(found, given)
    if output is not None:
        write_arrays(output, {name: (found, F32)}, [] if file is None else [file])


def _lines(file: Path) -> list[str]:
    try:
        return [line for line in content(file).decode("utf-8-sig").splitlines() if line.strip()]
    except UnicodeDecodeError as error:
        raise Failure(f"{file}: byte {error.start} is not UTF-8") from None


def _show(vectors: Array, texts: Sequence[str]) -> None:
    """Print the size of the vectors, and how alike the texts are: the cosines of the angles between their vectors."""
    result(values.table([("embeddings", F32, vectors)]))
    if not 1 < len(texts) <= values.FEW:
        return
    units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    for row, text in zip(units @ units.T, texts, strict=True):
        result(f"{'  '.join(f'{value:6.3f}' for value in row)}  {values.printable(text)}")
