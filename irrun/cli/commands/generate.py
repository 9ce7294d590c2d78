"""Generate text with a language model and its tokenizer.

FOLDER is a model folder as optimum-intel writes it, with a tokenizer and a detokenizer. The prompt and the text after
it are printed while the text is generated. If the folder has a chat template, the prompt becomes the message of a user,
and only the answer is printed. Without an argument, the prompt is read from the standard input. Tokens are the most
likely ones, or sampled with --temperature, --top-k, --top-p, --min-p or --seed. Ctrl-C stops the text.

\b
Examples:
  irrun generate model/ "Once upon a time"
  irrun generate model/ "Once upon a time" --max-new-tokens 100 --stats
  irrun generate model/ "Once upon a time" --temperature 0.8 --seed 1
  irrun generate model/ "First prompt" "Second prompt" --json
  irrun generate model/ "A story: " --stop "The end" --repetition-penalty 1.1
  irrun generate model/ "A story: " --no-repeat-ngram 3 --min-new-tokens 50
  irrun generate model/ --chat --system "You answer in one sentence."
  echo "Summarise this." | irrun generate model/
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from irrun.cli.compiling import compile_options
from irrun.cli.console import detail, note, result, text_or_json, verbosity, warnings_shown
from irrun.cli.extending import extension_option, extensions
from irrun.cli.options import MOST, Number, count_option
from irrun.cli.settings import CommandSettings
from irrun.settings.resolving import DEFAULT

_SAMPLING = ("temperature", "top_k", "top_p", "min_p", "rng_seed")


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("prompts", nargs=-1, metavar="[PROMPT]...")
@count_option("--max-new-tokens", least=0, most=MOST, help="Limit on the tokens to generate.")
@click.option(
    "--temperature", type=Number(min=0), metavar="T", help="Sample at this temperature; 0 takes the most likely."
)
@click.option(
    "--top-k", type=click.IntRange(min=0, max=MOST), metavar="K", help="Sample from the K most likely tokens."
)
@click.option(
    "--top-p",
    type=Number(min=0, min_open=True, max=1),
    metavar="P",
    help="Sample from the most likely tokens that add up to P.",
)
@click.option(
    "--min-p",
    type=Number(min=0, max=1, max_open=True),
    metavar="P",
    help="Sample from tokens P times as likely as the best, or more.",
)
@count_option("--seed", "rng_seed", least=0, most=MOST, help="Sample; equal seeds give equal texts.")
@click.option(
    "--repetition-penalty", type=Number(min=0, min_open=True), metavar="X", help="Make earlier tokens less likely."
)
@click.option("--presence-penalty", type=Number(), metavar="X", help="Subtract X from the score of generated tokens.")
@click.option(
    "--frequency-penalty", type=Number(), metavar="X", help="Subtract X for each time that a token was generated."
)
@count_option("--no-repeat-ngram", "no_repeat_ngram_size", most=MOST, help="Repeat no sequence of N tokens.")
@count_option("--min-new-tokens", least=0, most=MOST, help="Generate N tokens before the text may end.")
@click.option("--ignore-eos", is_flag=True, help="Go on after tokens that end a text.")
@click.option(
    "--stop-id",
    "stop_token_ids",
    type=click.IntRange(min=0, max=MOST),
    multiple=True,
    metavar="ID",
    help="Also stop at this token; repeatable.",
)
@click.option("--stop", "stop_strings", multiple=True, metavar="TEXT", help="Stop before this text; repeatable.")
@count_option("--num-beams", most=1000, help="Beam search with N beams.")
@click.option(
    "--length-penalty", type=Number(), metavar="X", help="With --num-beams: divide scores by the length to the power X."
)
@click.option("--logprobs", is_flag=True, help="Compute the score of each text, for --json.")
@count_option("--num-return-sequences", most=1000, help="Write N texts for each prompt.")
@click.option("--chat", is_flag=True, help="Hold a conversation: each line of the standard input is a question.")
@click.option("--system", default="", metavar="TEXT", help="With --chat: the system message.")
@click.option("--no-template", is_flag=True, help="Continue the prompt as it is, without the chat template.")
@click.option("--stats", is_flag=True, help="Print the number of tokens, and tokens per second.")
@compile_options
@extension_option
@text_or_json
@verbosity
def command(
    folder: Path,
    prompts: tuple[str, ...],
    chat: bool,
    system: str,
    no_template: bool,
    stats: bool,
    settings: CommandSettings,
    output_format: str,
    **given: Any,
) -> None:
    if system and not chat:
        raise click.UsageError("--system requires --chat")
    if chat and (output_format == "json" or no_template):
        raise click.UsageError("--chat cannot be combined with --json or --no-template")
    if not prompts and not chat:
        if sys.stdin.isatty():
            raise click.UsageError('no prompt; give one, such as "Once upon a time", or --chat')
        prompts = (sys.stdin.read().removesuffix("\n"),)
    from irrun.cli import generating
    from irrun.generation import TextPipeline
    from irrun.runtime.tiers import faster_precision

    properties = settings.of(folder / "x")
    with warnings_shown():
        pipeline = TextPipeline(folder, config=properties, extensions=extensions())
    for reason in pipeline.ignored:
        detail(f"{folder / 'generation_config.json'}: {reason}")
    known = pipeline.get_generation_config()
    sampling = _sampling(given)
    if "stop_token_ids" in sampling:
        sampling["stop_token_ids"] = {*known.stop_token_ids, *sampling["stop_token_ids"]}
    if no_template:
        sampling["apply_chat_template"] = False
    config = known.updated(**sampling)
    with warnings_shown():
        if chat:
            generating.converse(pipeline, prompts, system, config, stats)
        elif output_format == "json":
            result(generating.record(pipeline.generate(list(prompts), config), prompts))
        else:
            echoing = config.updated(echo=no_template or not pipeline.get_tokenizer().chat_template)
            if len(prompts) == config.num_return_sequences == config.num_beams == 1:
                generating.stream(pipeline, prompts[0], echoing, stats)
            else:
                generating.show(pipeline.generate(list(prompts), echoing), stats)
    is_default = settings.resolved(folder / "x")["precision"].origin == DEFAULT
    if is_default and (found := faster_precision()) is not None:
        (note if stats else detail)(found)


def _sampling(given: dict[str, Any]) -> dict[str, Any]:
    """Return the given settings of generation; those of sampling ask for it, a temperature of 0 does not."""
    found = {name: value for name, value in given.items() if value is not None and value is not False and value != ()}
    if "logprobs" in found:
        found["logprobs"] = 1
    if any(name in found for name in _SAMPLING):
        found["do_sample"] = found.get("temperature") != 0
        if not found["do_sample"]:
            del found["temperature"]
    return found
