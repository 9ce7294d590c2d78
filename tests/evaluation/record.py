"""Record what scikit-learn makes of random predictions: ``python tests/evaluation/record.py``, where it is installed.

scikit-learn and what it needs take 300 MB, so tests compare with what it said.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np

RECORD: Final = Path(__file__).with_name("scikit_learn.json")
CASES: Final = 20


def case(number: int) -> dict[str, Any]:
    """Draw scores of classes and numbers, and let scikit-learn judge them."""
    from sklearn import metrics

    random = np.random.default_rng(number)
    rows, count = int(random.integers(4, 30)), int(random.integers(3, 8))
    scores = random.normal(size=(rows, count)).round(3)
    labels = random.integers(0, count, rows)
    labels[: count if rows > count else 1] = np.arange(count if rows > count else 1)
    ignored = np.where(random.random(rows) < 0.2, 255, labels) if number % 2 else labels
    kept = ignored != 255
    found, wanted = scores[kept].argmax(1), labels[kept]
    powers = np.exp(scores[kept])
    everything = np.arange(count)
    figures: dict[str, Any] = {
        f"top{k}": metrics.top_k_accuracy_score(wanted, scores[kept], k=k, labels=everything) for k in range(1, count)
    }
    figures["perplexity"] = np.exp(metrics.log_loss(wanted, powers / powers.sum(1, keepdims=True), labels=everything))
    figures["iou"] = metrics.jaccard_score(wanted, found, average="macro")
    figures["f1"] = metrics.f1_score(wanted, found, average="macro")
    figures["confusion"] = metrics.accuracy_score(wanted, found)
    matrix = metrics.confusion_matrix(wanted, found).tolist()
    truth, guess = random.normal(3, 2, (rows, 2)).round(3), random.normal(3, 2, (rows, 2)).round(3)
    flat = truth.ravel(), guess.ravel()
    numbers = {
        "mse": metrics.mean_squared_error(*flat),
        "rmse": metrics.root_mean_squared_error(*flat),
        "mae": metrics.mean_absolute_error(*flat),
        "r2": metrics.r2_score(*flat),
    }
    chances = random.random(rows).round(3)
    binary = random.integers(0, 2, rows)
    sides = {
        "iou": metrics.jaccard_score(binary, chances > 0.5, average="macro"),
        "f1": metrics.f1_score(binary, chances > 0.5, average="macro"),
    }
    return {
        "classes": {"output": scores.tolist(), "labels": ignored.tolist(), "expected": figures, "matrix": matrix},
        "numbers": {"output": guess.tolist(), "labels": truth.tolist(), "expected": numbers},
        "threshold": {"output": chances.tolist(), "labels": binary.tolist(), "expected": sides},
    }


def main() -> None:
    import sklearn

    record = {"scikit-learn": sklearn.__version__, "cases": [case(number) for number in range(CASES)]}
    RECORD.write_text(json.dumps(record) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
