"""Notebook: `motion.show()`, and a motion as the output of a notebook cell."""

from __future__ import annotations

import html
import sys
import threading
import time
import webbrowser

from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.viewer.footage import SideBySide
from strut.viewer.report import report_bytes
from strut.viewer.viewer import UPDATES_PER_S, Viewer, show

HEIGHT_PX = 640  # of the frame in a cell


def show_motion(motion: Motion) -> None:
    """Show a motion in the browser: until Ctrl-C, or from a notebook in the background."""
    robot = robot_of(motion)
    in_notebook = "ipykernel" in sys.modules
    if not in_notebook:
        show(motion, robot, port=0, on_ready=_open)
        return
    viewer = Viewer(SideBySide([motion], [robot]), port=0)
    threading.Thread(target=_play, args=(viewer,), daemon=True).start()
    _open(viewer.url)


def motion_html(motion: Motion) -> str:
    """Return the page of a motion as a frame for a notebook cell; it moves and needs no server."""
    page = report_bytes(SideBySide([motion], [robot_of(motion)])).decode()
    return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:{HEIGHT_PX}px;border:0"></iframe>'


def _open(url: str) -> None:
    sys.stderr.write(f"{url}\n")
    webbrowser.open(url)


def _play(viewer: Viewer) -> None:
    """Play until the process ends."""
    before_s = time.perf_counter()
    while True:
        time.sleep(1.0 / UPDATES_PER_S)
        now_s = time.perf_counter()
        viewer.step(now_s - before_s)
        before_s = now_s
