"""A headless Chromium, driven over the WebDriver protocol."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--hide-scrollbars"),
)
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """A session of a browser."""

    def __init__(self, address: str, folder: str, size: tuple[int, int], dark: bool) -> None:
        self._address = address
        flags = [*FLAGS, f"--user-data-dir={folder}", f"--window-size={size[0]},{size[1]}"]
        flags += ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if dark else []
        options = {"binary": CHROMIUM, "args": flags}
        always = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self._session = self._post("/session", {"capabilities": {"alwaysMatch": always}})["sessionId"]

    def _post(self, path: str, body: Any = None, method: str = "POST") -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._address + path, data, {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())["value"]

    def command(self, path: str, body: Any = None, method: str = "POST") -> Any:
        return self._post(f"/session/{self._session}/{path}", body, method)

    def open(self, page: Path) -> None:
        self.command("url", {"url": page.absolute().as_uri()})

    def run(self, script: str, *arguments: Any) -> Any:
        """Run JavaScript in the page; ``return`` gives a value."""
        return self.command("execute/sync", {"script": script, "args": list(arguments)})

    def click(self, x: float, y: float) -> None:
        """Press and release the mouse at a place of the window."""
        actions = [
            {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self.command("actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})

    def keys(self, *keys: str) -> None:
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.command("actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).innerText", selector))

    def log(self, kind: str) -> list[Any]:
        return list(self.command("se/log", {"type": kind}))

    def errors(self) -> list[str]:
        """Return the messages of the console."""
        return [entry["message"] for entry in self.log("browser")]

    def requests(self) -> list[str]:
        """Return the addresses that the page asked for."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [item["params"]["request"]["url"] for item in messages if item["method"] == "Network.requestWillBeSent"]

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.command("screenshot", method="GET")))

    def close(self) -> None:
        self._post(f"/session/{self._session}", method="DELETE")


@contextmanager
def browser(size: tuple[int, int] = (1400, 900), *, dark: bool = False) -> Iterator[Browser]:
    """Start a browser with a profile of its own, and end it with all its processes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert DRIVER is not None
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([DRIVER, f"--port={port}"], start_new_session=True, **quiet)  # type: ignore[call-overload]
    try:
        address = f"http://127.0.0.1:{port}"
        _wait(address)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            made = Browser(address, folder, size, dark)
            try:
                yield made
            finally:
                made.close()
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(10)


def _wait(address: str) -> None:
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"{address}/status", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise TimeoutError("chromedriver does not answer")
