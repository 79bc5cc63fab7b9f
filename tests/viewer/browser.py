"""A tab of the headless Chromium: notes every request and every error, and gives its picture."""

from __future__ import annotations

import io
import time

import numpy as np
from PIL import Image
from playwright.sync_api import Browser


class Tab:
    """One tab of its own context. `requests` holds every address it asked for; `errors` what went wrong in it."""

    def __init__(self, browser: Browser, *, width_px: int, height_px: int) -> None:
        self.page = browser.new_context(viewport={"width": width_px, "height": height_px}).new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def wait_until(self, condition: str, *, most_s: float) -> bool:
        """Ask every tenth of a second, from outside: a busy page has few pictures in which to ask itself."""
        until = time.monotonic() + most_s
        while time.monotonic() < until:
            if self.page.evaluate(condition):
                return True
            self.page.wait_for_timeout(100)
        return False

    def picture(self) -> Image.Image:
        """Return what is seen, without what lies below."""
        return Image.open(io.BytesIO(self.page.screenshot(timeout=60_000))).convert("RGB")


def share_changed(before: Image.Image, after: Image.Image) -> float:
    """Return the share of pixels that differ visibly."""
    difference = np.abs(np.asarray(before, dtype=int) - np.asarray(after, dtype=int)).max(axis=-1)
    return float((difference > 24).mean())
