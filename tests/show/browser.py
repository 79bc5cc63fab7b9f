"""A headless Chromium driven over its own protocol: opens a page, notes every request, takes screenshots."""

from __future__ import annotations

import base64
import io
import itertools
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from PIL import Image
from websockets.sync.client import ClientConnection, connect

CHROMIUM = Path(shutil.which("chromium") or "chromium")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)


class Tab:
    """One tab. `requests` holds every address it asked for; `messages` what the console said."""

    def __init__(self, address: str) -> None:
        self.requests: list[str] = []
        self.messages: list[str] = []
        self._ids = itertools.count(1)
        self._socket: ClientConnection = connect(address, max_size=None)
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._ids)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=60))
            if message.get("id") == number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            self._note(message)

    def go_offline(self) -> None:
        self.call(
            "Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )

    def open(self, address: str, *, width_px: int = 1200, height_px: int = 900) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width_px, height=height_px, deviceScaleFactor=1, mobile=False
        )
        self.call("Page.navigate", url=address)

    def wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                self._note(json.loads(self._socket.recv(timeout=left)))
            except TimeoutError:
                return

    def evaluate(self, script: str) -> Any:
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def wait_until(self, condition: str, *, most_s: float) -> bool:
        until = time.monotonic() + most_s
        while time.monotonic() < until:
            self.wait(0.1)
            if self.evaluate(condition):
                return True
        return False

    def screenshot(self) -> Image.Image:
        result = self.call("Page.captureScreenshot", format="png")
        return Image.open(io.BytesIO(base64.b64decode(result["data"]))).convert("RGB")

    def _note(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requests.append(params["url"])
        elif method == "Log.entryAdded":
            self.messages.append(params["entry"]["text"])
        elif method == "Runtime.exceptionThrown":
            self.messages.append(json.dumps(params["exceptionDetails"]))


@contextmanager
def chromium(folder: Path) -> Iterator[Tab]:
    """Start a browser with an empty profile in `folder` and give its first tab."""
    process = subprocess.Popen(
        [str(CHROMIUM), *_FLAGS, f"--user-data-dir={folder}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        with Tab(_tab_address(folder / "DevToolsActivePort")) as tab:
            yield tab
    finally:
        process.terminate()
        process.wait(timeout=20)


def _tab_address(port_file: Path) -> str:
    for _ in range(200):
        if port_file.exists() and "\n" in port_file.read_text():
            break
        time.sleep(0.1)
    port, path = port_file.read_text().splitlines()[:2]
    with connect(f"ws://127.0.0.1:{port}{path}") as browser:
        browser.send(json.dumps({"id": 1, "method": "Target.getTargets"}))
        targets = json.loads(browser.recv(timeout=20))["result"]["targetInfos"]
    page = next(target["targetId"] for target in targets if target["type"] == "page")
    return f"ws://127.0.0.1:{port}/devtools/page/{page}"


def share_changed(before: Image.Image, after: Image.Image) -> float:
    """Return the share of pixels that differ visibly."""
    difference = np.abs(np.asarray(before, dtype=int) - np.asarray(after, dtype=int)).max(axis=-1)
    return float((difference > 24).mean())
