"""Drive page: a person drives a simulated robot from a web page, with a stick on the screen, keys or a gamepad.

The page sends its command by HTTP about twelve times a second; each answer holds the robot's state and why a command
was refused. The page and its scene share one token (plumbing/page_access.py).
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
from strut.plumbing.page_access import PageAccess, host_name
from strut.viewer.live_view import LiveView
from strut.viewer.page import template_text

UPDATES_PER_S = 30.0
MAX_STEP_S = 0.1  # simulated time per update: a slow machine shows slow motion instead of jumps
MAX_BODY = 4096  # bytes of a request
COMMANDS: dict[str, Any] = {
    "/steer": Stick,
    "/play": str,
    "/release": None,
    "/reset": None,
}  # and types of their bodies


class DrivePage:
    """A page and the robot that it drives. The robot moves only when `step` is called.

    Args:
        pilot: The live robot.
        stories: Names of the animations that it can play.
        perform: Makes an animation a feasible motion; it runs in another process, because it takes seconds.
        host: Address of the page.
        port: Port of the page; 0 takes any free port.
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
        self._motions: dict[str, Motion] = {}
        self._pool: multiprocessing.pool.Pool | None = None
        self._speed = 1.0
        self._message = ""
        self._last_state = self._state()
        self.access = PageAccess(host)
        socket = listening_socket(host, port)
        try:
            self._view = LiveView(pilot.robot, host=host, access=self.access)
            self._server = _server(self, socket)
        except BaseException:
            socket.close()
            raise
        self.url = self.access.url(host, socket.getsockname()[1])
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._view.close()
        if self._pool is not None:
            self._pool.terminate()  # unfinished motions are not needed any more
            self._pool.join()

    def step(self, elapsed_s: float) -> None:
        """Execute the commands of the page, simulate the elapsed time, and update the scene."""
        started = time.perf_counter()
        self._play_finished_motion()
        while not self._commands.empty():
            self._execute(*self._commands.get())
        simulated_s = min(elapsed_s, MAX_STEP_S)
        self.pilot.advance(simulated_s)
        speed = simulated_s / max(elapsed_s, time.perf_counter() - started)  # 1 is real time
        self._speed += 0.05 * (speed - self._speed)
        self._last_state = self._state()
        self._view.show(self.pilot.qpos, *self.pilot.eyes())

    def handle(self, path: str, body: bytes) -> dict[str, Any]:
        """Queue a command for the next step and return the state after the last one; raises msgspec.MsgspecError.

        It is called from threads of the server and never waits for the simulation.
        """
        if path not in COMMANDS:
            raise msgspec.ValidationError(f"There is no command {path}.")
        self._commands.put((path, msgspec.json.decode(body, type=COMMANDS[path])))
        return self._last_state

    def _execute(self, path: str, command: Any) -> None:
        if path == "/steer":
            self.pilot.steer(command)
        elif path == "/play":
            self._play(command)
        elif path == "/release":
            self.pilot.release()
        else:
            self.pilot.reset()
            self._message = ""

    def _state(self) -> dict[str, Any]:
        making = "" if self._making is None else self._making[0]
        return asdict(self.pilot.state()) | {
            "making": making,
            "speed": round(self._speed, 2),
            "message": self._message,
        }

    def page(self, view_host: str) -> bytes:
        """Return the page; its scene is served by the same host."""
        return template_text(
            "drive.html",
            base=f"/{self.access.token}/",
            robot=self.pilot.robot.name,
            view=self.access.url(view_host, self._view.port),
            stories=self._stories,
            heights=self.pilot.command.standing_height_m,
        )

    def _play(self, name: str) -> None:
        """Play an animation; one that is not feasible yet is made so first, in another process."""
        if name not in self._stories or self._perform is None:
            self._message = f"There is no story '{name}'."
        elif name in self._motions:
            self._start(name)
        elif self._making is None:
            self._pool = self._pool or multiprocessing.get_context("spawn").Pool(1)
            self._making = (name, self._pool.apply_async(self._perform, (name,)))
            self._message = ""
        else:
            self._message = f"{self._making[0]} is still being computed; try {name} again later."

    def _play_finished_motion(self) -> None:
        if self._making is None or not self._making[1].ready():
            return
        name, result = self._making
        self._making = None
        try:
            self._motions[name] = result.get()
        except StrutError as error:
            self._message = str(error)
        else:
            self._start(name)

    def _start(self, name: str) -> None:
        try:
            motion = self._motions[name]
            self.pilot.play(play_request(motion, self.pilot.robot), motion.meta)
            self._message = ""
        except StrutError as error:  # for instance for an animation that lifts a foot
            self._message = str(error)


def _server(page: DrivePage, socket: Any) -> ThreadingHTTPServer:
    """Return the server of a page on a listening socket."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self._checked_path()
            if path is None:
                return
            if path != "/":
                self._answer(404, "text/plain", b"There is only the page /.")
                return
            self._answer(200, "text/html; charset=utf-8", page.page(host_name(self.headers["Host"])))

        def do_POST(self) -> None:
            path = self._checked_path()
            if path is None:
                return
            length = self.headers.get("Content-Length", "")
            if not (length.isascii() and length.isdigit() and int(length) <= MAX_BODY):
                self._answer(413, "text/plain", b"The request is too long, or its length is not known.")
                return
            try:
                state = page.handle(path, self.rfile.read(int(length)))
            except msgspec.MsgspecError as error:
                self._answer(400, "text/plain", str(error).encode())
                return
            self._answer(200, "application/json", json.dumps(state).encode())

        def _checked_path(self) -> str | None:
            """Return the path after the token; refuse a request that may not use the page, and return None."""
            host = ", ".join(self.headers.get_all("Host", []))
            origins = self.headers.get_all("Origin")
            reason = page.access.refusal(self.path, host=host, origin=", ".join(origins) if origins else None)
            if reason is not None:
                self._answer(403, "text/plain", reason.encode())
                return None
            return page.access.own_path(self.path)

        def _answer(self, code: int, kind: str, content: bytes) -> None:
            with contextlib.suppress(ConnectionError):  # the page was closed meanwhile
                self.send_response(code)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Cache-Control", "no-store")
                self.send_header("Referrer-Policy", "no-referrer")  # the address holds the token
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *_words: object) -> None:
            """Do not log: the library never prints."""

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
    """Serve a page from which a person drives the robot, until Ctrl-C; `stories` and `perform` as in `DrivePage`.

    Example:
        >>> strut.drive(strut.pilot.LivePilot(strut.load_robot("cassie")), on_ready=print)
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
