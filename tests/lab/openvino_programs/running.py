"""Runs programs that use OpenVINO on the installed openvino and on irrun, as they are, and compares what they print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tests.lab import records

PROGRAMS: Final = Path(__file__).with_name("programs")
RECORD: Final = records.DATA / "openvino-programs.json"
SIDES: Final[Mapping[str, tuple[str, ...]]] = {
    "openvino": (str(PROGRAMS / "on_openvino.py"),),
    "irrun": ("-m", "irrun.openvino"),
}
TIMEOUT: Final = 300

ALIKE: Final = "prints the same"
RUNS: Final = "runs to its end"
"""What is said of a program whose output is times and settings."""


class Program(NamedTuple):
    """A program: its command, the distribution that it is of, and a pattern of the lines that are its answer."""

    command: str
    package: str
    answer: str = ".*"


class Run(NamedTuple):
    """The exit status of a program, the lines of its answer, and the last line of what it prints otherwise."""

    status: int
    answer: Sequence[str]
    last: str


_SAMPLES: Final = {
    "hello_classification": Program(
        "{samples}/hello_classification/hello_classification.py {folder}/classifier.xml {folder}/text.png CPU",
        "openvino",
        r"\] \d",
    ),
    "classification_sample_async": Program(
        "{samples}/classification_sample_async/classification_sample_async.py "
        "-m {folder}/classifier.xml -i {folder}/text.png {folder}/text.png",
        "openvino",
        r"\] \d",
    ),
    "model_creation_sample": Program(
        "{samples}/model_creation_sample/model_creation_sample.py {samples}/model_creation_sample/lenet.bin CPU",
        "openvino",
        r"\] (Top|\d)",
    ),
    "hello_reshape_ssd": Program(
        "{samples}/hello_reshape_ssd/hello_reshape_ssd.py {folder}/detector.xml {folder}/text.png CPU",
        "openvino",
        r"Found|Reshap",
    ),
    "hello_query_device": Program("{samples}/hello_query_device/hello_query_device.py", "openvino", "^$"),
    "sync_benchmark": Program(
        "{samples}/benchmark/sync_benchmark/sync_benchmark.py {folder}/classifier.xml", "openvino", "^$"
    ),
    "throughput_benchmark": Program(
        "{samples}/benchmark/throughput_benchmark/throughput_benchmark.py {folder}/classifier.xml", "openvino", "^$"
    ),
}
_PACKAGES: Final = {
    "benchmark_app, asynchronous": Program(
        "{scripts}/benchmark_app -m {folder}/digits.xml -data_shape [1,1,8,8] -t 1", "openvino", r"node:|\[Step"
    ),
    "benchmark_app, synchronous, with times of layers": Program(
        "{scripts}/benchmark_app -m {folder}/classifier.xml -niter 10 -hint none -api sync -pc "
        "-report_type detailed_counters -report_folder {folder}",
        "openvino",
        r"node:|\[Step",
    ),
    "rapidocr": Program("{programs}/read_text.py {folder}", "rapidocr"),
    "rapidocr_openvino": Program("{programs}/read_text_as_before.py {folder}", "rapidocr_openvino"),
    "Model API": Program("{programs}/find_objects.py {folder}", "openvino-model-api"),
    "openvino.preprocess.torchvision": Program("{programs}/transform.py {folder}", "torchvision"),
    "nncf.compress_weights": Program("{programs}/compress_weights.py {folder}", "nncf", "^INT"),
    "nncf.quantize": Program("{programs}/quantize.py {folder}", "nncf", "^(before|after)"),
}
ALL: Final[Mapping[str, Program]] = _SAMPLES | _PACKAGES


def run(program: Program, side: str, places: Mapping[str, Path]) -> Run:
    """Run a program on one side."""
    command = [sys.executable, *SIDES[side], *(part.format_map(places) for part in program.command.split())]
    path = [str(records.ROOT)] if side == "irrun" else []
    done = subprocess.run(
        command,
        cwd=places["folder"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    lines = [_rounded(line) for line in done.stdout.splitlines()]
    said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return Run(done.returncode, [line for line in lines if re.search(program.answer, line)], said[-1] if said else "")


def _rounded(line: str) -> str:
    """Return a line with numbers of two decimals."""
    return re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", line).rstrip()


def outcome(known: Run, own: Run) -> str:
    """Return what a program does on irrun, compared with what it does on OpenVINO."""
    if known.status:
        return f"fails on OpenVINO too: {known.last}" if own.status else RUNS
    if own.status:
        return f"fails: {own.last}"
    if known.answer != own.answer:
        return "prints other lines"
    return ALIKE if known.answer else RUNS


def section() -> Iterator[str]:
    """Yield the section of a page for the record."""
    record = records.read(RECORD)
    yield from (
        "## Programs",
        "",
        "These programs run as they are, with `python -m irrun.openvino`. What they print was compared with what they",
        f"print on OpenVINO {record['openvino']}, numbers with two decimals. Those without a version are OpenVINO's",
        "own samples and tools. `python -m tests.lab openvino_programs` runs them on both. One sample is not there:",
        "`bert_benchmark` reads an ONNX file, and irrun reads IR files only.",
        "",
        "| program | version | on irrun |",
        "|---|---|---|",
    )
    for name, (release, found) in record["programs"].items():
        yield f"| {name} | {release} | {found} |"
