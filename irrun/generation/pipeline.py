"""``TextPipeline``: text in, text out, by the language model of a folder."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from irrun.generation import beams, search
from irrun.generation.arguments import Given, given_of
from irrun.generation.batch import TokenizedInputs, padded
from irrun.generation.config import GenerationConfig, from_files
from irrun.generation.errors import GenerationError, GenerationWarning
from irrun.generation.folder import Folder, positions
from irrun.generation.history import ChatHistory, Message, question
from irrun.generation.language_model import Decoding, LanguageModel
from irrun.generation.metrics import PerfMetrics
from irrun.generation.prompts import EncodedPrompts, read, require_known
from irrun.generation.results import DecodedResults, EncodedResults
from irrun.generation.sampling import Sampler
from irrun.generation.streaming import StreamingStatus, StreamWriter, TextStream
from irrun.generation.tokenizer import Tokenizer
from irrun.ops.extending import ExtensionSource
from irrun.tensor import Array

_BACKENDS: Final = ("PA", "SDPA")


class TextPipeline:
    """Generates text by the model, the tokenizer and the detokenizer of a folder, as optimum-intel writes it.

    The methods and the settings are named as those of ``openvino_genai.LLMPipeline``. After the folder come a
    Tokenizer, if it is not that of the folder, a device, which is the CPU, and settings of ``compile_model``, which may
    be arguments too. GenerationError where the folder has no language model, IRError where a file cannot be read or
    run. A GenerationWarning says that the tokenizer has tokens that the model does not know. ``ignored`` has the
    entries of ``generation_config.json`` without effect, and the reasons.

    The tokens of the last call and their cache are kept: of the next prompt only what follows a common begin is read.
    ``finish_chat`` releases them. Not safe to call from several threads at once.
    """

    def __init__(
        self, models_path: str | Path, *arguments: Given, extensions: Iterable[ExtensionSource] = (), **settings: Any
    ) -> None:
        begin = time.perf_counter()
        given = given_of(arguments, settings)
        backend = given.config.pop("ATTENTION_BACKEND", _BACKENDS[0])
        if backend not in _BACKENDS:
            raise GenerationError(f"ATTENTION_BACKEND is {backend!r}, expected PA or SDPA, which are the same here")
        self._folder = Folder(models_path)
        table = self._folder.json("config.json")
        found = from_files(self._folder.json("generation_config.json"), table)
        self._config = found.config
        self.ignored: Sequence[str] = found.ignored
        self._positions = positions(table)
        self._model = LanguageModel(self._folder.model(), given.config, extensions)
        self._tokenizer = given.tokenizer if given.tokenizer is not None else Tokenizer(self._folder)
        end = self._tokenizer.eos_token_id
        if self._config.eos_token_id < 0 and end is not None:
            self._config = self._config.updated(eos_token_id=end)
        known, rows = self._tokenizer.vocabulary_size, self._model.rows
        if rows is not None and known > rows:
            what = f"the tokenizer has {known:,} tokens, and the model knows {rows:,}"
            warnings.warn(f"{what}; prompts with others are refused", GenerationWarning, stacklevel=2)
        self._load_time = time.perf_counter() - begin
        self._history: ChatHistory | None = None
        self._kept: Decoding | None = None
        self._has_warned = False

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
        self._history = ChatHistory([{"role": "system", "content": system_message}] if system_message else [])

    def finish_chat(self) -> None:
        """End the conversation, and forget it, with the tokens of the last call and their cache."""
        self._history = self._kept = None

    def generate(
        self,
        inputs: str | Sequence[str] | ChatHistory | Sequence[Message] | TokenizedInputs | Array,
        generation_config: GenerationConfig | Mapping[str, Any] | None = None,
        streamer: Any = None,
        **settings: Any,
    ) -> Any:
        """Return the texts that continue some prompts.

        A prompt is a text, a list of texts, a conversation (a ChatHistory, or a list of ``{"role": …, "content": …}``),
        or ids. The result is a ``str`` for one text with one answer, EncodedResults for ids, DecodedResults otherwise.
        ``streamer`` is a function that gets each new part of the text, and ends the generation where it returns True,
        ``StreamingStatus.STOP`` or ``StreamingStatus.CANCEL``; or a StreamerBase. ``settings`` replace those of
        ``generation_config``.

        InputError for prompts and settings that cannot be used, IRError where a layer cannot be computed. A question of
        ``start_chat`` is not part of the conversation if its answer is interrupted or cancelled.
        """
        called = time.perf_counter()
        config = self._settled(generation_config, settings)
        writer = None if streamer is None else StreamWriter(streamer)
        metrics = PerfMetrics(load_time=self._load_time, detokenization=[0.0])
        request = read(inputs, config, self._tokenizer, self._history)
        require_known(request.rows, self._positions, self._model.rows)
        metrics.tokenization.append(time.perf_counter() - called - (request.seconds or 0.0))
        if request.seconds is not None:
            metrics.chat_template.append(request.seconds)
        count = len(request.rows) * config.num_return_sequences
        if writer is not None and (count != 1 or config.num_beams > 1):
            raise GenerationError(f"a streamer gets one text, and there are {count} texts or several beams")
        try:
            texts = self._generated(request, config, metrics, called, writer)
        except BaseException:
            self._kept = None
            raise
        metrics.inference.append(sum(metrics.inferences))
        scores, reasons = [text.score for text in texts], [text.reason for text in texts]
        if request.is_encoded:
            metrics.total.append(time.perf_counter() - called)
            return EncodedResults([list(text.tokens) for text in texts], scores, reasons, metrics)
        self._warn_of_lost([text.tokens for text in texts])
        begin = time.perf_counter()
        found = [self._text(request, config, place, text) for place, text in enumerate(texts)]
        metrics.detokenization[-1] += time.perf_counter() - begin
        metrics.total.append(time.perf_counter() - called)
        if self._history is not None and (writer is None or writer.status is not StreamingStatus.CANCEL):
            self._history.append(question(inputs if isinstance(inputs, str) else str(inputs[0])))
            self._history.append({"role": "assistant", "content": found[0]})
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
        if not given.stop_token_ids:
            settings = {"stop_token_ids": self._config.stop_token_ids, **settings}
        return given.updated(**settings)

    def _generated(
        self,
        request: EncodedPrompts,
        config: GenerationConfig,
        metrics: PerfMetrics,
        called: float,
        writer: StreamWriter | None,
    ) -> Sequence[search.Text]:
        """Generate the tokens of all texts, those of a prompt before those of the next."""
        rows = request.rows
        decoding, ids, mask = self._started(rows)
        metrics.input_tokens = sum(map(len, rows)) if mask is not None or len(rows) > 1 else ids.shape[1]
        metrics.cached_tokens = sum(map(len, rows)) - metrics.input_tokens
        begin = time.perf_counter()
        scores = decoding.run(ids, mask)
        metrics.inferences.append(time.perf_counter() - begin)
        most = [config.most_new(len(row), self._positions) for row in rows]
        is_streamed = writer is not None and not request.is_encoded

        def stream(prompt: Array) -> TextStream | None:
            if not (config.stop_strings or is_streamed):
                return None
            begun = prompt.tolist() if config.echo and not request.is_encoded else []
            return TextStream(self._tokenizer.source(), config.stop_strings, config.include_stop_str_in_output, begun)

        if config.num_beams > 1:
            decode = self._tokenizer.text
            return beams.searched(decoding, scores, rows, config, most, metrics, called, decode, stream)
        texts = []
        for place, (row, limit) in enumerate(zip(rows, most, strict=True)):
            for number in range(config.num_return_sequences):
                sampler = Sampler(config, row, place * config.num_return_sequences + number)
                texts.append(search.Draft(sampler, config.ends, limit, stream(row)))
        if writer is not None and texts[0].stream is not None:
            writer.text(texts[0].stream.text)
        search.generate(decoding, scores, texts, metrics, called, writer)
        return texts

    def _started(self, rows: list[Array]) -> tuple[Decoding, Array, Array | None]:
        """Return a decoding, and the ids and the mask to begin with: of one prompt what its cache does not know."""
        kept, self._kept = self._kept, None
        size = kept.resume(rows[0]) if kept is not None and len(rows) == 1 else 0
        if kept is not None and size:
            self._kept = kept
            return kept, rows[0][None, size:], None
        del kept
        self._kept = decoding = self._model.start()
        ids, mask = padded(rows, self._tokenizer.pad_token_id)
        return decoding, ids, None if mask.all() else mask

    def _warn_of_lost(self, texts: Iterable[Sequence[int]]) -> None:
        """Say once which tokens of the model the tokenizer does not have: texts are without them."""
        known = self._tokenizer.vocabulary_size
        lost = sorted({token for tokens in texts for token in tokens if token >= known > 0})
        if lost and not self._has_warned:
            self._has_warned = True
            what = f"the model generates tokens that the tokenizer does not have, such as {lost[0]}"
            warnings.warn(f"{what}; the text is without them", GenerationWarning, stacklevel=3)

    def _text(self, request: EncodedPrompts, config: GenerationConfig, place: int, text: search.Text) -> str:
        """Return a text, behind its prompt where this is asked for."""
        if text.stream is not None:
            return text.stream.text
        prompt = request.rows[place // config.num_return_sequences].tolist() if config.echo else []
        return self._tokenizer.text([*prompt, *text.tokens])
