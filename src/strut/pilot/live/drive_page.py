"""Drive page: a person drives a simulated robot from a page, with a stick on the screen, keys or a gamepad.

The page asks by HTTP about twelve times a second; each answer says what the robot does and what was refused. Only pages
that were sent from here are answered: others cannot set the header that is asked for.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import multiprocessing.pool
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import msgspec

from strut.errors import StrutError
from strut.motion import Motion
from strut.pilot.animation_request import play_request
from strut.pilot.live.live_pilot import LivePilot, Stick
from strut.plumbing.address import listening_socket
from strut.plumbing.cancellation import stop_on_interrupt
from strut.viewer.live_view import LiveView
from strut.viewer.page import template_text

UPDATES_PER_S = 30.0
LONGEST_STEP_S = 0.1  # of the simulation at once: a machine that is too slow shows slow motion, not jumps
LARGEST_BODY = 4096  # bytes of a request
COMMANDS: dict[str, Any] = {"/steer": Stick, "/play": str, "/release": None, "/reset": None}
HEADER = "X-Strut-Drive"  # browsers ask before another site's page may send it, and nobody answers


class DrivePage:
    """A page and the robot behind it. It moves only when `step` is called, so that whoever owns the clock decides.

    Args:
        pilot: Who is driven.
        stories: Names of what it can play.
        perform: Makes a story a motion, in another process: it takes seconds.
        host: Address.
        port: 0 takes any free one.
    """

    def __init__(
        self,
        pilot: LivePilot,
        *,
        stories: Sequence[str] = (),
        perform: Callable[[str], Motion] | None = None,
        host: str = "127.0.0.1",
        port: int = 8080,
    ) -> None:
        self.pilot = pilot
        self._stories = tuple(stories)
        self._perform = perform
        self._commands: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._making: tuple[str, multiprocessing.pool.AsyncResult[Motion]] | None = None
        self._made: dict[str, Motion] = {}
        self._pool: multiprocessing.pool.Pool | None = None
        self._speed = 1.0
        self._told = ""
        self._shown = self._state()
        socket = listening_socket(host, port)
        try:
            self._view = LiveView(pilot.robot, host=host)
            self._server = _server(self, socket)
        except BaseException:
            socket.close()
            raise
        self.url = f"http://{host}:{socket.getsockname()[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._view.close()
        if self._pool is not None:
            self._pool.terminate()  # nobody will watch what is still being made
            self._pool.join()

    def step(self, elapsed_s: float) -> None:
        """Hear what was asked, let as much time pass for the robot as has passed in the room, and show it."""
        started = time.perf_counter()
        self._play_if_made()
        while not self._commands.empty():
            self._do(*self._commands.get())
        lasts_s = min(elapsed_s, LONGEST_STEP_S)
        self.pilot.advance(lasts_s)
        self._speed += 0.05 * (lasts_s / max(elapsed_s, time.perf_counter() - started) - self._speed)
        self._shown = self._state()
        self._view.show(self.pilot.qpos, *self.pilot.eyes())

    def asked(self, what: str, body: bytes) -> dict[str, Any]:
        """Note what a page asks for the next step, and return what the robot did in the last one.

        Called from threads of the server, which never wait for the simulation: raises msgspec.MsgspecError.
        """
        if what not in COMMANDS:
            raise msgspec.ValidationError(f"There is nothing to ask at {what}.")
        self._commands.put((what, msgspec.json.decode(body, type=COMMANDS[what])))
        return self._shown

    def _do(self, what: str, command: Any) -> None:
        if what == "/steer":
            self.pilot.steer(command)
        elif what == "/play":
            self._play(command)
        elif what == "/release":
            self.pilot.release()
        else:
            self.pilot.reset()
            self._told = ""

    def _state(self) -> dict[str, Any]:
        making = "" if self._making is None else self._making[0]
        told = {"making": making, "speed": round(self._speed, 2), "told": self._told}
        return asdict(self.pilot.state()) | told

    def page(self, view_host: str) -> bytes:
        """Return the page; the scene comes from the same machine that the page was asked from."""
        return template_text(
            "drive.html",
            robot=self.pilot.robot.name,
            view=f"http://{view_host}:{self._view.port}",
            stories=self._stories,
            heights=self.pilot.command.standing_height_m,
            header=HEADER,
        )

    def _play(self, name: str) -> None:
        """Play a story at once if it has been made before; else make it, and play it then."""
        if name not in self._stories or self._perform is None:
            self._told = f"There is no story '{name}'."
        elif name in self._made:
            self._start(name)
        elif self._making is None:
            self._pool = self._pool or multiprocessing.get_context("spawn").Pool(1)
            self._making = (name, self._pool.apply_async(self._perform, (name,)))
            self._told = ""
        else:
            self._told = f"{self._making[0]} is still being made; {name} has to wait."

    def _play_if_made(self) -> None:
        if self._making is None or not self._making[1].ready():
            return
        name, made = self._making
        self._making = None
        try:
            self._made[name] = made.get()
        except StrutError as error:
            self._told = str(error)
        else:
            self._start(name)

    def _start(self, name: str) -> None:
        try:
            motion = self._made[name]
            self.pilot.play(play_request(motion, self.pilot.robot), motion.meta)
            self._told = ""
        except StrutError as error:  # for instance a story that lifts a foot
            self._told = str(error)


def _server(page: DrivePage, socket: Any) -> ThreadingHTTPServer:
    """Return the server of a page on a socket that listens already."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/":
                self._answer(404, "text/plain", b"There is only one page here.")
                return
            self._answer(200, "text/html; charset=utf-8", page.page(self._host()))

        def do_POST(self) -> None:
            if self.headers.get(HEADER) is None:
                self._answer(403, "text/plain", b"Only the page itself may ask.")
                return
            length = int(self.headers.get("Content-Length") or 0)
            if not 0 <= length <= LARGEST_BODY:
                self._answer(413, "text/plain", b"That is too long.")
                return
            try:
                told = page.asked(self.path, self.rfile.read(length))
            except msgspec.MsgspecError as error:
                self._answer(400, "text/plain", str(error).encode())
                return
            self._answer(200, "application/json", json.dumps(told).encode())

        def _host(self) -> str:
            asked = self.headers.get("Host", "127.0.0.1")
            return asked.rsplit(":", 1)[0] if ":" in asked.rsplit("]", 1)[-1] else asked

        def _answer(self, code: int, kind: str, content: bytes) -> None:
            with contextlib.suppress(ConnectionError):  # of a page that was closed meanwhile
                self.send_response(code)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *_words: object) -> None:
            """Say nothing: the library never prints."""

    server = ThreadingHTTPServer(socket.getsockname()[:2], Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = socket
    server.daemon_threads = True
    return server


def drive(
    pilot: LivePilot,
    *,
    stories: Sequence[str] = (),
    perform: Callable[[str], Motion] | None = None,
    host: str = "127.0.0.1",
    port: int = 8080,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Let a person drive a robot from the browser until Ctrl-C; `stories` and `perform` as in `DrivePage`.

    Example:
        >>> strut.drive(strut.LivePilot(strut.load_robot("cassie")), on_ready=print)
    """
    with DrivePage(pilot, stories=stories, perform=perform, host=host, port=port) as page, stop_on_interrupt() as asked:
        if on_ready is not None:
            on_ready(page.url)
        before_s = time.perf_counter()
        while not asked.is_set():
            time.sleep(max(0.0, before_s + 1.0 / UPDATES_PER_S - time.perf_counter()))
            now_s = time.perf_counter()
            page.step(now_s - before_s)
            before_s = now_s
