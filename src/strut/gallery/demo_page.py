"""Demo page: each motion as a small film with its receipt as bars, and its tightest moment as a picture."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from strut.arrays import Pixels
from strut.audit import MAX_SLIP_M
from strut.motion import Motion
from strut.plumbing.number_text import format_percent
from strut.receipt import Receipt
from strut.robot import Robot
from strut.verify.tight_moments import tight_moments
from strut.viewer.animation import film_of
from strut.viewer.footage import SideBySide
from strut.viewer.page import POLICY, page_templates
from strut.viewer.picture import panels_of
from strut.viewer.receipt_text import headline, receipt_sentences
from strut.viewer.video import video_bytes

TILE_PX = 288  # width of a film
TALL_SHARE = 1.15  # height over width of the films of upright bodies
WIDE_SHARE = 0.85  # the same of others
FILM_S = 4.0
FRAMES_PER_S = 20.0
PICTURE_PX = 560
JPEG_QUALITY = 82  # larger files look no better at this size


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure of a receipt as a bar: how much of its limit is used, from 0 to 1, and its value as text."""

    name: str
    use: float
    value: str


@dataclass(frozen=True, slots=True)
class Portrait:
    """A motion on the page.

    Args:
        emotion: Name of the emotion.
        film: Address of the film.
        poster: Address of its first picture.
        width_px: Width of both.
        height_px: Their height.
        verdict: Verdict of the receipt.
        headline: The receipt in one line.
        sentences: The receipt as sentences.
        bars: The receipt as bars.
        moment: The tightest moment as a sentence.
        picture: Address of the picture of that moment.
    """

    emotion: str
    film: str
    poster: str
    width_px: int
    height_px: int
    verdict: str
    headline: str
    sentences: Sequence[str]
    bars: Sequence[Bar]
    moment: str
    picture: str


def film_body(robot: Robot, motions: Sequence[Motion], emotions: Sequence[str], *, upright: bool) -> list[Portrait]:
    """Return the portraits of motions of one robot, filmed to one scale."""
    robots = [robot] * len(motions)
    high_px = 2 * round((TALL_SHARE if upright else WIDE_SHARE) * TILE_PX / 2.0)
    film = film_of(
        SideBySide(motions, robots),
        duration_s=FILM_S,
        frames_per_s=FRAMES_PER_S,
        size_px=(len(motions) * TILE_PX, high_px),
        plain=True,
    )
    panels = [np.split(picture, len(motions), axis=1) for picture in film.pictures()]
    return [
        _portrait(robot, motion, emotion, [picture[index] for picture in panels])
        for index, (motion, emotion) in enumerate(zip(motions, emotions, strict=True))
    ]


def _portrait(robot: Robot, motion: Motion, emotion: str, pictures: Sequence[Pixels]) -> Portrait:
    receipt = motion.receipt
    assert receipt is not None
    moment = tight_moments(motion, robot)[0]
    at_s = float(motion.time_s[moment.sample] - motion.time_s[0])
    (picture,) = panels_of(SideBySide([motion], [robot]), at_s=at_s, panel_px=PICTURE_PX, titles=False)
    return Portrait(
        emotion=emotion,
        film=_address("video/mp4", video_bytes(pictures, "mp4", rate_hz=FRAMES_PER_S)),
        poster=_address("image/jpeg", _jpeg(pictures[0])),
        width_px=pictures[0].shape[1],
        height_px=pictures[0].shape[0],
        verdict=receipt.verdict,
        headline=headline(receipt),
        sentences=receipt_sentences(receipt),
        bars=_bars(receipt),
        moment=moment.text,
        picture=_address("image/jpeg", _jpeg(picture)),
    )


def _bars(receipt: Receipt) -> list[Bar]:
    """Return the bars of a receipt; what does not apply has none."""
    bars = []
    if receipt.expressed_share is not None:
        bars.append(Bar("emotion", receipt.expressed_share, format_percent(receipt.expressed_share)))
    if receipt.torque_use is not None:
        bars.append(Bar("torque", receipt.torque_use, format_percent(receipt.torque_use)))
    if receipt.joint_speed_use is not None:
        bars.append(Bar("speed", receipt.joint_speed_use, format_percent(receipt.joint_speed_use)))
    if receipt.foot_slip_mm is not None:
        bars.append(Bar("slip", receipt.foot_slip_mm / (1e3 * MAX_SLIP_M), f"{receipt.foot_slip_mm:.1f} mm"))
    return bars


def _jpeg(picture: Pixels) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, format="JPEG", quality=JPEG_QUALITY)
    return buffer.getvalue()


def _address(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"


def demo_page(rows: Sequence[tuple[str, str, Sequence[Portrait]]], *, files: str) -> bytes:
    """Return the page: a row of portraits for each body, with its title and what it does.

    Args:
        rows: Title, sentence and portraits of each body.
        files: The motions for a first study, as a shell names them.
    """
    emotions = max(len(portraits) for _, _, portraits in rows)
    title = f"{_counted(len(rows), 'body', 'bodies')}, {_counted(emotions, 'emotion', 'emotions')}".capitalize()
    template = page_templates("strut.gallery").get_template("demo.html")
    return template.render(policy=POLICY, title=title, rows=rows, files=files).encode()


def _counted(count: int, one: str, several: str) -> str:
    """Return a count with its noun, small ones in words."""
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return f"{words[count] if count < len(words) else count} {one if count == 1 else several}"
