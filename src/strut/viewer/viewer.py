"""Viewer: motions live in the browser, side by side, with controls for play, speed and time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np

from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.plumbing.cancellation import stop_on_interrupt
from strut.robot import Robot
from strut.viewer.footage import Look, SideBySide
from strut.viewer.lanes import Stage
from strut.viewer.loop import there_and_back_s
from strut.viewer.receipt_text import receipt_sentences, verdict_of
from strut.viewer.scene import Scene

FRAMES_PER_S = 50.0
UPDATES_PER_S = 30.0
ASPECT = 1.3  # width over height of a common window without its panel


class Viewer:
    """A live viewer. It moves only when `step` is called, by the clock of the caller.

    Attributes:
        speed: Seconds of motion per second.
        playing: Whether `step` advances the time.
    """

    def __init__(self, shown: SideBySide, *, host: str = "127.0.0.1", port: int = 8080) -> None:
        """Start to serve; port 0 takes any free one. Raises CannotListenError."""
        self.speed = 1.0
        self.playing = True
        self._clock_s = 0.0  # through the motions and then through the rewinding
        self._duration_s = shown.longest_s
        self._times_s = there_and_back_s(shown.longest_s, FRAMES_PER_S)
        self._scene = Scene(host=host, port=port, title="strut")
        try:
            self._stage = Stage(self._scene, shown, self._times_s, aspect=ASPECT)
            self._add_panel(shown)
        except BaseException:
            self._scene.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._scene.close()

    @property
    def url(self) -> str:
        """Its address in a browser."""
        return self._scene.url

    @property
    def time_s(self) -> float:
        """Present time since the start."""
        if self._clock_s <= self._duration_s:
            return self._clock_s
        return float(np.interp(self._clock_s * FRAMES_PER_S, np.arange(len(self._times_s)), self._times_s))

    def step(self, elapsed_s: float) -> None:
        """Advance by elapsed real time; after the end it rewinds and starts again."""
        if self.playing:
            self._clock_s = (self._clock_s + self.speed * elapsed_s) % (len(self._times_s) / FRAMES_PER_S)
        self._show()

    def go_to(self, time_s: float) -> None:
        """Show a time since the start."""
        self._clock_s = float(np.clip(time_s, 0.0, self._duration_s))
        self._show()

    def play(self, playing: bool) -> None:
        """Play or pause."""
        self.playing = playing
        self._rename_button("Pause" if playing else "Play")

    def _show(self) -> None:
        frame = min(round(self._clock_s * FRAMES_PER_S), len(self._times_s) - 1)
        with self._scene.at_once():
            self._stage.go_to(frame)
        self._move_time(round(self.time_s, 2))

    def _add_panel(self, shown: SideBySide) -> None:
        def jump(time_s: float) -> None:
            self.play(False)
            self._clock_s = time_s  # the next step shows it

        def change_speed(speed: float) -> None:
            self.speed = speed

        self._rename_button = self._scene.add_button("Pause", lambda: self.play(not self.playing))
        self._move_time = self._scene.add_slider(
            "Time [s]", low=0.0, high=round(self._duration_s, 2), step=0.01, value=0.0, on_change=jump
        )
        self._scene.add_slider("Speed", low=0.1, high=4.0, step=0.1, value=1.0, on_change=change_speed)
        for motion, label in zip(shown.motions, shown.labels, strict=True):
            words = " ".join(receipt_sentences(motion.receipt))
            self._scene.add_text(f"**{label}** ({verdict_of(motion)}). {words}")


def show(
    motions: Motion | Sequence[Motion],
    robots: Robot | Sequence[Robot] | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    look: Look = "solid",
    names: Sequence[str] | None = None,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Show motions side by side in the browser until Ctrl-C; `strut.save_views` writes them to files instead.

    Args:
        motions: One or several.
        robots: The robot of each motion; the one that the motion names if None.
        host: Address to listen on; only this machine can open the default.
        port: Port to listen on; 0 takes any free one.
        look: Bodies, or stick figures.
        names: Names of motions with the same emotion and robot, for instance those of their files.
        on_ready: Called with the address once a browser can open it.

    Example:
        >>> motion = strut.load_motion("happy.npz")
        >>> strut.show(motion, on_ready=print)
    """
    motions = [motions] if isinstance(motions, Motion) else motions
    if robots is None:
        robots = [robot_of(motion) for motion in motions]
    elif isinstance(robots, Robot):
        robots = [robots]
    with Viewer(SideBySide(motions, robots, look, names), host=host, port=port) as viewer, stop_on_interrupt() as stop:
        if on_ready is not None:
            on_ready(viewer.url)
        before_s = time.perf_counter()
        while not stop.is_set():
            time.sleep(1.0 / UPDATES_PER_S)
            now_s = time.perf_counter()
            viewer.step(now_s - before_s)
            before_s = now_s
