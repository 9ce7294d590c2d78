"""Compares tokenizers and detokenizers in irrun and OpenVINO on generated texts and ids."""

from __future__ import annotations

import random
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

ROOT: Final = Path(__file__).resolve().parents[3]
BATCH: Final = 50
SHOWN: Final = 3
"""The number of differing inputs that are printed for each file."""

SCRIPTS: Final = (
    (0x20, 0x7E), (0x20, 0x7E), (0x20, 0x7E), (0xA1, 0xFF), (0x100, 0x17F), (0x370, 0x3FF), (0x400, 0x4FF),
    (0x5D0, 0x5EA), (0x621, 0x652), (0x904, 0x939), (0x93E, 0x94D), (0xE01, 0xE3A), (0x10D0, 0x10F0), (0x1100, 0x11FF),
    (0x13A0, 0x13F5), (0x1E00, 0x1EFF), (0x2010, 0x2027), (0x2070, 0x209C), (0x2190, 0x21FF), (0x2200, 0x22FF),
    (0x2460, 0x24FF), (0x3041, 0x3096), (0x30A1, 0x30FE), (0x4E00, 0x9FA5), (0xAC00, 0xD7A3), (0xE000, 0xE0FF),
    (0xF900, 0xFA6D), (0xFB00, 0xFB06), (0xFE00, 0xFE0F), (0xFF01, 0xFFEE), (0x300, 0x36F), (0x1D400, 0x1D4FF),
    (0x1F300, 0x1F64F), (0x1F1E6, 0x1F1FF), (0x20000, 0x2A6DF), (0x1, 0x1F), (0x7F, 0x9F), (0xE0001, 0xE007F),
)  # fmt: skip
_WITHOUT_FLAGS: Final = 6
"""The number of inputs of a RegexSplit that gets no flags."""

BLANKS: Final = (
    " ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", "\t\t", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\xa0",
    "\u1680", "\u180e", "\u2000", "\u2003", "\u2009", "\u200a", "\u200b", "\u2028", "\u2029", "\u202f", "\u205f",
    "\u2060", "\u3000", "\ufeff", " \n ", "\n \n", "        ",
)  # fmt: skip
WORDS: Final = (
    "the", "The", "THE", "don't", "we're", "I'LL", "can't", "x=1;", "12345", "3.14159", "1,000,000", "e-mail", "naïve",
    "Straße", "ÉCOLE", "ﬁnal", "I\u0307stanbul", "İstanbul", "ﷺ", "①②", "Å", "A\u030a", "hello", "world", "foo_bar",
    "http://a.b/c?d=e&f", "def f(x):", "    return x", "{}[]()<>", "...", "!!!", "--", "“quoted”", "‘s", "👍🏽",
    "👩\u200d👩\u200d👧\u200d👦", "🇩🇪", "你好世界", "こんにちは", "カタカナ", "한국어", "привет", "мир", "γειά",
    "שלום", "مرحبا", "नमस्ते", "สวัสดี", "<s>", "</s>", "<unk>", "<pad>", "[CLS]", "[SEP]", "[MASK]", "<mask>",
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<0x41>", "##ing", "▁", "Ġ", "</w>", "\u00ad", "\u200d", "\u200e",
)  # fmt: skip

TOKENIZING: Final = {
    "BPETokenizer": 2,
    "SentencepieceTokenizer": 1,
    "TrieTokenizer": 2,
    "UnigramTokenizer": 2,
    "VocabEncoder": 0,
    "WordpieceTokenizer": 2,
}
"""The layers that make ids of texts, with the output that has the ids."""

WARM: Final = 4
"""The number of batches after which no plan is lowered any more."""

IDS: Final = frozenset({"i32", "i64"})
ID_RANK: Final = 2

Run = Callable[[Sequence[Any]], list[Any]]


def text(chance: random.Random) -> str:
    """Return a text of words, letters of some scripts, and white space of all kinds; empty and very long ones, too."""
    kind = chance.random()
    if kind < 0.02:
        return ""
    if kind < 0.05:
        return "".join(chance.choices(BLANKS, k=chance.randint(1, 6)))
    scripts = chance.sample(SCRIPTS, chance.randint(1, 3))
    size = chance.randint(200, 600) if kind > 0.98 else chance.randint(1, 20)
    return "".join(_part(chance, scripts) for _ in range(size))


def _part(chance: random.Random, scripts: Sequence[tuple[int, int]]) -> str:
    kind = chance.random()
    if kind < 0.3:
        return chance.choice(WORDS)
    if kind < 0.45:
        return chance.choice(BLANKS)
    if kind < 0.65:
        return " "
    low, high = chance.choice(scripts)
    letters = (chr(chance.randint(low, high)) for _ in range(chance.randint(1, 6)))
    return "".join(letter for letter in letters if unicodedata.category(letter) != "Cn")


def texts(count: int, seed: int) -> list[str]:
    """Return some texts; the same ones for the same seed."""
    chance = random.Random(seed)
    return [text(chance) for _ in range(count)]


def id_lists(count: int, seed: int, size: int) -> list[list[int]]:
    """Return lists of ids of a vocabulary of some size, all of the same length in each batch."""
    chance = random.Random(seed)
    found = []
    for begin in range(0, count, BATCH):
        length = chance.choice((0, 1, 2, 3, 5, 8, 20, 60))
        found += [[chance.randrange(size) for _ in range(length)] for _ in range(min(BATCH, count - begin))]
    return found


def batches(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield the items in batches."""
    for begin in range(0, len(items), BATCH):
        yield items[begin : begin + BATCH]


def ours(path: Path) -> Run:
    """Return a function that runs an IR in irrun."""
    from irrun.model import build, load

    session = build(load(path)).session()

    def run(inputs: Sequence[Any]) -> list[Any]:
        session.state.reset()
        return [_bytes(array) for array in session.run([_strings(item) for item in inputs]).to_tuple()]

    return run


def _bytes(array: Any) -> Any:
    """Return strings as bytes, which need not be UTF-8; NumPy cuts off NUL at their end, here and from OpenVINO."""
    if array.dtype != object:
        return array
    return np.array([item.encode(errors="surrogateescape") for item in array.reshape(-1)], np.bytes_)


def _strings(item: Any) -> Any:
    if not isinstance(item, list) or (item and not isinstance(item[0], str)):
        return np.asarray(item)
    strings = np.empty(len(item), object)
    strings[:] = item
    return strings


def theirs(path: Path) -> Run:
    """Return a function that runs an IR in OpenVINO."""
    import openvino
    import openvino_tokenizers

    core = openvino.Core()
    core.add_extension(str(openvino_tokenizers._ext_path))
    compiled = core.compile_model(path, "CPU")

    def run(inputs: Sequence[Any]) -> list[Any]:
        request = compiled.create_infer_request()
        for place, item in enumerate(inputs):
            is_text = isinstance(item, list)
            request.set_input_tensor(place, openvino.Tensor(item if is_text and item else np.asarray(item, np.int64)))
        request.infer()
        tensors = [request.get_output_tensor(place) for place in range(len(compiled.outputs))]
        return [tensor.bytes_data if tensor.element_type == openvino.Type.string else tensor.data for tensor in tensors]

    return run


def is_equal(mine: Sequence[Any], other: Sequence[Any]) -> bool:
    """Return whether all outputs are equal."""
    return all(np.shape(a) == np.shape(b) and bool(np.all(a == b)) for a, b in zip(mine, other, strict=True))


def differences(inputs: Sequence[Any], mine: Run, other: Run, arrange: Callable[[Any], list[Any]]) -> list[Any]:
    """Return the inputs for which the engines differ; those of a batch that differs are run one by one."""
    found = []
    for batch in batches(inputs):
        given = arrange(batch)
        if not is_equal(mine(given), other(given)):
            found += [item for item in batch if not is_equal(mine(arrange([item])), other(arrange([item])))]
    return found


def fault(model: Any, differing: Sequence[Any]) -> str:
    """Return why the answers of OpenVINO to some inputs are known to be wrong; empty where they are not."""
    if not any(map(len, differing)):
        return "; to no ids OpenVINO answers with text of an earlier inference"
    splits = [node for node in model.graph.ordered() if node.type == "RegexSplit" and node.inputs == _WITHOUT_FLAGS]
    behind = (model.graph.node(id) for node in splits for id in model.graph.successors(node.id))
    followed = any(node.type == "RegexSplit" for node in behind)
    return "; OpenVINO reads flags beyond their end and answers differently from run to run" if followed else ""


def compare(model: Any, path: Path, count: int, seed: int) -> tuple[int, list[Any]] | None:
    """Return the number of inputs and those that differ; None for an IR that is not a tokenizer."""
    kinds = [port.element_type.name for port in model.inputs]
    if kinds and set(kinds) == {"string"}:
        given: list[Any] = texts(count, seed)
        pairs = len(kinds) > 1
        found = differences(given, ours(path), theirs(path), lambda batch: [list(batch)] * (2 if pairs else 1))
        return count, found
    is_ids = len(kinds) == 1 and kinds[0] in IDS and len(model.inputs[0].partial_shape) == ID_RANK
    if is_ids and model.outputs and model.outputs[0].element_type.name == "string":
        given = id_lists(count, seed, vocabulary(model))
        return count, differences(given, ours(path), theirs(path), lambda batch: [np.array(list(batch), np.int64)])
    return None


def vocabulary(model: Any) -> int:
    """Return the size of the vocabulary of a detokenizer, and some more: ids beyond it give nothing."""
    for node in model.graph.ordered():
        if node.type == "VocabDecoder":
            fact = model.facts.get(model.graph.sources(node.id)[1])
            return int(fact.shape.size.lo) + 5 if fact is not None else 1000
    return 1000


def prose(size: int = 300) -> list[list[str]]:
    """Return batches of lines of this repository's documents, in a random order."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    lines = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines() if len(line) > 20]
    random.Random(0).shuffle(lines)
    return [lines[begin : begin + size] for begin in range(0, len(lines) - size, size)]


def written(path: Path, texts: list[str]) -> int:
    """Return the number of tokens that the tokenizing layer of an IR gives for texts, before they are cut or padded."""
    import irrun

    model = irrun.Core().read_model(path)
    last = [node for node in model.get_ordered_ops() if node.get_type_name() in TOKENIZING][-1]
    ids = irrun.Model([last.output(TOKENIZING[last.get_type_name()])], model.get_parameters())
    return int(irrun.compile_model(ids)([_strings(texts)])[0].size)


def speed(model: Any, path: Path) -> str | None:
    """Return the tokens a second that both engines write, in batches of new texts each; None for other IRs."""
    is_one = [port.element_type.name for port in model.inputs] == ["string"]
    if not is_one or not any(node.type in TOKENIZING for node in model.graph.ordered()):
        return None
    found = []
    given = prose()
    others = given[WARM:]
    tokens = written(path, [line for batch in others for line in batch])
    for run in (ours(path), theirs(path)):
        for batch in given[:WARM]:
            run([batch])
        begin = time.perf_counter()
        for batch in others:
            run([batch])
        found.append(tokens / (time.perf_counter() - begin))
    return f"{found[0]:10,.0f} tokens/s, OpenVINO {found[1]:10,.0f}, ratio {found[0] / found[1]:.2f}"
