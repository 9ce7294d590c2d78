"""``TextPipeline``: text in, text out, by the language model of a folder."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from irrun.generation import beams, search
from irrun.generation.config import GenerationConfig, from_files
from irrun.generation.errors import GenerationError
from irrun.generation.folder import Folder
from irrun.generation.language_model import Decoding, LanguageModel
from irrun.generation.metrics import PerfMetrics
from irrun.generation.prompts import Message, Request, question, read
from irrun.generation.results import DecodedResults, EncodedResults
from irrun.generation.sampling import Sampler
from irrun.generation.streaming import TextStream, Writer
from irrun.generation.tokenizer import TokenizedInputs, Tokenizer, padded
from irrun.tensor import Array


class TextPipeline:
    """Generates text by the model, the tokenizer and the detokenizer of a folder, as optimum-intel writes it.

    The methods and the settings are named as those of ``openvino_genai.LLMPipeline``. ``device`` is ignored, since
    there is only one; other arguments are settings of ``compile_model``. GenerationError where the folder has no
    language model, IRError where a file cannot be read or run. Not safe to call from several threads at once.
    """

    def __init__(
        self,
        models_path: str | Path,
        device: str = "CPU",
        config: Mapping[str, Any] | None = None,
        *,
        extensions: Sequence[str] = (),
        **settings: Any,
    ) -> None:
        del device
        begin = time.perf_counter()
        self._folder = Folder(models_path)
        table = self._folder.json("config.json")
        self._config = from_files(self._folder.json("generation_config.json"), table)
        self._positions = _positions(table)
        self._model = LanguageModel(self._folder.model(), {**(config or {}), **settings}, extensions)
        self._tokenizer = Tokenizer(self._folder)
        if self._config.eos_token_id < 0 and self._tokenizer.eos_token_id is not None:
            self._config = self._config.updated(eos_token_id=self._tokenizer.eos_token_id)
        self._load_time = time.perf_counter() - begin
        self._history: list[Message] | None = None
        self._kept: Decoding | None = None

    def get_tokenizer(self) -> Tokenizer:
        """Return the tokenizer."""
        return self._tokenizer

    def get_generation_config(self) -> GenerationConfig:
        """Return the settings that hold where a call does not replace them."""
        return self._config.updated()

    def set_generation_config(self, config: GenerationConfig) -> None:
        """Set the settings that hold where a call does not replace them; GenerationError where they are invalid."""
        self._config = self._settled(config, {})

    def start_chat(self, system_message: str = "") -> None:
        """Begin a conversation: each prompt and each answer become a part of it."""
        self._history = [{"role": "system", "content": system_message}] if system_message else []
        self._kept = None

    def finish_chat(self) -> None:
        """End the conversation, and forget it."""
        self._history = self._kept = None

    def generate(
        self,
        inputs: str | Sequence[str] | Sequence[Message] | TokenizedInputs | Array,
        generation_config: GenerationConfig | Mapping[str, Any] | None = None,
        streamer: Any = None,
        **settings: Any,
    ) -> Any:
        """Return the texts that continue some prompts.

        A prompt is a text, a list of texts, a conversation (a list of ``{"role": …, "content": …}``), or ids. The
        result is a ``str`` for one text with one answer, EncodedResults for ids, DecodedResults otherwise. ``streamer``
        is a function that gets each new part of the text, and ends the generation where it returns True or
        ``StreamingStatus.STOP``; or a StreamerBase. ``settings`` replace those of ``generation_config``.

        InputError for prompts and settings that cannot be used, IRError where a layer cannot be computed. A question of
        a conversation that is interrupted is not part of it.
        """
        begin = time.perf_counter()
        config = self._settled(generation_config, settings)
        writer = None if streamer is None else Writer(streamer)
        metrics = PerfMetrics(load_time=self._load_time)
        request = read(inputs, config, self._tokenizer, self._history)
        metrics.tokenization = time.perf_counter() - begin
        metrics.input_tokens = sum(map(len, request.rows))
        count = len(request.rows) * config.num_return_sequences
        if writer is not None and (count != 1 or config.num_beams > 1):
            raise GenerationError(f"a streamer gets one text, and there are {count} texts or several beams")
        try:
            texts = self._generated(request, config, metrics, writer)
        except BaseException:
            self._kept = None
            raise
        if writer is not None:
            writer.end()
        scores, reasons = [text.score for text in texts], [text.reason for text in texts]
        if request.is_encoded:
            metrics.total = time.perf_counter() - begin
            return EncodedResults([list(text.tokens) for text in texts], scores, reasons, metrics)
        found = self._decoded(request, config, texts, metrics)
        metrics.total = time.perf_counter() - begin
        if self._history is not None:
            asked = inputs if isinstance(inputs, str) else str(inputs[0])
            self._history += [question(asked), {"role": "assistant", "content": found[0]}]
        return found[0] if request.is_one and len(found) == 1 else DecodedResults(found, scores, reasons, metrics)

    __call__ = generate

    def _settled(self, given: Any, settings: Mapping[str, Any]) -> GenerationConfig:
        """Return the settings of a call; GenerationError where they are invalid."""
        if isinstance(given, Mapping):
            return self._config.updated(**{**given, **settings})
        if given is None:
            return self._config.updated(**settings)
        if not isinstance(given, GenerationConfig):
            raise GenerationError(f"generation_config is {given!r}, expected a GenerationConfig or a table of settings")
        if given.eos_token_id < 0:
            settings = {"eos_token_id": self._config.eos_token_id, **settings}
        return given.updated(**settings)

    def _generated(
        self, request: Request, config: GenerationConfig, metrics: PerfMetrics, writer: Writer | None
    ) -> Sequence[search.Text]:
        """Generate the tokens of all texts, those of a prompt before those of the next."""
        rows, decode = request.rows, self._tokenizer.text
        begin = time.perf_counter()
        decoding, ids, mask = self._started(rows)
        scores = decoding.run(ids, mask)
        metrics.inference = time.perf_counter() - begin
        most = [config.most_new(len(row), self._positions) for row in rows]
        if config.num_beams > 1:
            return beams.searched(decoding, scores, rows, config, most, metrics, decode)
        texts = []
        streams = config.stop_strings or (writer is not None and not request.is_encoded)
        for place, (row, count) in enumerate(zip(rows, most, strict=True)):
            for number in range(config.num_return_sequences):
                sampler = Sampler(config, row, place * config.num_return_sequences + number)
                stream = TextStream(self._tokenizer.source(), config.stop_strings) if streams else None
                texts.append(search.Text(sampler, config.ends, count, stream))
        metrics.sequences = len(texts)
        if writer is not None and config.echo and request.prompts:
            writer.text(request.prompts[0])
        search.generate(decoding, scores, texts, metrics, writer)
        return texts

    def _started(self, rows: list[Array]) -> tuple[Decoding, Array, Array | None]:
        """Return a decoding, and the ids and the mask to begin with; in a conversation what its cache does not know."""
        if self._history is not None and self._kept is not None:
            known = np.concatenate([part[0] for part in self._kept.tokens])
            if len(known) < len(rows[0]) and bool((rows[0][: len(known)] == known).all()):
                return self._kept, rows[0][np.newaxis, len(known) :], None
        decoding = self._model.start()
        if self._history is not None:
            self._kept = decoding
        ids, mask = padded(rows, self._tokenizer.pad_token_id)
        return decoding, ids, None if mask.all() else mask

    def _decoded(
        self, request: Request, config: GenerationConfig, texts: Sequence[search.Text], metrics: PerfMetrics
    ) -> list[str]:
        """Return the texts, without stop strings unless they are asked for, behind their prompts where these are."""
        begin = time.perf_counter()
        found = []
        for place, text in enumerate(texts):
            stopped = None if text.stream is None else text.stream.stopped
            whole = self._tokenizer.text(text.tokens)
            if stopped is not None:
                whole = whole[: stopped[1] if config.include_stop_str_in_output else stopped[0]]
            found.append(request.prompts[place // config.num_return_sequences] + whole if config.echo else whole)
        metrics.detokenization += time.perf_counter() - begin
        return found


def _positions(table: Mapping[str, Any]) -> int | None:
    """Return the number of positions that a model knows, of ``config.json``."""
    inner = table.get("text_config")
    for name in ("max_position_embeddings", "n_positions", "seq_length"):
        for given in (table, inner if isinstance(inner, dict) else {}):
            if isinstance(value := given.get(name), int) and value > 0:
                return value
    return None
