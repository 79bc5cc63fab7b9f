"""Animation: motions side by side as GIF or MP4; a cyclic walk repeats without a seam."""

from __future__ import annotations

import io
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TypedDict, Unpack

import numpy as np
from matplotlib.colors import to_rgb
from PIL import Image

from strut.arrays import Array, Pixels
from strut.errors import OutOfRangeError
from strut.models.solid_mesh import MAX_FACES_FILMED
from strut.motion import Motion
from strut.robot import Robot
from strut.viewer.floor import POLYGON_COLOR, SPOT_COLORS
from strut.viewer.footage import Look, SideBySide, footage, frame_times_s, nearest_samples
from strut.viewer.loop import repeat_cycle, repeated
from strut.viewer.picture import INK, LEVEL_SHARE, VERDICT_COLORS, Mark, Take, TitledShot, take_of, titled_shot
from strut.viewer.video import VideoFormat, video_bytes
from strut.viewer.view import View
from strut.viewer.width import FILM

DEFAULT_MAX_S = 8.0  # of a film of a walk
DEFAULT_MAX_ANIMATION_S = 60.0  # of a film of a keyframe animation, which is shown from its beginning to its end
ENOUGH_CYCLES_S = 2.0  # of a single cyclic walk: more cycles show nothing new
SMOOTH_HZ = 25.0  # default frame rate of human walks and of keyframe animations
DEFAULT_HZ = 20.0  # of all others
MIN_HZ = 1.0
MAX_HZ = 60.0  # screens show no more
MAX_GIF_HZ = 50.0  # browsers show faster GIFs at 10 Hz
UPRIGHT_SHARE = 1.2  # height of a panel over its width, for people
SIDEWAYS_RAD = float(np.deg2rad(-65.0))  # a view of a walk that separates the legs and keeps the face visible
GIF_COLORS = 240  # of 256; the others are those of text and marks
_GIF_SAMPLES = 5  # pictures whose colours make the palette
OnFrame = Callable[[int, int], None]
Repeating = tuple[Motion, Motion]  # a motion, and the cycle that it repeats


class FilmOptions(TypedDict, total=False):
    """How to film; `look`, `names`, `force` and `on_frame` as in `save_views`.

    Args:
        from_s: Seconds since the start; if left out, the middle of each motion that is longer than the film.
        duration_s: Length of the film; if None, whole cycles of a single human walk, or else that of the longest
            motion, at most 8 s (60 s with a keyframe animation or a sequence of commands).
        frames_per_s: From 1 to 60; if None, 25 with a human walk, a keyframe animation or a sequence, and otherwise 20.
        width_px: Width of the film; if None, 720 for one robot and about 1280 for several.
        panel_px: Width of the picture of each robot, instead of `width_px`.
        plain: Whether titles, verdicts, the legend and marks on the ground are left out.
        camera: side, front or three-quarter, follow or fixed, or two of them such as "side,fixed"; see `View`.
        transparent: Whether floor and backdrop are left out, too, for WebM and ProRes.
        size_px: Width and height of the film, instead of `width_px`.
    """

    from_s: float | None
    duration_s: float | None
    frames_per_s: float | None
    width_px: int | None
    panel_px: int | None
    plain: bool
    camera: str | None
    transparent: bool
    size_px: tuple[int, int] | None
    look: Look
    names: Sequence[str] | None
    force: bool
    on_frame: OnFrame | None


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """Pictures of motions side by side, rendered on demand.

    Args:
        titled: What every picture shows.
        count: Number of pictures in one round.
        rounds: How often they are repeated.
        rate_hz: Pictures per second.
    """

    titled: TitledShot
    count: int
    rounds: int
    rate_hz: float

    def pictures(self, on_frame: OnFrame | None = None) -> Iterator[Pixels]:
        """Yield one round, rendered on all processors. Shape (H, W, 3) each, (H, W, 4) if it is transparent.

        A few pictures are rendered ahead of the one that is yielded, for the memory of long films.
        """
        workers = os.cpu_count() or 1
        yield self._finish(0, self.titled.picture(0), on_frame)  # before all others, because it fills caches
        with ThreadPoolExecutor(workers) as pool:
            ahead: deque[Future[Pixels]] = deque()
            numbers = iter(range(1, self.count))
            for done in range(1, self.count):
                ahead.extend(
                    pool.submit(self.titled.picture, number) for number in islice(numbers, 2 * workers + 1 - len(ahead))
                )
                yield self._finish(done, ahead.popleft().result(), on_frame)

    def _finish(self, number: int, picture: Pixels, on_frame: OnFrame | None) -> Pixels:
        """Return a picture, and report that it is finished."""
        if on_frame is not None:
            on_frame(number + 1, self.count)
        return picture


def film_of(shown: SideBySide, **options: Unpack[FilmOptions]) -> Film:
    """Return a film of motions side by side, ready to be rendered."""
    view = film_view(options)
    duration_s = options.get("duration_s")
    from_s = options.get("from_s")
    rounds = 1
    max_s = DEFAULT_MAX_ANIMATION_S if shown.tells_story else DEFAULT_MAX_S
    seconds = min(max_s, shown.longest_s) if duration_s is None else duration_s
    walks = [repeat_cycle(robot, motion, seconds) if from_s is None else None for motion, robot in shown.pairs]
    check_frame_rate(options.get("frames_per_s"))
    rate_hz = options.get("frames_per_s") or (SMOOTH_HZ if any((*walks, shown.tells_story)) else DEFAULT_HZ)
    if duration_s is None:
        rounds, seconds = _rounds(walks, seconds)
    count = len(frame_times_s(seconds, rate_hz))
    times_s = np.arange(count) * seconds / count  # evenly, so that the last frame leads back to the first
    takes = [
        _take_once(motion, robot, times_s, from_s, shown.look, view)
        if walk is None
        else _take_repeating(*walk, robot, times_s, shown.look, view)
        for (motion, robot), walk in zip(shown.pairs, walks, strict=True)
    ]
    upright = all(walks)
    titled = titled_shot(
        shown,
        takes,
        view,
        panel_px=options.get("panel_px") or FILM.panel_px(len(takes), options.get("width_px")),
        height_share=UPRIGHT_SHARE if upright else LEVEL_SHARE,
        marks=_marks(takes) if view.has_text else [],
        angles_rad=(SIDEWAYS_RAD, shown.elevation_rad) if upright and view.direction is None else None,
    )
    return Film(titled, count, rounds, rate_hz)


def film_view(options: FilmOptions) -> View:
    """Return how a film shows motions."""
    size_px = options.get("size_px")
    if size_px is not None and (options.get("width_px") or options.get("panel_px")):
        raise OutOfRangeError("Give the width of a film or its size, not both.")
    return View(options.get("camera"), options.get("plain", False), options.get("transparent", False), size_px)


def check_frame_rate(frames_per_s: float | None, *, gif: bool = False) -> None:
    """Raise OutOfRangeError if a film, or a GIF, cannot have a frame rate."""
    if frames_per_s is not None and not MIN_HZ <= frames_per_s <= MAX_HZ:
        between = f"choose from {MIN_HZ:g} to {MAX_HZ:g}"
        raise OutOfRangeError(f"{frames_per_s:g} frames per second are no film; {between}.")
    if gif and frames_per_s is not None and frames_per_s > MAX_GIF_HZ:
        what = f"Browsers show a GIF of {frames_per_s:g} frames per second slowly"
        raise OutOfRangeError(f"{what}; choose at most {MAX_GIF_HZ:g}, or an MP4.")


def _marks(takes: Sequence[Take]) -> list[Mark]:
    """Return the marks on the ground under any of the robots at any time."""
    polygons: list[Mark] = ["support polygon"] if any(any(take.film.polygons) for take in takes) else []
    return [*polygons, *dict.fromkeys(spot for take in takes for spot in take.film.spots)]


def _rounds(walks: Sequence[Repeating | None], seconds: float) -> tuple[int, float]:
    """Return how many cycles a film of about that length shows of a single walk, and the length of the cycle."""
    if len(walks) > 1 or walks[0] is None:
        return 1, seconds
    cycle_s = walks[0][1].duration_s
    return max(1, min(round(seconds / cycle_s), int(np.ceil(ENOUGH_CYCLES_S / cycle_s - 0.1)))), cycle_s


def _take_once(motion: Motion, robot: Robot, times_s: Array, from_s: float | None, look: Look, view: View) -> Take:
    """Return a motion from a time on, or its middle part; it is continued after its end."""
    start_s = max(0.0, (motion.duration_s - float(times_s[-1])) / 2.0) if from_s is None else from_s
    longer = repeated(motion, robot, start_s + float(times_s[-1]))
    samples = nearest_samples(longer, start_s + times_s)
    return take_of(footage(longer, robot, samples, look=look, most_faces=MAX_FACES_FILMED), view)


def _take_repeating(motion: Motion, cycle: Motion, robot: Robot, times_s: Array, look: Look, view: View) -> Take:
    """Return a repeating walk; the camera moves at its mean speed, so that the first frame follows the last."""
    film = footage(motion, robot, nearest_samples(motion, times_s), look=look, most_faces=MAX_FACES_FILMED)
    if view.move == "fixed":
        return take_of(film, view)
    stride_m = float(cycle.qpos[-1, 0] - cycle.qpos[0, 0])
    path = np.zeros((len(times_s), 3))
    path[:, 0] = motion.qpos[0, 0] + times_s * stride_m / cycle.duration_s
    path[:, 1] = cycle.qpos[:, 1].mean()
    return Take(film, path, stride_m)


def video_of(film: Film, pictures: Iterable[Pixels], form: VideoFormat) -> bytes:
    """Return a film as a video, from the pictures of one round."""
    return video_bytes(pictures if film.rounds == 1 else [*pictures] * film.rounds, form, rate_hz=film.rate_hz)


def gif_of(film: Film, pictures: Iterable[Pixels]) -> bytes:
    """Return a film as a GIF, from the pictures of one round."""
    return gif_bytes([*pictures] * film.rounds, rate_hz=film.rate_hz)


def gif_bytes(pictures: Iterable[Pixels], *, rate_hz: float, colors: int = GIF_COLORS) -> bytes:
    """Return pictures (H, W, 3) as an endless GIF with one palette, so that pixels that stay the same need no space.

    Of the colours, half are common ones and half rare ones; those of text and marks are added.
    """
    check_frame_rate(rate_hz, gif=True)
    images = [Image.fromarray(picture) for picture in pictures]
    marks = [POLYGON_COLOR, *SPOT_COLORS.values(), *(to_rgb(color) for color in (INK, *VERDICT_COLORS.values()))]
    samples = images[:: max(1, len(images) // _GIF_SAMPLES)]
    sample = Image.fromarray(np.concatenate([np.asarray(image)[::2, ::2] for image in samples]))
    methods = (Image.Quantize.MEDIANCUT, Image.Quantize.MAXCOVERAGE)  # common colours, and rare ones
    sampled = [level for method in methods for level in (sample.quantize(colors // 2, method).getpalette() or [])]
    exact = [round(255.0 * value) for color in marks for value in color]  # so that small things keep their colour
    palette = Image.new("P", (1, 1))
    palette.putpalette([*exact, *sampled])
    frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in images]
    buffer = io.BytesIO()
    frames[0].save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=frames[1:],
        duration=_frame_durations_ms(len(frames), rate_hz),
        loop=0,
        optimize=False,
    )
    return buffer.getvalue()


def _frame_durations_ms(count: int, rate_hz: float) -> list[int]:
    """Return the durations of the frames of a GIF, whole hundredths of a second that together keep real time."""
    return [10 * int(hundredths) for hundredths in np.diff(np.round(np.arange(count + 1) * 100.0 / rate_hz))]
