"""Animation: motions side by side for some seconds, as GIF or MP4. A walk that repeats goes on without a seam."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import TypedDict, Unpack

import numpy as np
from matplotlib.colors import to_rgb
from PIL import Image

from strut.arrays import Array
from strut.errors import OutOfRangeError
from strut.models.solid_mesh import MOST_FACES_FILMED
from strut.motion import Motion
from strut.robot import Robot
from strut.viewer.floor import POLYGON_COLOR, SPOT_COLORS
from strut.viewer.footage import Look, SideBySide, footage, frame_times_s, nearest_samples
from strut.viewer.loop import repeat_cycle, repeated
from strut.viewer.picture import INK, VERDICT_COLORS, Mark, Shot, Take, followed, key_under, shot_of, titles_over
from strut.viewer.render import Pixels
from strut.viewer.video import video_bytes
from strut.viewer.width import FILM

LONGEST_S = 8.0
LONGEST_STORY_S = 60.0  # that a film of a walk or of a story lasts unless more is asked for
ENOUGH_S = 2.0  # that a single walk which repeats is filmed for, in whole cycles: more would show nothing new
QUICK_HZ = 25.0
USUAL_HZ = 20.0  # frames per second: of human walks and of stories, and of all others
FEWEST_HZ = 1.0
MOST_HZ = 60.0  # frames per second that can be asked for
MOST_GIF_HZ = 50.0  # browsers show a GIF of more at 10
UPRIGHT = 1.2
LEVEL = 0.84  # height of a panel over its width: for people, and for others
SIDEWAYS_RAD = float(np.deg2rad(-65.0))  # from where a walk is judged: legs apart, face still seen
_GIF_COLORS = 120  # of each kind
_GIF_SAMPLES = 5  # pictures whose colours make the palette
OnFrame = Callable[[int, int], None]
Repeating = tuple[Motion, Motion]  # a motion, and the cycle that it repeats


class FilmOptions(TypedDict, total=False):
    """How to film; `look`, `names`, `force` and `on_frame` as in `save_shown`.

    Args:
        from_s: Seconds since the start; if left out, the middle of each motion that is longer than the film.
        duration_s: Length of the film; if None, whole cycles of a single human walk, else of the longest motion, at
            most 8 s, of stories and shows 60 s.
        frames_per_s: Frames per second; from 1 to 60, 25 with a human walk, a story or a show and 20 without if left
            out.
        width_px: Width of the film; 720 of one robot and about 1280 of several if left out.
        panel_px: Width of each robot's picture, in the place of `width_px`.
    """

    from_s: float | None
    duration_s: float | None
    frames_per_s: float | None
    width_px: int | None
    panel_px: int | None
    look: Look
    names: Sequence[str] | None
    force: bool
    on_frame: OnFrame | None


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """Pictures of motions side by side, drawn as they are asked for.

    Args:
        titles: The words over every picture. Shape (h, width, 3).
        shot: What is under them.
        key: What the colours on the ground mean, under every picture. Shape (h, width, 3).
        count: How many pictures one round has.
        rounds: How often they are shown.
        rate_hz: Pictures per second.
    """

    titles: Pixels
    shot: Shot
    key: Pixels
    count: int
    rounds: int
    rate_hz: float

    def pictures(self, on_frame: OnFrame | None = None) -> Iterator[Pixels]:
        """Yield one round, drawn on all processors: rays and arrays leave Python alone. Shape (H, W, 3) each."""
        first = self.shot.panels(0)  # alone: it prepares the bodies, for all that follow
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for frame, panels in enumerate(chain([first], pool.map(self.shot.panels, range(1, self.count)))):
                yield np.concatenate([self.titles, panels, self.key])
                if on_frame is not None:
                    on_frame(frame + 1, self.count)


def film_of(shown: SideBySide, **options: Unpack[FilmOptions]) -> Film:
    """Return a film of motions side by side, ready to be drawn."""
    asked_s = options.get("duration_s")
    from_s = options.get("from_s")
    rounds = 1
    seconds = _usual_s(shown) if asked_s is None else asked_s
    walks = [repeat_cycle(robot, motion, seconds) if from_s is None else None for motion, robot in shown.pairs]
    check_frame_rate(options.get("frames_per_s"))
    rate_hz = options.get("frames_per_s") or (QUICK_HZ if any((*walks, shown.tells_story)) else USUAL_HZ)
    if asked_s is None:
        rounds, seconds = _rounds(walks, seconds)
    count = len(frame_times_s(seconds, rate_hz))
    times_s = np.arange(count) * seconds / count  # evenly, so that the last frame leads back to the first
    takes = _takes(shown, walks, times_s, from_s)
    width_px = options.get("panel_px") or FILM.panel_px(len(takes), options.get("width_px"))
    azimuth_rad, height_share = (SIDEWAYS_RAD, UPRIGHT) if all(walks) else (shown.azimuth_rad, LEVEL)
    shot = shot_of(takes, width_px, azimuth_rad, elevation_rad=shown.elevation_rad, height_share=height_share)
    key = key_under(len(takes), width_px, _marks(takes))
    return Film(titles_over(shown, width_px), shot, key, count, rounds, rate_hz)


def check_frame_rate(frames_per_s: float | None, *, gif: bool = False) -> None:
    """Raise OutOfRangeError if a film, or a GIF, of so many frames per second cannot be made."""
    if frames_per_s is not None and not FEWEST_HZ <= frames_per_s <= MOST_HZ:
        between = f"choose from {FEWEST_HZ:g} to {MOST_HZ:g}"
        raise OutOfRangeError(f"{frames_per_s:g} frames per second are no film; {between}.")
    if gif and frames_per_s is not None and frames_per_s > MOST_GIF_HZ:
        what = f"Browsers show a GIF of {frames_per_s:g} frames per second slowly"
        raise OutOfRangeError(f"{what}; choose at most {MOST_GIF_HZ:g}, or an MP4.")


def _takes(shown: SideBySide, walks: Sequence[Repeating | None], times_s: Array, from_s: float | None) -> list[Take]:
    """Return each motion at the times of the film: a walk that repeats goes on for ever, others are shown once."""
    return [
        _once(motion, robot, times_s, from_s, shown.look)
        if walk is None
        else _again_and_again(*walk, robot, times_s, shown.look)
        for (motion, robot), walk in zip(shown.pairs, walks, strict=True)
    ]


def _marks(takes: Sequence[Take]) -> list[Mark]:
    """Return what is drawn on the ground under any of the robots at any time."""
    polygons: list[Mark] = ["support polygon"] if any(any(take.film.polygons) for take in takes) else []
    return [*polygons, *dict.fromkeys(spot for take in takes for spot in take.film.spots)]


def _usual_s(shown: SideBySide) -> float:
    """Return how long a film lasts unless somebody asks for a length."""
    return min(LONGEST_STORY_S if shown.tells_story else LONGEST_S, shown.longest_s)


def _rounds(walks: Sequence[Repeating | None], seconds: float) -> tuple[int, float]:
    """Return how often a film of about so many seconds shows one cycle of a single walk, and how long that is."""
    if len(walks) > 1 or walks[0] is None:
        return 1, seconds
    cycle_s = walks[0][1].duration_s
    return max(1, min(round(seconds / cycle_s), int(np.ceil(ENOUGH_S / cycle_s - 0.1)))), cycle_s


def _once(motion: Motion, robot: Robot, times_s: Array, from_s: float | None, look: Look) -> Take:
    """Return a motion from a moment on, or its middle; where it ends, it goes on from there."""
    start_s = max(0.0, (motion.duration_s - float(times_s[-1])) / 2.0) if from_s is None else from_s
    longer = repeated(motion, robot, start_s + float(times_s[-1]))
    samples = nearest_samples(longer, start_s + times_s)
    return followed(footage(longer, robot, samples, look=look, most_faces=MOST_FACES_FILMED))


def _again_and_again(motion: Motion, cycle: Motion, robot: Robot, times_s: Array, look: Look) -> Take:
    """Return a walk that repeats; the camera keeps its mean speed, so that the first frame follows the last."""
    film = footage(motion, robot, nearest_samples(motion, times_s), look=look, most_faces=MOST_FACES_FILMED)
    stride_m = float(cycle.qpos[-1, 0] - cycle.qpos[0, 0])
    path = np.zeros((len(times_s), 3))
    path[:, 0] = motion.qpos[0, 0] + times_s * stride_m / cycle.duration_s
    path[:, 1] = cycle.qpos[:, 1].mean()
    return Take(film, path, stride_m)


def mp4_bytes(film: Film, pictures: Iterable[Pixels]) -> bytes:
    """Return a film as MP4, from the pictures of one round."""
    return video_bytes(pictures if film.rounds == 1 else [*pictures] * film.rounds, "mp4", rate_hz=film.rate_hz)


def gif_bytes(film: Film, pictures: Iterable[Pixels]) -> bytes:
    """Return a film as endless GIF with one palette, so that pixels that do not change cost nothing."""
    check_frame_rate(film.rate_hz, gif=True)
    drawn = [Image.fromarray(picture) for picture in pictures]
    marks = [POLYGON_COLOR, *SPOT_COLORS.values(), *(to_rgb(color) for color in (INK, *VERDICT_COLORS.values()))]
    some = drawn[:: max(1, len(drawn) // _GIF_SAMPLES)]
    sample = Image.fromarray(np.concatenate([np.asarray(picture)[::2, ::2] for picture in some]))
    methods = (Image.Quantize.MEDIANCUT, Image.Quantize.MAXCOVERAGE)  # common colours, and rare ones
    usual = [level for method in methods for level in (sample.quantize(_GIF_COLORS, method).getpalette() or [])]
    exact = [round(255.0 * value) for color in marks for value in color]  # or small things lose their colour
    palette = Image.new("P", (1, 1))
    palette.putpalette([*exact, *usual])
    frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in drawn] * film.rounds
    buffer = io.BytesIO()
    frames[0].save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=frames[1:],
        duration=_lasting_ms(len(frames), film.rate_hz),
        loop=0,
        optimize=False,
    )
    return buffer.getvalue()


def _lasting_ms(count: int, rate_hz: float) -> list[int]:
    """Return how long each frame of a GIF lasts, in its hundredths of a second, so that the film keeps real time."""
    return [10 * int(lasts) for lasts in np.diff(np.round(np.arange(count + 1) * 100.0 / rate_hz))]
